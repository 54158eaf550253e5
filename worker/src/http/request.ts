import { anyBase } from '@latchkey/host/shared'
import type { ResolvedConfig } from '../config/resolve-config.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { MissingBinding } from '../errors.js'
import type { Words } from '../languages/texts.js'
import type { KeyRing } from '../lib/key-ring.js'
import type { FeatureSet } from '../service/feature-set.js'
import type { Route } from '../service/request-hooks.js'
import type { Stores } from '../stores/ports.js'
import type { RecentRevocations } from '../stores/recent-revocations.js'
import type { RawCookie } from '../types/raw-response.js'
import type { AppProof } from './forwarded.js'
import type { Providers } from './kind.js'
import type { ProcessCounter } from './process-counter.js'

/**
 * The parts that are made once from a configuration and an environment, and serve every request.
 */
export interface ServiceParts {
  readonly config: ResolvedConfig
  readonly keys: KeyRing
  readonly stores: Stores
  /** The recent endings that this isolate has seen. */
  readonly revocations: RecentRevocations
  readonly providers: Providers
  /** What the service can do besides signing people in by OAuth. */
  readonly features: FeatureSet
  /** The counts of this process, by network and by person. */
  readonly counts: ProcessCounter
  /** The flows that were brought back to this process. */
  readonly usedFlows: UsedFlows
  /** Why no sign-in can be finished, so that none is started. */
  readonly missingBinding: MissingBinding | undefined
}

/** Flows by their ids, each of which is used once. Seconds since the epoch. @returns `false`: it was used before */
interface UsedFlows {
  use(id: string, now: number, ends: number): boolean
}

/** The operator of a method that a Worker calls, or the app itself: there is no key. */
export const BINDING = 'binding'

/** One request with everything that handlers need. It is not kept after the answer. */
export class AuthRequest implements ServiceParts {
  readonly config: ResolvedConfig
  readonly keys: KeyRing
  readonly stores: Stores
  readonly revocations: RecentRevocations
  readonly providers: Providers
  readonly features: FeatureSet
  readonly counts: ProcessCounter
  readonly usedFlows: UsedFlows
  readonly missingBinding: MissingBinding | undefined
  /** The original request. */
  readonly original: Request
  readonly method: string
  /** Public origin of the service, such as `https://example.com`. */
  readonly origin: string
  /** Public origin and base path: the session token's issuer. */
  readonly issuer: string
  /** The issuers whose sessions are read; `/*` at the end stands for any base path. */
  readonly accepted: string
  /** The part of the path below the base path; `//` for a path that is not below it. */
  readonly path: string
  /** Is the public origin https? Decides cookie names, `Secure` and HSTS. */
  readonly secure: boolean
  /** When it came: all proofs in it were made before. Seconds since the epoch. */
  readonly came: number
  /** The `Cookie` header. */
  readonly cookieHeader: string | null
  /** Cookies for the response, also for an error's. */
  readonly setCookies: RawCookie[] = []
  /** Further headers for the response, by their names. */
  readonly setHeaders = new Map<string, string>()
  /** The target that the app's `redirect` callback was asked about, by the one that it chose: it is asked again at the end. */
  readonly askedFor = new Map<SafeRedirect, string>()
  /** Has the address a fragment that the provider has added? A redirect that names none would pass it on (RFC 9110, 10.2.2). */
  hasFragment = false
  /** The route of the path, and the value of `:provider`; empty: the path has none. */
  route: Route = {}
  routeId = ''
  /** The operator who asks for a method: the name of a key, or {@link BINDING}. `undefined`: no operator asks. */
  operator: string | undefined
  /** Set if something was said to the person. */
  words: Words | undefined
  /** What the app says that forwarded the request, if it has proved itself. */
  readonly proof: AppProof | undefined
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly #url: string
  #query: URLSearchParams | undefined

  /** @param origin the public origin, by the configuration's rules */
  constructor(
    original: Request,
    url: string,
    parts: ServiceParts,
    origin: string,
    waitUntil: AuthRequest['waitUntil'],
    proof?: AppProof,
  ) {
    this.config = parts.config
    this.keys = parts.keys
    this.stores = parts.stores
    this.revocations = parts.revocations
    this.providers = parts.providers
    this.features = parts.features
    this.counts = parts.counts
    this.usedFlows = parts.usedFlows
    this.missingBinding = parts.missingBinding
    this.original = original
    this.method = original.method
    this.origin = origin
    this.issuer = origin + this.config.basePath
    this.accepted = anyBase in original ? `${origin}/*` : this.issuer
    this.path = pathBelow(this.config.basePath, url)
    this.secure = origin.startsWith('https:')
    this.came = nowInSeconds(this)
    this.cookieHeader = original.headers.get('cookie')
    this.waitUntil = waitUntil
    this.proof = proof
    this.#url = url
  }

  /** Parameters of the request's URL. */
  get query(): URLSearchParams {
    this.#query ??= new URL(this.#url).searchParams
    return this.#query
  }

  /** Has the URL any parameters? Most requests have none and are spared the parser. */
  get hasQuery(): boolean {
    return this.#url.includes('?')
  }

  /** Does the caller want JSON in the place of a redirect? */
  get wantsJson(): boolean {
    return (
      this.original.headers.get('x-auth-return-redirect') === '1' ||
      (this.route.isScripted?.(this, this.routeId) === true && isJson(this, 'content-type'))
    )
  }
}

/**
 * The length of `https://`. The first slash from here on begins the path, also after `http://` and
 * a host of one letter.
 */
const SCHEME_LENGTH = 8

/**
 * Matched as raw text. The router would decode a parameter, and overlook a slash at the end.
 *
 * @param url normalized, as a `Request` has it
 */
function pathBelow(base: string, url: string): string {
  const start = url.indexOf('/', SCHEME_LENGTH)
  const end = url.slice(start).search(/[?#]/)
  const pathname = end < 0 ? url.slice(start) : url.slice(start, start + end)
  const isBelow = pathname.startsWith(`${base}/`) && !pathname.includes('%')
  return isBelow && !pathname.endsWith('/') ? pathname.slice(base.length) : '//'
}

/** Does a header of the request begin with the media type of JSON? */
export function isJson({ original }: AuthRequest, header: 'accept' | 'content-type'): boolean {
  return /^application\/json\b/i.test(original.headers.get(header) ?? '')
}

/** Seconds since the epoch, by the configured clock. */
export function nowInSeconds({ config }: AuthRequest): number {
  return Math.floor(config.now() / 1000)
}

/** The headers by which browsers and their extensions say that nobody has clicked yet (Fetch, `Sec-Purpose`; older names). */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** Is it a prefetch of the browser, and not a click of a person? Such a request must change nothing. */
export function looksAhead({ original }: AuthRequest): boolean {
  const said = PURPOSES.map((name) => original.headers.get(name)).join()
  return /prefetch|prerender|preview/i.test(said)
}
