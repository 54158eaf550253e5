import { signRevocationFeed, type UserCutoff } from '@latchkey/session/issue'
import type { Ledger } from '@latchkey/worker/stores/ports'
import type { AppReader, Design, IsolateRevocations, LedgerStores, Named } from '../design.js'
import type { Caller } from '../ledger-objects.js'
import { type Size, TOKEN_MAX_AGE } from '../sizes.js'
import type { Surroundings } from '../surroundings.js'
import type { World } from '../world.js'
import { readsOfIsolate, today } from './today.js'

/** A location asks the objects when its newest answer is older; an isolate its location. Milliseconds. */
const AGE = 2_000
/** An app asks about its sessions in use after this time. Milliseconds. */
const ASK = 4_000
/** Bytes of a digest of an ended session, and of a cut-off. */
const DIGEST = 8
const CUTOFF = 32
/** Bytes of a digest in a table of numbers that is half full. */
const IN_TABLE = 16
/** The wait for the cache of a location. Milliseconds. */
const CACHE_DELAY = 2

/**
 * A candidate: the isolates of a location share one look, through a cache, of digests of eight bytes;
 * and an app asks about the sessions that it has in use, however few endings there are.
 */
export const located: Design = {
  name: 'located',
  isolate: locatedRevocations,
  app: askingApp,
  otherLooks: (size, simulated) => (size.locations - simulated.locations) / secondsBetween(size),
  bytesOfIsolate: (entries) => entries * IN_TABLE,
}

/** Some isolate of the location reads soon after the answer is too old. */
function secondsBetween(size: Size): number {
  return AGE / 1000 + 1 / (readsOfIsolate(size) * (size.isolates / size.locations))
}

interface Piece {
  readonly ended: readonly { readonly digest: string; readonly at: number }[]
  readonly users: readonly UserCutoff[]
}

/** What the isolates of a location have put into its cache: piece by piece, as it was learned. */
class Meeting {
  readonly pieces: Piece[] = []
  readonly #known = new Map<string, number>()
  #askedAt = Number.NEGATIVE_INFINITY
  #next: number | undefined

