import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { claimsIn, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import { feedOf } from '../test-support/feed.js'

const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })
const now = () => Math.floor(Date.now() / 1000)

describe('the feed', () => {
  it('names ended sessions by their handles, and a cut-off by a name that is in tokens alone', async () => {
    const { signIn, browserAt, isolate } = deployment()
    const [one, two, three] = [await signIn(), await signIn(), await signIn('grace')]
    const [kept, ended] = [claimsIn(one).sid, claimsIn(three).sid]
    await three.submit('/auth/signout')
    await one.submit('/auth/sessions/revoke', { session: 'others' })
    const feed = await feedOf(browserAt(isolate('elsewhere')))
    expect(feed).toEqual({
      iss: `${origin}/auth`,
      since: 0,
      sids: [ended],
      users: [],
      cutoffs: [{ pid: claimsIn(two).pid, until: now(), except: kept }],
      next: now() - 5,
      window: 300,
    })
  })

  it('needs no cookie, sets none, is cacheable for two seconds, and names no user', async () => {
    const { signIn } = deployment()
    const browser = await signIn()
    await browser.submit('/auth/signout')
    const answer = await browser.get('/auth/revocations')
    const { 'cache-control': caching, 'content-type': type } = Object.fromEntries(answer.headers)
    expect([caching, type]).toEqual(['public, max-age=2', 'application/jwt'])
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(atob((await answer.text()).split('.')[1] ?? '')).not.toContain('ada')
  })

  it('begins at the time that the last answer named, and overlaps by a few seconds only', async () => {
    const { signIn, browserAt } = deployment()
    const reader = browserAt()
    const endOne = async () => {
      const browser = await signIn()
      const { sid } = claimsIn(browser)
      await browser.submit('/auth/signout')
      return sid
    }
    const first = await endOne()
    pass(30)
    const { sids, next } = await feedOf(reader)
    expect(sids).toEqual([first])
    const second = await endOne()
    pass(5)
    expect((await feedOf(reader, next)).sids).toEqual([second])
    pass(30)
    expect((await feedOf(reader, (await feedOf(reader)).next)).sids).toEqual([])
  })

  it('leaves out endings that concern no live token any more', async () => {
    const { signIn, browserAt, isolate } = deployment()
    await (await signIn()).submit('/auth/signout')
    pass(361)
    expect((await feedOf(browserAt(isolate('elsewhere')))).sids).toEqual([])
  })

  it.each(['', '-1', 'x', '1e9', '1.5', '0x10', '1 ', '9999999999999', 'NaN', '٣'])(
    'since=%j is a 400',
    async (since) => {
      const { browserAt } = deployment()
      const answer = await browserAt().get(`/auth/revocations?since=${encodeURIComponent(since)}`)
      expect(answer.status).toBe(400)
      expect(await answer.text()).toBe('"since" is a number of seconds.')
    },
  )

  it('apps that ask a new isolate at the same time all get it, and none gets 503', async () => {
    const { browserAt, isolate } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    await reader.get('/auth/csrf')
    const asked = [1, 2, 3].map(() => reader.get('/auth/revocations', { cookie: '' }))
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('asked at the same time after a pause it waits for the one look: both apps get everything', async () => {
    const { signIn, browserAt, isolate, ledgers } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    await feedOf(reader)
    const browser = await signIn()
    const { sid } = claimsIn(browser)
    await browser.submit('/auth/signout')
    pass(60)
    ledgers.before.set('revokedSince', () => new Promise((resolve) => setTimeout(resolve, 20)))
    for (const { sids, next } of await Promise.all([feedOf(reader), feedOf(reader)])) {
      expect([sids, next]).toEqual([[sid], now() - 5])
    }
  })

  it('other methods: HEAD has no body, POST is not allowed', async () => {
    const { browserAt } = deployment()
    const head = await browserAt().send('/auth/revocations', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await browserAt().send('/auth/revocations', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('no ending is lost between different clocks', () => {
  it.each([-300, -55, -20, 20, 55, 300])(
    'two isolates that answer in turn, the clock of one %i s apart from the ledger’s',
    async (skew) => {
      const { signIn, browserAt, isolate, ledgers } = deployment()
      const places = [isolate('one'), isolate('two')]
      const [ended, known] = [[] as string[], new Set<string>()]
      let next: number | undefined
      for (let round = 0; round < 24; round++) {
        pass(5)
        const browser = await signIn()
        ended.push(claimsIn(browser).sid)
        await browser.submit('/auth/signout')
        ledgers.skew = round % 2 === 0 ? 0 : -skew
        pass(-ledgers.skew)
        const feed = await feedOf(browserAt(places[round % 2]), next)
        pass(ledgers.skew)
        ledgers.skew = 0
        for (const sid of feed.sids) known.add(sid)
        next = feed.next
      }
      // An ending of the last few seconds may not have arrived yet.
      expect(ended.slice(0, -2).filter((sid) => !known.has(sid))).toEqual([])
    },
  )
})

describe('a ledger that cannot be reached', () => {
  it('from the start: 503 and not an empty feed', async () => {
    const { browserAt, errors, ledgers } = deployment()
    ledgers.before.set('revokedSince', fails)
    const answer = await browserAt().get('/auth/revocations')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
    expect(errors.map(({ message }) => message)).toContain('The ledger cannot be reached.')
    ledgers.before.clear()
    pass(5)
    expect((await browserAt().get('/auth/revocations')).status).toBe(200)
  })

  it('for a while: the known endings, complete up to the last answer', async () => {
    const { signIn, browserAt, isolate, ledgers } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    await (await signIn()).submit('/auth/signout')
    const { next, sids } = await feedOf(reader)
    ledgers.before.set('revokedSince', fails)
    const late = await signIn()
    const { sid } = claimsIn(late)
    await late.submit('/auth/signout')
    for (let count = 0; count < 5; count++) {
      pass(20)
      expect(await feedOf(reader, 0)).toMatchObject({ sids, next })
    }
    ledgers.before.clear()
    pass(5)
    const feed = await feedOf(reader, next)
    expect(feed.sids).toContain(sid)
    expect(feed.next).toBe(now() - 5)
  })
})
