import { createAuth } from '../index.js'
import { deriveKeyRing } from '../lib/key-ring.js'
import { customFetch } from '../lib/symbols.js'
import type { AccessToken, AuthConfig, OAuthUserConfig } from '../types.js'
import { Browser, configWith, copyOf, fakeProvider, origin, secret } from './browser.js'
import { faulty } from './faulty.js'

/** A request to a token server: the form, and the client authentication. */
interface SeenPost {
  readonly endpoint: string
  readonly form: Readonly<Record<string, string>>
  readonly authorization: string | null
}

/**
 * A provider that is as strict as possible: refresh tokens rotate, and the second use of one ends
 * the whole grant (RFC 9700, section 4.14.2).
 */
export class TokenServer {
  /** Every refresh and every revocation, oldest first. */
  readonly seen: SeenPost[] = []
  /** Changes of the token answers; `undefined` leaves a member out. */
  changes: Record<string, unknown> = {}
  /** Answers a refresh or a revocation instead; nothing rotates then. */
  instead: (() => Response | Promise<Response>) | undefined
  /** Runs during a refresh: the old token is invalid, the new one not yet delivered. */
  meanwhile: (() => Promise<unknown>) | undefined
  /** Does an earlier grant go on when there is another one? */
  keepsGrants = false
  #serial = 0
  /** One of each grant. */
  readonly #live = new Set<string>()

  readonly fetch: typeof fetch = async (input, init) => {
    const endpoint = new URL(String(input)).pathname
    if (endpoint === '/userinfo') return Response.json({ sub: 'ada' })
    const { body, headers } = init as { body: string; headers: HeadersInit }
    const form = Object.fromEntries(new URLSearchParams(body))
    if (form.grant_type === 'authorization_code') return this.#issue()
    this.seen.push({ endpoint, form, authorization: new Headers(headers).get('authorization') })
    if (this.instead) return this.instead()
    if (endpoint === '/revoke') return new Response(null)
    if (!this.#live.has(form.refresh_token ?? '')) {
      this.#live.clear()
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    const answer = this.#issue(form.refresh_token)
    await this.meanwhile?.()
    return answer
  }

  /** The refresh tokens that were sent, oldest first. */
  get used(): (string | undefined)[] {
    return this.seen.flatMap(({ form }) => (form.grant_type ? [form.refresh_token] : []))
  }

  #issue(former = ''): Response {
    const serial = ++this.#serial
    const tokens: Record<string, unknown> = {
      access_token: `the-access-token-${serial}`,
      refresh_token: `the-refresh-token-${serial}`,
      token_type: 'Bearer',
      scope: 'read',
      expires_in: 3600,
      ...this.changes,
    }
    // Values that are not repeated stay valid.
    if (tokens.refresh_token) {
      if (this.keepsGrants) this.#live.delete(former)
      else this.#live.clear()
      this.#live.add(String(tokens.refresh_token))
    }
    return Response.json(tokens)
  }
}

/** Options of {@link signedInWithTokens} for a test that needs them before the sign-in. */
interface TokenOptions {
  readonly options?: OAuthUserConfig
  readonly server?: TokenServer
  readonly watched?: ReturnType<typeof faulty>
}

/** A person who is signed in at a {@link TokenServer}, with everything that a test may inspect. */
export async function signedInWithTokens(
  changes: Partial<AuthConfig> = {},
  { options = {}, server = new TokenServer(), watched = faulty() }: TokenOptions = {},
) {
  const errors: Error[] = []
  const provider = fakeProvider(
    {},
    {
      revocation: 'https://provider.example/revoke',
      ...options,
      [customFetch]: server.fetch,
    },
  )
  const config = configWith({
    providers: [provider],
    logger: { error: (error) => void errors.push(error) },
    store: watched.store,
    ...changes,
  })
  /** Another isolate, which shares only the stores. */
  const isolate = (changed: Partial<AuthConfig> = {}) => {
    const auth = createAuth({ ...config, ...changed })
    const answer = (request: Request) => auth.fetch(request)
    const get = (cookie = browser.cookie): Promise<AccessToken> =>
      auth.getAccessToken(new Request(`${origin}/inbox`, { headers: { cookie } }))
    return { auth, get, browserOf: (other: Browser) => copyOf(other, config, { answer }) }
  }
  const first = createAuth(config)
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const answer = (request: Request) => first.fetch(request, {}, { waitUntil })
  const browser = new Browser(config, { answer })
  await browser.signIn('fake')
  watched.calls.length = 0
  /** Resolves when all work after the answers to the browser has ended. */
  const settled = () => Promise.all(work)
  return { ...watched, server, config, errors, browser, settled, isolate, ...isolate() }
}

/** The value that was sealed for a session, in its record or in the ledger. */
export async function unseal(sealed: unknown): Promise<Record<string, unknown>> {
  const keys = await deriveKeyRing([secret], Date.now)
  return (await keys.record.open(String(sealed))) ?? {}
}
