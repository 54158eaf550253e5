import type { MiddlewareHandler } from 'hono'
import { createAuth } from '../index.js'
import { customFetch } from '../lib/symbols.js'
import credentials from '../providers/credentials.js'
import fromHono from '../providers/from-hono.js'
import type { AuthConfig, Callbacks, User, VerificationRequest } from '../types.js'
import { Browser, claimsIn, configWith, fakeProvider, origin } from './browser.js'
import { mailProvider } from './email.js'
import { faulty } from './faulty.js'
import { providerAt, testIssuer } from './issuer.js'

/** Stands in everything that no line may show. */
export const MARK = 'Zq7Marker'
export const SECRET = `${MARK}-secret-2f6d1c0b9a8e7d5c4b3a`
const ADDRESS = `${MARK.toLowerCase()}.ada@example.com`
export const WITH_CAUSE = {
  cause: { token: `${MARK}-cause`, response: { headers: { cookie: MARK } } },
}

/** A middleware as those of `@hono/oauth-providers`. */
const middleware: MiddlewareHandler = async (c, next) => {
  if (!c.req.query('code')) return c.redirect('https://provider.example/go?state=its-own-state')
  c.set('token' as never, { token: `${MARK}-access-token` } as never)
  c.set('user-hono' as never, { sub: 'ada', name: `${MARK} Ada` } as never)
  return next()
}

/** One for all tests, since making its keys takes long. */
export const issuer = await testIssuer()

/** A service with every kind of sign-in, whose app and stores answer as the test says. */
export async function world(format: string, callbacks: Partial<Callbacks> = {}) {
  issuer.sign = undefined
  issuer.claims = { email: ADDRESS, name: `${MARK} Ada` }
  const mails: VerificationRequest[] = []
  const app = {
    authorize: ({ username, password }: Record<string, unknown>): (User & { id: string }) | null =>
      password === `${MARK}-password`
        ? { id: String(username), name: `${MARK} Ada`, email: ADDRESS }
        : null,
    send: (request: VerificationRequest): unknown => mails.push(request),
    profile: (): unknown => ({ id: 'ada', name: `${MARK} Ada`, email: ADDRESS }),
    token: (): unknown => ({
      access_token: `${MARK}-access-token`,
      refresh_token: `${MARK}-refresh-token`,
      token_type: 'Bearer',
    }),
  }
  const { store, faults } = faulty()
  const config: AuthConfig = {
    ...configWith(),
    logger: {},
    store,
    secret: SECRET,
    callbacks,
    providers: [
      fakeProvider(
        { token: () => app.token(), userinfo: () => ({ sub: 'ada', email: ADDRESS }) },
        { clientSecret: `${MARK}-client-secret`, profile: () => app.profile() as User },
      ),
      { ...providerAt(issuer), [customFetch]: issuer.fetch },
      fromHono({
        id: 'hono',
        name: 'Hono',
        clientId: 'the-client-id',
        clientSecret: `${MARK}-client-secret`,
        middleware: () => middleware,
      }),
      credentials({
        credentials: { username: {}, password: { type: 'password' } },
        authorize: (fields) => app.authorize(fields),
      }),
      mailProvider(mails, { sendVerificationRequest: (request) => void app.send(request) }),
    ],
  }
  const env = { AUTH_LOG: format }
  const auth = createAuth(config)
  const hidden = new Set([MARK, MARK.toLowerCase(), ADDRESS])
  /**
   * Each value that a browser gets may open something: cookies, their parts, and parts of
   * addresses.
   */
  const answer = async (request: Request) => {
    const response = await auth.fetch(request, env)
    for (const line of response.headers.getSetCookie()) {
      // The id of a provider, which lines name too.
      if (line.startsWith('auth.last-way=')) continue
      const value = decodeURIComponent(line.slice(line.indexOf('=') + 1).split(';')[0] ?? '')
      hide(value, ...value.split(/[.|]/))
    }
    const location = URL.parse(response.headers.get('location') ?? '')
    for (const name of ['state', 'nonce', 'code_challenge', 'flow', 'posted', 'token']) {
      hide(location?.searchParams.get(name) ?? '')
    }
    return response
  }
  const hide = (...values: string[]) => {
    for (const value of values) if (value.length >= 6) hidden.add(value)
  }
  const browser = () => new Browser(config, { answer })
  const post = (fields: Record<string, string> = {}, where = browser()) =>
    where.submit('/auth/callback/credentials', {
      username: `${MARK}-user`,
      password: `${MARK}-password`,
      ...fields,
    })
  const signIn = async (where = browser()) => {
    await post({}, where)
    return where
  }
  const ask = async (email = ADDRESS, where = browser()) => {
    const started = await where.submit('/auth/signin/email', { email })
    const mail = mails.at(-1)
    const link = new URL(mail?.url ?? origin)
    const code = mail?.code ?? ''
    hide(code, link.searchParams.get('token') ?? '', link.href)
    const flow = new URL(started.headers.get('location') ?? origin, origin).searchParams.get('flow')
    const enter = (typed: string) =>
      where.submit('/auth/callback/email', { flow: flow ?? '', code: typed })
    return { where, path: link.pathname + link.search, code, enter }
  }
  /** The `sub` of the signed-in user, which no line may show either. */
  const subOf = (where: Browser) => {
    const { sub, sid } = claimsIn(where)
    hide(sub, sid)
    return sub
  }
  const endSessions: typeof auth.endSessions = (whose) => auth.endSessions(whose, env)
  return { app, auth, faults, browser, post, signIn, ask, subOf, hidden, endSessions }
}

export type World = Awaited<ReturnType<typeof world>>
