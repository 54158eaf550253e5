import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import credentials from '../providers/credentials.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, claimsIn, configWith, locationOf } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails, faulty } from '../test-support/faulty.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig } from '../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const cookieName = 'auth.session-token'
const answers = [null, {}, undefined, 0, 'false', []]

describe('rubbish from the ledger is a fault', () => {
  it.each(answers)(
    'standing answers %j: no session is renewed, and no user signed out',
    async (answer) => {
      const { browser, faults, inner } = await signedIn()
      const { cookie } = browser
      const { sid } = claimsIn(browser)
      pass(6 * 60)
      faults.set('standing', async () => answer)
      expect((await browser.get('/auth/session')).status).toBe(503)
      expect((await browser.get('/auth/session?online=1')).status).toBe(503)
      expect(browser.cookie).toBe(cookie)
      await inner.ledger.revoke(sid, Date.now() / 1000 + 3600)
      expect((await browser.get('/auth/session')).status).toBe(503)
      faults.clear()
      expect(await browser.session()).toBeNull()
    },
  )

  it.each(answers)('cutOff answers %j: it is not said that all was ended', async (answer) => {
    const { browser, faults } = await signedIn()
    faults.set('cutOff', async () => answer)
    for (const session of ['others', 'all']) {
      expect((await browser.submit('/auth/sessions/revoke', { session })).status).toBe(503)
    }
    expect(browser.jar.has(cookieName)).toBe(true)
  })

  it.each(answers.filter((answer) => answer !== 0))(
    'admit answers %j: no password is judged',
    async (answer) => {
      const { store, faults } = faulty(memoryStore())
      const authorize = vi.fn(() => null)
      const provider = credentials({ credentials: { username: {}, password: {} }, authorize })
      const browser = new Browser(configWith({ providers: [provider], store }))
      faults.set('admit', async () => answer)
      for (const password of ['one', 'two']) {
        const fields = { username: 'ada', password }
        expect((await browser.submit('/auth/callback/credentials', fields)).status).toBe(503)
      }
      expect(authorize).not.toHaveBeenCalled()
    },
  )
})

describe('a damaged record', () => {
  const values = ['', '{"v":1', '[]', '{}', '{"v":1,"sub":"x"}', 'null']

  async function damaged(value: string, callbacks: AuthConfig['callbacks'] = {}) {
    const set = deployment({ callbacks })
    const browser = await set.signIn()
    const { sub, sid } = claimsIn(browser)
    const key = `session:${sub}:${sid}`
    const whole = set.kv.value(key) ?? ''
    set.kv.damaged.set(key, value)
    return { ...set, browser, key, whole }
  }

  it.each(values)(
    '%j: sign in again, instead of 503 for as long as the cookie lives',
    async (value) => {
      const { browser, errors, here, copyAt, isolate } = await damaged(value)
      pass(60)
      expect(await browser.session()).not.toBeNull()
      for (const later of [300, 24 * 60 * 60]) {
        pass(later)
        const answer = await browser.get('/auth/session')
        expect([answer.status, await answer.json()]).toEqual([200, null])
        expect(answer.headers.getSetCookie()).toEqual([])
        const renewal = await browser.get('/auth/renew?callbackUrl=/inbox')
        expect(new URL(locationOf(renewal)).pathname).toBe('/auth/signin')
      }
      if (value !== 'null') expect(errors.map(({ message }) => message).join()).toContain('damaged')
      const again = copyAt(browser, here)
      await again.submit('/auth/callback/credentials', { username: 'ada' })
      pass(60)
      expect(await copyAt(again, isolate('elsewhere')).session()).not.toBeNull()
    },
  )

  it.each(values)(
    '%j: a session update is answered with 503 while the person is signed in, and loses nothing without a word',
    async (value) => {
      const callbacks = { jwt: ({ token }: { token: object }) => token }
      const { browser, errors } = await damaged(value, callbacks as never)
      // KV shows an older value for a minute.
      pass(60)
      const update = () => browser.submit('/auth/session', { data: 'a' })
      expect((await update()).status).toBe(503)
      expect(await browser.session()).not.toBeNull()
      pass(300)
      const late = await update()
      expect([late.status, await late.json()]).toEqual([200, null])
      if (value !== 'null') {
        expect(errors.map(({ name }) => name)).toContain('DamagedRecord')
      }
    },
  )

  it('that is repaired is the same session: nothing was ended, and no other user signed out', async () => {
    const { browser, kv, key, whole, signIn } = await damaged('{}')
    const other = await signIn()
    pass(360)
    expect(await browser.session()).toBeNull()
    expect(await other.session()).not.toBeNull()
    kv.damaged.set(key, whole)
    expect(await browser.session()).not.toBeNull()
  })

  it('differs from KV that fails, and from a later version: 503', async () => {
    const { browser, kv, key, whole } = await damaged('{}')
    pass(360)
    kv.damaged.set(key, whole.replace('"v":1', '"v":2'))
    expect((await browser.get('/auth/session')).status).toBe(503)
    kv.before.set('get', fails)
    expect((await browser.get('/auth/session')).status).toBe(503)
    expect(browser.jar.has(cookieName)).toBe(true)
  })

  it('neither hides nor undoes the end of its session', async () => {
    const { browser, copyAt, isolate, kv, key, whole } = await damaged('{}')
    const thief = copyAt(browser, isolate('elsewhere'))
    expect((await browser.submit('/auth/signout')).status).toBe(302)
    pass(360)
    expect(await thief.session()).toBeNull()
    kv.damaged.set(key, whole)
    expect(await copyAt(browser, isolate('late')).session()).toBeNull()
  })
})