  /** @param share of the isolate that asks, in what all of the location receive */
  async refresh(world: World, ledger: Ledger, caller: Caller, share: number): Promise<void> {
    const now = world.now()
    if (now - this.#askedAt < AGE) return
    this.#askedAt = now
    const before = caller.received
    for (let hasMore = true; hasMore; ) {
      const oldest = Math.floor(now / 1000) - TOKEN_MAX_AGE - 60
      const since = Math.max(this.#next ?? 0, oldest)
      const found = await ledger.revokedSince(since)
      const news = found.sessions.filter(({ sid }) => !this.#known.has(sid))
      for (const { sid, at } of news) this.#known.set(sid, at)
      const ended = news.map(({ sid, at }) => ({ digest: digestOf(sid), at: at * 1000 }))
      if (ended.length + found.users.length > 0) this.pieces.push({ ended, users: found.users })
      this.#next = found.next
      hasMore = found.hasMore && found.next > since
    }
    caller.received = before + (caller.received - before) * share
    const over = now - (TOKEN_MAX_AGE + 60) * 1000
    for (const [sid, at] of this.#known) {
      if (at * 1000 >= over) break
      this.#known.delete(sid)
    }
  }
}

const meetings = new WeakMap<World, Map<number, Meeting>>()

function meetingOf({ world, size }: Surroundings, caller: Caller, ledger: Ledger): Meeting {
  const { place } = caller
  const all = meetings.get(world) ?? new Map<number, Meeting>()
  meetings.set(world, all)
  const known = all.get(place.location)
  if (known) return known
  const meeting = new Meeting()
  all.set(place.location, meeting)
  // The other isolates of the location look as well.
  const look = () => {
    void meeting.refresh(world, ledger, caller, size.locations / size.isolates).catch(() => {})
    world.after(secondsBetween(size) * 1000, look)
  }
  world.after(world.random() * AGE, look)
  return meeting
}

function locatedRevocations(
  around: Surroundings,
  caller: Caller,
  { ledger }: LedgerStores,
): IsolateRevocations {
  const { world, size } = around
  const meeting = meetingOf(around, caller, ledger)
  const ended = new Map<string, number>()
  const users = new Map<string, UserCutoff>()
  let lookedAt = Number.NEGATIVE_INFINITY
  let read = 0
  const add = (digest: string, at: number) => {
    ended.delete(digest)
    ended.set(digest, at)
  }
  const look = async () => {
    await meeting.refresh(world, ledger, caller, size.locations / size.isolates)
    await world.sleep(CACHE_DELAY)
    for (; read < meeting.pieces.length; read++) {
      const piece = meeting.pieces[read] as Piece
      caller.received += piece.ended.length * DIGEST + piece.users.length * CUTOFF
      for (const { digest, at } of piece.ended) add(digest, at)
      for (const user of piece.users) users.set(user.sub, user)
    }
    const over = world.now() - (TOKEN_MAX_AGE + 60) * 1000
    for (const [digest, at] of ended) {
      if (at >= over) break
      ended.delete(digest)
    }
  }
  const has = ({ sid, sub, auth_time }: Named) =>
    ended.has(digestOf(sid)) || auth_time <= (users.get(sub)?.until ?? -1)
  return {
    catchUp() {
      if (world.now() - lookedAt < AGE) return undefined
      lookedAt = world.now()
      const work = look().catch(around.onError)
      return Promise.race([work, world.sleep(1_000)])
    },
    has,
    isUnheard: false,
    ended: (sid) => add(digestOf(sid), world.now()),
    cutOff: (cutoff) => void users.set(cutoff.sub, cutoff),
    async answer(request) {
      if (world.now() - lookedAt >= AGE) {
        lookedAt = world.now()
        await Promise.race([look(), world.sleep(1_000)])
      }
      const asked = (await request.json()) as [sid: string, sub: string, auth_time: number][]
      const over = asked.filter(([sid, sub, auth_time]) => has({ sid, sub, auth_time }))
      return Response.json(over.map(([sid]) => digestOf(sid)))
    },
    get entries() {
      return ended.size + users.size / size.people
    },
  }
}

/** An app asks about sessions that were read since it last asked, and about those that just began. */
function askingApp(around: Surroundings, fetch: typeof globalThis.fetch): AppReader {
  const { world, keys, issuer } = around
  const inUse = new Map<string, [sid: string, sub: string, auth_time: number]>()
  const over = new Set<string>()
  // The verifier reads an empty feed, and asks nothing itself.
  const verifier = today.app(around, async (input, init) => {
    if (!String(input).includes('/revocations')) return fetch(input, init)
    const next = Math.floor(world.now() / 1000)
    const feed = { iss: issuer, sids: [], users: [], since: 0, next, window: TOKEN_MAX_AGE }
    return new Response(await signRevocationFeed(feed, keys.session.signing))
  })
  const ask = async () => {
    world.after(ASK, ask)
    const asked = [...inUse.values()]
    inUse.clear()
    if (asked.length === 0) return
    const body = JSON.stringify(asked)
    const answer = await fetch(`${issuer}/revocations`, { method: 'POST', body })
    for (const digest of (await answer.json()) as string[]) over.add(digest)
  }
  world.after(ASK * world.random(), ask)
  return {
    read(cookieHeader) {
      const claims = claimsIn(cookieHeader)
      if (!claims) return verifier.read(cookieHeader)
      if (over.has(digestOf(claims.sid))) return { isSignedIn: false, setCookie: [] }
      inUse.set(claims.sid, [claims.sid, claims.sub, claims.auth_time])
      return verifier.read(cookieHeader)
    },
    close: () => verifier.close(),
  }
}

const seen = new Map<string, Named>()

/** What the verifier has found in the token, which it has verified. */
function claimsIn(cookieHeader: string): Named | undefined {
  const known = seen.get(cookieHeader)
  if (known) return known
  const payload = cookieHeader.slice(cookieHeader.indexOf('=') + 1).split('.')[1]
  if (!payload) return undefined
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Named
  if (seen.size > 100_000) seen.clear()
  seen.set(cookieHeader, claims)
  return claims
}

/** 64 bits of a session's id, which is random as it is. */
function digestOf(sid: string): string {
  return sid.slice(0, 11)
}
