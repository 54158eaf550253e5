import { createHash, randomBytes } from 'node:crypto'
import type {
  AuthSessionResult,
  DiscoveryDocument,
  TokenRequestConfig,
} from './expo-auth-session.d.ts'

/**
 * The requests of expo-auth-session 57.0.13, made by hand: its discovery, its authorization request with PKCE and its token requests,
 * with their parameters and headers. It takes any answer with a member `error` for an error, whatever its status, as the library does.
 */

/** The system's browser: it gets the address, and returns the one at which it ends. */
export const browser: { open: (url: string) => Promise<string | undefined> } = {
  open: async () => undefined,
}

export class TokenError extends Error {
  readonly code: string

  constructor({ error }: { error: string }) {
    super(error)
    this.code = error
  }
}

interface Answered {
  readonly access_token: string
  readonly expires_in?: number
  readonly refresh_token?: string
}

export class TokenResponse {
  static isTokenFresh(
    { expiresIn, issuedAt }: Pick<TokenResponse, 'expiresIn' | 'issuedAt'>,
    margin = -600,
  ): boolean {
    return !expiresIn || Math.floor(Date.now() / 1000) < issuedAt + expiresIn + margin
  }

  readonly issuedAt = Math.floor(Date.now() / 1000)
  readonly accessToken: string
  readonly expiresIn: number | undefined
  readonly refreshToken: string | undefined

  constructor(answer: Answered) {
    this.accessToken = answer.access_token
    this.expiresIn = answer.expires_in
    this.refreshToken = answer.refresh_token
  }
}

export class AuthRequest {
  readonly state = randomBytes(8).toString('hex').slice(0, 10)
  readonly codeVerifier = randomBytes(64).toString('hex')
  readonly #asked: { clientId: string; redirectUri: string; scopes: string[] }

  constructor(asked: { clientId: string; redirectUri: string; scopes: string[] }) {
    this.#asked = asked
  }

  async promptAsync(server: DiscoveryDocument): Promise<AuthSessionResult> {
    const { clientId, redirectUri, scopes } = this.#asked
    const parameters = {
      code_challenge: createHash('sha256').update(this.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
      client_id: clientId,
      response_type: 'code',
      state: this.state,
      scope: scopes.join(' '),
    }
    const address = `${server.authorizationEndpoint}?${new URLSearchParams(parameters)}`
    const url = await browser.open(address)
    if (url === undefined || !url.startsWith(redirectUri)) return { type: 'cancel' }
    const params = Object.fromEntries(new URL(url).searchParams)
    const isOurs = params.state === this.state && params.error === undefined
    const type = isOurs ? ('success' as const) : ('error' as const)
    return { type, params, url, errorCode: null, authentication: null }
  }
}

export async function fetchDiscoveryAsync(issuer: string): Promise<DiscoveryDocument> {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`, { headers: JSON_ALONE })
  const document = (await answer.json()) as Record<string, string>
  return {
    authorizationEndpoint: document.authorization_endpoint as string,
    tokenEndpoint: document.token_endpoint as string,
    revocationEndpoint: document.revocation_endpoint as string,
  }
}

const JSON_ALONE = { Accept: 'application/json, text/javascript; q=0.01' }

async function askForTokens(
  { clientId, extraParams }: TokenRequestConfig,
  own: Record<string, string>,
  { tokenEndpoint = '' }: DiscoveryDocument,
): Promise<TokenResponse> {
  const answer = await fetch(tokenEndpoint, {
    method: 'POST',
    headers: { ...JSON_ALONE, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: clientId, ...extraParams, ...own }).toString(),
  })
  const body = (await answer.json()) as Answered & { error: string }
  if ('error' in body) throw new TokenError(body)
  return new TokenResponse(body)
}

export const exchangeCodeAsync = (
  { code, redirectUri, ...config }: TokenRequestConfig & { code: string; redirectUri: string },
  server: DiscoveryDocument,
) =>
  askForTokens(
    config,
    { grant_type: 'authorization_code', redirect_uri: redirectUri, code },
    server,
  )

export const refreshAsync = (
  { refreshToken, ...config }: TokenRequestConfig & { refreshToken: string },
  server: DiscoveryDocument,
) => askForTokens(config, { grant_type: 'refresh_token', refresh_token: refreshToken }, server)

/** The phone's secure store. */
export const stored = new Map<string, string>()
export const WHEN_UNLOCKED_THIS_DEVICE_ONLY = 5
export const getItemAsync = async (key: string) => stored.get(key) ?? null
export const setItemAsync = async (key: string, value: string) => void stored.set(key, value)
export const deleteItemAsync = async (key: string) => void stored.delete(key)
