import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, everythingIn, locationOf, origin } from '../../test-support/browser.js'
import { providerAt } from '../../test-support/issuer.js'
import { provingPeople } from '../../test-support/step-up.js'

const { pass } = clock()

/** Somebody who signed in with an OpenID provider a while ago. */
async function known(age = 1000, changes: Record<string, unknown> = {}) {
  const service = await provingPeople()
  Object.assign(service.issuer.metadata, changes)
  const ada = await service.signIn('test', 'ada')
  pass(age)
  return { ...service, ada }
}

describe('the request to a provider in a step-up', () => {
  it.each([
    [{ maxAge: '300' }, '300'],
    [{ maxAge: '0' }, '0'],
    [{ maxAge: '86400', acr: '1' }, '86400'],
    [{ acr: '1' }, '300'],
    [{ acr: '2' }, '300'],
  ])('by max_age and prompt: %j', async (needs, maxAge) => {
    const { ada, start } = await known()
    const { searchParams } = new URL(locationOf(await start(ada, 'test', needs)))
    expect([searchParams.get('max_age'), searchParams.get('prompt')]).toEqual([maxAge, 'login'])
  })

  it('no part of it in an ordinary sign-in, or without a user', async () => {
    const { ada, start, browser } = await known()
    const starts = [await start(ada, 'test'), await start(browser(), 'test', { maxAge: '300' })]
    for (const { searchParams } of starts.map((one) => new URL(locationOf(one)))) {
      expect([searchParams.has('max_age'), searchParams.has('prompt')]).toEqual([false, false])
    }
  })

  it('a caller’s parameters change neither, in whatever spelling', async () => {
    const { ada, start, browser } = await known()
    const query = '?max_age=1000000&prompt=none&Max-Age=7&PROMPT=none&maxage=9&login_hint=x&ui=dark'
    const answer = await start(ada, 'test', { maxAge: '300' }, query)
    const { searchParams } = new URL(locationOf(answer))
    const names = [...searchParams.keys()].filter((name) => /max|prompt/i.test(name))
    expect(names.sort()).toEqual(['max_age', 'prompt'])
    expect([searchParams.get('max_age'), searchParams.get('prompt')]).toEqual(['300', 'login'])
    expect([searchParams.get('login_hint'), searchParams.get('ui')]).toEqual(['x', 'dark'])
    // An ordinary sign-in passes them on, as ever.
    const usual = new URL(locationOf(await start(browser(), 'test', {}, query))).searchParams
    expect([usual.get('max_age'), usual.get('prompt')]).toEqual(['1000000', 'none'])
  })

  it('the settings for every sign-in do not either', async () => {
    const { issuer, config, signIn, start } = await provingPeople()
    const params = { prompt: 'none', max_age: '99' }
    Object.assign(config, { providers: [providerAt(issuer, { authorization: { params } })] })
    const ada = await signIn('test', 'ada')
    const { searchParams } = new URL(locationOf(await start(ada, 'test', { maxAge: '300' })))
    const asked = ['max_age', 'prompt'].map((name) => searchParams.getAll(name))
    expect(asked).toEqual([['300'], ['login']])
  })
})

