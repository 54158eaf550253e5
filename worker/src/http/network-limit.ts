import { answerWithin } from '@latchkey/session/internal'
import type { RateLimiter } from '../config/resolve-config.js'
import { StoreUnavailable } from '../errors.js'
import { clientNetwork } from './network.js'
import type { Counted } from './process-counter.js'
import { type AuthRequest, nowInSeconds } from './request.js'

/** The period of the rate-limiting binding. Seconds; `period` in wrangler.toml. */
const BINDING_PERIOD = 60
/** Milliseconds. */
const BINDING_TIMEOUT = 5_000

/** Attempts by one network in a minute if this process counts them, as `limit` in wrangler.toml. */
const BY_NETWORK = 30
/**
 * Attempts in a minute of all clients with an unknown network. The limit is far higher, since a
 * stranger among them could keep the others out.
 */
const BY_UNKNOWN = 300

/**
 * May this network make another attempt? Counted by the binding `RATE_LIMIT`, or else in this process.
 * By network, not by address or person: a flood of requests that name a victim would lock the victim
 * out. The ledger counts addresses and people, more strictly.
 *
 * @param key of the address or the person, which counts in the binding if there is no network;
 * for a new person without a name, only the kind: then this process counts them
 * @throws {StoreUnavailable} an attacker must not gain by breaking a counter
 */
export async function tryByNetwork(request: AuthRequest, key: string): Promise<Counted> {
  const { rateLimit } = request.config
  const [kind = ''] = key.split(':', 1)
  const network = clientNetwork(request)
  if (!rateLimit || (network === undefined && kind === key)) return count(request, kind)
  const isMore = await ask(rateLimit, network === undefined ? key : `${kind}:${network}`)
  return { wait: isMore ? 0 : BINDING_PERIOD, takeBack: () => {} }
}

/**
 * May this network end another ceremony of WebAuthn? Any client can begin one, and each end writes
 * a row of the ledger. A ceremony asks no provider and a guess never succeeds, so far more may fail
 * than of passwords.
 *
 * @returns to be taken back if it has proved something
 */
export function tryCeremony(request: AuthRequest): Promise<Counted> {
  return count(request, 'ceremony', BY_UNKNOWN)
}

/**
 * May this network have the app look up another session of a library that it has used before? A
 * client cannot make one up, so many may fail: people who share a network may all have sessions
 * that are over.
 *
 * @returns to be taken back if there was one
 */
export function tryLookUp(request: AuthRequest): Promise<Counted> {
  return count(request, 'look-up', BY_UNKNOWN)
}

/**
 * May this network send another wrong key of the operator API? The binding is not asked: a guess of 256 random bits is worth no
 * call, and the limit only spares the hashes. Clients with an unknown network share it, which
 * keeps no operator out: a right key does not count.
 */
export function tryOperatorKey(request: AuthRequest): Promise<Counted> {
  const name = nameOf('operator-key', clientNetwork(request))
  return request.counts.admit(name, BY_NETWORK, nowInSeconds(request))
}

/** A request that may have us ask a provider, as the limit sees it. */
export interface ProviderAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when nothing failed at the provider. */
  readonly forgive: () => void
  /** To be called when it did. */
  readonly fail: () => Promise<void>
}

/**
 * May this network have us ask a provider again? Without a limit, made-up codes would cause
 * requests without end. Many people share a network, so successes do not count: this process counts
 * failures and requests under way. The binding hears only of failures, and knows those of other
 * isolates.
 *
 * @param kind counts by itself: failed callbacks do not keep others from starting
 */
export async function tryProvider(
  request: AuthRequest,
  kind: 'start' | 'callback' | 'human' | 'logout',
): Promise<ProviderAttempt> {
  // A provider logs many people out at once.
  const counted = await count(request, kind, kind === 'logout' ? BY_UNKNOWN : BY_NETWORK)
  return {
    wait: counted.wait,
    forgive: counted.takeBack,
    async fail() {
      const { rateLimit } = request.config
      const network = clientNetwork(request)
      if (!rateLimit || network === undefined) return
      const isMore = await ask(rateLimit, `${kind}:${network}`).catch(() => true)
      if (!isMore) await request.counts.close(nameOf(kind, network), nowInSeconds(request))
    },
  }
}

/** @throws {StoreUnavailable} */
async function ask(rateLimit: RateLimiter, key: string): Promise<boolean> {
  try {
    const { success } = await answerWithin(BINDING_TIMEOUT, rateLimit.limit({ key }))
    return success === true
  } catch (error) {
    throw new StoreUnavailable('Could not ask the rate limit.', { cause: error })
  }
}

/** Counts in this process. */
function count(request: AuthRequest, kind: string, byNetwork = BY_NETWORK): Promise<Counted> {
  const network = clientNetwork(request)
  const max = network === undefined ? BY_UNKNOWN : byNetwork
  return request.counts.admit(nameOf(kind, network), max, nowInSeconds(request))
}

function nameOf(kind: string, network = 'anywhere'): string {
  return `${kind}:${network}`
}
