import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth as coreAuth } from '../../core.js'
import { createAuth } from '../../index.js'
import type { Stores } from '../../stores/ports.js'
import {
  BindingBrowser,
  bindingConfig,
  boundUnder,
  offerIn,
  site,
  thiefOf,
} from '../../test-support/binding-browser.js'
import { Browser, secret } from '../../test-support/browser.js'
import { anybody } from '../../test-support/deployment.js'
import { fails, faulty } from '../../test-support/faulty.js'
import type { AuthConfig } from '../../types.js'
import { boundSessions } from './index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]

/** The same browser at an isolate with another configuration. */
function under(browser: BindingBrowser, config: AuthConfig): BindingBrowser {
  const other = new BindingBrowser(config)
  Object.assign(other, { identifier: browser.identifier, challenge: browser.challenge })
  other.keys = browser.keys
  for (const [name, value] of browser.jar) other.jar.set(name, value)
  return other
}

describe('a step-up', () => {
  it('offers a key to a session without one, and a bound session keeps its key, its end and the new proof', async () => {
    const browser = new BindingBrowser(bindingConfig())
    await browser.signInAs('ada')
    pass(100)
    const offered = await browser.signInAs('ada', { maxAge: '5' })
    expect(offerIn(offered)).toBeDefined()
    const { sid } = browser.claims
    expect((await browser.register(offered)).status).toBe(200)
    expect(browser.claims.sid).toBe(sid)
    pass(100)
    const { exp, cnf, auth_time } = browser.claims
    const again = await browser.signInAs('ada', { maxAge: '5' })
    expect(offerIn(again)).toBeUndefined()
    expect(browser.claims).toMatchObject({ sid, exp, cnf })
    expect(browser.claims.auth_time).toBe(auth_time + 100)
    browser.jar.clear()
    pass(600)
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
    expect(browser.claims).toMatchObject({ sid, cnf, auth_time: auth_time + 100 })
  })
})

describe('a rotation of the secret', () => {
  it('signs out nobody while both are in use, and the new key takes the old one’s place', async () => {
    const config = bindingConfig({ secret: older })
    const browser = await boundUnder(config)
    pass(400)
    const during = under(browser, { ...config, secret: [newer, older] })
    during.jar.clear()
    expect((await during.renew()).status).toBe(403)
    const renewed = await during.renew()
    expect(renewed.status).toBe(200)
    const { identifier, keys, challenge } = during
    expect((await during.register(renewed)).status).toBe(200)
    expect(during.identifier).not.toBe(identifier)
    const former = under(during, { ...config, secret: [newer, older] })
    Object.assign(former, { identifier, keys, challenge })
    expect((await former.refresh({ cookie: '' })).status).toBe(401)
    expect((await former.renew({}, { cookie: '' })).status).not.toBe(200)
    const next = await during.renew()
    expect(next.status).toBe(200)
    expect(offerIn(next)).toBeUndefined()
  })

  it('ends what only the removed secret has made', async () => {
    const config = bindingConfig({ secret: older })
    const browser = await boundUnder(config)
    const after = under(browser, { ...config, secret: newer })
    const answer = await after.renew({}, { cookie: '' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })
})

describe('off again', () => {
  it('lets a session go at its next proof', async () => {
    const config = bindingConfig()
    const browser = await boundUnder(config)
    const off = under(browser, { ...config, boundSessions: false })
    expect((await off.send('/auth/bound/register', { method: 'POST' })).status).toBe(404)
    pass(400)
    off.jar.clear()
    expect((await off.renew()).status).toBe(403)
    const answer = await off.renew()
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ continue: false })
    expect(off.claims.cnf).toBeUndefined()
    expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=2591')
    pass(400)
    expect(await off.session()).not.toBeNull()
    const on = under(off, config)
    pass(400)
    expect(await on.session()).not.toBeNull()
  })

  it('without the feature neither route is there, and a bound token is never renewed', async () => {
    const config = bindingConfig()
    const browser = await boundUnder(config)
    const { boundSessions: _, ...rest } = config
    const auth = coreAuth({ ...rest, providers: config.providers.slice(0, 1) })
    const bare = new BindingBrowser(rest as AuthConfig, { answer: (one) => auth.fetch(one) })
    for (const [name, value] of browser.jar) bare.jar.set(name, value)
    for (const path of ['/auth/bound/register', '/auth/bound/refresh']) {
      expect((await bare.send(path, { method: 'POST' })).status).toBe(404)
    }
    expect(await bare.session()).not.toBeNull()
    pass(290)
    await bare.session()
    pass(11)
    expect(await bare.session()).toBeNull()
  })

  it('an option or variable without the feature names the import', async () => {
    const auth = coreAuth({ ...bindingConfig(), providers: [] })
    const answer = await auth.fetch(new Request(`${site}/auth/session`))
    expect(answer.status).toBe(500)
  })
})

