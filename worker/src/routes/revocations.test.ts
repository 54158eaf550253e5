import { createVerifier } from '@latchkey/session'
import { deriveSessionKeys, type RevocationFeed, signSessionToken } from '@latchkey/session/issue'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Ledger } from '../stores/ports.js'
import { type Browser, claimsIn, origin, secret } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'

const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })
const now = () => Math.floor(Date.now() / 1000)

/** Reads an answer with the published keys alone. */
async function feedOf(browser: Browser, since?: number | string): Promise<RevocationFeed> {
  const query = since === undefined ? '' : `?since=${since}`
  const answer = await browser.get(`/auth/revocations${query}`, { cookie: '' })
  expect(answer.status).toBe(200)
  const keys: JSONWebKeySet = await (await browser.get('/auth/jwks.json')).json()
  const { payload, protectedHeader } = await compactVerify(
    await answer.text(),
    createLocalJWKSet(keys),
  )
  expect(protectedHeader.typ).toBe('revocations+jwt')
  return JSON.parse(new TextDecoder().decode(payload))
}

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

describe('the feed in pages', () => {
  /** A service where so many sessions have ended in each of some seconds, and one user’s with each. */
  async function after(...ended: number[]) {
    const set = deployment()
    const ledger = set.ledgers.objects.get('ledger') ?? (await openedOf(set))
    for (const [second, count] of ended.entries()) {
      for (let index = 0; index < count; index++) {
        await ledger.revoke(handle(second, index), now() + 900)
      }
      await ledger.cutOff({ sub: `user-${second}`, until: now() }, now() + 900)
      pass(1)
    }
    pass(6)
    return set
  }

  const digits = (value: number, count: number) => String(value).padStart(count, '0')
  const handle = (second: number, index: number) =>
    `ended-within-${digits(second, 3)}-${digits(index, 5)}`

  async function openedOf({ browserAt, isolate, ledgers }: ReturnType<typeof deployment>) {
    await browserAt(isolate('first')).get('/auth/revocations')
    return ledgers.objects.get('ledger') as Ledger
  }

  /** Every page from the beginning, as text. */
  async function pagesOf(browser: Browser) {
    const pages: { length: number; feed: RevocationFeed }[] = []
    for (let since: number | undefined = 0; since !== undefined && pages.length < 50; ) {
      const answer = await browser.get(`/auth/revocations?since=${since}&pages=1`)
      const text = await answer.text()
      const feed = JSON.parse(atob(text.split('.')[1] ?? '')) as RevocationFeed
      pages.push({ length: text.length, feed })
      since = feed.more
    }
    return pages
  }

  it('has 256 KiB a page, whole seconds, everything once, from whatever isolates', async () => {
    const { browserAt, isolate } = await after(...Array.from({ length: 20 }, () => 1_000))
    const [one, two] = [browserAt(isolate('one')), browserAt(isolate('two'))]
    const pages = await pagesOf(one)
    for (const { length } of pages) expect(length).toBeLessThanOrEqual(256 * 1024)
    expect(pages.map(({ feed }) => feed.sids.length)).toEqual([7_000, 7_000, 6_000])
    expect(new Set(pages.flatMap(({ feed }) => feed.sids)).size).toBe(20_000)
    expect(
      new Set(pages.flatMap(({ feed }) => feed.cutoffs ?? []).map(({ pid }) => pid)).size,
    ).toBe(20)
    expect(await pagesOf(two)).toEqual(pages)
    expect((await feedOf(one)).sids).toHaveLength(20_000)
    expect(await feedOf(one)).not.toHaveProperty('more')
  })

  it('goes on after 50,000 endings in one second, which are a page', async () => {
    const { browserAt } = await after(10, 50_000, 10)
    const pages = await pagesOf(browserAt())
    expect(pages.map(({ feed }) => feed.sids.length)).toEqual([10, 50_000, 10])
    // A reader takes 4 MiB.
    expect(pages[1]?.length).toBeLessThan(2 * 1024 * 1024)
  })

  it.each([
    ['that each spare a session', 1_500, 'x'.repeat(22), [secret], [1_500, 1_500]],
    ['that spare nobody', 1_700, undefined, [secret], [3_400]],
    ['under the names of two secrets', 900, undefined, [`new-${secret}`, secret], [1_800, 1_800]],
  ])('counts cut-offs %s by their length', async (_, each, except, secrets, expected) => {
    const { browserAt, isolate, ledgers } = deployment()
    await browserAt().get('/auth/revocations')
    const ledger = ledgers.objects.get('ledger') as Ledger
    for (const second of [0, 1]) {
      for (let at = 0; at < each; at++) {
        const cutoff = { sub: `user-${second}-${at}`, until: now() }
        await ledger.cutOff(except ? { ...cutoff, except } : cutoff, now() + 900)
      }
      pass(1)
    }
    pass(6)
    const pages = await pagesOf(browserAt(isolate('elsewhere', { secret: secrets })))
    expect(pages.map(({ feed }) => feed.cutoffs?.length)).toEqual(expected)
    for (const { length } of pages) expect(length).toBeLessThanOrEqual(256 * 1024)
  })

  it('is read by an app to the end: 130,000 endings are more than 4 MiB', async () => {
    const { isolate, browserAt } = await after(...Array.from({ length: 26 }, () => 5_000))
    const isolated = isolate('one')
    const { answer } = isolated
    const lengths: number[] = []
    const verifier = createVerifier({
      worker: `${origin}/auth`,
      fetch: async (input, init) => {
        const found = await answer(new Request(String(input), init))
        if (String(input).includes('/revocations')) {
          lengths.push((await found.clone().text()).length)
        }
        return found
      },
      onError: () => {},
    })
    const { signing } = await deriveSessionKeys([secret])
    const cookieOf = async (sid: string) => {
      const times = { iat: now(), auth_time: now() - 100, exp: now() + 300, sexp: now() + 900 }
      const claims = {
        iss: `${origin}/auth`,
        sub: 'x',
        sid,
        amr: ['x'],
        session: {},
        pid: 'x'.repeat(12),
      }
      return `auth.session-token=${await signSessionToken({ ...claims, ...times }, signing)}`
    }
    const isLive = async (sid: string) =>
      (await verifier.read(await cookieOf(sid))).session !== null
    const all = browserAt(isolated)
    while ((await all.get('/auth/revocations?pages=1')).status !== 200) pass(4)
    // On a slow machine it takes more than one look.
    for (let looks = 0; looks < 40 && (await isLive(handle(25, 4_999))); looks++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      pass(4)
    }
    const found = [handle(0, 0), handle(25, 4_999), 'a'.repeat(22)].map(isLive)
    expect(await Promise.all(found)).toEqual([false, false, true])
    verifier.close()
    expect(lengths.reduce((one, other) => one + other)).toBeGreaterThan(4 * 1024 * 1024)
    for (const length of lengths) expect(length).toBeLessThanOrEqual(256 * 1024)
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
