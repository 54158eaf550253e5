import type { ProviderMisconfigured } from '../errors.js'
import type { ProviderForm } from '../pages/provider-forms.js'
import type { Environment, Provider, ProviderType, SignInKind, TokenSet } from '../types.js'
import type { Fields } from './body.js'
import type { Outcome } from './outcome.js'
import type { Purpose } from './purpose.js'
import type { AuthRequest } from './request.js'

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
 * A kind of sign-in: a folder of `sign-in/`, or of a feature. No code outside it checks the kind of a provider. Its
 * members are methods, so that each kind may take the providers that its own `resolve` returns.
 */
export interface Kind<Own extends ResolvedProvider = ResolvedProvider> extends SignInKind {
  /**
   * Can a signed-in user add it as another way? Credentials that only the app can check cannot be
   * added.
   */
  readonly isAddable: boolean
  /** Can a stranger guess passwords with it, or make it send mails? Then it needs a rate limit. */
  readonly isGuessable: boolean
  /** It has no accounts of its own: the id of the provider whose accounts it signs in. */
  accountsAt?(request: AuthRequest): string | undefined
  /** Does a script finish it, with JSON, to which the answer is JSON too? */
  readonly isScripted?: true
  /** Finds the provider of an address: the sign-in page shows it alone, and a link to the other ways. */
  readonly isEntrance?: true
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
  /** Sends a person a notice without a link to sign in, if it can reach them. */
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
   * The id that distinguishes an imported account from all others of the provider, as `subjectOf`
   * takes it. Left out: accounts cannot be imported.
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

/** A notice for a person, without a link to sign in. */
export interface Notice {
  /** Their address. */
  readonly to: string
  readonly title: string
  /** Paragraphs. */
  readonly lines: readonly string[]
  /** The last one, with the parameters `{host}` and `{device}`. Left out: it says where something was changed. */
  readonly where?: string
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