describe('required', () => {
  it('as a function decides for each person, and ends nobody if it throws', async () => {
    const asked: unknown[] = []
    let answer: () => boolean = () => false
    const required = (person: { sub: string }) => {
      asked.push(person)
      return answer()
    }
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn: () => {} }
    const config = bindingConfig({ boundSessions: { required }, logger })
    const browser = new BindingBrowser(config)
    await browser.signInAs('ada')
    expect(asked).toEqual([])
    pass(290)
    expect(await browser.session()).not.toBeNull()
    const { sub, amr } = browser.claims
    expect(asked).toEqual([{ sub, amr, user: expect.objectContaining({ name: 'ada', id: sub }) }])
    answer = () => {
      throw new Error('The table is down.')
    }
    pass(400)
    expect((await browser.get('/auth/session')).status).toBe(500)
    expect(errors.map(String).join()).toContain('boundSessions.required')
    answer = () => true
    expect(await browser.session()).toBeNull()
  })

  it('ends no bound session, and an unbound one also before the first proof', async () => {
    const config = bindingConfig({ boundSessions: { required: true } })
    const browser = new BindingBrowser(config)
    const offered = await browser.signIn('fake')
    const copy = thiefOf(browser)
    await browser.register(offered)
    pass(290)
    expect(await browser.session()).not.toBeNull()
    expect(await copy.session()).toBeNull()
  })

  it('leaves a bound session alone', async () => {
    const browser = await boundUnder(bindingConfig({ boundSessions: { required: true } }))
    for (let time = 0; time < 3; time++) {
      pass(250)
      expect((await browser.renew()).status).toBe(200)
    }
  })
})

describe('a cookie domain', () => {
  const withDomain = (domain: string, boundSessions: NonNullable<AuthConfig['boundSessions']>) =>
    bindingConfig({ boundSessions, cookies: { sessionToken: { options: { domain } } } })

  it('is bound for the whole site, if the configuration says so', async () => {
    const browser = new BindingBrowser(withDomain('.example.com', { site: true }), {
      at: 'https://auth.example.com',
    })
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://auth.example.com' }
    const answer = await browser.register(await browser.signIn('fake'), {}, own)
    expect(await answer.json()).toMatchObject({
      scope: { origin: 'https://example.com', include_site: true, scope_specification: [] },
      credentials: [
        {
          name: '__Secure-auth.session-token',
          attributes: 'Domain=.example.com; Path=/; HttpOnly; Secure; SameSite=Lax',
        },
      ],
    })
    const listed = await browser.get('/.well-known/device-bound-sessions')
    expect(await listed.json()).toEqual({ registering_origins: ['https://auth.example.com'] })
  })

  it('must be the registrable one', async () => {
    for (const domain of ['auth.example.com', 'co.uk', 'app.pages.dev.example.com']) {
      const answer = await new Browser(withDomain(domain, { site: true }), { at: site }).get(
        '/auth/session',
      )
      expect(answer.status, domain).toBe(500)
    }
  })

  it('no file is there without the option', async () => {
    const browser = new Browser(bindingConfig(), { at: site })
    expect((await browser.get('/.well-known/device-bound-sessions')).status).toBe(404)
  })
})

describe('the configuration', () => {
  const answerOf = async (value: string) => {
    const auth = createAuth({ basePath: '/auth', providers: [anybody] })
    const store = bindingConfig().store
    const config: AuthConfig = {
      basePath: '/auth',
      providers: [anybody],
      ...(store ? { store } : {}),
    }
    const env = { AUTH_SECRET: secret, AUTH_BOUND_SESSIONS: value }
    expect(auth).toBeDefined()
    return createAuth<object>(config).fetch(new Request(`${site}/auth/csrf`), env)
  }

  it.each(['', 'false', '0', 'true', 'required', 'site', 'true, required,site'])(
    'takes the words %j',
    async (value) => {
      expect((await answerOf(value)).status).toBe(200)
    },
  )

  it.each(['yes', 'true,false', 'required,', 'True'])('refuses the words %j', async (value) => {
    expect((await answerOf(value)).status).toBe(500)
  })

  it('warns of a short life of tokens and of a cookie domain, once', async () => {
    const warned: string[] = []
    const config = bindingConfig({
      session: { tokenMaxAge: 60 },
      cookies: { sessionToken: { options: { domain: 'example.com' } } },
      logger: { warn: (code) => void warned.push(code) },
    })
    await new Browser(config, { at: site }).session()
    await new Browser({ ...config }, { at: site }).session()
    expect(warned).toEqual(['bound-sessions-domain', 'bound-token-life'])
  })
})

