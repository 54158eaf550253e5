import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { TIMES_SCRIPT } from '../../pages/times-script.js'
import passkey from '../../providers/passkey.js'
import { type Browser, claimsIn, locationOf, origin } from '../../test-support/browser.js'
import { anybody, deployment } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'
import { PAGE_SCRIPT } from '../passkeys/page-script.js'

const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:144.0) Firefox/144.0' }

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const page = async (browser: Browser) => (await browser.get('/auth/account')).text()
const devices = async (browser: Browser) => (await browser.get('/auth/account/sessions')).text()

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
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    // The script of times makes no request.
    expect(policy).not.toContain('connect-src')
    const html = (await answer.text()).replace(`<script>${TIMES_SCRIPT}</script>`, '')
    expect(html).toContain('<strong>ada</strong>')
    expect(html).toContain('Firefox on Windows')
    expect(html).toContain('Password')
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

  it('leads back to the app, as each section of it does', async () => {
    const browser = await deployment({ theme: { name: 'Acme' } }).signIn()
    for (const path of ['', '/sessions', '/ways', '/security']) {
      const html = await (await browser.get(`/auth/account${path}`)).text()
      expect(html).toContain(`<a href="${origin}/">Back to <bdi>Acme</bdi></a>`)
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
    const html = await devices(browser)
    expect(html).toContain(claimsIn(other).sid)
    expect(html.match(/<li /g)).toHaveLength(2)
  })
})

describe('a section of it', () => {
  const providers = [anybody, passkey({ rpName: 'Test' })]

  it('shows its own part alone, under a title of its own', async () => {
    const browser = await deployment({ providers }).signIn()
    const titles = {
      sessions: 'Where you are signed in',
      ways: 'Ways to sign in',
      passkeys: 'Passkeys',
      security: 'Security',
    }
    for (const [section, title] of Object.entries(titles)) {
      const answer = await browser.get(`/auth/account/${section}`)
      const html = await answer.text()
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'private, no-store',
      ])
      expect(html).toContain(`<title>${title}</title>`)
      expect(html).toContain(`<h1>${title}</h1>`)
      expect(html.includes('<ul class="rows"')).toBe(section === 'sessions')
      expect(html.includes('data-script="add"')).toBe(section === 'passkeys')
      expect(html.includes('/auth/factor/setup')).toBe(section === 'security')
    }
  })

  it.each(['sessions', 'ways', 'passkeys', 'security'])(
    'without a session %s leads to the sign-in page, and back to it',
    async (section) => {
      const { browserAt } = deployment({ providers })
      const answer = await browserAt().get(`/auth/account/${section}`)
      const back = encodeURIComponent(`${origin}/auth/account/${section}`)
      expect(locationOf(answer)).toBe(`${origin}/auth/signin?callbackUrl=${back}`)
    },
  )

  it('about passkeys does not exist if none are configured', async () => {
    const browser = await deployment().signIn()
    expect((await browser.get('/auth/account/passkeys')).status).toBe(404)
    const seen = await browser.get('/auth/account/passkeys', { accept: 'text/html' })
    expect(seen.status).toBe(404)
    expect(await seen.text()).toContain('Page not found')
    expect(await page(browser)).not.toContain('account/passkeys')
  })

  it('has a script of times if it shows one, and that of passkeys if it offers them', async () => {
    const browser = await deployment({ providers }).signIn()
    const scripts = async (path: string) => {
      const html = await (await browser.get(path)).text()
      return [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code]) => code)
    }
    expect(await scripts('/auth/account')).toEqual([TIMES_SCRIPT])
    expect(await scripts('/auth/account/sessions')).toEqual([TIMES_SCRIPT])
    expect(await scripts('/auth/account/ways')).toEqual([])
    expect(await scripts('/auth/account/passkeys')).toEqual([PAGE_SCRIPT])
    expect(await scripts('/auth/account/security')).toEqual([])
  })

  it('asks for no data of the others: no list of sessions, no person', async () => {
    const { signIn, browser: open, calls } = people()
    const browser = await signIn('one', 'ada', open())
    const asked = async (path: string) => {
      calls.length = 0
      expect((await browser.get(path)).status).toBe(200)
      return calls.map(({ name }) => name)
    }
    // The first request reads the revocations for the ones that follow.
    await asked('/auth/session')
    const signedInAlone = await asked('/auth/sessions')
    expect(signedInAlone).toContain('list')
    expect(await asked('/auth/account/sessions')).toEqual(signedInAlone)
    for (const section of ['ways', 'security']) {
      expect(await asked(`/auth/account/${section}`)).not.toContain('list')
    }
    expect(await asked('/auth/account/sessions')).not.toContain('document')
    expect(await asked('/auth/account/security')).not.toContain('get')
  })

  it('its forms end where they began', async () => {
    const { signIn } = deployment()
    const [one, two] = [await signIn(), await signIn()]
    pass(60)
    const html = await (await one.get('/auth/account/sessions')).text()
    const answer = await press(one, html, 'Sign out everywhere else')
    expect(locationOf(answer)).toBe(`${origin}/auth/account/sessions`)
    expect(await two.session()).toBeNull()
  })
})

