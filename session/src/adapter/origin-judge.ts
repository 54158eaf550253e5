import { isTrustedOrigin, type OriginPattern, parseClaimedOrigin } from '../internal/origin.js'
import { BoundedMap } from './bounded-map.js'

/** Who may say under which name the app is reached. */
export interface OriginPolicy {
  /** Origin of `AUTH_URL`; wins over everything. */
  readonly configured: string | undefined
  /** `config.trustHost` or `AUTH_TRUST_HOST`; `undefined`: nobody has said. */
  readonly trustHost: boolean | undefined
  readonly trusted: readonly OriginPattern[]
  /** Has the app gone to production? Until then any Host will do. */
  readonly isProduction: boolean
  /** Base path of the service, where it is known before a request tells. */
  readonly basePath: string | undefined
}

/** The app as a browser sees it. */
export interface PublicOrigin {
  readonly origin: string
  readonly host: string
  readonly scheme: 'http' | 'https'
  /** Whose tokens are accepted there: `/*` stands for any base path. */
  readonly issuer: string
}

/** Why a request has no origin: its headers are no host, or one that nobody vouches for. */
export type OriginFault = 'malformed' | 'unknown-host'

/** What a request says of the name under which the app is reached. */
export interface ClaimedOrigin {
  readonly scheme: string
  readonly host: string
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Judges what requests claim. One object serves both the routes and whoever reads sessions, so that
 * they never differ on the scheme, which decides the cookie's name.
 */
export class OriginJudge {
  /** The one of `AUTH_URL`. */
  readonly fixed: PublicOrigin | undefined
  readonly #policy: OriginPolicy
  readonly #believed = new BoundedMap<PublicOrigin | OriginFault>(100)
  readonly #judged = new BoundedMap<PublicOrigin | OriginFault>(100)
  #last:
    | (ClaimedOrigin & {
        readonly isVouchedFor: boolean
        readonly found: PublicOrigin | OriginFault
      })
    | undefined

  constructor(policy: OriginPolicy) {
    this.#policy = policy
    this.fixed = policy.configured ? this.#describe(new URL(policy.configured)) : undefined
  }

  /**
   * For any text, without an exception.
   *
   * @param isVouchedFor somebody has said that it may be believed; otherwise it has to be on the list
   *   or this very machine
   */
  judge({ scheme, host }: ClaimedOrigin, isVouchedFor: boolean): PublicOrigin | OriginFault {
    const last = this.#last
    // Most requests are for the same host; to build and hash its URL would take longer than the rest.
    if (last?.host === host && last.scheme === scheme && last.isVouchedFor === isVouchedFor) {
      return last.found
    }
    const text = `${scheme}://${host}`
    const cache = isVouchedFor ? this.#believed : this.#judged
    const found = cache.get(text) ?? cache.set(text, this.#look(scheme, host, isVouchedFor))
    this.#last = { host, scheme, isVouchedFor, found }
    return found
  }

  #look(scheme: string, host: string, isVouchedFor: boolean): PublicOrigin | OriginFault {
    const url = parseClaimedOrigin(scheme, host)
    if (!url) return 'malformed'
    const isKnown =
      isVouchedFor || isTrustedOrigin(url.origin, this.#policy.trusted) || isLoopback(url)
    return isKnown ? this.#describe(url) : 'unknown-host'
  }

  #describe({ origin, host, protocol }: URL): PublicOrigin {
    const scheme = protocol === 'https:' ? 'https' : 'http'
    return { origin, host, scheme, issuer: `${origin}${this.#policy.basePath ?? '/*'}` }
  }
}

/** Nobody but this machine can be meant by it. */
function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname)
}
