import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'

const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start, waits: true })

const revoke = (browser: Browser, session: string) =>
  browser.submit('/auth/sessions/revoke', { session })

describe('signing out everywhere', () => {
  it('ends a session that KV does not list yet', async () => {
    const { signIn, isolate, kv } = deployment()
    const one = await signIn()
    const two = await signIn('ada', isolate('elsewhere'))
    pass(1)
    await revoke(one, 'all')
    expect(kv.calls.filter((call) => call.startsWith('list'))).toHaveLength(1)
    pass(5)
    expect([await one.session(), await two.session()]).toEqual([null, null])
    pass(300)
    expect(await two.session()).toBeNull()
  })

  it('ends it also while every call to KV fails', async () => {
    const { signIn, kv, errors } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    for (const name of ['list', 'get', 'delete']) {
      kv.before.set(name, () => Promise.reject(new Error('KV is down')))
    }
    expect((await revoke(one, 'all')).status).toBe(302)
    expect(await two.session()).toBeNull()
    expect(errors.map(({ message }) => message)).toContain('Could not list session records.')
  })

  it('ends no session that begins a second or a month later', async () => {
    const { signIn } = deployment()
    await revoke(await signIn(), 'all')
    pass(1)
    const next = await signIn()
    expect(await next.session()).not.toBeNull()
    for (let day = 0; day < 80; day++) {
      pass(24 * 60 * 60)
      expect(await next.session()).not.toBeNull()
    }
  })

  it('answers when that second is over, so that the next sign-in is not ended', async () => {
    vi.useRealTimers()
    const { signIn } = deployment()
    const browser = await signIn()
    await revoke(browser, 'all')
    expect(await (await signIn()).session()).not.toBeNull()
  })

  it('stays in force as long as any session of that time could last', async () => {
    const { signIn, isolate, copyAt, kv, ledgers } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    const { sub, sid } = claimsIn(two)
    pass(1)
    const record = kv.value(`session:${sub}:${sid}`) ?? ''
    await revoke(one, 'all')
    for (let day = 0; day < 59; day++) {
      pass(24 * 60 * 60)
      // Writes in the meantime sweep out rows that are over.
      await revoke(await signIn('grace'), 'all')
    }
    kv.damaged.set(`session:${sub}:${sid}`, record)
    const owner = { sub, auth_time: claimsIn(two).auth_time }
    expect(await ledgers.objects.get('ledger')?.isRevoked('unlisted', owner)).toBe(true)
    expect(await copyAt(two, isolate('late')).session()).toBeNull()
  })

  it('ends a listed session that began by a clock that is ahead, and no later one', async () => {
    const { signIn, isolate, kv } = deployment()
    pass(30)
    const ahead = await signIn('ada', isolate('elsewhere'))
    pass(-25)
    kv.skew = 85
    const owner = await signIn()
    await revoke(owner, 'others')
    pass(5)
    expect(await ahead.session()).toBeNull()
    expect(await owner.session()).not.toBeNull()
    expect(await (await signIn()).session()).not.toBeNull()
  })

  it('ends all earlier sessions at a second call by a later session, and spares that one', async () => {
    const { signIn } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    pass(1)
    await revoke(one, 'others')
    pass(1)
    const three = await signIn()
    pass(1)
    await revoke(three, 'others')
    expect([await one.session(), await two.session()]).toEqual([null, null])
    pass(300)
    expect([await one.session(), await two.session()]).toEqual([null, null])
    expect(await three.session()).not.toBeNull()
  })
})

describe('a race', () => {
  it.each([1, 5])(
    'a thief whose request was accepted before all sessions ended cannot spare the thief’s own: %s',
    async (shards) => {
      const { signIn, isolate, copyAt, ledgers } = deployment({ ledgerShards: shards })
      const [owner, stolen] = [await signIn(), await signIn()]
      const { cookie } = stolen
      pass(60)
      const thief = copyAt(stolen, isolate('elsewhere'))
      // The thief's request was checked and is about to be executed.
      ledgers.before.set('cutOff', async () => {
        ledgers.before.clear()
        await revoke(owner, 'all')
        pass(1)
      })
      const answer = await revoke(thief, 'others')
      expect(owner.jar.has('auth.session-token')).toBe(false)
      expect([answer.status, thief.jar.has('auth.session-token')]).toEqual([302, false])
      for (const seconds of [6, 300]) {
        pass(seconds)
        for (const place of [undefined, isolate('elsewhere'), isolate('far away')]) {
          const found = await copyAt(stolen, place).get('/auth/session', { cookie })
          expect(await found.json()).toBeNull()
        }
      }
    },
  )

  it('one of two sessions that end each other at the same time goes on', async () => {
    const { signIn, isolate } = deployment({ ledgerShards: 5 })
    const browsers = [await signIn(), await signIn('ada', isolate('elsewhere'))]
    pass(1)
    await Promise.all(browsers.map((browser) => revoke(browser, 'others')))
    pass(6)
    const left = await Promise.all(browsers.map((browser) => browser.session()))
    expect(left.filter((session) => session !== null)).toHaveLength(1)
  })
})

describe('a ledger that fails', () => {
  it.each(['cutOff', 'revoke', 'isRevoked'] as const)(
    '%s: 503, and the caller stays signed in and may try again',
    async (name) => {
      const { signIn, ledgers } = deployment()
      const browser = await signIn()
      const { cookie } = browser
      ledgers.before.set(name, () => Promise.reject(new Error('overloaded')))
      expect((await revoke(browser, 'all')).status).toBe(503)
      expect(browser.cookie).toContain(cookie)
      ledgers.before.clear()
      expect((await revoke(browser, 'all')).status).toBe(302)
      expect(await browser.session()).toBeNull()
    },
  )
})

it('with very many sessions a hundred records are deleted, and all sessions are over', async () => {
  const { signIn, kv, settled } = deployment()
  const browsers: Browser[] = []
  for (let count = 0; count < 130; count++) browsers.push(await signIn())
  pass(60)
  await revoke(browsers[0] as Browser, 'others')
  await settled()
  expect(kv.count('delete')).toBeLessThanOrEqual(100)
  for (const browser of browsers.slice(1)) expect(await browser.session()).toBeNull()
  expect(await browsers[0]?.session()).not.toBeNull()
})
