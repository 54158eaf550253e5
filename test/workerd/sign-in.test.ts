import { describe, expect, test } from 'vitest'
import { Browser, keysOf, location, service, signedIn } from './support.ts'

describe('signing in with the video app', () => {
  test('a person signs in, has a session, and signs out', async () => {
    const browser = new Browser(service())
    const answer = await browser.signIn()
    expect(answer.status).toBe(302)
    expect(location(answer).pathname).toBe('/inbox')
    const session = await browser.session()
    expect(session?.user).toEqual({
      id: browser.claims.sub,
      name: 'Vic Placeholder',
      email: 'victim@example.com',
      image: 'https://sandbox.example/avatars/vic.png',
    })
    expect((await browser.post('/auth/signout')).status).toBe(302)
    expect(await browser.session()).toBeNull()
    expect(browser.sessionToken).toBe('')
  })

  test('the same person is the same user in another browser', async () => {
    const of = service()
    const [one, other] = [new Browser(of), new Browser(of)]
    await one.signIn()
    await other.signIn()
    expect(other.claims.sub).toBe(one.claims.sub)
    expect(other.claims.sid).not.toBe(one.claims.sid)
  })

  test('after a cancel the user comes back to the sign-in page with access_denied', async () => {
    const browser = new Browser(service())
    const answer = await browser.go(await browser.decide({ decision: 'cancel' }))
    const { pathname, searchParams } = location(answer)
    expect(pathname).toBe('/auth/signin')
    expect(searchParams.get('error')).toBe('OAuthCallbackError')
    expect(searchParams.get('code')).toBe('access_denied')
    expect(await browser.session()).toBeNull()
  })

  test('a grant of a part of the scope signs in with that part', async () => {
    const browser = new Browser(service())
    const path = await browser.decide({ person: 'vic', decision: 'allow' })
    expect(location(await browser.go(path)).pathname).toBe('/inbox')
    expect((await browser.session())?.user).toMatchObject({ name: 'Vic Placeholder', email: null })
  })

  test('twenty parallel callbacks start exactly one session', async () => {
    const of = service()
    const browser = new Browser(of)
    const path = await browser.allow()
    const cookie = browser.cookieHeader
    const one = new Browser(of)
    await new Browser(of).signIn().then(() => undefined)
    const before = (await keysOf('session:')).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        of.auth.request(`http://localhost:8787${path}`, { headers: { cookie } }, of.env),
      ),
    )
    const signedIn = answers.filter((answer) =>
      answer.headers.getSetCookie().some((line) => /^auth\.session-token=[^;]/.test(line)),
    )
    expect(signedIn).toHaveLength(1)
    expect(await keysOf('session:')).toHaveLength(before + 1)
    const others = answers.filter((answer) => !signedIn.includes(answer))
    for (const answer of others)
      expect(location(answer).searchParams.get('error')).toBe('InvalidCheck')
    expect(await one.session()).toBeNull()
    expect(of.sandbox.requests.filter(({ path }) => path.endsWith('/token/'))).toHaveLength(2)
  })

  test('a finished callback cannot be finished again', async () => {
    const browser = new Browser(service())
    const path = await browser.allow()
    const cookie = browser.cookieHeader
    await browser.go(path)
    await browser.post('/auth/signout')
    const again = await browser.go(path, { headers: { cookie } })
    expect(location(again).searchParams.get('error')).toBe('InvalidCheck')
    expect(await browser.session()).toBeNull()
  })
})