describe('a store’s list of sessions is not believed', () => {
  const rubbish = [null, undefined, 1, 'x', {}]

  it('sessions of another person are neither shown nor ended', async () => {
    const { browser, faults, inner } = await signedIn()
    const own = claimsIn(browser)
    const record = await inner.sessions.get(own.sub, own.sid)
    const another = { ...record, sub: 'somebody-else', sid: 'their-session' }
    faults.set('list', async () => [another, record])
    const answer = await browser.get('/auth/sessions')
    const { sessions } = (await answer.json()) as { sessions: { id: string }[] }
    expect(sessions.map(({ id }) => id)).toEqual([own.sid])
    await browser.submit('/auth/sessions/revoke', { session: 'all' })
    expect(await inner.ledger.isRevoked(own.sid)).toBe(true)
    expect(await inner.ledger.isRevoked('their-session')).toBe(false)
  })

  it.each(rubbish)('%j in it is left out, and hides no session', async (value) => {
    const { browser, faults, inner } = await signedIn()
    const { sub, sid } = claimsIn(browser)
    const record = await inner.sessions.get(sub, sid)
    faults.set('list', async () => [value, { ...record, expires: 'soon' }, { ...record, sid: 1 }])
    const answer = await browser.get('/auth/sessions')
    expect(await answer.json()).toMatchObject({ sessions: [{ id: sid, current: true }] })
    faults.set('list', async () => [value, record, record])
    const again = await browser.get('/auth/sessions')
    expect(((await again.json()) as { sessions: unknown[] }).sessions).toHaveLength(1)
    const ended = await browser.submit('/auth/sessions/revoke', { session: 'all' })
    expect(ended.status).toBeLessThan(400)
    expect(await inner.ledger.isRevoked(sid)).toBe(true)
  })

  it('a hundred of another person before them hide no session', async () => {
    const { browser, faults, inner } = await signedIn()
    const { sub, sid } = claimsIn(browser)
    const record = await inner.sessions.get(sub, sid)
    const others = Array.from({ length: 100 }, (_, at) => ({ ...record, sub: 'x', sid: `x-${at}` }))
    faults.set('list', async () => [...others, { ...record, sid: 'another-one' }])
    const answer = await browser.get('/auth/sessions')
    expect(await answer.json()).toMatchObject({ sessions: [{ id: sid }, { id: 'another-one' }] })
  })

  it('reads a hundred of more than a hundred listed sessions', async () => {
    const { browser, faults, inner } = await signedIn()
    const { sub, sid } = claimsIn(browser)
    const record = await inner.sessions.get(sub, sid)
    faults.set('list', async () =>
      Array.from({ length: 1_000 }, (_, at) => ({ ...record, sid: `other-${at}` })),
    )
    const answer = await browser.get('/auth/sessions')
    const { sessions } = (await answer.json()) as { sessions: unknown[] }
    expect(sessions).toHaveLength(101)
  })
})
