import { expect, test } from 'vitest'
import { Browser, location, type Service, service } from './support.ts'

interface Way {
  readonly id: string
  readonly provider: string
  readonly current: boolean
}

const waysOf = async (browser: Browser) =>
  (await (await browser.go('/auth/ways')).json<{ ways: readonly Way[] }>()).ways

/** Signs in with a password, as a person of that name. */
async function signedInAs(of: Service, username: string): Promise<Browser> {
  const browser = new Browser(of)
  await browser.post('/auth/callback/credentials', { username, password: 'open sesame' })
  return browser
}

/**
 * Begins to add a person's account at the video app, and allows it there. The real object remembers
 * the owner, so each test has its own account.
 *
 * @returns the path that the browser comes back to
 */
async function allowed(of: Service, browser: Browser, person = 'vic'): Promise<string> {
  const fields = { provider: 'videoapp', callbackUrl: '/settings' }
  const started = await browser.post('/auth/ways/add', fields)
  const consent = started.headers.get('location') ?? ''
  const decision = { person, decision: 'allow', scope: 'user.info.profile' }
  const body = new URLSearchParams(decision)
  const decided = await of.sandbox.request(consent, { method: 'POST', body })
  const back = new URL(decided.headers.get('location') ?? 'about:blank')
  return back.pathname + back.search
}

const endOf = (answer: Response) => {
  const { pathname, searchParams } = location(answer)
  return [pathname, searchParams.get('error')].filter(Boolean).join(' ')
}

async function remove(browser: Browser, provider: string): Promise<Response> {
  const way = (await waysOf(browser)).find((one) => one.provider === provider)
  return browser.post('/auth/ways/remove', { way: way?.id ?? '' })
}

test.each([1, 4])('one person, two ways, at the real object (%i of them)', async (ledgerShards) => {
  const of = service({ ledgerShards })
  const name = `ada-${ledgerShards}`
  const ada = await signedInAs(of, name)
  const { sub, sid } = ada.claims
  expect(endOf(await ada.go(await allowed(of, ada)))).toBe('/settings')
  expect([ada.claims.sub, ada.claims.sid]).toEqual([sub, sid])
  expect((await waysOf(ada)).map(({ provider }) => provider)).toEqual(['credentials', 'videoapp'])

  const vic = new Browser(of)
  await vic.signIn()
  expect(vic.claims.sub).toBe(sub)
  expect((await waysOf(vic)).map(({ current }) => current)).toEqual([false, true])

  // The first way goes. It signs no user in until the person adds it again.
  await remove(vic, 'credentials')
  const nobody = await signedInAs(of, name)
  expect(nobody.sessionToken).toBe('')
  expect(endOf(await remove(vic, 'videoapp'))).toBe('/auth/error AccessDenied')
})

test.each([1, 4])(
  'two people add one account at once at the real object (%i of them): one wins',
  async (ledgerShards) => {
    const of = service({ ledgerShards })
    const names = [`eve-${ledgerShards}`, `mallory-${ledgerShards}`]
    const people = await Promise.all(names.map((name) => signedInAs(of, name)))
    const flows = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const browser = new Browser(of)
        const whose = people[index % 2] as Browser
        for (const [name, value] of whose.cookies) browser.cookies.set(name, value)
        return { browser, path: await allowed(of, browser, 'zoe') }
      }),
    )
    const ends = await Promise.all(flows.map(({ browser, path }) => browser.go(path)))
    const counts = await Promise.all(people.map(async (one) => (await waysOf(one)).length))
    const winners = counts[0] === 2 ? [0, 1] : [1, 0]
    expect(counts).toEqual(winners.map((at) => 2 - at))
    ends.forEach((end, index) => {
      const isWinner = winners[index % 2] === 0
      expect(endOf(end)).toBe(isWinner ? '/settings' : '/auth/signin OAuthAccountNotLinked')
    })
  },
)
