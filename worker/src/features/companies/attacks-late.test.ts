import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { kvSessionStore } from '../../stores/kv.js'
import { memoryStore } from '../../stores/memory.js'
import type { Browser } from '../../test-support/browser.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { FakeKv } from '../../test-support/kv.js'
import { resource, verifier } from '../../test-support/oauth.js'
import { answerIn, authorizePath, OPTIONS } from '../../test-support/oauth-people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { authorizationServer } from '../authorization-server/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1), waits: true })

type World = Awaited<ReturnType<typeof companyWorld>>

async function logOut(world: World, claims: Record<string, unknown>): Promise<number> {
  const issuer = world.issuerOf('acme')
  const [key] = issuer.jwks().keys as { kid: string }[]
  const now = Math.floor(Date.now() / 1000)
  const all = {
    ...{ iss: issuer.issuer, aud: 'client-of-acme', iat: now, exp: now + 120 },
    ...{ jti: crypto.randomUUID() },
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
  const token = await new SignJWT({ ...all, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '' })
    .sign(issuer.privateKey())
  const fields = { logout_token: token }
  return (await world.browser().post('/auth/backchannel-logout/company-acme', fields)).status
}

const isIn = async (one: Browser) => (await one.session()) !== null

/** Stores whose list of sessions is a minute late. */
const late = () => ({ ...memoryStore(), sessions: kvSessionStore(new FakeKv().at('here')) })

const ENDINGS = [{ sub: 'ada' }, { sid: 'op-2' }, { sub: 'ada', sid: 'op-2' }]

describe.each(ENDINGS)('attack: a sign-in waits while its person is logged out by %j', (claims) => {
  it('for the code of a second factor', async () => {
    const world = await companyWorld(undefined, { secondFactor: () => true })
    const first = world.browser()
    await world.signInBy(first, 'acme', { sid: 'op-1' })
    const { app } = await setUpFactor(first)
    pass(60)
    const one = world.browser()
    expect(errorOf(await world.signInBy(one, 'acme', { sid: 'op-2' }))).toBe('/auth/factor')
    pass(5)
    expect(await logOut(world, claims)).toBe(200)
    pass(30)
    const answer = await one.submit('/auth/factor', { code: app.code() })
    expect([errorOf(answer), await isIn(one)]).toEqual(['/auth/signin InvalidCheck', false])
    const later = world.browser()
    await world.signInBy(later, 'acme', { sid: 'op-3' })
    pass(30)
    expect(errorOf(await later.submit('/auth/factor', { code: app.code() }))).toBe('/inbox')
  })

  it.each(['new', 'one'])('for the answer whether its person is new: %s', async (choice) => {
    const world = await companyWorld([companyAt('acme', { join: true })])
    await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme', { sid: 'op-2' })
    pass(5)
    expect(await logOut(world, claims)).toBe(200)
    pass(30)
    const answer = await one.submit('/auth/company/join', { choice })
    const end = choice === 'new' ? answer : await world.backFrom(one, 'one', answer, 'ada-of-old')
    expect([errorOf(end), await isIn(one)]).toEqual(['/auth/signin InvalidCheck', false])
  })
})

describe('attack: a session that no list shows yet lets an app in', () => {
  async function letIn(when: 'before' | 'after', scope: string, isLinked: boolean) {
    const server = authorizationServer(OPTIONS)
    const world = await companyWorld(undefined, { features: [server] }, { inner: late() })
    if (isLinked) {
      const own = await world.signIn('one', 'ada')
      await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
    }
    const one = await world.of('acme')
    const at = 'https://own.example/cb'
    const asked = authorizePath({ client_id: 'own', redirect_uri: at, resource, scope })
    const ask = async () => answerIn(await one.get(asked)).code ?? ''
    const before = when === 'before' ? await ask() : ''
    pass(2)
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    pass(2)
    const code = when === 'before' ? before : await ask()
    const answer = await world.browser().post('/auth/oauth/token', {
      ...{ client_id: 'own', grant_type: 'authorization_code', redirect_uri: at },
      ...{ code, code_verifier: verifier },
    })
    return { code, status: answer.status, isIn: await isIn(one) }
  }

  it.each([false, true])('after the logout of its person; a linked way: %s', async (isLinked) => {
    for (const scope of ['notes:read', 'notes:read offline_access']) {
      const { code, isIn } = await letIn('after', scope, isLinked)
      expect([scope, code, isIn]).toEqual([scope, '', false])
    }
  })

  it.each([false, true])(
    'by a code from before, which comes afterwards; a linked way: %s',
    async (isLinked) => {
      const { code, status, isIn } = await letIn('before', 'notes:read', isLinked)
      expect(code).not.toBe('')
      expect([status, isIn]).toEqual([400, false])
    },
  )
})

it('attack: a session that no list shows yet is live to an app that asks the ledger', async () => {
  const world = await companyWorld(undefined, {}, { inner: late() })
  const one = await world.of('acme')
  const online = async () => (await one.get('/auth/session?online=1')).json()
  expect(await online()).toMatchObject({ company: 'acme' })
  pass(2)
  expect(await logOut(world, { sub: 'ada' })).toBe(200)
  expect(await online()).toBeNull()
})

it('attack: a session beyond the first hundred goes on until its token ends', async () => {
  const world = await companyWorld(undefined, {}, { inner: late() })
  const browsers: Browser[] = []
  for (let count = 0; count < 120; count++) browsers.push(await world.of('acme'))
  pass(61)
  expect(await logOut(world, { sub: 'ada' })).toBe(200)
  expect((await Promise.all(browsers.map(isIn))).filter(Boolean)).toEqual([])
})

it('attack: a session that its company has ended keeps its cookie when it signs out everywhere', async () => {
  const world = await companyWorld(undefined, {}, { inner: late() })
  const one = await world.of('acme')
  pass(2)
  expect(await logOut(world, { sub: 'ada' })).toBe(200)
  await one.submit('/auth/sessions/revoke', { session: 'all' })
  expect(one.cookie).not.toContain('session-token')
})

it('attack: while records cannot be read, an account that was logged out by another way than its first is taken for live', async () => {
  const inner = memoryStore()
  let isDown = false
  const get: typeof inner.sessions.get = async (sub, sid) => {
    if (isDown) throw new Error('Down.')
    return inner.sessions.get(sub, sid)
  }
  const sessions = { ...inner.sessions, get }
  const world = await companyWorld(undefined, {}, { inner: { ...inner, sessions } })
  const own = await world.signIn('one', 'ada')
  await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
  const one = await world.of('acme')
  isDown = true
  expect((await one.get('/auth/session?online=1')).status).toBe(503)
})

it('a page of a session that a company began costs one call more, and of any other none', async () => {
  const world = await companyWorld()
  const [one, other] = [await world.of('acme'), await world.signIn('two', 'bob')]
  const costOf = async (browser: Browser) => {
    const ledger = () =>
      world.calls.filter(({ name }) => !['get', 'put', 'delete', 'list'].includes(name)).length
    await browser.get('/auth/sessions')
    const before = ledger()
    await browser.get('/auth/sessions')
    return ledger() - before
  }
  expect((await costOf(one)) - (await costOf(other))).toBe(1)
})

it('attack: a person who is about to leave removes the way of the company, and keeps the session that it began', async () => {
  const world = await companyWorld()
  const auth = createAuth(world.config)
  const own = await world.signIn('one', 'ada')
  await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
  const one = await world.of('acme')
  const bob = await world.of('acme', { sub: 'bob', email: 'bob@acme.example' })
  const way = (await world.ways(own)).find(({ provider }) => provider === 'company-acme')
  expect(errorOf(await world.remove(own, way?.id ?? ''))).toBe('/auth/account')
  const sub = await auth.subOfCompany({ company: 'acme', subject: 'ada' })
  await auth.blockPerson({ sub: String(sub), reason: 'Left acme' })
  expect((await one.get('/auth/ways')).status).toBe(401)
  const copy = world.copyOf(own)
  pass(301)
  expect([await isIn(one), await isIn(copy), await isIn(bob)]).toEqual([false, true, true])
})

it('an erasure during `join` deletes all data of the person', async () => {
  const entry = companyAt('acme')
  const world = await companyWorld([entry])
  const auth = createAuth(world.config)
  const { sub } = claimsIn(await world.of('acme'))
  world.all.splice(0, 1, { ...entry, join: true })
  const one = world.browser()
  pass(61)
  await world.signInBy(one, 'acme')
  pass(5)
  await auth.deletePerson(sub)
  pass(5)
  const answer = await one.submit('/auth/company/join', { choice: 'new' })
  expect([errorOf(answer), await isIn(one)]).toEqual(['/auth/signin InvalidCheck', false])
  expect(await auth.exportPerson(sub)).toBeNull()
  expect(await world.inner.ledger.document(`way\n${sub}`)).toBeUndefined()
})

describe('an erasure', () => {
  /** The rows of companies that have a content. */
  async function rowsOf(world: World) {
    const keys = world.calls.flatMap(({ name, args: [key] }) =>
      name === 'liveDocument' && String(key).startsWith('company\n') ? [String(key)] : [],
    )
    const all = [...new Set(keys)]
    const left = await Promise.all(all.map((key) => world.inner.ledger.document(key)))
    return { all: all.length, left: left.filter((one) => one?.content).length, rows: left }
  }

  it('leaves no row of a session, also of more than a hundred', async () => {
    const world = await companyWorld(undefined, {}, { inner: late() })
    for (let count = 0; count < 130; count++) await world.of('acme', { sid: `op-${count}` })
    const { sub } = claimsIn(await world.of('acme', { sid: 'op-130' }))
    pass(61)
    await createAuth(world.config).deletePerson(sub)
    expect(await rowsOf(world)).toMatchObject({ all: 131, left: 0 })
  })

  it('leaves no row of a step-up in a later session of the provider, as a sign-out', async () => {
    for (const isErased of [true, false]) {
      const world = await companyWorld()
      const one = await world.of('acme', { sid: 'op-1' })
      for (const sid of ['op-1', 'op-2', 'op-3']) {
        pass(600)
        const fields = { maxAge: '60', callbackUrl: '/inbox' }
        const start = await one.submit('/auth/signin/company-acme', fields)
        const auth_time = Math.floor(Date.now() / 1000)
        expect(errorOf(await world.comeBack(one, 'acme', start, { auth_time, sid }))).toBe('/inbox')
      }
      expect((await rowsOf(world)).left).toBe(6)
      if (isErased) await createAuth(world.config).deletePerson(claimsIn(one).sub)
      else await one.submit('/auth/signout')
      await expect.poll(async () => (await rowsOf(world)).left).toBe(0)
    }
  })

  it('that has too few calls for all sessions goes on with the rest when it is called again', async () => {
    const world = await companyWorld(undefined, {}, { inner: late() })
    for (let count = 0; count < 40; count++) await world.of('acme', { sid: `op-${count}` })
    const { sub } = claimsIn(await world.of('acme', { sid: 'op-40' }))
    pass(61)
    const auth = createAuth(world.config)
    let tries = 0
    for (; tries < 20; tries++) {
      let calls = 0
      world.faults.set('endAll', (...args) => {
        // As a Worker's request that has used up its calls.
        if (++calls > 5) return Promise.reject(new Error('Too many subrequests.'))
        return (world.inner.ledger.endAll as (...all: unknown[]) => Promise<unknown>)(...args)
      })
      const isDone = await auth.deletePerson(sub).then(
        () => true,
        () => false,
      )
      if (isDone) break
    }
    expect(tries).toBeLessThan(20)
    expect(await rowsOf(world)).toMatchObject({ all: 41, left: 0 })
  })

  it('leaves no name of an account that was logged out, also of a way that is refused since it was removed', async () => {
    const world = await companyWorld(undefined, { ways: { unlinked: 'refuse' } })
    const own = await world.signIn('one', 'ada')
    await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    const way = (await world.ways(own)).find(({ provider }) => provider === 'company-acme')
    expect(errorOf(await world.remove(own, way?.id ?? ''))).toBe('/auth/account')
    await createAuth(world.config).deletePerson(claimsIn(own).sub)
    expect(await rowsOf(world)).toEqual({ all: 1, left: 0, rows: [undefined] })
    const other = await companyWorld()
    const { sub } = claimsIn(await other.of('acme'))
    await logOut(other, { sub: 'ada' })
    await createAuth(other.config).deletePerson(sub)
    expect(await rowsOf(other)).toEqual({ all: 1, left: 0, rows: [undefined] })
  })
})
