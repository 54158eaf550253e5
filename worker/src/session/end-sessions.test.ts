import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { memoryStore } from '../stores/memory.js'
import { type Browser, claimsIn, configWith, copyOf, secret } from '../test-support/browser.js'
import { anybody, deployment } from '../test-support/deployment.js'
import { asStore } from '../test-support/own-ledger.js'
import { signedInWithTokens } from '../test-support/tokens.js'
import type { SessionRecord, WhoseSessions } from '../types.js'

/** Shortly before the end of a second, for which an ending waits. */
const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })

const MINUTE = 60
const namesOf = (count: number) =>
  count === 1 ? ['ledger'] : Array.from({ length: count }, (_, index) => `ledger-${count}-${index}`)
const fails = async () => {
  throw new Error('overloaded')
}

/** Ada with three sessions, Grace with one, and an isolate without any. */
async function people(changes: Parameters<typeof deployment>[0] = {}) {
  const set = deployment(changes)
  const ada = [await set.signIn(), await set.signIn(), await set.signIn()] as const
  const grace = await set.signIn('grace')
  pass(2 * MINUTE)
  const { sub } = claimsIn(ada[0])
  const office = set.isolate('the office')
  /** Is the session over, for an isolate that has heard of nothing? */
  const isOver = async (browser: Browser) => {
    const copy = set.copyAt(browser, set.isolate(`place ${Math.random()}`))
    return (await (await copy.get('/auth/session?online=1')).json()) === null
  }
  const areOver = (browsers: readonly Browser[]) => Promise.all(browsers.map(isOver))
  return { ...set, ada, grace, sub, office, isOver, areOver }
}

