import type { SessionClaims } from '@latchkey/session'
import { anyBase, type SessionNeeds } from '@latchkey/session/internal'
import type { ResolvedConfig } from '../config/resolve-config.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { MissingBinding, ProviderMisconfigured } from '../errors.js'
import type { Words } from '../languages/texts.js'
import type { KeyRing } from '../lib/key-ring.js'
import type { ProviderForm } from '../pages/provider-forms.js'
import type { FeatureSet } from '../service/feature-set.js'
import type { Route } from '../service/request-hooks.js'
import type { Stores } from '../stores/ports.js'
import type { RecentRevocations } from '../stores/recent-revocations.js'
import type { RawCookie } from '../types/raw-response.js'
import type { Environment, Provider, ProviderType, SignInKind, TokenSet } from '../types.js'
import type { Fields } from './body.js'
import type { AppProof } from './forwarded.js'
import type { NetworkCounter } from './network-counter.js'
import type { Outcome } from './outcome.js'
import type { UsedFlows } from './used-flows.js'

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
  /** What this process counts by network. */
  readonly networks: NetworkCounter
  /** The flows that were brought back to this process. */
  readonly usedFlows: UsedFlows
  /** Why no sign-in can be finished, so that none is started. */
  readonly missingBinding: MissingBinding | undefined
}

export interface Providers {
  readonly usable: ReadonlyMap<string, ResolvedProvider>
  /** The mistakes of the other providers, by id. */
  readonly misconfigured: ReadonlyMap<string, ProviderMisconfigured>
}

/** A provider with everything that its sign-ins need. */
export interface ResolvedProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly kind: Kind
}

/**
 * A kind of sign-in: a folder of `sign-in/`. No code outside it checks the kind of a provider. Its
 * members are methods, so that each kind may take the providers that its own `resolve` returns.
 */
export interface Kind<Own extends ResolvedProvider = ResolvedProvider> extends SignInKind {
  /** Can a person who is signed in add it as another way? What only the app can check cannot. */
  readonly isAddable: boolean
  /** Can a stranger guess passwords with it, or make it send mails? Then it needs a rate limit. */
  readonly isGuessable: boolean
  /** Does a script finish it, with JSON, to which the answer is JSON too? */
  readonly isScripted?: true
  /** Does its start send something to an address or person that a stranger names? */
  readonly sends?: true
  /** @throws {ProviderMisconfigured} naming the option or the variable */
  resolve(config: Provider, env: Environment, site?: string): Own
  /** The provider's form on the sign-in page. */
  form(provider: Own): ProviderForm
  /**
   * POST /signin/:provider.
   *
   * @param fields of the form, whose csrf token was checked
   */
  start(request: AuthRequest, provider: Own, fields: Fields, purpose: Purpose): Promise<Outcome>
  /**
   * /callback/:provider, by method. A POST makes its own checks, since not every one is our form.
   */
  readonly finish: {
    GET?(request: AuthRequest, provider: Own): Promise<Outcome>
    POST?(request: AuthRequest, provider: Own): Promise<Outcome>
  }
  /** Tells a person something that signs nobody in, if it can reach them. */
  notify?(request: AuthRequest, provider: Own, notice: Notice): Promise<void>
  /**
   * POST /passkey/options: what a browser needs to begin a ceremony (WebAuthn Level 3, section 1.2).
   *
   * @param fields whose csrf token was checked
   */
  options?(request: AuthRequest, provider: Own, fields: Fields, purpose: Purpose): Promise<Outcome>
  /**
   * The domain that its credentials belong to, for pages of this request.
   *
   * @throws {ProviderMisconfigured} they cannot use any
   */
  rpId?(request: AuthRequest, provider: Own): string
  /** Other origins whose pages may use its credentials (WebAuthn Level 3, section 5.11). */
  relatedOrigins?(provider: Own): readonly string[]
  /** The script of the pages that offer it: the text that the Content-Security-Policy allows. */
  script?(): string
  /**
   * Can it prove again that a signed-in person is here? Left out: it cannot. If that is not known
   * now, its sign-in will show it.
   */
  canStepUp?(request: AuthRequest, provider: Own): boolean | Promise<boolean>
  /**
   * What tells an account that is brought from elsewhere from all others of the provider, as `subjectOf` takes it.
   * Left out: none can be brought.
   *
   * @param account its id, or its address
   * @param issuer if that is known
   * @returns `undefined`: no account has this id
   */
  accountOf?(
    provider: Own,
    account: string,
    issuer: string | undefined,
  ): { readonly id: string; readonly tenant?: string } | undefined
  /** The refresh and revocation of a provider's tokens, if it gives any that can be. */
  tokens?(provider: Own): TokenSource
}

