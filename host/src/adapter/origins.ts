import type { ReadOptions } from '@latchkey/session'
import { BoundedCache } from '@latchkey/session/internal'
import {
  firstOf,
  isNamedOrigin,
  isTrustedOrigin,
  type OriginPattern,
  parseClaimedOrigin,
  type Standing,
} from '../shared/origin.js'
import type { HostRequest } from './host-request.js'

/** The sources of the app's origin. */
export interface OriginPolicy {
  /** Origin of `AUTH_URL`; wins over everything. */
  readonly configured: string | undefined
  /** `config.trustHost` or `AUTH_TRUST_HOST`; `undefined`: not set. */
  readonly trustHost: boolean | undefined
  readonly trusted: readonly OriginPattern[]
  /** Is the app in development? Then any Host is accepted. */
  readonly isDevelopment: boolean
  /** Base path of the service, if it is known before a request. */
  readonly basePath: string | undefined
  /** The options for reading sessions. */
  readonly reading?: Pick<ReadOptions, 'online' | 'service'>
}

/**
 * The app's public origin; and the options for reading its sessions, so that no object is made for
 * each request.
 */
export interface PublicOrigin extends Pick<ReadOptions, 'online' | 'service'> {
  readonly origin: string
  readonly host: string
  readonly scheme: 'http' | 'https'
  readonly standing: Standing
  /** The accepted issuer: `/*` stands for any base path. */
  readonly issuer: string
}

/** Why a request has no origin: its host is malformed, or untrusted. */
export type OriginFault = 'malformed' | 'unknown-host'

/** The parts of a request that concern the origin. */
export interface ClaimedOrigin {
  readonly scheme: string
  readonly host: string
}

/**
 * The party that vouches for a host. If `undefined`, the host must be on the list or mean this
 * machine.
 */
type Voucher = Exclude<Standing, 'claimed'> | undefined

/**
 * Decides the origin of requests. One object serves the routes and the readers of sessions, so that
 * they always agree on the scheme, which decides the cookie's name.
 */
export class Origins {
  /** The origin of `AUTH_URL`. */
  readonly fixed: PublicOrigin | undefined
  readonly #policy: OriginPolicy
  readonly #verdicts = {
    named: new BoundedCache<PublicOrigin | OriginFault>(100),
    routed: new BoundedCache<PublicOrigin | OriginFault>(100),
    judged: new BoundedCache<PublicOrigin | OriginFault>(100),
  }
  #last:
    | (ClaimedOrigin & {
        readonly voucher: Voucher
        readonly verdict: PublicOrigin | OriginFault
      })
    | undefined

  constructor(policy: OriginPolicy) {
    this.#policy = policy
    this.fixed = policy.configured ? this.#describe(new URL(policy.configured), 'named') : undefined
  }

  /** Are the headers of a proxy trusted, whatever address sends them? */
  get trustsProxy(): boolean {
    return this.#policy.trustHost === true
  }

  /** The same origins, with other options for reading sessions. */
  with(reading: Pick<ReadOptions, 'online'>): Origins {
    return new Origins({ ...this.#policy, reading: { ...this.#policy.reading, ...reading } })
  }

  /**
   * The origin of a request. `AUTH_URL` wins; then the headers of a trusted proxy; then forwarded
   * headers with a listed origin; then the Host header, if it is known or the app is in
   * development, since any client can send any Host. A wildcard of the list makes an origin `claimed`.
   */
  of(request: HostRequest): PublicOrigin | OriginFault {
    if (this.fixed) return this.fixed
    const { trustHost, trusted, isDevelopment } = this.#policy
    if (trustHost || request.isFromProxy) {
      return this.judge(claimed(request), trustHost === false ? undefined : 'named')
    }
    if (trusted.length > 0) {
      const forwarded = claimed(request)
      if (forwarded.host !== request.host || forwarded.scheme !== request.scheme) {
        const verdict = this.judge(forwarded, undefined)
        if (verdict !== 'unknown-host') return verdict
      }
    }
    const isAnyHost = trustHost !== false && isDevelopment
    return this.judge(request, request.hostIs ?? (isAnyHost ? 'routed' : undefined))
  }

  /** The origin of any text. Never throws. */
  judge({ scheme, host }: ClaimedOrigin, voucher: Voucher): PublicOrigin | OriginFault {
    const last = this.#last
    // Most requests are for the same host; making and hashing its URL would take longer than the
    // rest.
    if (last?.host === host && last.scheme === scheme && last.voucher === voucher) {
      return last.verdict
    }
    const text = `${scheme}://${host}`
    const cache = this.#verdicts[voucher ?? 'judged']
    const verdict = cache.get(text) ?? cache.set(text, this.#look(scheme, host, voucher))
    this.#last = { host, scheme, voucher, verdict }
    return verdict
  }

  #look(scheme: string, host: string, voucher: Voucher): PublicOrigin | OriginFault {
    const url = parseClaimedOrigin(scheme, host)
    if (!url) return 'malformed'
    const { trusted } = this.#policy
    if (isNamedOrigin(url.origin, trusted)) return this.#describe(url, 'named')
    if (voucher) return this.#describe(url, voucher)
    return isTrustedOrigin(url.origin, trusted) ? this.#describe(url, 'claimed') : 'unknown-host'
  }

  #describe({ origin, host, protocol }: URL, standing: Standing): PublicOrigin {
    const scheme = protocol === 'https:' ? 'https' : 'http'
    const issuer = `${origin}${this.#policy.basePath ?? '/*'}`
    return { origin, host, scheme, standing, issuer, ...this.#policy.reading }
  }
}

function claimed(request: HostRequest): ClaimedOrigin {
  return {
    scheme: firstOf(request.header('x-forwarded-proto')) || request.scheme,
    host: firstOf(request.header('x-forwarded-host')) || request.host,
  }
}