describe('endSessions for the operator', () => {
  it('ends all sessions of a person, and those of no other', async () => {
    const { ada, grace, sub, office, areOver, isOver, kv, settled } = await people()
    await office.endSessions({ sub })
    expect(await areOver(ada)).toEqual([true, true, true])
    expect(await isOver(grace)).toBe(false)
    await settled()
    expect(kv.keys.map((key) => key.split(':')[1])).toEqual([claimsIn(grace).sub])
  })

  it('is heard of as fast as the person’s own: in five seconds of the Worker’s, and in its feed', async () => {
    const { ada, sub, office, isolate, copyAt } = await people()
    const elsewhere = ada.map((browser) => copyAt(browser, isolate('elsewhere')))
    await elsewhere[0]?.session()
    await office.endSessions({ sub })
    pass(5)
    for (const browser of elsewhere) expect(await browser.session()).toBeNull()
    const feed = await (await copyAt(ada[0], isolate('far away')).get('/auth/revocations')).text()
    const { cutoffs } = JSON.parse(atob(feed.split('.')[1] ?? '')) as { cutoffs: unknown[] }
    expect(cutoffs).toHaveLength(1)
  })

  it('ends sessions that KV does not list yet, or at all', async () => {
    const { signIn, office, sub, kv, isOver } = await people()
    const fresh = await signIn()
    pass(1)
    await office.endSessions({ sub })
    expect(await isOver(fresh)).toBe(true)
    const later = await signIn()
    pass(2 * MINUTE)
    kv.before.set('list', fails)
    await office.endSessions({ sub })
    expect(await isOver(later)).toBe(true)
  })

  it('ends none that begins afterwards, in the same second either', async () => {
    vi.useRealTimers()
    const set = deployment()
    const { sub } = claimsIn(await set.signIn())
    await set.here.endSessions({ sub })
    expect(await (await set.signIn()).session()).not.toBeNull()
  })

  it('ends the tokens at the provider, as a sign-out does', async () => {
    const set = await signedInWithTokens({}, { options: { revokeOnSignOut: true } })
    const { sub } = claimsIn(set.browser)
    const work: Promise<unknown>[] = []
    await set.auth.endSessions({ sub }, {}, { waitUntil: (promise) => void work.push(promise) })
    await Promise.all(work)
    expect(set.server.seen).toMatchObject([
      { endpoint: '/revoke', form: { token: 'the-refresh-token-1' } },
    ])
    expect(await set.get()).toEqual({ ok: false, reason: 'signed-out' })
  })

  it.each(['nobody', 'x'.repeat(255), ':', '%', '__proto__', 'session:', '💥'])(
    'an unknown sub breaks nothing: %s',
    async (sub) => {
      const { ada, grace, office, areOver } = await people()
      await office.endSessions({ sub })
      await office.endSessions({ sub, except: claimsIn(ada[0]).sid })
      expect(await areOver([...ada, grace])).toEqual([false, false, false, false])
    },
  )

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /person's id/],
    ['a text', 'ada', /person's id/],
    ['no sub', {}, /person's id/],
    ['an empty sub', { sub: '' }, /person's id/],
    ['a sub of 256 characters', { sub: 'x'.repeat(256) }, /person's id/],
    ['a number', { sub: 7 }, /person's id/],
    ['a list', { sub: ['ada'] }, /person's id/],
    ['an exception that is not text', { sub: 'ada', except: 7 }, /"except"/],
    ['an exception that is nothing', { sub: 'ada', except: null }, /"except"/],
    ['an exception that is empty', { sub: 'ada', except: '' }, /"except"/],
    ['an exception that is too long', { sub: 'ada', except: 'x'.repeat(256) }, /"except"/],
  ])('gets an error that names the mistake, and asks no store: %s', async (_, whose, message) => {
    const { here, ledgers, kv } = deployment()
    await expect(here.endSessions(whose as WhoseSessions)).rejects.toThrow(message)
    expect([ledgers.calls, kv.calls]).toEqual([[], []])
  })

  it('makes a bounded number of calls, however many sessions there are', async () => {
    const { ledger, sessions } = memoryStore()
    const calls: string[] = []
    const counted = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          calls.push(String(name))
          return Reflect.get(target, name)
        },
      })
    const store = asStore({ ledger: counted(ledger), sessions: counted(sessions) })
    const auth = createAuth(configWith({ providers: [anybody], store }))
    const now = Math.floor(Date.now() / 1000)
    const record = { sub: 'ada', provider: 'x', created: now, updated: now, sealed: '' }
    const put = (count: number) =>
      sessions.put({ ...record, sid: `session-${count}`, expires: now + 9999 } as SessionRecord)
    for (let count = 0; count < 250; count++) await put(count)
    await auth.endSessions({ sub: 'ada' })
    const count = (name: string) => calls.filter((call) => call === name).length
    expect(count('cutOff')).toBe(1)
    expect(count('revoke')).toBeLessThanOrEqual(100)
    expect(calls.length).toBeLessThanOrEqual(210)
    const owner = { sub: 'ada', auth_time: now }
    expect(await ledger.isRevoked('session-249', owner)).toBe(true)
  })

  it('with a configuration that cannot be used says so, and the log names it', async () => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error) }
    const auth = createAuth(configWith({ secret: 'short', logger }))
    await expect(auth.endSessions({ sub: 'ada' })).rejects.toThrow(/32 characters/)
    expect(errors.map(({ name }) => name)).toEqual(['MissingSecret'])
  })

  it('with a configuration that is a function ends them too, in process', async () => {
    const config = configWith({ providers: [anybody] })
    const urls: string[] = []
    const auth = createAuth((env: { AUTH_SECRET: string }, request) => {
      urls.push(request.url)
      return { ...config, secret: env.AUTH_SECRET }
    })
    const env = { AUTH_SECRET: secret }
    const service = { answer: (request: Request) => auth.fetch(request, env) }
    const browser = copyOf({ jar: new Map() } as Browser, config, service)
    await browser.submit('/auth/callback/credentials', { username: 'ada' })
    const { sub } = claimsIn(browser)
    expect(await browser.session()).not.toBeNull()
    await auth.endSessions({ sub }, env, { waitUntil: () => {} })
    expect(urls.at(-1)).toBe('https://operator.invalid/')
    expect(await browser.session()).toBeNull()
  })
})

