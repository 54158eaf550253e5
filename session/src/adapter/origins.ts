import { BoundedCache } from '../internal/bounded-cache.js'
import {
  firstOf,
  isTrustedOrigin,
  type OriginPattern,
  parseClaimedOrigin,
} from '../internal/origin.js'
import type { ReadOptions } from '../verifier/create-verifier.js'
import type { HostRequest } from './host-request.js'

/** Who may say under which name the app is reached. */
export interface OriginPolicy {
  /** Origin of `AUTH_URL`; wins over everything. */
  readonly configured: string | undefined
  /** `config.trustHost` or `AUTH_TRUST_HOST`; `undefined`: nobody has said. */
  readonly trustHost: boolean | undefined
  readonly trusted: readonly OriginPattern[]
  /** Has the app not gone to production? Any Host will do then. */
  readonly isDevelopment: boolean
  /** Base path of the service, where it is known before a request tells. */
  readonly basePath: string | undefined
  /** How sessions are read there. */
  readonly reading?: Pick<ReadOptions, 'online' | 'service'>
}

/** The app as a browser sees it; and, so that nothing is made for each request, how its sessions are read. */
export interface PublicOrigin extends Pick<ReadOptions, 'online' | 'service'> {
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
export class Origins {
  /** The one of `AUTH_URL`. */
  readonly fixed: PublicOrigin | undefined
  readonly #policy: OriginPolicy
  readonly #believed = new BoundedCache<PublicOrigin | OriginFault>(100)
  readonly #judged = new BoundedCache<PublicOrigin | OriginFault>(100)
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

  /** The same origins, with sessions that are read in another way. */
  with(reading: Pick<ReadOptions, 'online'>): Origins {
    return new Origins({ ...this.#policy, reading: { ...this.#policy.reading, ...reading } })
  }

  /**
   * Where a request came to. `AUTH_URL` wins; then the headers of a proxy where somebody says that they
   * may be believed; then those for a listed origin; then the host that was asked for, where somebody
   * knows it or the app is not in production yet: anybody can send any Host.
   */
  of(request: HostRequest): PublicOrigin | OriginFault {
    if (this.fixed) return this.fixed
    const { trustHost, trusted, isDevelopment } = this.#policy
    if (trustHost || request.isFromProxy) return this.judge(claimed(request), trustHost !== false)
    if (trusted.length > 0) {
      const found = this.judge(claimed(request), false)
      if (found !== 'unknown-host') return found
    }
    const isAnyHost = trustHost !== false && isDevelopment
    return this.judge(request, isAnyHost || request.isHostKnown === true)
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
    const issuer = `${origin}${this.#policy.basePath ?? '/*'}`
    return { origin, host, scheme, issuer, ...this.#policy.reading }
  }
}

function claimed(request: HostRequest): ClaimedOrigin {
  return {
    scheme: firstOf(request.header('x-forwarded-proto')) || request.scheme,
    host: firstOf(request.header('x-forwarded-host')) || request.host,
  }
}

/** Nobody but this machine can be meant by it. */
function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname)
}
