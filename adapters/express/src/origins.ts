import type { IncomingMessage } from 'node:http'
import { BoundedMap } from './bounded-map.js'
import { isTrusted, type OriginPattern } from './origin-pattern.js'
import type { ExpressRequest } from './types.js'

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

const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i
const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The public origin of each request. One object serves both the routes and whoever reads sessions,
 * so that they never differ on the scheme, which decides the cookie's name.
 */
export class Origins {
  readonly #policy: OriginPolicy
  readonly #fixed: PublicOrigin | undefined
  readonly #believed = new BoundedMap<PublicOrigin | OriginFault>(100)
  readonly #judged = new BoundedMap<PublicOrigin | OriginFault>(100)
  #last:
    | {
        readonly host: string
        readonly scheme: string
        readonly isVouchedFor: boolean
        readonly found: PublicOrigin | OriginFault
      }
    | undefined

  constructor(policy: OriginPolicy) {
    this.#policy = policy
    if (policy.configured) this.#fixed = this.#describe(new URL(policy.configured))
  }

  /** For any text, without an exception. */
  of(req: IncomingMessage & Partial<Pick<ExpressRequest, 'app'>>): PublicOrigin | OriginFault {
    if (this.#fixed) return this.#fixed
    const { trustHost, trusted } = this.#policy
    const scheme = (req.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http'
    const { host = '' } = req.headers
    // The owner of the app has said that these headers come from a proxy, or may be believed.
    if (trustHost || isFromProxy(req)) {
      const claimed = claimedHost(req, scheme, host)
      return this.#believe(claimed.scheme, claimed.host, trustHost !== false)
    }
    if (trusted.length > 0) {
      const claimed = claimedHost(req, scheme, host)
      const found = this.#believe(claimed.scheme, claimed.host, false)
      if (found !== 'unknown-host') return found
    }
    return this.#believe(scheme, host, !this.#isStrict)
  }

  get #isStrict(): boolean {
    return this.#policy.trustHost === false || this.#policy.isProduction
  }

  #believe(scheme: string, host: string, isVouchedFor: boolean): PublicOrigin | OriginFault {
    const last = this.#last
    // Most requests are for the same host; to build and hash its URL would take longer than the rest.
    if (last?.host === host && last.scheme === scheme && last.isVouchedFor === isVouchedFor) {
      return last.found
    }
    const text = `${scheme}://${host}`
    const cache = isVouchedFor ? this.#believed : this.#judged
    const found = cache.get(text) ?? cache.set(text, this.#judge(text, isVouchedFor))
    this.#last = { host, scheme, isVouchedFor, found }
    return found
  }

  #judge(text: string, isVouchedFor: boolean): PublicOrigin | OriginFault {
    const at = text.indexOf('://')
    if (!/^https?$/i.test(text.slice(0, at)) || !HOST.test(text.slice(at + 3))) return 'malformed'
    if (!URL.canParse(text)) return 'malformed'
    const url = new URL(text)
    const isKnown = isVouchedFor || isTrusted(url, this.#policy.trusted) || isLoopback(url)
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

/** Express's own judgement, made by the app's setting `trust proxy`. */
function isFromProxy({ app, socket }: Parameters<Origins['of']>[0]): boolean {
  const trusts = app?.get('trust proxy fn')
  return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true
}

/** Proxies append to these headers: the first value is the one next to the browser. */
function claimedHost({ headers }: IncomingMessage, scheme: string, host: string) {
  return {
    scheme: firstOf(headers['x-forwarded-proto']) || scheme,
    host: firstOf(headers['x-forwarded-host']) || host,
  }
}

function firstOf(value: string | string[] | undefined): string {
  if (value === undefined) return ''
  const text = String(value)
  const at = text.indexOf(',')
  return (at === -1 ? text : text.slice(0, at)).trim()
}