describe('GET /signin?bound=1', () => {
  const page = '/auth/signin?bound=1&callbackUrl=/inbox'

  it('leads a bound session back', async () => {
    const browser = await boundUnder(bindingConfig())
    const answer = await browser.get(page)
    expect(answer.headers.get('location')).toBe(`${site}/inbox`)
  })

  it('waits for a browser that registers, then says that it cannot, and later asks for a sign-in', async () => {
    const browser = new BindingBrowser(bindingConfig())
    await browser.signInAs('ada')
    const waiting = await browser.get(page)
    expect([waiting.status, waiting.headers.get('refresh')]).toEqual([200, '1'])
    expect(await waiting.text()).toContain('Your browser is binding this session')
    pass(31)
    const refused = await browser.get(page)
    expect([refused.status, refused.headers.get('refresh')]).toEqual([403, null])
    expect(await refused.text()).toContain('This browser cannot bind your session')
    pass(270)
    const signIn = await browser.get(page)
    expect(signIn.status).toBe(200)
    expect(await signIn.text()).toContain('name="maxAge" value="300"')
  })

  it('is the usual page for nobody', async () => {
    const answer = await new BindingBrowser(bindingConfig()).get(page)
    expect(await answer.text()).toContain('/auth/signin/fake')
  })
})

describe('lists of sessions', () => {
  it('say which are bound, where the feature is on', async () => {
    const { store, calls } = faulty()
    const config = bindingConfig({ store })
    const auth = createAuth(config)
    const answer = async (request: Request) => auth.fetch(request)
    const browser = new BindingBrowser(config, { answer })
    await browser.register(await browser.signInAs('ada'))
    const other = new BindingBrowser(config, { answer })
    await other.signInAs('ada')
    const { sessions } = (await (await browser.get('/auth/sessions')).json()) as {
      sessions: { current: boolean; bound: boolean }[]
    }
    expect(sessions.map(({ current, bound }) => [current, bound])).toEqual([
      [true, true],
      [false, false],
    ])
    const { sub } = browser.claims
    const listed = await auth.listSessions(sub)
    expect(listed.map(({ bound }) => bound).toSorted()).toEqual([false, true])
    const exported = await auth.exportPerson(sub)
    expect(exported?.sessions.map(({ bound }) => bound).toSorted()).toEqual([false, true])
    expect(await (await browser.get('/auth/account')).text()).toContain('Bound to this device')
    const off = createAuth({ ...config, boundSessions: false })
    expect((await off.listSessions(sub))[0]).not.toHaveProperty('bound')
    calls.length = 0
    expect(await auth.listSessions('nobody')).toEqual([])
    expect(calls.map(({ name }) => name)).not.toContain('insertDocuments')
  })
})

it('an erasure deletes the key of each session, and the browser hears of the end', async () => {
  const { store } = faulty()
  const config = bindingConfig({ store })
  const auth = createAuth(config)
  const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
  await browser.register(await browser.signInAs('ada'))
  const { sub, sid } = browser.claims
  expect(await store.ledger.document(`bound\n${sid}`)).toBeDefined()
  await auth.deletePerson(sub)
  expect(await store.ledger.document(`bound\n${sid}`)).toBeUndefined()
  expect((await browser.renew({}, { cookie: '' })).status).toBe(401)
})

it.each([
  ['a block', (auth: ReturnType<typeof createAuth>, sub: string) => auth.blockPerson({ sub })],
  ['an operator', (auth: ReturnType<typeof createAuth>, sub: string) => auth.endSessions({ sub })],
])('%s ends a bound session, which its browser hears at the next renewal', async (_, end) => {
  const config = bindingConfig()
  const auth = createAuth(config)
  const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
  await browser.register(await browser.signInAs('ada'))
  await end(auth, browser.claims.sub)
  const answer = await browser.renew({}, { cookie: '' })
  expect(answer.status).toBe(401)
  expect(answer.headers.getSetCookie()).toEqual([])
})

describe('fresh claims', () => {
  it('renew a stale bound token with its own end', async () => {
    let role = 'member'
    const session = ({ session }: { session: object }) => ({ ...session, role, bound: 'mine' })
    const config = bindingConfig({ callbacks: { session } as never })
    const auth = createAuth(config)
    const answer = async (request: Request) => auth.fetch(request)
    const browser = new BindingBrowser(config, { answer })
    await browser.register(await browser.signInAs('ada'))
    const { exp, sub, cnf } = browser.claims
    pass(10)
    role = 'editor'
    await auth.refreshClaims({ sub })
    pass(1)
    expect(await browser.session()).toMatchObject({ role: 'editor', bound: true })
    expect(browser.claims).toMatchObject({ exp, cnf, session: { role: 'editor' } })
    expect(browser.claims.session).not.toHaveProperty('bound')
  })
})

