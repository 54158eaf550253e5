import { mintSession } from '@latchkey/session/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import {
  type App,
  type AppConfig,
  elsewhere,
  expressApp,
  kitApp,
  type Loaded,
  loadCurrent,
  loadVersion,
  SECRET,
  startWorker,
  Visitor,
} from './apps.ts'
import { versions } from './versions.ts'

/**
 * The Worker and the apps are deployed at different times: each works with the previous version of
 * the other.
 */
const [version = ''] = versions.slice(-1)
const pairs = [
  { name: `apps of ${version} before the Worker of this version`, apps: version, worker: 'this' },
  { name: `apps of this version before the Worker of ${version}`, apps: 'this', worker: version },
]
const load = (of: string) => (of === 'this' ? loadCurrent() : loadVersion(of))

const frameworks = [
  { framework: 'Express', start: expressApp },
  { framework: 'SvelteKit', start: kitApp },
]
const keys = [
  { how: 'the keys that the Worker publishes', keysOf: async () => ({}) },
  { how: 'the secret', keysOf: async () => ({ secret: SECRET }) },
  {
    how: 'public keys of its own',
    keysOf: async (worker: string) => ({
      publicKeys: await (await fetch(`${worker}/jwks.json`)).text(),
    }),
  },
]

const { pass } = clock({ start: 'now' })