/** A notice for a person, which signs nobody in. */
export interface Notice {
  /** Their address. */
  readonly to: string
  readonly title: string
  /** Paragraphs. */
  readonly lines: readonly string[]
}

export interface TokenSource {
  /** Do its tokens end with the session? */
  readonly revokeOnSignOut: boolean
  /** The scopes of a sign-in, and the scopes that may be asked for besides when a way is added. */
  readonly scope: string | undefined
  readonly moreScopes: readonly string[]
  readonly scopeSeparator: ' ' | ','
  /** @param now milliseconds since the epoch @throws {OAuthCallbackError} */
  connect(now: number): Promise<TokenClient>
}

/** A provider within reach. */
export interface TokenClient {
  /** @throws {OAuthCallbackError} its cause has the provider's `error`: `invalid_grant` is final */
  refresh(refreshToken: string): Promise<TokenSet>
  /** @throws {OAuthCallbackError} */
  revoke(tokens: Pick<TokenSet, 'access_token' | 'refresh_token'>): Promise<void>
}

/** A sign-in of somebody who is signed in, which is for them alone. */
export interface StepUpRequest {
  /** Their session, which goes on with a token that says of the new proof. */
  readonly sid: string
  /** None of their ways can give a new proof: it begins a session of its own. */
  readonly isOrdinary?: true
}

/** Where a sign-in leads, and how fresh and how strong it is to be. */
export interface Aim extends SessionNeeds {
  readonly target: SafeRedirect
}

/** What a sign-in is for. Its flow keeps it for the request that finishes it. */
export interface Purpose extends Aim {
  /** The person who is signed in and has asked for it, in the session that has. */
  readonly asker?: SessionClaims | undefined
  /** Set where they are to prove once more who they are. */
  readonly stepUp?: StepUpRequest | undefined
  /** What the provider is asked for. Left out: the provider's own scope. */
  readonly scope?: string | undefined
  /** What features keep in the flow, below their names. With any of it nobody is signed in. */
  readonly features?: Readonly<Record<string, unknown>> | undefined
}

/** What a feature keeps in flows, below its name. */
export interface FlowPart<Part> {
  of(flow: Pick<Purpose, 'features'>): Part | undefined
  with(part: Part): Pick<Purpose, 'features'>
}

/** @param feature whose it is */
export function flowPart<Part>(feature: string): FlowPart<Part> {
  return {
    of: ({ features }) => features?.[feature] as Part | undefined,
    with: (part) => ({ features: { [feature]: part } }),
  }
}

/** One request with everything that handlers need. It is not kept after the answer. */
export class AuthRequest implements ServiceParts {
  readonly config: ResolvedConfig
  readonly keys: KeyRing
  readonly stores: Stores
  readonly revocations: RecentRevocations
  readonly providers: Providers
  readonly features: FeatureSet
  readonly networks: NetworkCounter
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
  /** When it came: whatever it proves was proved by then. Seconds since the epoch. */
  readonly came: number
  /** The `Cookie` header. */
  readonly cookieHeader: string | null
  /** Cookies for the response, also for an error's. */
  readonly setCookies: RawCookie[] = []
  /** What the app's `redirect` callback was asked, by what it chose: it is asked again at the end. */
  readonly askedFor = new Map<SafeRedirect, string>()
  /** The route of the path, and the value of `:provider`; empty: the path has none. */
  route: Route = {}
  routeId = ''
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
    this.networks = parts.networks
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

/** What browsers and their extensions say where nobody has clicked yet (Fetch, `Sec-Purpose`; older names). */
const PURPOSES = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/** Is it a prefetch of the browser, and not a click of a person? Such a request must change nothing. */
export function looksAhead({ original }: AuthRequest): boolean {
  const said = PURPOSES.map((name) => original.headers.get(name)).join()
  return /prefetch|prerender|preview/i.test(said)
}