it('shows the mark of a provider at its way, as on its button', async () => {
  const { signIn, browser: open, add } = people()
  const ada = await signIn('one', 'ada', open())
  await add(ada, 'email', 'ada@example.com')
  const html = await (await ada.get('/auth/account/ways')).text()
  const markIn = (part = '') => /<svg class="logo".*?<\/svg>/s.exec(part)?.[0]
  const rows = html.split('role="group"').slice(1)
  const marks = rows.map(markIn)
  const [, button = ''] = html.split('name="provider" value="one"')
  expect(marks[0]).toBe(markIn(button))
  expect(marks[1]).not.toBe(marks[0])
})

describe('its buttons', () => {
  it('sign out one session, all others, and all', async () => {
    const { signIn } = deployment()
    const [one, two, three] = [await signIn(), await signIn(), await signIn()]
    pass(60)
    const answer = await press(one, await devices(one), 'Sign out everywhere else')
    expect(locationOf(answer)).toBe(`${origin}/auth/account/sessions`)
    expect([await two.session(), await three.session()]).toEqual([null, null])
    pass(60)
    const four = await signIn()
    pass(60)
    const html = await devices(one)
    const [, beside = ''] = html.split('<ul')
    await press(one, beside, 'Sign out')
    expect(await four.session()).toBeNull()
    expect(await one.session()).not.toBeNull()
    const last = await press(one, await devices(one), 'Sign out everywhere')
    expect(locationOf(last)).toBe(`${origin}/auth/account/sessions`)
    expect(one.jar.has('auth.session-token')).toBe(false)
  })

  it('lead back here, also if the app’s redirect callback refuses this page', async () => {
    const redirect = ({ baseUrl }: { baseUrl: string }) => `${baseUrl}/home`
    const { signIn } = deployment({ callbacks: { redirect } })
    const browser = await signIn()
    const answer = await browser.submit('/auth/sessions/revoke', { session: 'all' })
    expect(locationOf(answer)).toBe(`${origin}/auth/account`)
  })
})

it('the sign-in page links to it for a signed-in person', async () => {
  const { signIn, browserAt } = deployment()
  const link = 'href="/auth/account"'
  expect(await (await (await signIn()).get('/auth/signin')).text()).toContain(link)
  expect(await (await browserAt().get('/auth/signin')).text()).not.toContain(link)
})

describe('after a change of a way or a factor', () => {
  const others = '<span>Sign out everywhere else</span>'

  it.each(['ways', 'security'])(
    'the page of the section %s offers to end all other sessions, and ends them',
    async (section) => {
      const { signIn } = deployment()
      const other = await signIn()
      pass(60)
      const browser = await signIn()
      const html = await (await browser.get(`/auth/account/${section}`)).text()
      expect(html).toContain(others)
      const answer = await press(browser, html, 'Sign out everywhere else')
      expect(locationOf(answer)).toBe(`${origin}/auth/account/${section}`)
      expect(await browser.session()).not.toBeNull()
      expect((await other.get('/auth/account')).status).toBe(302)
      // A change needs a sign-in of the last five minutes.
      pass(301)
      expect(await (await browser.get(`/auth/account/${section}`)).text()).not.toContain(others)
    },
  )

  it('the page of the sessions offers it', async () => {
    const { signIn } = deployment()
    await signIn()
    pass(60)
    const browser = await signIn()
    expect(await devices(browser)).toContain(others)
  })
})
