import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import {
  BindingBrowser,
  bindingConfig,
  offerIn,
  thiefOf,
} from '../../test-support/binding-browser.js'
import { deployment } from '../../test-support/deployment.js'
import { fails, faulty } from '../../test-support/faulty.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

describe('the answer to a registration is lost', () => {
  it('nobody is signed out by that, and the next sign-in binds', async () => {
    const browser = new BindingBrowser(bindingConfig())
    const offered = await browser.signInAs('ada')
    // The key was kept, and the browser does not hear of it.
    const lost = thiefOf(browser)
    expect((await lost.register(offered)).status).toBe(200)
    for (let day = 0; day < 20; day++) {
      pass(DAY)
      expect(await browser.session()).toMatchObject({ user: { name: 'ada' } })
    }
    // A session has one key, so that a step-up cannot bind this one.
    const again = await browser.signInAs('ada', { maxAge: '5' })
    expect(offerIn(again)).toBeDefined()
    expect((await browser.register(again)).status).toBe(400)
    expect(await browser.session()).not.toHaveProperty('bound')
    const next = await browser.signInAs('ada')
    expect((await browser.register(next)).status).toBe(200)
    expect(await browser.session()).toMatchObject({ bound: true })
  })
})

describe('a browser that was away', () => {
  it.each([
    ['for ten minutes', 10 * MINUTE],
    ['for a week', 7 * DAY],
    ['until a day before the end of the session', 29 * DAY],
  ])(
    '%s proves its key twice, since its challenge is too old, and is signed in',
    async (_, away) => {
      const browser = new BindingBrowser(bindingConfig())
      await browser.register(await browser.signInAs('ada'))
      const { sid } = browser.claims
      pass(away)
      browser.jar.clear()
      expect((await browser.renew()).status).toBe(403)
      expect((await browser.renew()).status).toBe(200)
      expect(browser.claims).toMatchObject({ sid })
      // It is extended, as a session that is not bound.
      pass(29 * DAY)
      expect((await browser.renew()).status).toBe(403)
      expect((await browser.renew()).status).toBe(200)
    },
  )

  it('for longer than its session hears that it is over, and may sign in anew', async () => {
    const browser = new BindingBrowser(bindingConfig())
    await browser.register(await browser.signInAs('ada'))
    pass(31 * DAY)
    browser.jar.clear()
    expect(await browser.session()).toBeNull()
    expect((await browser.renew()).status).not.toBe(403)
    expect(browser.token).toBeUndefined()
    expect((await browser.register(await browser.signInAs('ada'))).status).toBe(200)
  })
})

describe('a service that is down', () => {
  it('for ten minutes signs nobody out: 503, and no cookie is touched', async () => {
    const { store, faults } = faulty()
    const browser = new BindingBrowser(bindingConfig({ store }))
    await browser.register(await browser.signInAs('ada'))
    pass(200)
    for (const name of ['liveDocument', 'document', 'get', 'standing', 'isRevoked'] as const) {
      faults.set(name, fails)
    }
    const before = browser.token
    for (let minute = 0; minute < 10; minute++) {
      const answer = await browser.renew()
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(browser.token).toBe(before)
      pass(MINUTE)
    }
    faults.clear()
    browser.jar.clear()
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
    expect(await browser.session()).toMatchObject({ bound: true })
  })
})

