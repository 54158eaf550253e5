import type { SessionClaims } from '@latchkey/session'
import { Auth } from '../index.js'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { connect } from '../sign-in/oauth/connection.js'
import { revokeTokens } from '../sign-in/oauth/refresh.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { memoryStore } from '../stores/memory.js'
import type {
  Account,
  AuthConfig,
  Callbacks,
  OAuthConfig,
  OAuthUserConfig,
  TokenSet,
} from '../types.js'

export const secret = 'a-secret-of-the-tests-0123456789abcdef'
export const origin = 'http://localhost:8787'

/** A config with a new store, without a log unless the test gives one. */
export function configWith(changes: Partial<AuthConfig> = {}): AuthConfig {
  const quiet = { error: () => {}, warn: () => {}, debug: () => {}, info: () => {} }
  const store = memoryStore()
  return { basePath: '/auth', secret, providers: [], logger: quiet, store, ...changes }
}

/** A browser with a cookie jar in front of `Auth`, or of the given service. */
export class Browser {
  readonly jar = new Map<string, string>()
  /** The service that the browser visits. */
  readonly answer: (request: Request) => Promise<Response>
  readonly #origin: string

  constructor(
    config: AuthConfig,
    { at = origin, answer = (request: Request) => Auth(request, config) } = {},
  ) {
    this.answer = answer
    this.#origin = at
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('cookie')) headers.set('cookie', this.cookie)
    const response = await this.answer(new Request(this.#origin + path, { ...init, headers }))
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (/; Max-Age=0(?:;|$)/.test(line)) this.jar.delete(name)
      else this.jar.set(name, pair.slice(name.length + 1))
    }
    return response
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(path, { headers })
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return this.send(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  async csrfToken(): Promise<string> {
    const { csrfToken } = (await (await this.get('/auth/csrf')).json()) as { csrfToken: string }
    return csrfToken
  }

  /** A POST with the csrf token of this browser. */
  async submit(path: string, fields = {}, headers = {}): Promise<Response> {
    return this.post(path, { csrfToken: await this.csrfToken(), ...fields }, headers)
  }

  async session(): Promise<{ user?: Record<string, unknown>; expires: string } | null> {
    return (await (await this.get('/auth/session')).json()) as never
  }

  /** Starts a sign-in. @returns the redirect's URL */
  async start(provider: string, { query = '', callbackUrl = '/inbox' } = {}): Promise<URL> {
    const answer = await this.submit(`/auth/signin/${provider}${query}`, { callbackUrl })
    return new URL(locationOf(answer))
  }

  /** Starts a sign-in and comes back with a code, as from the provider. */
  async signIn(provider: string, code = 'the-code'): Promise<Response> {
    const state = (await this.start(provider)).searchParams.get('state') ?? ''
    return this.get(`/auth/callback/${provider}?${new URLSearchParams({ code, state })}`)
  }
}

/**
 * Starts a sign-in at a test issuer and comes back, as after a consent.
 *
 * @param changes parameters that come back besides `code` and `state`
 */
export async function signInAt(
  browser: Browser,
  provider = 'test',
  changes: Record<string, string> = {},
): Promise<Response> {
  const { searchParams } = await browser.start(provider)
  // A test issuer's code is the nonce.
  const code = searchParams.get('nonce') ?? ''
  const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '', ...changes })
  return browser.get(`/auth/callback/${provider}?${back}`)
}

/** A browser with the same cookies, in front of the same service or another one. */
export function copyOf(
  browser: Browser,
  ...service: ConstructorParameters<typeof Browser>
): Browser {
  const copy = new Browser(...service)
  for (const [name, value] of browser.jar) copy.jar.set(name, value)
  return copy
}

