import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  BindingBrowser,
  bindingConfig,
  COOKIE,
  claimsOf,
  offerIn,
  site,
  thiefOf,
} from '../../test-support/binding-browser.js'
import type { LogEvent } from '../../types.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

/** A signed-in browser whose session is bound. */
async function bound(...args: Parameters<typeof bindingConfig>) {
  const config = bindingConfig(...args)
  const browser = new BindingBrowser(config)
  const answer = await browser.signInBound()
  expect(answer.status).toBe(200)
  return { browser, config, answer }
}

describe('the offer', () => {
  it('stands on the answer that begins a session, and on no other one', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const started = await browser.submit('/auth/signin/fake')
    expect(offerIn(started)).toBeUndefined()
    const answer = await browser.signIn('fake')
    expect(answer.status).toBe(302)
    expect(offerIn(answer)?.path).toBe('/auth/bound/register')
    for (const path of ['/auth/session', '/auth/csrf', '/auth/account', '/auth/renew']) {
      expect(offerIn(await browser.get(path)), path).toBeUndefined()
    }
    pass(290)
    const renewed = await browser.get('/auth/session')
    expect(renewed.headers.getSetCookie()).not.toEqual([])
    expect(offerIn(renewed)).toBeUndefined()
  })

  it('is there neither on http, nor for an embedded app, nor with a cookie domain', async () => {
    const local = new BindingBrowser(bindingConfig(), { at: 'http://localhost:8787' })
    expect(offerIn(await local.signIn('fake'))).toBeUndefined()
    for (const options of [{ sameSite: 'none' }, { domain: 'app.example' }] as const) {
      const config = bindingConfig({ cookies: { sessionToken: { options } } })
      const answer = await new BindingBrowser(config).signIn('fake')
      expect(answer.status).toBe(302)
      expect(offerIn(answer)).toBeUndefined()
    }
  })

  it('is not there without the option', async () => {
    const browser = new BindingBrowser(bindingConfig({ boundSessions: false }))
    expect(offerIn(await browser.signIn('fake'))).toBeUndefined()
  })
})

