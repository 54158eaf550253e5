import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OidcProvider, startOidcProvider } from '../../../../test/support/oidc-provider.js'
import { Browser, claimsIn, configWith, locationOf, origin } from '../../test-support/browser.js'

/** A certified provider of OpenID Connect, which heeds `max_age` and `prompt` by the specification. */
let provider: OidcProvider

beforeAll(async () => {
  provider = await startOidcProvider()
  await provider.registerApp(origin)
})

afterAll(() => provider?.stop())

/** A person's browser, at the service and at the provider. */
class Person {
  readonly app: Browser
  readonly #jar = new Map<string, string>()
  /** How often the provider has asked who they are. */
  asked = 0

  constructor() {
    const { id, secret } = provider.clients.basic
    const { issuer } = provider
    const basic = {
      id: 'basic',
      name: 'Login',
      type: 'oidc',
      issuer,
      clientId: id,
      clientSecret: secret,
    }
    this.app = new Browser(configWith({ providers: [basic as never] }))
  }

  /** Starts a sign-in, and answers the provider's question as somebody, if it asks. */
  async signIn(account: string, needs: Record<string, string> = {}): Promise<URL> {
    const start = await this.app.submit('/auth/signin/basic', { callbackUrl: '/inbox', ...needs })
    let url = new URL(locationOf(start))
    for (let step = 0; step < 10 && url.origin !== origin; step++) {
      const isQuestion = url.pathname.startsWith('/interaction/')
      if (isQuestion) this.asked++
      url = await this.#visit(url, isQuestion ? account : undefined)
    }
    const back = await this.app.get(url.pathname + url.search)
    return new URL(locationOf(back))
  }

  /** Signs out at the provider. */
  leaveProvider(): void {
    this.#jar.clear()
  }

  async #visit(url: URL, account: string | undefined): Promise<URL> {
    const cookie = [...this.#jar].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(account === undefined ? {} : { method: 'POST', body: new URLSearchParams({ account }) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = [
        pair.slice(0, pair.indexOf('=')),
        pair.slice(pair.indexOf('=') + 1),
      ]
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url.pathname}: ${await response.text()}`)
    return new URL(location, url)
  }
}

describe('a signed-in user proves it at a certified provider', () => {
  it('which asks again though its own session goes on, and says when', async () => {
    const ada = new Person()
    await ada.signIn('ada')
    const { sid, sub } = claimsIn(ada.app)
    expect(ada.asked).toBe(1)
    // An ordinary sign-in asks nobody: the provider knows its person.
    await ada.signIn('ada')
    expect(ada.asked).toBe(1)
    const second = claimsIn(ada.app)
    expect([second.sub, second.sid === sid]).toEqual([sub, false])
    // Times are whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    for (const needs of [{ maxAge: '300' }, { maxAge: '0' }, { acr: '1' }]) {
      const before = ada.asked
      expect((await ada.signIn('ada', needs)).href).toBe(`${origin}/inbox`)
      expect(ada.asked).toBe(before + 1)
      const { auth_time, began, amr } = claimsIn(ada.app)
      expect(claimsIn(ada.app)).toMatchObject({ sid: second.sid, sub, amr: ['basic'] })
      expect([began, auth_time > second.auth_time, amr]).toEqual([
        second.auth_time,
        true,
        ['basic'],
      ])
    }
  })

  it('as another person there: nothing changes here', async () => {
    const ada = new Person()
    await ada.signIn('ada')
    const token = ada.app.jar.get('auth.session-token')
    ada.leaveProvider()
    const end = await ada.signIn('grace', { maxAge: '300' })
    expect([end.pathname, end.searchParams.get('error')]).toEqual(['/auth/error', 'AccessDenied'])
    expect(ada.app.jar.get('auth.session-token')).toBe(token)
  })

  it('or cancels there: the needs are kept', async () => {
    const ada = new Person()
    await ada.signIn('ada')
    const end = await ada.signIn('', { maxAge: '300', acr: '1' })
    expect(Object.fromEntries(end.searchParams)).toMatchObject({
      error: 'OAuthCallbackError',
      code: 'access_denied',
      maxAge: '300',
      acr: '1',
    })
  })
})
