import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, bindings, copyAt, keysOf, location, type Service, service } from './support.ts'

const { SESSIONS } = bindings
let users = 0

// The clock stands late in a second, since signing out everywhere waits for the next one.
const { pass } = clock({ start: Date.UTC(2026, 10, 21) + 990 })

/** Browsers of one person, in no other test, each at an isolate of its own. */
async function browsersOfOne(count: number, config: Parameters<typeof service>[0] = {}) {
  const username = `user-${++users}`
  const isolates = Array.from({ length: count }, () => service(config))
  const browsers: Browser[] = []
  for (const isolate of isolates) {
    const browser = new Browser(isolate)
    await browser.post('/auth/callback/credentials', { username, password: 'open sesame' })
    browsers.push(browser)
  }
  return { username, isolates, browsers: browsers as [Browser, Browser, Browser] }
}

const revoke = (browser: Browser, session: string) =>
  browser.post('/auth/sessions/revoke', { session })

async function idsOf(browser: Browser): Promise<string[]> {
  const answer = await browser.go('/auth/sessions')
  const { sessions } = await answer.json<{ sessions: { id: string }[] }>()
  return sessions.map(({ id }) => id)
}

describe('one’s own sessions, with real KV', () => {
  test('are listed in every isolate, and no other person’s are', async () => {
    const { browsers } = await browsersOfOne(3)
    await browsersOfOne(1)
    const ids = browsers.map(({ claims }) => claims.sid)
    for (const browser of browsers) {
      expect((await idsOf(browser))[0]).toBe(browser.claims.sid)
      expect((await idsOf(browser)).sort()).toEqual([...ids].sort())
    }
  })

  test('can be ended from another isolate: at once if the ledger is asked, in 5 s for reads', async () => {
    const { browsers, isolates } = await browsersOfOne(2)
    const [owner, stolen] = browsers
    const thief = copyAt(stolen, isolates[1] as Service)
    expect(await thief.session()).not.toBeNull()
    await revoke(owner, stolen.claims.sid)
    expect((await thief.go('/auth/sessions')).status).toBe(401)
    pass(5)
    const elsewhere = copyAt(stolen, isolates[1] as Service)
    expect(await elsewhere.session()).toBeNull()
    expect(await owner.session()).not.toBeNull()
    await owner.settle()
    expect(await keysOf(`session:${owner.claims.sub}:`)).toHaveLength(1)
  })

  test('are listed beside a damaged record, which signing out the others ends too', async () => {
    const { browsers } = await browsersOfOne(3)
    const [owner, whole, damaged] = browsers
    const { sub, sid } = damaged.claims
    await SESSIONS.put(`session:${sub}:${sid}`, '{"v":1,')
    expect(await idsOf(owner)).toEqual([owner.claims.sid, whole.claims.sid])
    await revoke(owner, 'others')
    pass(5)
    expect([await whole.session(), await damaged.session()]).toEqual([null, null])
  })
})