describe('known mistakes of other libraries', () => {
  test('two tabs at once: each finishes its own sign-in, in any order', async () => {
    const browser = new Browser(service())
    const first = await browser.allow('/first')
    const second = await browser.allow('/second')
    expect(location(await browser.go(first)).pathname).toBe('/first')
    expect(location(await browser.go(second)).pathname).toBe('/second')
    expect(await browser.session()).not.toBeNull()
  })

  test('the callback cookie of another provider does not sign in', async () => {
    const of = service()
    const browser = new Browser(of)
    const path = await browser.allow()
    const elsewhere = path.replace('/callback/videoapp', '/callback/other')
    const answer = await browser.go(elsewhere)
    expect(location(answer).searchParams.get('error')).toBe('InvalidCheck')
    expect(of.sandbox.requests.some(({ path }) => path.endsWith('/token/'))).toBe(false)
    expect(await browser.session()).toBeNull()
    // The flow is still good at its own provider.
    expect(location(await browser.go(path)).pathname).toBe('/inbox')
  })

  test('a stray cookie that shares the prefix of the session does not sign out', async () => {
    const { browser } = await signedIn()
    for (const name of ['auth.session-token.9', 'auth.session-token.x', 'auth.session-tokens']) {
      browser.cookies.set(name, 'stray')
    }
    expect((await browser.session())?.user.name).toBe('Vic Placeholder')
  })

  test('a code without state does not sign in', async () => {
    const of = service()
    const browser = new Browser(of)
    const path = await browser.allow()
    const url = new URL(path, 'http://localhost')
    url.searchParams.delete('state')
    const answer = await browser.go(url.pathname + url.search)
    expect(location(answer).searchParams.get('error')).toBe('InvalidCheck')
    expect(await browser.session()).toBeNull()
    expect(of.sandbox.requests.some(({ path }) => path.endsWith('/token/'))).toBe(false)
  })

  test('login CSRF: the state of another browser does not sign in', async () => {
    const of = service()
    const [attacker, victim] = [new Browser(of), new Browser(of)]
    const path = await attacker.allow()
    await victim.allow()
    const answer = await victim.go(path)
    expect(location(answer).searchParams.get('error')).toBe('InvalidCheck')
    expect(await victim.session()).toBeNull()
    // The state is still good in the browser that started the flow.
    expect(location(await attacker.go(path)).pathname).toBe('/inbox')
  })

  test('HEAD on a callback, as link scanners send it, uses nothing up', async () => {
    const browser = new Browser(service())
    const path = await browser.allow()
    const head = await browser.go(path, { method: 'HEAD' })
    expect(head.headers.getSetCookie()).toEqual([])
    expect(location(await browser.go(path)).pathname).toBe('/inbox')
    expect(await browser.session()).not.toBeNull()
  })

  test('reserved parameters in the query of a sign-in change nothing', async () => {
    const browser = new Browser(service())
    const evil = 'client_key=evil&client_id=evil&state=evil&redirect_uri=https://evil.example/&x=1'
    const answer = await browser.post(`/auth/signin/videoapp?${evil}`)
    const { searchParams } = location(answer)
    expect([...searchParams.values()].some((value) => value.includes('evil'))).toBe(false)
    expect(searchParams.get('x')).toBe('1')
  })
})

describe('signing in with a password', () => {
  const path = '/auth/callback/credentials'

  test('the right password signs in', async () => {
    const browser = new Browser(service())
    await browser.post(path, { username: 'grace', password: 'open sesame' })
    expect((await browser.session())?.user).toMatchObject({ name: 'grace', email: null })
  })

  test('a wrong password and an unknown user get the same answer', async () => {
    const browser = new Browser(service())
    const answers = [
      await browser.post(path, { username: 'grace', password: 'wrong' }),
      await browser.post(path, { username: 'nobody', password: 'wrong' }),
    ]
    for (const answer of answers) {
      expect(location(answer).search).toBe('?error=CredentialsSignin&code=credentials')
    }
    expect(await browser.session()).toBeNull()
  })

  test('without the csrf token of this browser no user is signed in', async () => {
    const browser = new Browser(service())
    const body = new URLSearchParams({ username: 'grace', password: 'open sesame', csrfToken: 'x' })
    const answer = await browser.go(path, { method: 'POST', body })
    expect(location(answer).searchParams.get('error')).toBe('MissingCSRF')
    expect(await browser.session()).toBeNull()
  })
})
