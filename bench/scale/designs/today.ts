import { createVerifier } from '@latchkey/session'
import type { AuthRequest } from '@latchkey/worker/http/request'
import { revocations } from '@latchkey/worker/routes/revocations'
import type { RevocationSource } from '@latchkey/worker/stores/ports'
import { RecentRevocations } from '@latchkey/worker/stores/recent-revocations'
import type { PageSize } from '@latchkey/worker/stores/revocation-timeline'
import type { AppReader, Design, IsolateRevocations } from '../design.js'
import { bytesOfIsolate } from '../memory.js'
import { habits, objectsOf, type Size, TOKEN_MAX_AGE } from '../sizes.js'
import type { Surroundings } from '../surroundings.js'

/** An isolate asks after this time, at its next read: the ledger, or collectors. Seconds. */
const LOOK = 4
const LOOK_AT_COLLECTORS = 3

/** Isolates ask collectors if there are several objects; apps ask about their own sessions if the feed is long. */
export const today: Design = {
  name: 'today',
  isolate: (around, _, { ledger, revocations }) =>
    isolateRevocations(around, revocations ?? ledger),
  app: verifyingApp,
  otherLooks: (size, simulated) => {
    const { replicas } = objectsOf(size)
    if (replicas === 0) return otherLooksOfEach(size, simulated)
    // As many collectors of the same objects as there are groups; some are simulated.
    const others = Math.max(0, replicas - simulated)
    return others / (1 + 1 / looksAtCollector(size))
  },
  bytesOfIsolate,
}

/** As it was before there were collectors: every isolate asks every object. */
export const direct: Design = {
  name: 'direct',
  isolate: (around, _, { ledger }) => isolateRevocations(around, ledger),
  app: verifyingApp,
  otherLooks: otherLooksOfEach,
  bytesOfIsolate,
}

/** Reads a second in one isolate. */
export function readsOfIsolate({ inUse, isolates }: Size): number {
  return inUse / 2 / habits.betweenReads / isolates
}

function otherLooksOfEach(size: Size, simulated: number): number {
  return (size.isolates - simulated) / (LOOK + 1 / readsOfIsolate(size))
}

/** Calls a second to each collector. */
export function looksAtCollector(size: Size): number {
  const { replicas } = objectsOf(size)
  const between = LOOK_AT_COLLECTORS + 1 / readsOfIsolate(size)
  return replicas === 0 ? 0 : size.isolates / between / replicas
}

function isolateRevocations(around: Surroundings, source: RevocationSource): IsolateRevocations {
  const { world, onError, keys, issuer, size } = around
  const recent = new CutDown(source, TOKEN_MAX_AGE, world.now)
  recent.people = size.people
  const logger = { error: onError, warn: onError, debug: () => {} }
  const waitUntil = () => {}
  const refresh = () => recent.refresh(logger, waitUntil)
  const config = { logger, session: { tokenMaxAge: TOKEN_MAX_AGE }, now: world.now }
  const features = { tokenLife: 0 }
  const parts = { config, features, keys, issuer, revocations: recent, waitUntil }
  return {
    refresh: () => (recent.isDue || recent.isBehind ? refresh() : undefined),
    has: (session) => recent.has(session),
    ended: (sid) => recent.add(sid),
    cutOff: (cutoff) => recent.cutOff(cutoff),
    async answer({ url }) {
      const request = { ...parts, query: new URL(url).searchParams } as unknown as AuthRequest
      const outcome = await revocations(request).catch(onError)
      return outcome?.kind === 'jwt' ? new Response(outcome.token) : new Response(null, REFUSED)
    },
    get isUnheard() {
      return recent.isUnheard
    },
    get entries() {
      const { sids = [], users = [] } = recent.since(0) ?? {}
      return new Set(sids).size + users.length
    },
  }
}

const REFUSED = { status: 503 }

/** Pages are cut down as the people are, so that there are as many as in truth. */
class CutDown extends RecentRevocations {
  people = 1

  override since(time: number, size?: PageSize): ReturnType<RecentRevocations['since']> {
    return super.since(time, size && { ...size, most: size.most / this.people })
  }
}

function verifyingApp(around: Surroundings, fetch: typeof globalThis.fetch): AppReader {
  const { world, issuer, keys, onError } = around
  const publicKeys = { keys: [...keys.session.verify.values()].map(({ jwk }) => jwk) }
  const verifier = createVerifier({ worker: issuer, publicKeys, fetch, now: world.now, onError })
  return {
    read(cookieHeader) {
      const reading = verifier.read(cookieHeader)
      return reading instanceof Promise ? reading.then(answerOf) : answerOf(reading)
    },
    close: () => verifier.close(),
  }
}

function answerOf(reading: { readonly session: unknown; readonly setCookie: readonly string[] }) {
  return { isSignedIn: reading.session !== null, setCookie: reading.setCookie }
}
