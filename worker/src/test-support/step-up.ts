import credentials from '../providers/credentials.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { type Browser, locationOf } from './browser.js'
import { providerAt, testIssuer } from './issuer.js'
import { accountsAt, people } from './people.js'

/** The form of a new proof. */
export type Needs = Readonly<Record<string, string>>

/** Accepts every user: the password is the name. */
const passwords = credentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username, password }) =>
    username === password ? { id: String(username), name: String(username) } : null,
})

/**
 * A service with an OpenID provider (`test`), an OAuth provider (`one`), passwords and mails, and
 * signed-in people who step up.
 */
export async function provingPeople(changes: Partial<AuthConfig> = {}, inner?: Stores) {
  const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })
  const providers = [providerAt(issuer), accountsAt('one'), passwords]
  const service = people({}, inner ? { inner } : {})
  const [, , mail] = service.config.providers ?? []
  const config = Object.assign(service.config, {
    providers: [...providers, ...(mail ? [mail] : [])],
    ...changes,
  })
  const now = () => Math.floor(Date.now() / 1000)
  /** Comes back from the OpenID provider as a person who signed in there some seconds ago. */
  const comeBack = (one: Browser, start: Response, sub: string, claims = {}) => {
    const { searchParams } = new URL(locationOf(start))
    issuer.claims = { sub, auth_time: now(), ...claims }
    const code = searchParams.get('nonce') ?? ''
    const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '' })
    return one.get(`/auth/callback/test?${back}`)
  }
  const start = (one: Browser, provider: string, needs: Needs = {}, query = '') =>
    one.submit(`/auth/signin/${provider}${query}`, { callbackUrl: '/inbox', ...needs })
  const prove = async (
    one: Browser,
    provider: string,
    account: string,
    needs: Needs = { maxAge: '300' },
  ): Promise<Response> => {
    if (provider === 'test') return comeBack(one, await start(one, 'test', needs), account)
    if (provider === 'credentials') {
      const fields = { username: account, password: account, callbackUrl: '/inbox', ...needs }
      return one.submit('/auth/callback/credentials', fields)
    }
    if (provider === 'email') {
      await start(one, 'email', { email: account, ...needs })
      return one.get(service.lastMail().path)
    }
    return service.comeBack(one, provider, await start(one, provider, needs), account)
  }
  return {
    ...service,
    issuer,
    config,
    start,
    now,
    comeBack,
    prove,
    /** An ordinary sign-in. */
    async signIn(provider: string, account: string, one = service.browser()) {
      await prove(one, provider, account, {})
      return one
    },
  }
}