describe('the session that endSessions spares', () => {
  it('goes on, and the others end', async () => {
    const { ada, sub, office, areOver } = await people()
    await office.endSessions({ sub, except: claimsIn(ada[1]).sid })
    expect(await areOver(ada)).toEqual([true, false, true])
    pass(6 * MINUTE)
    expect(await ada[1].session()).not.toBeNull()
  })

  it('goes on though all earlier ones were ended before it began', async () => {
    const { signIn, ada, sub, office, areOver } = await people()
    await office.endSessions({ sub })
    pass(MINUTE)
    const [later, other] = [await signIn(), await signIn()]
    pass(2 * MINUTE)
    await office.endSessions({ sub, except: claimsIn(later).sid })
    expect(await areOver([...ada, later, other])).toEqual([true, true, true, false, true])
  })

  it.each([1, 5])('does not come back by it, if it is over (%i objects)', async (ledgerShards) => {
    const { ada, sub, office, areOver, copyAt, isolate } = await people({ ledgerShards })
    const thief = copyAt(ada[0], isolate('elsewhere'))
    await office.endSessions({ sub })
    pass(MINUTE)
    await office.endSessions({ sub, except: claimsIn(thief).sid })
    expect(await areOver([...ada, thief])).toEqual([true, true, true, true])
  })

  it('signed out by itself, is over, and so are the others', async () => {
    const { ada, sub, office, areOver, copyAt, here, settled } = await people({ ledgerShards: 5 })
    const copy = copyAt(ada[0], here)
    await ada[0].submit('/auth/signout')
    await settled()
    await office.endSessions({ sub, except: claimsIn(copy).sid })
    expect(await areOver([copy, ada[1], ada[2]])).toEqual([true, true, true])
  })

  it('another person’s exception is not touched, and spares no session of this person', async () => {
    const { ada, grace, sub, office, areOver } = await people()
    await office.endSessions({ sub, except: claimsIn(grace).sid })
    expect(await areOver([...ada, grace])).toEqual([true, true, true, false])
  })

  it('goes on while KV fails; only if all were ended before is that not certain, and said', async () => {
    const { ada, sub, office, areOver, kv, signIn } = await people()
    kv.before.set('get', fails)
    await office.endSessions({ sub, except: claimsIn(ada[0]).sid })
    kv.before.clear()
    expect(await areOver(ada)).toEqual([false, true, true])
    await office.endSessions({ sub })
    pass(MINUTE)
    const later = await signIn()
    kv.before.set('get', fails)
    const whose = { sub, except: claimsIn(later).sid }
    await expect(office.endSessions(whose)).rejects.toThrow(/read a session record/)
    kv.before.clear()
    pass(MINUTE)
    expect(await areOver([later])).toEqual([false])
    await office.endSessions(whose)
    expect(await areOver([later])).toEqual([false])
  })
})

const numbers = [[1], [4], [1, 4]]
const failing = numbers.flatMap((shards) =>
  shards.flatMap(namesOf).map((name) => [`${shards}`, name, shards] as const),
)

describe.each(failing)('with %s objects, of which %s fails', (_, name, shards) => {
  it.each([
    ['all', 'before'],
    ['all', 'after'],
    ['all but one', 'before'],
    ['all but one', 'after'],
  ] as const)(
    'a failed end of %s is finished by the next call: it fails %s it took effect',
    async (which, when) => {
      const { ada, grace, sub, office, areOver, ledgers } = await people({ ledgerShards: shards })
      const whose = which === 'all' ? { sub } : { sub, except: claimsIn(ada[0]).sid }
      ledgers[when].set('cutOff', async (object: string) => {
        if (object === name) throw new Error('overloaded')
      })
      await expect(office.endSessions(whose)).rejects.toThrow('Could not write the ledger.')
      ledgers[when].clear()
      pass(6)
      await office.endSessions(whose)
      expect(await areOver([...ada, grace])).toEqual([which === 'all', true, true, false])
      const owner = { sub, auth_time: claimsIn(ada[1]).auth_time }
      for (const object of ledgers.objects.values()) {
        expect(await object.isRevoked('unlisted', owner)).toBe(true)
      }
    },
  )
})
