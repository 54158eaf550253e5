import { createVerifier } from '@latchkey/session'
import type { RevocationFeed } from '@latchkey/session/issue'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { TooManyRefreshes } from '../errors.js'
import { type Browser, claimsIn, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import type { AuthConfig } from '../types.js'

const { pass } = clock()

const PEOPLE = 10_000
const WINDOW = 300
/** Entries that stand in an object. */
const MOST = 1_000
/** The length of a signed page, at most. In characters. */
const PAGE = 256 * 1024

/** Ten thousand people whose claims an operator refreshes at once: counts, and no clock. */
async function refreshedAtOnce(objects: number) {
  const roles = new Map([['ada', 'reader']])
  const callbacks: AuthConfig['callbacks'] = {
    session: ({ session, token }) => ({ ...session, role: roles.get(String(token.name)) }),
  }
  const set = deployment({ callbacks }, { AUTH_LEDGER_SHARDS: String(objects) })
  const ada = await set.signIn('ada')
  const { sub } = claimsIn(ada)
  pass(2)
  roles.set('ada', 'editor')
  await set.here.call('refreshClaims', { sub })
  const refused: TooManyRefreshes[] = []
  for (let first = 1; first < PEOPLE; first += 100) {
    const calls = Array.from({ length: 100 }, (_, at) =>
      set.here
        .call('refreshClaims', { sub: `person-${first + at}` })
        .catch((error) => void refused.push(error)),
    )
    await Promise.all(calls)
  }
  return { ...set, ada, sub, refused }
}

function payloadOf(text: string): RevocationFeed {
  const [, payload = ''] = text.split('.')
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
}

/** The feed from its beginning. */
async function pagesOf(browser: Browser): Promise<readonly string[]> {
  const pages: string[] = []
  for (let since: number | undefined = 0; since !== undefined && pages.length < 10; ) {
    const answer = await browser.get(`/auth/revocations?since=${since}&pages=1`)
    pages.push(await answer.text())
    since = payloadOf(pages.at(-1) ?? '').more
  }
  return pages
}

describe.each([1, 4])('ten thousand people are refreshed at once, %i objects', (objects) => {
  it('a thousand stand in each, the others are refused, and verifiers read few pages of bounded size', async () => {
    const { ada, browserAt, errors, here, isolate, ledgers, refused } =
      await refreshedAtOnce(objects)
    const standing = MOST * objects
    // The hundredth of a last batch.
    expect(refused).toHaveLength(PEOPLE + 1 - (PEOPLE % 100) - standing)
    expect(new Set(refused.map(({ type }) => type))).toEqual(new Set(['TooManyRefreshes']))
    for (const { retryAfter } of refused) expect(retryAfter).toBe(WINDOW)
    const rows = [...ledgers.objects.values()].map((object) => object.revokedSince(0))
    const kept = (await Promise.all(rows)).map(({ stale = [] }) => stale.length)
    expect(kept.filter((count) => count > 0)).toEqual(Array.from({ length: objects }, () => MOST))

    // An isolate that heard nothing before.
    const elsewhere = browserAt(isolate('elsewhere'))
    const pages = await pagesOf(elsewhere)
    expect(pages.length).toBeLessThanOrEqual(1 + objects / 4)
    for (const { length } of pages) expect(length).toBeLessThanOrEqual(PAGE)
    const named = pages.flatMap((page) => payloadOf(page).stale ?? [])
    expect(new Set(named.map((one) => 'pid' in one && one.pid)).size).toBe(standing)

    // A verifier reads them once, renews the one session that comes, and asks nothing for the rest.
    const asked: string[] = []
    const at = isolate('a verifier’s')
    const verifier = createVerifier({
      issuer: `${origin}/auth`,
      now: () => Date.now(),
      worker: {
        fetch: async (url: string, init?: RequestInit) => {
          asked.push(new URL(url).pathname.slice('/auth/'.length))
          return at.answer(new Request(url, init))
        },
      },
    })
    const count = (path: string) => asked.filter((one) => one === path).length
    try {
      const role = async () => (await verifier.read(ada.cookie)).session
      for (let read = 0; read < 5; read++) expect(await role()).toMatchObject({ role: 'editor' })
      expect([count('session'), count('revocations') <= pages.length + 1]).toEqual([1, true])
      const before = count('revocations')
      pass(15)
      expect(await role()).toMatchObject({ role: 'editor' })
      expect([count('session'), count('revocations') <= before + 2]).toEqual([1, true])
    } finally {
      verifier.close()
    }

    // The entries have gone, and there is room again.
    pass(WINDOW)
    await here.call('refreshClaims', { sub: `person-${PEOPLE - 1}` })
    pass(5)
    const later = await pagesOf(elsewhere)
    expect(later.flatMap((page) => payloadOf(page).stale ?? [])).toHaveLength(1)
    expect(errors.filter((error) => !refused.includes(error as TooManyRefreshes))).toEqual([])
  })
})
