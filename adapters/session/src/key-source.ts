import { deriveSessionKeys, importVerifyKeys, type VerifyKeys } from './keys.js'
import { configuredSecrets } from './secrets.js'
import { fetchKeys, type WorkerRoute, WorkerUnavailable } from './worker-client.js'

/** Keys are looked up anew after this long, so that one that was withdrawn goes. Milliseconds. */
const FRESH = 5 * 60 * 1000
/** An unknown key is looked for at most this often: anybody can make one up. Milliseconds. */
const COOL_DOWN = 30 * 1000

/** Where a verifier's keys come from. */
export interface KeySource {
  /** The keys that may be used, at once; `undefined`: {@link load} must be waited for. */
  usable(now: number): VerifyKeys | undefined
  /** Are the keys old enough to be looked up anew, beside the requests? */
  isDue(now: number): boolean
  /** Looks the keys up. @throws {WorkerUnavailable} when there are none that may be used */
  load(): Promise<VerifyKeys>
  /** Looks the keys up for an unknown `kid`, unless that was just tried. */
  lookFor(): Promise<VerifyKeys | undefined>
}

/** Keys that are there for good: derived from the secret, or given. */
export function fixedKeys(options: {
  readonly secret?: string | readonly string[]
  readonly publicKeys?: unknown
}): KeySource {
  const { secret, publicKeys } = options
  let current: VerifyKeys | undefined
  const load = async () => {
    current ??=
      secret === undefined
        ? await importVerifyKeys(publicKeys)
        : (await deriveSessionKeys(configuredSecrets(secret))).verify
    return current
  }
  return {
    usable: () => current,
    isDue: () => false,
    load,
    lookFor: async () => undefined,
  }
}

/**
 * Keys that the service publishes. While it cannot be reached the last ones are used, for as long
 * as `maxAge` says.
 *
 * @param maxAge milliseconds
 */
export function publishedKeys(
  route: () => WorkerRoute,
  { maxAge, now }: { readonly maxAge: number; readonly now: () => number },
): KeySource {
  let keys: VerifyKeys | undefined
  let learnedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  const usable = (at: number) => (at - learnedAt < maxAge ? keys : undefined)
  const look = async () => {
    askedAt = now()
    const found = await importVerifyKeys(await fetchKeys(route()))
    keys = found
    learnedAt = now()
    return found
  }
  return {
    usable,
    isDue: (at) => at - learnedAt >= FRESH && at - askedAt >= COOL_DOWN,
    async load() {
      try {
        return await look()
      } catch (error) {
        const known = usable(now())
        if (known) return known
        if (error instanceof WorkerUnavailable) throw error
        throw new WorkerUnavailable('The auth service publishes no usable keys.', { cause: error })
      }
    },
    async lookFor() {
      if (now() - askedAt < COOL_DOWN) return undefined
      return look().catch(() => undefined)
    },
  }
}
