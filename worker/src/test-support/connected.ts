import { EVERYTHING } from '../features/all.js'
import type { ConnectedWay } from '../features/connections/connection.js'
import { keepConnection } from '../features/connections/connections.js'
import { AuthRequest } from '../http/request.js'
import { createAuth } from '../index.js'
import { customFetch } from '../lib/symbols.js'
import { composeService } from '../service/compose-service.js'
import { type Approved, setSessionCookie, startSession } from '../session/issue.js'
import type { AuthConfig, OAuthUserConfig, TokenSet } from '../types.js'
import { Browser, configWith, fakeProvider, origin } from './browser.js'
import { faulty } from './faulty.js'
import { TokenServer } from './tokens.js'

/** A person with two ways to sign in. Their sessions are not needed. */
export const way = { sub: 'the-sub', way: 'the-way', provider: 'fake' }

/** Changed members of tokens; `undefined` leaves one out. */
type Changes = { readonly [Member in keyof TokenSet]?: TokenSet[Member] | undefined }

interface ConnectionOptions {
  readonly options?: OAuthUserConfig
  readonly server?: TokenServer
  /** Members of the first tokens. */
  readonly tokens?: Changes
}

/** A person with a connection to a {@link TokenServer}, with everything that a test may inspect. */
export async function connected(
  changes: Partial<AuthConfig> = {},
  { options = {}, server = new TokenServer(), tokens = {} }: ConnectionOptions = {},
) {
  const errors: Error[] = []
  const needed: unknown[] = []
  const watched = faulty()
  const revocation = 'https://provider.example/revoke'
  const provider = fakeProvider({}, { revocation, ...options, [customFetch]: server.fetch })
  const config = configWith({
    providers: [provider],
    logger: { error: (error) => void errors.push(error) },
    events: { signInNeeded: (message) => void needed.push(message) },
    store: watched.store,
    ...changes,
  })
  const { ledger } = watched.inner
  const work: Promise<unknown>[] = []
  const ctx = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) }

  async function requestNow(): Promise<AuthRequest> {
    const parts = await composeService(config, { env: {}, builtIn: EVERYTHING })
    const request = new AuthRequest(new Request(origin), origin, parts, origin, ctx.waitUntil)
    return request
  }

  /** The person's list of ways. */
  async function hasWays(...ways: readonly ConnectedWay[]): Promise<void> {
    const key = `person\n${way.sub}`
    const { version = 0 } = (await ledger.document(key)) ?? {}
    const listed = ways.map((one) => ({ ...one, added: null, used: null }))
    await ledger.changeDocument(key, version, JSON.stringify({ ways: listed }))
  }

  /** Proves the way again: the provider gives other tokens. */
  async function prove(proved: ConnectedWay = way, changed: Changes = {}, scope?: string) {
    const tokens = { ...(await tokensOf(server, changed)), version: 0 }
    await keepConnection(await requestNow(), proved, tokens, { asked: scope })
  }

  /** A browser in which the person has signed in with the way, by tokens of their own. */
  async function signIn(changed: Changes = {}): Promise<Browser> {
    const { provider, sub } = way
    const known = { provider, type: 'oauth', providerAccountId: 'ada', userId: sub } as const
    const account = { ...(await tokensOf(server, changed)), ...known }
    const request = await requestNow()
    const signedIn = { user: { id: sub }, account, way: way.way }
    const claims = await startSession(request, signedIn as Approved)
    await setSessionCookie(request, claims)
    const browser = new Browser(config)
    for (const { name, value } of request.setCookies) browser.jar.set(name, value)
    return browser
  }

  /** Another isolate, which shares only the stores. */
  const isolate = (changed: Partial<AuthConfig> = {}) => {
    const auth = createAuth({ ...config, ...changed })
    return {
      auth,
      /** For a request of a browser. */
      ask: ({ cookie }: Browser, provider?: string) => {
        const asked = new Request(`${origin}/inbox`, { headers: { cookie } })
        return auth.getAccessToken(
          asked,
          {},
          ctx,
          provider === undefined ? undefined : { provider },
        )
      },
      get: (sub = way.sub, provider = 'fake') => auth.getAccessTokenOf(sub, provider, {}, ctx),
      disconnect: () => auth.disconnect(way.sub, 'fake', {}, ctx),
    }
  }
  await hasWays(way, { ...way, way: 'email:the-sub', provider: 'email' })
  await prove(way, tokens)
  watched.calls.length = 0
  return {
    ...watched,
    server,
    config,
    errors,
    needed,
    requestNow,
    hasWays,
    prove,
    signIn,
    isolate,
    /** The contents of the connection in the ledger. */
    kept: async (of = way) => (await ledger.document(`connection\n${of.sub}\n${of.way}`))?.content,
    /** Resolves when all work after the answers has ended. */
    async settled() {
      while (work.length > 0) await Promise.all(work.splice(0))
    },
    ...isolate(),
  }
}

async function tokensOf(server: TokenServer, changed: Changes): Promise<TokenSet> {
  const body = 'grant_type=authorization_code'
  const answer = await server.fetch('https://provider.example/token', { method: 'POST', body })
  const tokens = { ...((await answer.json()) as TokenSet), ...changed }
  const expires_at = Math.floor(Date.now() / 1000) + (tokens.expires_in ?? 0)
  // Members without a value are left out.
  return JSON.parse(JSON.stringify({ ...tokens, ...(tokens.expires_in ? { expires_at } : {}) }))
}