describe('a registration', () => {
  it('binds the session, and says how it is renewed', async () => {
    const { browser, answer } = await bound()
    const body = await answer.json()
    const { identifier = '' } = browser
    expect(body).toEqual({
      session_identifier: identifier,
      refresh_url: '/auth/bound/refresh',
      scope: { origin: site, include_site: false, scope_specification: [] },
      credentials: [
        { type: 'cookie', name: COOKIE, attributes: 'Path=/; HttpOnly; Secure; SameSite=Lax' },
      ],
      allowed_refresh_initiators: ['*'],
    })
    expect(identifier).toMatch(/^lk\.[A-Za-z0-9._-]{1,253}$/)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const jkt = await calculateJwkThumbprint(await exportJWK(browser.keys?.publicKey as never))
    expect(browser.claims.cnf).toEqual({ jkt })
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toContain('; Max-Age=290;')
    expect(await browser.session()).toMatchObject({ bound: true })
  })

  it.each(['ES256', 'RS256'] as const)('takes %s, bare or in quotes', async (alg) => {
    const browser = new BindingBrowser(bindingConfig(), { alg })
    const offered = await browser.signIn('fake')
    expect((await browser.register(offered)).status).toBe(200)
    const proof = await browser.proof()
    const id = browser.identifier ?? ''
    const answer = await browser.refresh({
      'secure-session-response': `"${proof}"`,
      'sec-secure-session-id': `"${id}"`,
    })
    expect(answer.status).toBe(200)
    expect(browser.identifier).toBe(id)
    expect((await browser.renew()).status).toBe(200)
  })

  it('comes without a cookie after a sign-in at a provider', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const answer = await browser.register(await browser.signIn('fake'), {}, { cookie: '' })
    expect(answer.status).toBe(200)
    expect(browser.claims.cnf).toBeDefined()
  })

  it.each([
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ 'sec-fetch-site': '', origin: 'https://evil.example' }],
  ])('a sibling host cannot make a browser register its key: %o', async (headers) => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    const answer = await browser.register(offered, {}, headers as never)
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({ error: 'MissingCSRF' })
    expect(browser.claims.cnf).toBeUndefined()
  })

  it('is refused in one way for all that is wrong, and changes nothing', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    const other = new BindingBrowser(bindingConfig())
    const foreign = offerIn(await other.signIn('fake'))?.challenge
    const wrong = [
      { jti: 'made-up' },
      { jti: foreign },
      { jti: undefined },
      { typ: 'jwt' },
      { jwk: false },
      { header: { crit: ['exp'], exp: 1 } },
    ] as const
    for (const changes of wrong) {
      const answer = await browser.register(offered, changes)
      expect(answer.status, JSON.stringify(changes)).toBe(400)
      expect(await answer.json()).toEqual({ error: 'InvalidCheck' })
    }
    expect(await browser.session()).not.toHaveProperty('bound')
    expect((await browser.register(offered)).status).toBe(200)
  })

  it('counts once, and a session has one key', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    expect((await browser.register(offered)).status).toBe(200)
    const thief = thiefOf(browser)
    expect((await thief.register(offered)).status).toBe(400)
    expect((await browser.renew()).status).toBe(200)
  })

  it('comes within a minute', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    pass(61)
    expect((await browser.register(offered)).status).toBe(400)
  })

  it('with the cookie of another session is wrong', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    const offered = await browser.signIn('fake')
    const other = new BindingBrowser(config)
    await other.signIn('fake')
    expect((await browser.register(offered, {}, { cookie: other.cookie })).status).toBe(400)
  })

  it('is refused if the session is over', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    await browser.submit('/auth/signout')
    expect((await browser.register(offered)).status).toBe(400)
  })

  it('logs one event', async () => {
    const events: LogEvent[] = []
    await bound({ logger: { info: (event) => void events.push(event), warn: () => {} } })
    expect(events.map(({ event }) => event)).toEqual(['sign-in', 'session-bound'])
  })
})

