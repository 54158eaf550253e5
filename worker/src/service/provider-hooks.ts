import type { SessionClaims } from '@latchkey/session'
import type { ResolvedProvider } from '../http/kind.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import type { ProviderTokens, StandingSession } from '../session/stored-values.js'
import type { AccessToken, Account } from '../types.js'

/** Providers' answers come through another service, to which they are registered. */
export interface Relay {
  /** @returns `undefined`: the answers of a provider come here directly */
  via(request: AuthRequest, provider: string): Via | undefined
  /** @returns `undefined`: the answer is for this service @throws {InvalidCheck} */
  passOn(
    request: AuthRequest,
    provider: Pick<ResolvedProvider, 'id'>,
    response: URLSearchParams,
  ): Promise<Outcome | undefined>
}

/** How a provider's answers come to this service. */
export interface Via {
  readonly redirectUri: string
  /** The `state` that the provider is sent. @throws {InvalidConfiguration} it cannot be carried */
  state(flow: { readonly provider: string; readonly state: string }): Promise<string>
  /** The answer that has come. @throws {InvalidCheck} */
  answer(): Promise<URLSearchParams>
}

/** Keeps, refreshes and revokes the tokens of providers. Without it none is kept. */
export interface Tokens {
  /** The part of a sign-in's tokens that its session keeps. */
  toStore(account: Account): ProviderTokens | undefined
  /** Keeps tokens beyond the session, for a person with several ways. @throws {StoreUnavailable} */
  connect(
    request: AuthRequest,
    way: { readonly sub: string; readonly way: string; readonly provider: string },
    tokens: ProviderTokens | undefined,
  ): Promise<ProviderTokens | undefined>
  /** The newest tokens of a session. @throws {StoreUnavailable} */
  newest(request: AuthRequest, standing: StandingSession): Promise<ProviderTokens | undefined>
  /** Never throws. */
  accessToken(request: AuthRequest, standing: StandingSession): Promise<AccessToken>
  /** The token of the person that a request's cookie signs in. Never throws. */
  ofBrowser(request: AuthRequest, provider: string | undefined): Promise<AccessToken>
  /** Prepares the revocation at the provider, to be called after the session has ended. Never rejects. */
  revocation(
    request: AuthRequest,
    claims: Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'amr'>,
  ): Promise<() => Promise<void>>
}
