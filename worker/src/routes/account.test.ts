import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, locationOf, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'

const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:144.0) Firefox/144.0' }

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const page = async (browser: Browser) => (await browser.get('/auth/account')).text()

/** Submits a form of a page as a browser does, with the values of its fields. */
async function press(browser: Browser, html: string, button: string): Promise<Response> {
  const form = html.split('<form').find((part) => part.includes(`<span>${button}</span>`)) ?? ''
  const [, path = ''] = /action="([^"]*)"/.exec(form) ?? []
  const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)]
  return browser.post(path, Object.fromEntries(fields.map(([, name, value]) => [name, value])))
}

describe('GET /account', () => {
  it('shows the signed-in person, every session, and which one is the current one', async () => {
    const { signIn } = deployment()
    await signIn('ada', undefined, firefox)
    await signIn('grace')
    pass(60)
    const browser = await signIn()
    const answer = await browser.get('/auth/account')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await answer.text()
    expect(html).toContain('<strong>ada</strong>')
    expect(html).toContain('Firefox on Windows')
    expect(html).toContain('Credentials')
    expect(html.match(/<li /g)).toHaveLength(2)
    expect(html.match(/This device/g)).toHaveLength(1)
    expect(html).not.toMatch(/<script|grace/)
  })

  it('without a session, or with an ended one, it leads to the sign-in page and back here', async () => {
    const { signIn, browserAt, copyAt, isolate } = deployment()
    const stolen = await signIn()
    const thief = copyAt(stolen, isolate('elsewhere'))
    await thief.session()
    await stolen.submit('/auth/signout')
    const back = encodeURIComponent(`${origin}/auth/account`)
    for (const browser of [browserAt(), thief]) {
      const answer = await browser.get('/auth/account')
      expect([answer.status, locationOf(answer)]).toEqual([
        302,
        `${origin}/auth/signin?callbackUrl=${back}`,
      ])
    }
  })

  it('HEAD changes nothing and sets nothing', async () => {
    const { signIn, kv } = deployment()
    const browser = await signIn()
    kv.calls.length = 0
    const answer = await browser.send('/auth/account', { method: 'HEAD' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    expect(kv.count('put') + kv.count('delete')).toBe(0)
  })

  it.each(['get', 'list'])(
    'KV fails at %s: a page with 503, and the cookie is kept',
    async (name) => {
      const { signIn, kv } = deployment()
      const browser = await signIn()
      pass(60)
      kv.before.set(name, fails)
      const answer = await browser.get('/auth/account', { accept: 'text/html' })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
      expect(await answer.text()).toContain('unavailable')
    },
  )

  it('a damaged record hides only itself', async () => {
    const { signIn, kv } = deployment()
    const [browser, other, damaged] = [await signIn(), await signIn(), await signIn()]
    pass(60)
    const { sub, sid } = claimsIn(damaged)
    kv.damaged.set(`session:${sub}:${sid}`, '{')
    const html = await page(browser)
    expect(html).toContain(claimsIn(other).sid)
    expect(html.match(/<li /g)).toHaveLength(2)
  })
})

describe('its buttons', () => {
  it('sign out one session, all others, and all', async () => {
    const { signIn } = deployment()
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    pass(60)
    const answer = await press(one, await page(one), 'Sign out everywhere else')
    expect(locationOf(answer)).toBe(`${origin}/auth/account`)
    expect([await two.session(), await three.session()]).toEqual([null, null])
    pass(60)
    const four = await signIn()
    pass(60)
    const html = await page(one)
    const [, beside = ''] = html.split('<ul')
    await press(one, beside, 'Sign out')
    expect(await four.session()).toBeNull()
    expect(await one.session()).not.toBeNull()
    const last = await press(one, await page(one), 'Sign out everywhere')
    expect(locationOf(last)).toBe(`${origin}/auth/account`)
    expect(one.jar.has('auth.session-token')).toBe(false)
  })

  it('lead back here, also where the app’s redirect callback refuses this page', async () => {
    const redirect = ({ baseUrl }: { baseUrl: string }) => `${baseUrl}/home`
    const { signIn } = deployment({ callbacks: { redirect } })
    const browser = await signIn()
    const answer = await press(browser, await page(browser), 'Sign out everywhere')
    expect(locationOf(answer)).toBe(`${origin}/auth/account`)
  })
})

it('the sign-in page links to it for a signed-in person', async () => {
  const { signIn, browserAt } = deployment()
  const link = 'href="/auth/account"'
  expect(await (await (await signIn()).get('/auth/signin')).text()).toContain(link)
  expect(await (await browserAt().get('/auth/signin')).text()).not.toContain(link)
})