describe('signing out everywhere', () => {
  test('ends sessions that KV does not list yet, in every isolate, and for good', async () => {
    const { browsers, username } = await browsersOfOne(2)
    const [owner, other] = browsers
    const { sub, sid } = other.claims
    const record = (await SESSIONS.get(`session:${sub}:${sid}`)) ?? ''
    await SESSIONS.delete(`session:${sub}:${sid}`)
    const answer = await revoke(owner, 'all')
    expect(location(answer).pathname).toBe('/auth/account')
    expect(owner.sessionToken).toBe('')
    pass(5)
    expect(await other.session()).toBeNull()
    // Now KV lists the session.
    await SESSIONS.put(`session:${sub}:${sid}`, record)
    pass(300)
    for (const isolate of [service(), service()]) {
      const copy = copyAt(other, isolate)
      expect((await copy.go('/auth/session?online=1')).status).toBe(200)
      expect(await copy.session()).toBeNull()
    }
    const again = new Browser(service())
    await again.post('/auth/callback/credentials', { username, password: 'open sesame' })
    expect(await again.session()).not.toBeNull()
    pass(360)
    expect(await again.session()).not.toBeNull()
  })

  test('stays in force beside twenty parallel renewals in five isolates', async () => {
    const { browsers } = await browsersOfOne(2)
    const [owner, other] = browsers
    const token = other.sessionToken
    pass(25 * 60 * 60)
    const isolates = Array.from({ length: 5 }, () => service())
    const copies = Array.from({ length: 20 }, (_, at) => copyAt(other, isolates[at % 5] as Service))
    const work = copies.map((copy) => copy.go('/auth/renew?callbackUrl=/inbox'))
    await Promise.all([...work.slice(0, 10), revoke(owner, 'all'), ...work.slice(10)])
    await Promise.all([owner, ...copies].map((browser) => browser.settle()))
    pass(5)
    const held = new Set([token, ...copies.map(({ sessionToken }) => sessionToken)])
    held.delete('')
    for (const cookie of held) {
      const reader = new Browser(service())
      reader.cookies.set('auth.session-token', cookie)
      expect(await reader.session()).toBeNull()
      pass(360)
      expect(await reader.session()).toBeNull()
      pass(-360)
    }
    expect(await keysOf(`session:${other.claims.sub}:`)).toEqual([])
  })
})

describe('ledgers: one, one and four, four', () => {
  const before = { ledgerShards: 1 }
  const meanwhile = { ledgerShards: [1, 4] }
  const after = { ledgerShards: 4 }
  type Shards = typeof before | typeof meanwhile

  const isOver = async (token: string, shards: Shards) => {
    const reader = new Browser(service(shards))
    reader.cookies.set('auth.session-token', token)
    return (await reader.session()) === null
  }

  /** Ends six sessions, three by their ids and three that KV does not show, and keeps six. */
  async function endSome(shards: Shards) {
    const [ended, living] = [[] as string[], [] as string[]]
    for (let person = 0; person < 6; person++) {
      const [one, two] = (await browsersOfOne(2, shards)).browsers
      ended.push(two.sessionToken)
      living.push(one.sessionToken)
      if (person % 2 === 0) await revoke(one, two.claims.sid)
      if (person % 2 === 0) continue
      const key = `session:${two.claims.sub}:${two.claims.sid}`
      const record = (await SESSIONS.get(key)) ?? ''
      await SESSIONS.delete(key)
      await revoke(one, 'others')
      await SESSIONS.put(key, record)
    }
    return { ended, living }
  }

  test('revocations and cut-offs stay in force while their number of objects is listed', async () => {
    const steps: [Shards, Shards[]][] = [
      [before, [before, meanwhile]],
      [meanwhile, [before, meanwhile, after]],
      [after, [meanwhile, after]],
    ]
    for (const [written, readers] of steps) {
      const { ended, living } = await endSome(written)
      for (const seen of readers) {
        for (const after of [0, 360]) {
          pass(after)
          for (const token of ended) expect(await isOver(token, seen)).toBe(true)
          for (const token of living) expect(await isOver(token, seen)).toBe(false)
        }
      }
    }
  })

  test('a finished sign-in is not finished again, with any number of an isolate’s objects', async () => {
    for (const [first, second] of [
      [before, meanwhile],
      [meanwhile, before],
      [meanwhile, after],
      [after, meanwhile],
    ]) {
      const of = service(first)
      const browser = new Browser(of)
      const callback = await browser.allow('/inbox')
      const cookie = browser.cookieHeader
      expect(location(await browser.go(callback)).pathname).toBe('/inbox')
      const again = new Browser({ ...service(second), sandbox: of.sandbox })
      const answer = await again.go(callback, { headers: { cookie } })
      expect(location(answer).searchParams.get('error')).toBe('InvalidCheck')
    }
  })
})
