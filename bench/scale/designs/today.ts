import { createVerifier } from '@latchkey/session'
import { signRevocationFeed } from '@latchkey/session/issue'
import type { RecentEndings } from '@latchkey/worker/stores/ports'
import { RecentRevocations } from '@latchkey/worker/stores/recent-revocations'
import type { AppReader, Design, IsolateEndings, Surroundings } from '../design.js'
import { bytesOfIsolate, bytesOfList } from '../memory.js'
import { habits, objectsOf, type Size, TOKEN_MAX_AGE } from '../sizes.js'

/** Characters of a page, and of a cut-off in it. A page is cut down as the people are. */
const PAGE = 190 * 1024
const CUTOFF = 56

/** An isolate asks after this time, at its next read: the ledger, or collectors. Seconds. */
const LOOK = 4
const LOOK_AT_COLLECTORS = 3

/** Isolates ask collectors where there are several objects, and every app is told of every ending. */
export const today: Design = {
  name: 'today',
  isolate: (around, _, { ledger, endings }) => isolateEndings(around, endings ?? ledger),
  app: feedApp,
  otherLooks: (size, simulated) => {
    const { replicas } = objectsOf(size)
    if (replicas === 0) return otherLooksOfEach(size, simulated)
    // As many collectors of the same objects as there are groups; some are simulated.
    const others = Math.max(0, replicas - simulated.isolates)
    return others / (1 + 1 / looksAtCollector(size))
  },
  bytesInMemory: { isolate: bytesOfIsolate, app: bytesOfList },
  appBytesGrowWith: 'endings',
}

/** As it was before there were collectors: every isolate asks every object. */
export const direct: Design = {
  name: 'direct',
  isolate: (around, _, { ledger }) => isolateEndings(around, ledger),
  app: feedApp,
  otherLooks: otherLooksOfEach,
  bytesInMemory: { isolate: bytesOfIsolate, app: bytesOfList },
  appBytesGrowWith: 'endings',
}

/** Reads a second in one isolate. */
export function readsOfIsolate({ inUse, isolates }: Size): number {
  return inUse / 2 / habits.betweenReads / isolates
}

function otherLooksOfEach(size: Size, simulated: { isolates: number }): number {
  return (size.isolates - simulated.isolates) / (LOOK + 1 / readsOfIsolate(size))
}

/** Calls a second to each collector. */
export function looksAtCollector(size: Size): number {
  const { replicas } = objectsOf(size)
  const between = LOOK_AT_COLLECTORS + 1 / readsOfIsolate(size)
  return replicas === 0 ? 0 : size.isolates / between / replicas
}

function isolateEndings(around: Surroundings, endings: RecentEndings): IsolateEndings {
  const { world, onError, signing, issuer, size } = around
  const recent = new RecentRevocations(endings, TOKEN_MAX_AGE, world.now)
  const logger = { error: onError, warn: onError, debug: () => {} }
  const catchUp = () => recent.catchUp(logger, () => {})
  return {
    catchUp: () => (recent.isDue || recent.isBehind ? catchUp() : undefined),
    has: (session) => recent.has(session),
    ended: (sid) => recent.add(sid),
    cutOff: (cutoff) => recent.cutOff(cutoff),
    // As the route `/revocations` answers.
    async answer(request) {
      const since = Number(new URL(request.url).searchParams.get('since') ?? '0')
      const known = () => recent.since(since, { most: PAGE / size.people, of: () => CUTOFF })
      let ended = recent.isDue ? undefined : known()
      if (!ended) {
        await catchUp()
        ended = known()
      }
      if (!ended) return new Response(null, { status: 503 })
      const { users, ...page } = ended
      const cutoffs = users.map(({ sub, ...cutoff }) => ({ pid: sub, ...cutoff }))
      const feed = { ...page, users: [], cutoffs, iss: issuer, since, window: TOKEN_MAX_AGE }
      return new Response(await signRevocationFeed(feed, signing))
    },
    get entries() {
      const { sids = [], users = [] } = recent.since(0) ?? {}
      return new Set(sids).size + users.length
    },
  }
}

function feedApp(around: Surroundings, fetch: typeof globalThis.fetch): AppReader {
  const { world, issuer, publicKeys, onError } = around
  const keys = { keys: [...publicKeys.values()].map(({ jwk }) => jwk) }
  const verifier = createVerifier({
    worker: issuer,
    publicKeys: keys,
    fetch,
    now: world.now,
    onError,
  })
  return {
    read(cookieHeader) {
      const reading = verifier.read(cookieHeader)
      return reading instanceof Promise ? reading.then(answerOf) : answerOf(reading)
    },
    close: () => verifier.close(),
    // Its list is that of the isolates: both keep the endings of a token's life.
    entries: 0,
  }
}

function answerOf(reading: { readonly session: unknown; readonly setCookie: readonly string[] }) {
  return { isSignedIn: reading.session !== null, setCookie: reading.setCookie }
}
