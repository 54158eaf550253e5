import { createVerifier } from '@latchkey/session'
import { deriveSessionKeys, type RevocationFeed, signSessionToken } from '@latchkey/session/issue'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { type Browser, origin, secret } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { feedOf } from '../test-support/feed.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })
const now = () => Math.floor(Date.now() / 1000)

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