describe('the ID token’s auth_time', () => {
  const now = () => Math.floor(Date.now() / 1000)

  it.each([
    ['of now', 0, 0],
    ['a time of a moment ago', -5, 0],
    ['a time of the last minute, by a clock that is behind', -60, 0],
    ['a second ahead', 1, 0],
    ['a minute ahead, by a clock that is', 60, 0],
    ['a time within the limit', -200, -140],
    ['a time at the end of the limit', -300, -240],
    ['a time at the end of the limit, by a clock that is behind', -360, -300],
    ['with a fraction', -200.5, -141],
  ])('%s counts, and the session’s is at most a minute later', async (_, at, expected) => {
    const { ada, start, comeBack } = await known()
    const begun = await start(ada, 'test', { maxAge: '300' })
    const end = await comeBack(ada, begun, 'ada', { auth_time: now() + at })
    expect(locationOf(end)).toBe(`${origin}/inbox`)
    expect(claimsIn(ada).auth_time).toBe(now() + expected)
    const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'
    expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
  })

  it('at a slow provider counts from when the browser came: an ending meanwhile stays', async () => {
    const { ada, start, comeBack, issuer } = await known()
    const begun = await start(ada, 'test', { maxAge: '300' })
    await issuer.rotate()
    issuer.answers.keys = () => {
      pass(5)
      return Response.json(issuer.jwks())
    }
    const came = now()
    expect(locationOf(await comeBack(ada, begun, 'ada'))).toBe(`${origin}/inbox`)
    expect([claimsIn(ada).auth_time, now()]).toEqual([came, came + 5])
  })

  it.each([
    ['missing', () => undefined],
    ['null', () => null],
    ['text', () => String(now())],
    ['a list', () => [now()]],
    ['older than asked', () => now() - 361],
    ['the beginning of time', () => 0],
    ['negative', () => -1],
    ['in the future', () => now() + 61],
    ['of another unit', () => Date.now()],
    ['true', () => true],
  ])('that is %s ends in OAuthCallbackError, and nothing changes', async (_, auth_time) => {
    const { ada, start, comeBack, calls, errors } = await known()
    const token = ada.jar.get('auth.session-token')
    const begun = await start(ada, 'test', { maxAge: '300', acr: '1' })
    calls.length = 0
    const end = await comeBack(ada, begun, 'ada', { auth_time: auth_time() })
    const url = new URL(locationOf(end))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'OAuthCallbackError',
      callbackUrl: `${origin}/inbox`,
      maxAge: '300',
      acr: '1',
    })
    expect(ada.jar.get('auth.session-token')).toBe(token)
    expect(calls.map(({ name }) => name)).toEqual(['isConsumed', 'consume'])
    expect(everythingIn(errors[0])).toContain('auth_time')
    expect(JSON.stringify(errors.map(({ cause }) => cause))).not.toMatch(/\d{10}/)
    // The proof is used up.
    expect(errorOf(await comeBack(ada, begun, 'ada'))).toBe('/auth/signin InvalidCheck')
  })

  it.each([
    ['300', -361, false],
    ['86400', -361, true],
    ['86400', -86_461, false],
    ['0', -61, false],
    ['0', -60, true],
    ['1000000000', -86_400, true],
  ])('is compared with the age that was asked: %s and %s', async (maxAge, at, isGood) => {
    const { ada, start, comeBack } = await known(100_000)
    const begun = await start(ada, 'test', { maxAge })
    const end = await comeBack(ada, begun, 'ada', { auth_time: now() + at })
    expect(new URL(locationOf(end)).pathname).toBe(isGood ? '/inbox' : '/auth/signin')
  })

  it('a large maxAge in the form gives no fresher a token than the proof', async () => {
    const { ada, start, comeBack } = await known(100_000)
    const begun = await start(ada, 'test', { maxAge: '1000000000' })
    await comeBack(ada, begun, 'ada', { auth_time: now() - 90_000 })
    expect(claimsIn(ada).auth_time).toBe(now() - 90_000 + 60)
    expect((await ada.get('/auth/signin?maxAge=300')).status).toBe(200)
  })

  it('is never before the session began', async () => {
    const { ada, start, comeBack } = await known(10)
    const began = claimsIn(ada).auth_time
    const begun = await start(ada, 'test', { maxAge: '1000000000' })
    await comeBack(ada, begun, 'ada', { auth_time: now() - 90_000 })
    expect(claimsIn(ada).auth_time).toBe(began)
    expect(claimsIn(ada)).not.toHaveProperty('began')
  })

  it('is not looked at in an ordinary sign-in', async () => {
    const { browser, start, comeBack } = await known()
    const ada = browser()
    const begun = await start(ada, 'test')
    await comeBack(ada, begun, 'ada', { auth_time: 'never' })
    expect(claimsIn(ada).auth_time).toBe(now())
  })
})

describe('a provider that says that its ID tokens have no auth_time', () => {
  const GOOGLE = ['aud', 'email', 'email_verified', 'exp', 'iat', 'iss', 'name', 'picture', 'sub']
  const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'

  it.each([
    [{ claims_supported: GOOGLE }, false],
    [{ claims_supported: [] }, false],
    [{ claims_supported: [...GOOGLE, 'auth_time'] }, true],
    [{ claims_supported: undefined }, true],
    [{ claims_supported: 'sub' }, true],
    [{}, true],
  ])('%j', async (metadata, proves) => {
    const { ada, start } = await known(1000, metadata)
    const html = await (await ada.get(page)).text()
    expect(html).toContain('action="/auth/signin/test"')
    expect(html.includes('name="maxAge"')).toBe(proves)
    const begun = new URL(locationOf(await start(ada, 'test', { maxAge: '300' })))
    expect(begun.searchParams.has('max_age')).toBe(proves)
  })

  it('is refused beside another way that can', async () => {
    const { ada, add, start } = await known(0, { claims_supported: GOOGLE })
    await add(ada, 'email', 'ada@mail.example')
    pass(1000)
    expect(await (await ada.get(page)).text()).not.toContain('/auth/signin/test')
    expect(errorOf(await start(ada, 'test', { maxAge: '300' }))).toBe('/auth/error AccessDenied')
  })

  it('one that does not answer is offered, and its sign-in says so; no page waits for it', async () => {
    const { ada, start, issuer } = await known()
    pass(2 * 86_400)
    issuer.answers['openid-configuration'] = () => Response.error()
    expect(await (await ada.get(page)).text()).toContain('name="maxAge"')
    expect(errorOf(await start(ada, 'test', { maxAge: '300' }))).toBe(
      '/auth/signin OAuthCallbackError',
    )
    const asked = issuer.requests.length
    for (let count = 0; count < 60; count++)
      await ada.get(page, { 'cf-connecting-ip': '203.0.113.7' })
    // No more than the failures of one network in a minute.
    expect(issuer.requests.length - asked).toBeLessThan(40)
  })
})
