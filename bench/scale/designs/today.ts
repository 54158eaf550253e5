import { createVerifier } from '@latchkey/session'
import { signRevocationFeed } from '@latchkey/session/issue'
import { RecentRevocations } from '@latchkey/worker/stores/recent-revocations'
import type { Ledger } from '@latchkey/worker/testing'
import type { AppReader, Design, IsolateEndings, Surroundings } from '../design.js'
import { bytesOfList } from '../memory.js'
import { habits, type Size, TOKEN_MAX_AGE } from '../sizes.js'

/** An isolate asks the ledger after this time, at its next read. Seconds. */
const LOOK = 4

/** A page of the feed, in characters of JSON, of which one person stands for so many. */
const PAGE = 190 * 1024

/** Every isolate asks every object, and every app is told of every ending. */
export const today: Design = {
  name: 'today',
  isolate: isolateEndings,
  app: feedApp,
  otherLooks: ({ isolates, ...size }, simulated) =>
    (isolates - simulated.isolates) / (LOOK + 1 / readsOfIsolate({ isolates, ...size })),
  bytesInMemory: { isolate: bytesOfList, app: bytesOfList },
}

/** Reads a second in one isolate. */
function readsOfIsolate({ inUse, isolates }: Size): number {
  return inUse / 2 / habits.betweenReads / isolates
}

function isolateEndings(around: Surroundings, _: unknown, ledger: Ledger): IsolateEndings {
  const { world, onError, signing, issuer, size } = around
  const recent = new RecentRevocations(ledger, TOKEN_MAX_AGE, world.now)
  const logger = { error: onError, warn: onError, debug: () => {} }
  const page = { most: PAGE / size.people, of: () => 86 }
  const catchUp = () => recent.catchUp(logger, () => {})
  return {
    catchUp: () => (recent.isDue ? catchUp() : undefined),
    has: (session) => recent.has(session),
    ended: (sid) => recent.add(sid),
    cutOff: (cutoff) => recent.cutOff(cutoff),
    // As the route `/revocations` answers.
    async answer(request) {
      const since = Number(new URL(request.url).searchParams.get('since') ?? '0')
      if (recent.isDue) await catchUp()
      const ended = recent.since(since, page)
      if (!ended) return new Response(null, { status: 503 })
      const feed = { ...ended, iss: issuer, since, window: TOKEN_MAX_AGE }
      return new Response(await signRevocationFeed(feed, signing))
    },
    get entries() {
      const { sids = [], users = [] } = recent.since(0) ?? {}
      return sids.length + users.length
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