it('fresh claims of a session that is not bound count at once where the ledger is asked, also in an isolate that has not heard of them', async () => {
  let role = 'member'
  const session = ({ session }: { session: object }) => ({ ...session, role })
  const config = bindingConfig({ callbacks: { session } as never })
  const auth = createAuth(config)
  const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
  await browser.signInAs('ada')
  pass(10)
  role = 'editor'
  const other = under(browser, { ...config })
  expect(await (await other.get('/auth/session?online=1')).json()).toMatchObject({ role: 'member' })
  await auth.refreshClaims({ sub: browser.claims.sub })
  expect(await other.session()).toMatchObject({ role: 'member' })
  expect(await (await other.get('/auth/session?online=1')).json()).toMatchObject({ role: 'editor' })
  expect(other.claims.cnf).toBeUndefined()
})

describe('faults', () => {
  it('a store that fails is 503, and the same proof may be sent again', async () => {
    const { store, faults } = faulty()
    const browser = await boundUnder(bindingConfig({ store }))
    for (const method of ['liveDocument', 'get'] as const) {
      const proof = await browser.proof()
      const send = () => browser.refresh({ 'secure-session-response': proof, cookie: '' })
      faults.set(method, fails)
      const answer = await send()
      expect(answer.status, method).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.headers.getSetCookie()).toEqual([])
      faults.delete(method)
      const again = await send()
      if (again.status === 403) expect((await browser.renew()).status).toBe(200)
      else expect(again.status).toBe(200)
    }
  })

  it('a record that is not shown is silent', async () => {
    const { store, faults } = faulty()
    const browser = await boundUnder(bindingConfig({ store }))
    faults.set('get', async () => undefined)
    for (const ask of [
      () => browser.renew({}, { cookie: '' }),
      () => browser.refresh({ cookie: '' }),
    ]) {
      const answer = await ask()
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    }
    faults.delete('get')
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
  })

  it('a registration while KV does not show the record yet is good for as long as the token', async () => {
    const { store, faults } = faulty()
    const browser = new BindingBrowser(bindingConfig({ store }))
    const offered = await browser.signIn('fake')
    const { exp } = browser.claims
    pass(3)
    faults.set('get', async () => undefined)
    expect((await browser.register(offered)).status).toBe(200)
    expect(browser.claims.exp).toBe(exp)
    expect(browser.claims.cnf).toBeDefined()
    faults.delete('get')
    expect((await browser.renew()).status).toBe(200)
  })
})

it('the feature is one value, which the shipped Worker has', () => {
  expect(boundSessions.name).toBe('bound-sessions')
})

describe('attack: a function `required` that decides nothing lets no session go on unbound', () => {
  it.each([undefined, null, 0, '', 'false', {}])('by the answer %j', async (value) => {
    let answer: unknown = true
    const required = () => answer as boolean
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn: () => {} }
    const browser = new BindingBrowser(bindingConfig({ boundSessions: { required }, logger }))
    await browser.signInAs('ada')
    pass(301)
    answer = value
    const before = browser.token
    expect((await browser.get('/auth/session')).status).toBe(500)
    expect(browser.token).toBe(before)
    expect(errors.map(String).join()).toContain('boundSessions.required')
    answer = Promise.resolve(true)
    expect(await browser.session()).toBeNull()
  })
})

