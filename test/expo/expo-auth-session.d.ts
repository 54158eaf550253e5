/**
 * What docs/expo.md uses of expo-auth-session 57.0.13 (build/*.d.ts of the package at npm). A test compiles the page against it,
 * since an app of Expo is not among the packages of this repository.
 */
export interface DiscoveryDocument {
  authorizationEndpoint?: string
  tokenEndpoint?: string
  revocationEndpoint?: string
  userInfoEndpoint?: string
}

export interface TokenRequestConfig {
  clientId: string
  clientSecret?: string
  extraParams?: Record<string, string>
  extraHeaders?: Record<string, string>
  scopes?: string[]
}

export declare class TokenResponse {
  static isTokenFresh(
    token: Pick<TokenResponse, 'expiresIn' | 'issuedAt'>,
    secondsMargin?: number,
  ): boolean
  accessToken: string
  tokenType: 'bearer' | 'mac'
  expiresIn?: number
  refreshToken?: string
  scope?: string
  state?: string
  idToken?: string
  issuedAt: number
}

/** `code` comes from the library's own `CodedError`. */
export declare class TokenError extends Error {
  code: string
  info?: unknown
  description?: string
  uri?: string
  params: Record<string, string>
}

export declare class AuthError extends TokenError {
  state?: string
}

export type AuthSessionResult =
  | { type: 'cancel' | 'dismiss' | 'opened' | 'locked' }
  | {
      type: 'error' | 'success'
      errorCode: string | null
      error?: AuthError | null
      params: Record<string, string>
      authentication: TokenResponse | null
      url: string
    }

export declare class AuthRequest {
  constructor(request: {
    clientId: string
    redirectUri: string
    scopes?: string[]
    usePKCE?: boolean
    state?: string
    extraParams?: Record<string, string>
  })
  state: string
  codeVerifier?: string
  promptAsync(
    discovery: Pick<DiscoveryDocument, 'authorizationEndpoint'>,
  ): Promise<AuthSessionResult>
}

export declare function fetchDiscoveryAsync(issuer: string): Promise<DiscoveryDocument>
export declare function exchangeCodeAsync(
  config: TokenRequestConfig & { code: string; redirectUri: string },
  discovery: Pick<DiscoveryDocument, 'tokenEndpoint'>,
): Promise<TokenResponse>
export declare function refreshAsync(
  config: TokenRequestConfig & { refreshToken?: string },
  discovery: Pick<DiscoveryDocument, 'tokenEndpoint'>,
): Promise<TokenResponse>