describe.each(pairs)('$name', (pair) => {
  let apps: Loaded
  let service: Loaded
  let worker: Awaited<ReturnType<typeof startWorker>>

  beforeAll(async () => {
    apps = await load(pair.apps)
    service = await load(pair.worker)
  })
  afterAll(() => {
    apps.remove()
    service.remove()
  })
  beforeEach(async () => {
    // Ending all sessions waits for the end of the second.
    vi.setSystemTime(Math.floor(Date.now() / 1000) * 1000 + 999)
    worker = await startWorker(service)
  })
  afterEach(async () => {
    await worker.stop()
  })

  describe.each(frameworks)('$framework', ({ start }) => {
    describe.each(keys)('verifies with $how', ({ keysOf }) => {
      let app: App
      const begin = async () => {
        const { address } = worker
        const config: AppConfig = { worker: address, ...(await keysOf(address)) }
        app = await start(apps, config)
        const visitor = new Visitor(app)
        await visitor.signIn()
        return visitor
      }
      afterEach(() => app.stop())

      test('signs in through the app and reads the user', async () => {
        const visitor = await begin()
        const me = await visitor.me()
        expect(me?.user.name).toBe('ada')
        expect(me?.user.id).toBe(visitor.claims.sub)
        expect(await new Visitor(app).me()).toBeNull()
      })

      test('reads without a call while the token is good, and has it renewed when it is over', async () => {
        const visitor = await begin()
        await visitor.me()
        const first = visitor.token
        const asked = () => worker.requests.filter((line) => line === 'GET /auth/session').length
        for (const seconds of [100, 185]) {
          pass(seconds)
          expect((await visitor.me())?.user.name).toBe('ada')
          expect([visitor.token, asked()]).toEqual([first, 0])
        }
        for (const seconds of [30, 24 * 60 * 60]) {
          const before = visitor.token
          pass(seconds)
          expect((await visitor.me())?.user.name).toBe('ada')
          expect(visitor.token).not.toBe(before)
          expect(visitor.claims.exp).toBe(Math.floor(Date.now() / 1000) + 300)
        }
      })

      test('a sign-out through the app ends the session at once', async () => {
        const visitor = await begin()
        const copy = new Visitor(app, visitor.cookies)
        expect(await copy.me()).not.toBeNull()
        await visitor.post('/auth/signout', {})
        expect(await visitor.me()).toBeNull()
        pass(15)
        expect(await copy.me()).toBeNull()
      })

      test('a sign-out elsewhere reaches the app within fifteen seconds', async () => {
        const visitor = await begin()
        const bystander = new Visitor(app)
        await bystander.signIn('grace')
        const copy = new Visitor(app, visitor.cookies)
        expect((await copy.me())?.user.name).toBe('ada')
        await visitor.post('/auth/signout', {}, elsewhere(app, worker.url))
        pass(15)
        expect(await copy.me()).toBeNull()
        expect((await bystander.me())?.user.name).toBe('grace')
      })

      test('signing out everywhere reaches the app within fifteen seconds, and spares the session that asked for it', async () => {
        const visitor = await begin()
        const other = new Visitor(app)
        await other.signIn()
        for (const one of [visitor, other]) expect((await one.me())?.user.name).toBe('ada')
        const through = elsewhere(app, worker.url)
        await visitor.post('/auth/sessions/revoke', { session: 'others' }, through)
        pass(15)
        expect(await other.me()).toBeNull()
        expect((await visitor.me())?.user.name).toBe('ada')
        await visitor.post('/auth/sessions/revoke', { session: 'all' }, through)
        pass(15)
        expect(await visitor.me()).toBeNull()
      })
    })
  })

  test.each(frameworks)('$framework reaches the Worker by a service binding', async ({ start }) => {
    const app = await start(apps, { worker: worker.binding })
    const visitor = new Visitor(app)
    await visitor.signIn()
    const copy = new Visitor(app, visitor.cookies)
    pass(400)
    expect((await visitor.me())?.user.name).toBe('ada')
    await visitor.post('/auth/signout', {})
    pass(15)
    expect(await copy.me()).toBeNull()
    await app.stop()
  })

  test('form actions of SvelteKit sign in, refuse wrong credentials and sign out', async () => {
    const app = await kitApp(apps, { worker: worker.address })
    const visitor = new Visitor(app)
    const act = (action: string, fields: Record<string, string>) =>
      visitor.send(`/act/${action}`, {
        method: 'POST',
        body: new URLSearchParams({ redirectTo: '/inbox', ...fields }),
        headers: { origin: app.origin, 'sec-fetch-site': 'same-origin' },
      })
    const ada = { providerId: 'credentials', username: 'ada' }
    const wrong = await act('sign-in', { ...ada, password: 'wrong' })
    expect([wrong.status, await wrong.json()]).toEqual([400, { code: 'credentials' }])
    const right = await act('sign-in', { ...ada, password: 'right' })
    expect([right.status, right.headers.get('location')]).toEqual([303, `${app.origin}/inbox`])
    expect((await visitor.me())?.user.name).toBe('ada')
    expect((await act('sign-out', {})).status).toBe(303)
    expect(await visitor.me()).toBeNull()
  })

  describe('a verifier of one’s own', () => {
    test('reads the token of a bound session until it ends: an earlier version takes it for any other', async () => {
      const issuer = 'https://app.example/auth'
      const user = { id: 'ada', name: 'ada' }
      const { cookie } = await mintSession({ secret: SECRET, issuer, user, bound: true })
      const verifier = apps.session.createVerifier({ secret: SECRET, issuer })
      expect((await verifier.read(cookie)).session?.user).toMatchObject({ name: 'ada' })
      pass(301)
      expect((await verifier.read(cookie)).session).toBeNull()
      verifier.close()
    })

    test('reads with a public key alone, and with `online`', async () => {
      const app = await expressApp(apps, { worker: worker.address })
      const visitor = new Visitor(app)
      await visitor.signIn()
      const publicKeys = await (await fetch(`${worker.address}/jwks.json`)).text()
      const issuer = `${app.origin}/auth`
      const alone = apps.session.createVerifier({ publicKeys, issuer })
      expect((await alone.read(visitor.cookie)).session?.user?.name).toBe('ada')
      const asking = apps.session.createVerifier({ worker: worker.address, issuer })
      expect((await asking.read(visitor.cookie, { online: true })).session?.user?.name).toBe('ada')
      const { cookie } = visitor
      await visitor.post('/auth/signout', {}, elsewhere(app, worker.url))
      expect((await asking.read(cookie, { online: true })).session).toBeNull()
      for (const verifier of [alone, asking]) verifier.close()
      await app.stop()
    })
  })
})
