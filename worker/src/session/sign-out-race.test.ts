import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, claimsIn, configWith, copyOf, setsSession } from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, Callbacks, SessionRecord } from '../types.js'

const DAY = 24 * 60 * 60

const { pass } = clock()

type Moment = 'jwt' | 'session' | 'before put' | 'after put'

/** Two browsers with one session; at a moment of a request of the first, the second signs out. */
async function racing(
  moment: Moment | 'never',
  changes: Partial<AuthConfig> = {},
  { lateDeletesFail = false } = {},
) {
  const store = memoryStore()
  const race = { isOn: false, isOver: false }
  const at = async (now: Moment) => {
    if (!race.isOn || now !== moment) return
    race.isOn = false
    // A sign-out at another isolate, which shares only the stores.
    const other = copyOf(browser, configWith({ ...config, callbacks: {} }))
    expect((await other.submit('/auth/signout')).status).toBe(302)
    race.isOver = true
  }
  const put = async (record: SessionRecord) => {
    await at('before put')
    await store.sessions.put(record)
    await at('after put')
  }
  const remove = async (sub: string, sid: string) => {
    if (lateDeletesFail && race.isOver) throw new Error('429: one write in a second')
    await store.sessions.delete(sub, sid)
  }
  const callbacks: Partial<Callbacks> = {
    jwt: async ({ token }) => {
      await at('jwt')
      return token
    },
    session: async ({ session }) => {
      await at('session')
      return session
    },
  }
  const inner = { ...store, sessions: { ...store.sessions, put, delete: remove } }
  const { browser, config, store: seen } = await signedIn({ callbacks, ...changes }, inner)
  const { sub, sid } = claimsIn(browser)
  const before = browser.cookie
  const recordLeft = () => store.sessions.get(sub, sid)
  return { browser, config, store: seen, race, before, recordLeft }
}

type Race = Awaited<ReturnType<typeof racing>>

/** Every promise of a sign-out, checked after each race. */
async function expectSignedOut(response: Response, { browser, before, config, recordLeft }: Race) {
  expect(await response.json()).toBeNull()
  expect(setsSession(response)).toBe(false)
  expect(await recordLeft()).toBeUndefined()
  expect(await browser.session()).toBeNull()
  const isolates = [browser, new Browser(config), new Browser({ ...config })]
  for (const isolate of isolates) {
    const answer = await isolate.get('/auth/session', { cookie: before })
    expect(await answer.json()).toBeNull()
    expect(setsSession(answer)).toBe(false)
  }
}

describe('a sign-out wins against simultaneous requests', () => {
  it('against a renewal, during whose session callback it completes', async () => {
    const set = await racing('session')
    pass(6 * 60)
    set.race.isOn = true
    await expectSignedOut(await set.browser.get('/auth/session'), set)
  })

  it('against a renewal of a live token', async () => {
    const set = await racing('session')
    pass(4 * 60 + 30)
    set.race.isOn = true
    await expectSignedOut(await set.browser.get('/auth/session'), set)
  })

  it.each<Moment>(['jwt', 'session', 'before put', 'after put'])(
    'against an extension: it completes at %s',
    async (moment) => {
      const set = await racing(moment)
      pass(DAY + 60)
      set.race.isOn = true
      await expectSignedOut(await set.browser.get('/auth/session'), set)
      expect(set.race.isOn).toBe(false)
    },
  )

  it.each<Moment>(['jwt', 'session', 'before put', 'after put'])(
    'against a session update: it completes at %s',
    async (moment) => {
      const set = await racing(moment)
      const csrfToken = await set.browser.csrfToken()
      set.race.isOn = true
      const response = await set.browser.post('/auth/session', { csrfToken, data: 'x' })
      await expectSignedOut(response, set)
      expect(set.race.isOn).toBe(false)
    },
  )

  it('against a session update without a jwt callback', async () => {
    const set = await racing('session')
    const { jwt: _, ...callbacks } = set.config.callbacks ?? {}
    const browser = copyOf(set.browser, { ...set.config, callbacks })
    const csrfToken = await browser.csrfToken()
    set.race.isOn = true
    const response = await browser.post('/auth/session', { csrfToken, data: 'x' })
    await expectSignedOut(response, { ...set, browser })
  })

  it.each<[string, Moment]>([
    ['before', 'before put'],
    ['after', 'after put'],
  ])(
    'against an extension whose put it comes %s, though the record cannot be deleted',
    async (_, moment) => {
      const set = await racing(moment, { callbacks: {} }, { lateDeletesFail: true })
      pass(DAY + 60)
      set.race.isOn = true
      const response = await set.browser.get('/auth/session')
      expect(await response.json()).toBeNull()
      expect(setsSession(response)).toBe(false)
      expect(await set.browser.session()).toBeNull()
    },
  )
})

it('against an extension whose put fails: no token for a session that was ended meanwhile', async () => {
  const set = await racing('before put', { callbacks: {} })
  const { store } = set.config
  if (!store) throw new Error('no store')
  const put = async (record: SessionRecord) => {
    await store.sessions.put(record)
    throw new Error('put failed')
  }
  const config = { ...set.config, store: { ...store, sessions: { ...store.sessions, put } } }
  const browser = copyOf(set.browser, config)
  pass(DAY + 60)
  set.race.isOn = true
  await expectSignedOut(await browser.get('/auth/session'), { ...set, browser })
})

it('a renewal without a sign-out succeeds, so the races above are the cause', async () => {
  const set = await racing('never')
  pass(DAY + 60)
  set.race.isOn = true
  const response = await set.browser.get('/auth/session')
  expect(await response.json()).not.toBeNull()
  expect(setsSession(response)).toBe(true)
  expect(await set.recordLeft()).toBeDefined()
})

it('the ledger’s row of a sign-out outlasts a session that was extended after its cookie was set', async () => {
  const set = await racing('never')
  const revoke = vi.spyOn(set.store.ledger, 'revoke')
  const extended = copyOf(set.browser, set.config)
  pass(DAY + 60)
  await extended.session()
  const { sid, sexp } = claimsIn(extended)
  await copyOf(set.browser, { ...set.config }).submit('/auth/signout')
  const [marked, until = 0] = revoke.mock.calls[0] ?? []
  expect([marked, until >= sexp]).toEqual([sid, true])
})