describe('a renewal by proof', () => {
  it('needs no cookie, and gives the next challenge', async () => {
    const { browser } = await bound()
    const { challenge } = browser
    pass(350)
    browser.jar.clear()
    const answer = await browser.renew()
    expect(answer.status).toBe(200)
    expect(browser.challenge).not.toBe(challenge)
    const { exp, iat, cnf } = browser.claims
    expect(exp - iat).toBe(300)
    expect(cnf).toBeDefined()
    expect(await answer.json()).toMatchObject({ session_identifier: browser.identifier })
    expect((await browser.renew()).status).toBe(200)
  })

  it('without a proof asks for one', async () => {
    const { browser } = await bound()
    const asked = await browser.refresh()
    expect(asked.status).toBe(403)
    expect(await asked.text()).toBe('')
    expect(asked.headers.getSetCookie()).toEqual([])
    expect((await browser.renew()).status).toBe(200)
  })

  it('a replayed proof is asked again, and sets nothing', async () => {
    const { browser } = await bound()
    const proof = await browser.proof()
    const first = await browser.refresh({ 'secure-session-response': proof })
    expect(first.status).toBe(200)
    const second = await browser.refresh({ 'secure-session-response': proof })
    expect(second.status).toBe(403)
    expect(second.headers.getSetCookie()).toEqual([])
    expect((await browser.renew()).status).toBe(200)
  })

  it('takes each of two challenges, the older one first, and not the older one after the later one', async () => {
    const { browser } = await bound()
    await browser.refresh()
    const first = await browser.proof()
    pass(1)
    await browser.refresh()
    const second = await browser.proof()
    const send = (proof: string) => browser.refresh({ 'secure-session-response': proof })
    expect((await send(first)).status).toBe(200)
    expect((await send(second)).status).toBe(200)
    await browser.refresh()
    const third = await browser.proof()
    pass(1)
    await browser.refresh()
    expect((await browser.renew()).status).toBe(200)
    expect((await send(third)).status).toBe(403)
  })

  it('happens once if one proof comes several times at once', async () => {
    const { browser } = await bound()
    const proof = await browser.proof()
    const answers = await Promise.all(
      [0, 1, 2].map(() => browser.refresh({ 'secure-session-response': proof })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403])
    expect((await browser.renew()).status).toBe(200)
  })

  it('a challenge lives as long as a token and a minute more', async () => {
    const { browser } = await bound()
    pass(361)
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
    pass(359)
    expect((await browser.renew()).status).toBe(200)
  })

  it('a made-up challenge is asked again, and the next proof is good', async () => {
    const { browser } = await bound()
    expect((await browser.renew({ jti: 'made-up' })).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
  })

  it('a proof that is not good is refused, the session goes on, and the log says why', async () => {
    const warned: (string | undefined)[] = []
    const warn = (code: string, detail?: string) => void warned.push(`${code} ${detail}`)
    pass(3_600)
    const { browser } = await bound({ logger: { warn, info: () => {} } })
    const thief = new BindingBrowser(bindingConfig())
    await thief.signInBound()
    const [, payload = ''] = (await browser.proof()).split('.')
    const none = Buffer.from('{"alg":"none","typ":"dbsc+jwt"}').toString('base64url')
    const twice = Buffer.from('{"alg":"ES256","alg":"ES256","typ":"dbsc+jwt"}').toString(
      'base64url',
    )
    const bad: [string, string][] = [
      ['signature', await browser.proof({ keys: thief.keys as never })],
      ['form', await browser.proof({ typ: 'jwt' })],
      ['form', await browser.proof({ header: { crit: ['exp'], exp: 1 } })],
      ['form', `${twice}.${payload}.AAAA`],
      ['algorithm', `${none}.${payload}.AAAA`],
      ['form', 'no proof at all'],
      ['size', 'x'.repeat(4_097)],
    ]
    for (const [fault, proof] of bad) {
      warned.length = 0
      const answer = await browser.refresh({ 'secure-session-response': proof })
      expect(answer.status, fault).toBe(400)
      expect(await answer.json()).toEqual({ error: 'InvalidCheck' })
      expect(warned).toEqual([`bound-proof-refused ${fault}`])
    }
    expect((await browser.renew()).status).toBe(200)
  })

  it('a key in the header of a renewal counts for nothing', async () => {
    const { browser } = await bound()
    const thief = new BindingBrowser(bindingConfig())
    await thief.signInBound()
    const { keys } = thief
    const jwk = await exportJWK((keys as never as { publicKey: never }).publicKey)
    expect((await browser.renew({ keys: keys as never, jwk })).status).toBe(400)
    expect((await browser.renew({ jwk })).status).toBe(200)
  })

  it('other claims do not count', async () => {
    const { browser } = await bound()
    expect((await browser.renew({ claims: { exp: 1, aud: 'x', nbf: 9e9 } })).status).toBe(200)
  })

  it('without an identifier, or with a long one, is wrong', async () => {
    const { browser } = await bound()
    for (const id of ['', 'x'.repeat(257)]) {
      expect((await browser.renew({}, { 'sec-secure-session-id': id })).status).toBe(400)
    }
  })

  it('with a made-up identifier is silent', async () => {
    const { browser } = await bound()
    for (const id of ['lk.made-up', 'other', `${browser.identifier}A`]) {
      const answer = await browser.renew({}, { 'sec-secure-session-id': id, cookie: '' })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  it('with a made-up identifier beside another session ends the key', async () => {
    const { browser } = await bound()
    const answer = await browser.renew({}, { 'sec-secure-session-id': 'lk.made-up' })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toEqual({ continue: false })
    expect(answer.headers.getSetCookie()).toEqual([])
  })
})

describe('the end of a bound session', () => {
  it.each([
    ['a sign-out', '/auth/signout', {}],
    ['an end everywhere', '/auth/sessions/revoke', { session: 'all' }],
  ])(
    '%s is heard at the next renewal, which sets and removes no cookie',
    async (_, path, fields) => {
      const { browser } = await bound()
      await browser.submit(path, fields)
      for (const ask of [() => browser.renew(), () => browser.refresh()]) {
        const answer = await ask()
        expect(answer.status).toBe(401)
        expect(await answer.json()).toEqual({ continue: false })
        expect(answer.headers.getSetCookie()).toEqual([])
      }
    },
  )

  it('a callback ends it', async () => {
    let isGone = false
    const jwt = ({ token }: { token: object }) => (isGone ? null : token)
    const { browser } = await bound({ callbacks: { jwt } as never })
    isGone = true
    expect((await browser.renew()).status).toBe(401)
  })

  it('a sign-in that came between ends it at its next good proof', async () => {
    const { browser, config } = await bound()
    const other = new BindingBrowser(config)
    await other.signIn('fake')
    const answer = await browser.renew({}, { cookie: other.cookie })
    expect(answer.status).toBe(401)
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await browser.renew()).status).toBe(401)
    expect(await other.session()).not.toBeNull()
  })
})

describe('every other answer', () => {
  it('keeps the end of the token', async () => {
    const { browser } = await bound()
    const { exp } = browser.claims
    pass(100)
    const before = browser.token
    await browser.submit('/auth/session', { data: 'x' })
    expect(browser.token).not.toBe(before)
    expect(browser.claims).toMatchObject({ exp, iat: 1_900_000_100 })
    expect(browser.claims.cnf).toBeDefined()
    pass(180)
    const near = browser.token
    expect(await browser.session()).toMatchObject({ bound: true })
    expect(browser.token).toBe(near)
    await browser.get('/auth/renew')
    expect(browser.claims.exp).toBe(exp)
  })

  it('gives no new token to one that has ended, whose holder is signed out', async () => {
    const { browser } = await bound()
    pass(301)
    for (const path of [
      '/auth/session',
      '/auth/session?online=1',
      '/auth/renew',
      '/auth/account',
    ]) {
      const answer = await browser.get(path)
      const set = answer.headers.getSetCookie().filter((line) => line.includes('session-token'))
      expect(set, path).toEqual([])
    }
    expect(await browser.session()).toBeNull()
    expect((await browser.get('/auth/sessions')).status).toBe(401)
    expect(await (await browser.submit('/auth/session', { data: 'x' })).json()).toBeNull()
    expect((await browser.renew()).status).toBe(200)
    expect(await browser.session()).toMatchObject({ bound: true })
  })
})

describe('attacks', () => {
  it('a copied cookie ends with its token', async () => {
    const { browser } = await bound()
    const thief = thiefOf(browser)
    expect(await thief.session()).toMatchObject({ bound: true })
    pass(200)
    await thief.get('/auth/session')
    await thief.get('/auth/renew')
    await thief.submit('/auth/session', { data: 'x', refresh: 'true' })
    pass(101)
    expect(await thief.session()).toBeNull()
    expect((await browser.renew()).status).toBe(200)
    expect(await thief.session()).toBeNull()
  })

  it('a copied cookie and identifier renew nothing', async () => {
    const { browser } = await bound()
    const thief = thiefOf(browser)
    thief.identifier = browser.identifier
    const asked = await thief.refresh()
    expect(asked.status).toBe(403)
    const { keys } = await bound().then(({ browser }) => browser)
    expect((await thief.renew({ keys: keys as never })).status).toBe(400)
  })

  it('the cookie of the first second registers nothing without the challenge, and is renewed until the first proof', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    const thief = thiefOf(browser)
    expect((await browser.register(offered)).status).toBe(200)
    expect((await thief.register(offered)).status).toBe(400)
    pass(290)
    const before = thief.token
    expect(await thief.session()).not.toBeNull()
    expect(thief.token).not.toBe(before)
    expect(claimsOf(thief.token ?? '').cnf).toBeUndefined()
    browser.jar.clear()
    expect((await browser.renew()).status).toBe(200)
    pass(290)
    const last = thief.token
    expect(await thief.session()).toBeNull()
    expect(thief.token).toBe(last)
    expect((await thief.get('/auth/sessions')).status).toBe(401)
    expect(await (await thief.get('/auth/session?online=1')).json()).toBeNull()
    expect((await browser.renew()).status).toBe(200)
  })

  it('two registrations of one offer at once: one key counts', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    const offered = await browser.signIn('fake')
    const thief = thiefOf(browser)
    const answers = await Promise.all([browser.register(offered), thief.register(offered)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  it('a key that is not on the curve, is short, or has its private part registers nothing', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signIn('fake')
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const own = await exportJWK(publicKey)
    const short = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 255).toString('base64url') }
    const long = { ...short, n: Buffer.alloc(513, 255).toString('base64url') }
    const three = { ...short, e: 'Aw', n: Buffer.alloc(256, 255).toString('base64url') }
    const off = { ...own, y: own.x as string }
    const all = [off, await exportJWK(privateKey), short, long, three, { kty: 'oct', k: 'AAAA' }]
    for (const jwk of all) {
      const answer = await browser.register(offered, { jwk })
      expect(answer.status, JSON.stringify(jwk)).toBe(400)
    }
    expect((await browser.register(offered)).status).toBe(200)
  })

  it('flood: refused proofs are ten lines of the log in a minute', async () => {
    pass(7_200)
    let lines = 0
    const warn = () => {
      lines++
    }
    const { browser } = await bound({ logger: { warn, info: () => {} } })
    for (let time = 0; time < 15; time++) {
      await browser.refresh({ 'secure-session-response': 'no proof' })
    }
    expect(lines).toBe(10)
  })

  it('a proof of one session does not renew another one of the same person', async () => {
    const config = bindingConfig()
    const [one, other] = [new BindingBrowser(config), new BindingBrowser(config)]
    await one.register(await one.signInAs('ada'))
    await other.register(await other.signInAs('ada'))
    const proof = await one.proof()
    const answer = await other.refresh({ 'secure-session-response': proof, cookie: '' })
    expect(answer.status).toBe(403)
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('headers that are stripped on the way leave a session as before', async () => {
    const browser = new BindingBrowser(bindingConfig())
    await browser.signIn('fake')
    for (let time = 0; time < 3; time++) {
      pass(290)
      expect(await browser.session()).not.toBeNull()
    }
  })

  it('headers that are stripped on the way end a session at its first renewal where it is required', async () => {
    const events: LogEvent[] = []
    const logger = { info: (event: LogEvent) => void events.push(event), warn: () => {} }
    const browser = new BindingBrowser(bindingConfig({ boundSessions: { required: true }, logger }))
    await browser.signIn('fake')
    expect(await browser.session()).not.toBeNull()
    pass(290)
    expect(await browser.session()).toBeNull()
    expect(browser.token).toBeUndefined()
    expect(events.at(-1)).toMatchObject({ event: 'sessions-ended', which: 'one', by: 'unbound' })
  })

  it('a skipped header lets nobody in, and touches no cookie', async () => {
    const { browser } = await bound()
    const skipped = { 'secure-session-skipped': 'unreachable;session_identifier="lk.any"' }
    const away = { ...skipped, cookie: '' }
    for (const path of ['/auth/session', '/auth/renew', '/auth/sessions', '/auth/account']) {
      const answer = await browser.get(path, away)
      expect(answer.status, path).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.headers.getSetCookie().filter((one) => one.includes('session-token'))).toEqual(
        [],
      )
    }
    for (const path of ['/auth/signin', '/auth/signin?maxAge=5', '/auth/csrf', '/auth/providers']) {
      expect((await browser.get(path, away)).status, path).toBe(200)
    }
    expect((await browser.get('/auth/session', skipped)).status).toBe(200)
    const other = { cookie: '', 'secure-session-skipped': 'unreachable;session_identifier="x"' }
    expect(await (await browser.get('/auth/session', other)).json()).toBeNull()
  })
})
