import { deriveSessionKeys, importVerifyKeys, type VerifyKeys } from '../token/keys.js'
import { configuredSecrets } from '../token/secrets.js'
import { Poller, type WaitUntil } from './poller.js'
import { PATIENCE, TIMEOUT, type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** Keys are fetched again after this time, so that a withdrawn one is dropped. Milliseconds. */
const FRESH = 5 * 60 * 1000
/** A request with older keys waits for new ones, unless the service just failed to answer. */
const STALE = 2 * FRESH
/** The shortest time between fetches for an unknown key, since any client can make one up. */
const COOL_DOWN = 30 * 1000
/** The shortest time between fetches while there are no keys. */
const PAUSE = 2 * 1000
/** How long a request waits for new keys if it has old ones. */
const MAX_WAIT = 2 * 1000

/** The source of a verifier's keys, by `kid`. */
export interface KeySource<Keys extends ReadonlyMap<string, unknown> = VerifyKeys> {
  /** The keys that may be used now. The same object as long as they are the same keys. */
  usable(now: number): Keys | undefined
  /** True while no fetch is due. */
  isCurrent(now: number): boolean
  /**
   * Fetches the keys if that is due. @returns a promise that the request has to wait for, if any
   */
  refreshIfDue(now: number, waitUntil?: WaitUntil): Promise<unknown> | undefined
  /**
   * Fetches the keys for an unknown one, unless that was just tried.
   *
   * @param alg how that key is said to sign, if keys of several kinds are expected
   * @returns whether the service answered
   */
  lookFor(now: number, waitUntil?: WaitUntil, alg?: string): Promise<boolean>
}

/** What a reader of tokens hears from the service. */
interface Sources<Keys extends ReadonlyMap<string, unknown>> {
  readonly keys: KeySource<Keys>
  /** The list of endings. */
  readonly feed: Pick<KeySource, 'isCurrent' | 'refreshIfDue'> | undefined
  readonly now: () => number
}

/**
 * May a request use what was verified before, with nothing to wait for? A fetch that is due begins.
 *
 * @param used the keys that it was verified with
 */
export function areCurrent<Keys extends ReadonlyMap<string, unknown>>(
  { keys, feed }: Sources<Keys>,
  used: Keys,
  now: number,
  waitUntil: WaitUntil | undefined,
): boolean {
  if (keys.usable(now) !== used) return false
  if (!keys.isCurrent(now) && keys.refreshIfDue(now, waitUntil) !== undefined) return false
  if (feed === undefined || feed.isCurrent(now)) return true
  return feed.refreshIfDue(now, waitUntil) === undefined
}

/** Waits for the keys if they are due, and has the feed begin meanwhile. */
export async function waitForKeys<Keys extends ReadonlyMap<string, unknown>>(
  { keys, feed, now }: Sources<Keys>,
  waitUntil: WaitUntil | undefined,
): Promise<void> {
  const waiting = keys.refreshIfDue(now(), waitUntil)
  if (!waiting) return
  // Both at the same time, so that the first request waits for the slower one and not for the sum.
  feed?.refreshIfDue(now(), waitUntil)
  await waiting
  // The fetch may have belonged to another request, which was aborted.
  if (!keys.usable(now())) await keys.refreshIfDue(now(), waitUntil)
}

/** Keys that never change: derived from the secret, or given. */
export function fixedKeys({
  secret,
  publicKeys,
}: {
  readonly secret?: string | readonly string[] | undefined
  readonly publicKeys?: unknown
}): KeySource {
  // Checked here, so that a secret that is too short is an error at the start and not of every
  // request.
  const secrets = secret === undefined ? undefined : configuredSecrets(secret)
  let current: VerifyKeys | undefined
  const load = async () => {
    const keys = secrets
      ? (await deriveSessionKeys(secrets)).verify
      : await importVerifyKeys(publicKeys)
    current ??= keys
  }
  return {
    usable: () => current,
    isCurrent: () => current !== undefined,
    refreshIfDue: () => (current ? undefined : load()),
    lookFor: async () => true,
  }
}

/** The keys of sessions, as the service publishes them. */
export function sessionKeysOf(client: Pick<WorkerClient, 'fetchKeys'>): () => Promise<VerifyKeys> {
  return async () => importVerifyKeys(await client.fetchKeys())
}

interface PublishedKeysOptions<Keys> {
  /** Asks the service. @throws {WorkerUnavailable | KeyError} */
  readonly load: () => Promise<Keys>
  /** How long keys are used while they cannot be fetched again. Milliseconds. */
  readonly maxAge: number
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Keys that the service publishes. While it cannot be reached the last ones are used. */
export class PublishedKeys<Keys extends ReadonlyMap<string, unknown>> implements KeySource<Keys> {
  readonly #options: PublishedKeysOptions<Keys>
  readonly #poller: Poller
  #keys: Keys | undefined
  #learnedAt = Number.NEGATIVE_INFINITY
  #hasAnswer = false

  constructor(options: PublishedKeysOptions<Keys>) {
    const { maxAge, now } = options
    this.#options = options
    this.#poller = new Poller({
      now,
      look: () => this.#look(),
      limit: Math.min(STALE, maxAge),
      patience: PATIENCE,
    })
  }

  usable(now: number): Keys | undefined {
    return Math.abs(now - this.#learnedAt) < this.#options.maxAge ? this.#keys : undefined
  }

  isCurrent(now: number): boolean {
    return this.#poller.isCurrent(now) && this.usable(now) !== undefined
  }

  refreshIfDue(now: number, waitUntil?: WaitUntil): Promise<unknown> | undefined {
    const isNeeded = this.usable(now) === undefined
    return this.#poller.refreshIfDue(now, isNeeded ? 2 * TIMEOUT : MAX_WAIT, waitUntil, isNeeded)
  }

  async lookFor(now: number, waitUntil?: WaitUntil): Promise<boolean> {
    await this.#poller.lookNow(now, COOL_DOWN, waitUntil)
    return this.#hasAnswer
  }

  async #look(): Promise<number> {
    const { load, maxAge, now, onError } = this.#options
    this.#hasAnswer = false
    try {
      const keys = await load()
      if (!this.#keys || !hasSameIds(this.#keys, keys)) this.#keys = keys
      this.#learnedAt = now()
      this.#hasAnswer = true
      return Math.min(FRESH, maxAge / 2)
    } catch (error) {
      onError(
        error instanceof WorkerUnavailable
          ? error
          : new WorkerUnavailable('The auth service publishes no keys that can be used.'),
      )
      return this.usable(now()) ? COOL_DOWN : PAUSE
    }
  }
}

/** Are these the same keys? A kid is computed from its key. */
function hasSameIds(
  one: ReadonlyMap<string, unknown>,
  other: ReadonlyMap<string, unknown>,
): boolean {
  return one.size === other.size && [...one.keys()].every((kid) => other.has(kid))
}