describe('another number of objects', () => {
  it.each([
    [1, 4],
    [4, 1],
    [4, 7],
  ])(
    '%i become %i: a proof renews while both are in use and afterwards, and counts once',
    async (before, after) => {
      const made = deployment({ ledgerShards: before, boundSessions: true })
      const browser = new BindingBrowser({} as never, { answer: made.here.answer })
      await browser.register(await browser.signInAs('ada'))
      const at = (place: ReturnType<typeof made.isolate>) => {
        const other = new BindingBrowser({} as never, { answer: place.answer })
        Object.assign(other, { identifier: browser.identifier, challenge: browser.challenge })
        other.keys = browser.keys
        return other
      }
      const both = made.isolate('here', { ledgerShards: [before, after] })
      const last = made.isolate('here', { ledgerShards: after })
      let one = at(made.here)
      for (const place of [made.here, both, made.here, both, both, last, last]) {
        const next = at(place)
        Object.assign(next, { identifier: one.identifier, challenge: one.challenge })
        one = next
        pass(250)
        const proof = await one.proof()
        const send = () => one.refresh({ 'secure-session-response': proof })
        expect((await send()).status).toBe(200)
        const again = await send()
        expect([again.status, again.headers.getSetCookie()]).toEqual([403, []])
        await made.settled()
      }
      expect(await one.session()).toMatchObject({ bound: true })
      await one.submit('/auth/signout')
      await made.settled()
      for (const place of [both, last]) {
        const gone = at(place)
        Object.assign(gone, { challenge: one.challenge })
        expect((await gone.renew()).status).toBe(401)
      }
    },
  )
})

describe.each([1, 4, 7])('with %i objects', (ledgerShards) => {
  it.each(['blockPerson', 'endSessions', 'deletePerson'] as const)(
    '%s between challenge and proof ends the session, also for the cookie of the first second',
    async (name) => {
      const made = deployment({ ledgerShards, boundSessions: true })
      const elsewhere = made.isolate('elsewhere')
      const at = (place: typeof elsewhere) =>
        new BindingBrowser({} as never, { answer: place.answer })
      const browser = at(made.here)
      const offered = await browser.signInAs('ada')
      const first = thiefOf(browser)
      await browser.register(offered)
      const { sub } = browser.claims
      pass(60)
      const proof = await browser.proof()
      await (name === 'deletePerson' ? elsewhere.call(name, sub) : elsewhere.call(name, { sub }))
      await made.settled()
      const answer = await browser.refresh({ 'secure-session-response': proof })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
      pass(300)
      for (const place of [made.here, elsewhere]) {
        const thief = at(place)
        for (const pair of first.jar) thief.jar.set(...pair)
        expect(await thief.session()).toBeNull()
      }
    },
  )

  it('the cookie of the first second is nobody’s in every isolate after the first proof', async () => {
    const made = deployment({ ledgerShards, boundSessions: true })
    const browser = new BindingBrowser({} as never, { answer: made.here.answer })
    const offered = await browser.signInAs('ada')
    const first = thiefOf(browser)
    await browser.register(offered)
    pass(250)
    expect((await browser.renew()).status).toBe(200)
    for (const name of ['here', 'elsewhere', 'there']) {
      const thief = new BindingBrowser({} as never, { answer: made.isolate(name).answer })
      for (const pair of first.jar) thief.jar.set(...pair)
      expect(await (await thief.get('/auth/session?online=1')).json()).toBeNull()
      pass(60)
      expect(await thief.session()).toBeNull()
      expect(thief.jar).toEqual(first.jar)
    }
    expect(await browser.session()).toMatchObject({ bound: true })
  })
})

it('a person who is blocked between challenge and proof gets no token', async () => {
  const config = bindingConfig()
  const auth = createAuth(config)
  const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
  await browser.register(await browser.signInAs('ada'))
  const { sub } = browser.claims
  pass(1)
  expect((await browser.refresh()).status).toBe(403)
  const proof = await browser.proof()
  await auth.blockPerson({ sub })
  const before = browser.token
  const answer = await browser.refresh({ 'secure-session-response': proof })
  expect([answer.status, await answer.json()]).toEqual([401, { continue: false }])
  expect(browser.token).toBe(before)
  await auth.unblockPerson(sub)
  expect((await browser.refresh({ 'secure-session-response': proof })).status).toBe(401)
})

it('a person who is blocked between offer and registration binds nothing', async () => {
  const config = bindingConfig()
  const auth = createAuth(config)
  const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
  const offered = await browser.signInAs('ada')
  pass(1)
  await auth.blockPerson({ sub: browser.claims.sub })
  const answer = await browser.register(offered)
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
})