/** The claims in a browser's session cookie; its signature is not checked. */
export function claimsIn({ jar }: Browser): SessionClaims {
  const [, payload = ''] = jar.get('auth.session-token')?.split('.') ?? []
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Does a response set a session cookie, other than to remove it? */
export function setsSession(response: Response): boolean {
  return response.headers.getSetCookie().some((line) => /session-token[^=]*=[^;]/.test(line))
}

export function locationOf(response: Response): string {
  return response.headers.get('location') ?? ''
}

/** A redirect's URL without the reference of an error, which is another one each time. */
export function withoutReference(response: Response): string {
  return locationOf(response).replace(/[?&]reference=[B-Z]{4}-[B-Z]{4}$/, '')
}

/** The page and the error words of a redirect, without its callbackUrl. */
export function errorOf(response: Response): string {
  const url = new URL(locationOf(response))
  const words = ['error', 'code'].flatMap((name) => url.searchParams.get(name) ?? [])
  return [url.origin === origin ? url.pathname : url.origin, ...words].join(' ')
}

/** Answers of a provider's endpoints: a body to send as JSON, or a whole response. */
export interface Answers {
  readonly token?: () => unknown
  readonly userinfo?: () => unknown
}

export const goodTokens = { access_token: 'the-access-token', token_type: 'Bearer' }

/** A provider at https://provider.example whose endpoints give the test's answers. */
export function fakeProvider(
  { token = () => goodTokens, userinfo = () => ({ sub: 'ada' }) }: Answers = {},
  options: OAuthUserConfig = {},
): OAuthConfig {
  const at = 'https://provider.example'
  return {
    id: 'fake',
    name: 'Fake',
    type: 'oauth',
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret',
    authorization: `${at}/authorize?scope=basic`,
    token: `${at}/token`,
    userinfo: `${at}/userinfo`,
    [customFetch]: async (input) => {
      const answer = await (String(input) === `${at}/token` ? token() : userinfo())
      return answer instanceof Response ? answer : Response.json(answer)
    },
    ...options,
  }
}

/** The endpoints of a provider that needs no discovery, with their parameters. */
export async function endpointsOf(provider: ResolvedOAuthProvider) {
  const { server } = await connect(provider, 0)
  return {
    authorization: new URL(server.authorization_endpoint as string),
    token: new URL(server.token_endpoint as string),
    userinfo: new URL(server.userinfo_endpoint as string),
  }
}

/** A request as a vendor saw it. */
interface SeenRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly form: Readonly<Record<string, string>>
}

/**
 * A preset whose vendor answers as recorded.
 *
 * @param answers by host and path: a body to send as JSON, or a whole response
 */
export function recorded<ProviderProfile>(
  preset: (client: RecordedClient) => OAuthConfig<ProviderProfile>,
  answers: Readonly<Record<string, unknown>>,
) {
  const seen: SeenRequest[] = []
  const errors: Error[] = []
  const provider = preset({
    clientId: 'the-client_id',
    clientSecret: 'the-client_secret',
    [customFetch]: async (input, init) => {
      const { method = 'GET', headers, body } = init as RequestInit
      const url = new URL(String(input))
      const form = Object.fromEntries(new URLSearchParams((body ?? '') as string))
      seen.push({ method, url, headers: new Headers(headers as HeadersInit), form })
      const answer = answers[url.host + url.pathname]
      return answer instanceof Response ? answer.clone() : Response.json(answer ?? {})
    },
  })
  return {
    seen,
    errors,
    /** @param changes parameters that come back besides `code` and `state` */
    async signIn(changes: Record<string, string> = {}) {
      const accounts: Account[] = []
      const signIn: Callbacks['signIn'] = ({ account }) => accounts.push(account) > 0
      const logger = { error: (error: Error) => void errors.push(error) }
      const browser = new Browser(
        configWith({ providers: [provider], callbacks: { signIn }, logger }),
      )
      const consent = await browser.start(provider.id)
      const state = consent.searchParams.get('state') ?? ''
      const back = new URLSearchParams({ code: 'the-code', state, ...changes })
      const end = errorOf(await browser.get(`/auth/callback/${provider.id}?${back}`))
      return { consent, end, account: accounts[0], user: (await browser.session())?.user }
    },
    /** @returns the request that the vendor saw */
    async revoke(tokens: Pick<TokenSet, 'access_token' | 'refresh_token'>) {
      const { usable } = await resolveProviders([provider], {})
      await revokeTokens(await connect(usable.get(provider.id) as ResolvedOAuthProvider, 0), tokens)
      return seen.at(-1)
    },
  }
}

type RecordedClient = Pick<OAuthUserConfig, 'clientId' | 'clientSecret' | typeof customFetch>

/** Everything that can be read in a value, causes and hidden members too. */
export function everythingIn(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}: ${everythingIn(Reflect.get(value, key), seen)}`)
    .join('\n')
}