describe('a step-up while the row of its key changes', () => {
  /** A bound session whose step-up does something each time before it writes the row, of which it hears the answer. */
  async function steppingUp(before: (copy: BindingBrowser, inner: Stores) => Promise<unknown>) {
    const { store, inner, faults } = faulty()
    const config = bindingConfig({ store })
    const browser = new BindingBrowser(config)
    await browser.register(await browser.signInAs('ada'))
    const copy = under(browser, config)
    pass(100)
    let writes = 0
    faults.set('liveDocument', async (...args) => {
      const call = args as Parameters<typeof inner.ledger.liveDocument>
      const [, , change] = call
      // A proof of the key changes the second line alone.
      if (change && 'content' in change) {
        writes++
        await before(copy, inner)
      }
      return inner.ledger.liveDocument(...call)
    })
    const answer = await browser.submit('/auth/callback/credentials', {
      ...{ username: 'ada', maxAge: '5' },
    })
    faults.clear()
    return { browser, copy, answer, writes }
  }

  it('keeps the proof of the person beside one of the key', async () => {
    const statuses: number[] = []
    const { browser, copy, writes } = await steppingUp(async (one) => {
      if (statuses.length === 0) statuses.push((await one.renew({}, { cookie: '' })).status)
    })
    expect([statuses, writes]).toEqual([[200], 2])
    const { sid, cnf, auth_time } = browser.claims
    expect(copy.claims).toMatchObject({ sid, cnf, auth_time: auth_time - 100 })
    copy.jar.clear()
    expect((await copy.renew()).status).toBe(200)
    expect(copy.claims).toMatchObject({ sid, cnf, auth_time })
  })

  it('is 503 if proofs of the key come all the time', async () => {
    const { answer, writes } = await steppingUp((one) => one.renew({}, { cookie: '' }))
    expect([answer.status, writes]).toEqual([503, 4])
  })

  it('leaves a row alone that is gone, or whose session is over', async () => {
    const gone = await steppingUp(async ({ claims }, { ledger }) => ledger.forget(claims.sid))
    expect([gone.answer.status, gone.writes]).toEqual([302, 1])
    const over = await steppingUp(async (one) => {
      await one.submit('/auth/signout')
    })
    expect(over.writes).toBe(1)
    expect(await over.copy.session()).toBeNull()
    expect((await over.copy.renew({}, { cookie: '' })).status).toBe(401)
  })
})

describe('a step-up without a row that can be read', () => {
  it('goes on until the token ends, if another isolate has let the session go', async () => {
    const { store, inner } = faulty()
    const browser = new BindingBrowser(bindingConfig({ store }))
    await browser.register(await browser.signInAs('ada'))
    const { sid, cnf, exp, auth_time } = browser.claims
    await inner.ledger.forget(sid)
    pass(100)
    await browser.submit('/auth/callback/credentials', stepUp)
    expect(browser.claims).toMatchObject({ sid, cnf, exp, auth_time: auth_time + 100 })
    expect(await inner.ledger.document(`bound\n${sid}`)).toBeUndefined()
  })

  it('goes on until the token ends, if its secret is no longer in use', async () => {
    const { store, inner } = faulty()
    const config = bindingConfig({ secret: older, store })
    const first = new BindingBrowser(config)
    await first.register(await first.signInAs('ada'))
    const during = under(first, { ...config, secret: [newer, older] })
    // The browser does not take the offer of a new key.
    expect((await during.renew()).status).toBe(200)
    const after = under(during, { ...config, secret: newer })
    const { sid, cnf, exp, auth_time } = after.claims
    const row = () => inner.ledger.document(`bound\n${sid}`)
    const before = await row()
    pass(100)
    await after.submit('/auth/callback/credentials', stepUp)
    expect(after.claims).toMatchObject({ sid, cnf, exp, auth_time: auth_time + 100 })
    expect(await row()).toEqual(before)
    const answer = await after.renew({}, { cookie: '' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  const stepUp = { username: 'ada', maxAge: '5' }
})

describe('a challenge', () => {
  it('says what the last token said, while KV shows an older record: no session ends earlier by that', async () => {
    const { store, inner, faults } = faulty()
    const session = { maxAge: 1_000, updateAge: 0, tokenMaxAge: 300 }
    const callbacks = { jwt: ({ token }: { token: object }) => token }
    const browser = await boundUnder(bindingConfig({ store, session, callbacks } as never))
    const { sub, sid, sexp } = browser.claims
    const first = await inner.sessions.get(sub, sid)
    faults.set('get', async () => first)
    for (let time = 0; time < 3; time++) {
      pass(280)
      expect((await browser.renew({}, { cookie: '' })).status).toBe(200)
      expect(browser.claims.sexp).toBe(sexp + 280)
    }
  })

  it('leaves room for its proof, whatever the key and the id of the person', async () => {
    const subject = () => '🦔'.repeat(255)
    const browser = new BindingBrowser(bindingConfig({ subject } as never), { alg: 'RS256' })
    const offered = await browser.signInAs('ada')
    expect(browser.claims.sub).toBe(subject())
    const keys = await generateKeyPair('RS256', { modulusLength: 4_096 })
    const jwk = await exportJWK(keys.publicKey)
    expect((await browser.register(offered, { keys, jwk })).status).toBe(200)
    browser.keys = keys
    for (let time = 0; time < 3; time++) {
      expect(browser.challenge?.length).toBeLessThanOrEqual(2_200)
      expect((await browser.renew({}, { cookie: '' })).status).toBe(200)
    }
  })
})
