import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import {
  copyOf,
  errorOf,
  fakeProvider,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { mailProvider, withMail } from '../../test-support/email.js'
import type { VerificationRequest } from '../../types.js'

const { pass } = clock({ timers: true })

const ended = '/auth/error Verification'
const flowNames = (jar: Map<string, string>) =>
  [...jar.keys()].filter((name) => name.startsWith('auth.flow.'))

describe('login CSRF: an attacker’s link in the victim’s browser', () => {
  it('shows its address and signs no user in, also beside the victim’s own flow', async () => {
    const { ask, browser } = withMail()
    const attack = await ask('eve@example.com')
    const victim = browser()
    await ask('ada@example.com', victim)
    const page = await victim.get(attack.path)
    expect([page.status, setsSession(page)]).toEqual([200, false])
    expect(await page.text()).toContain('<strong>eve@example.com</strong>')
    expect(await victim.session()).toBeNull()
    expect(flowNames(victim.jar)).toHaveLength(1)
  })

  it('does not end the session that the victim has', async () => {
    const { ask, browser } = withMail()
    const victim = browser()
    await victim.get((await ask('ada@example.com', victim)).path)
    const attack = await ask('eve@example.com')
    await victim.get(attack.path)
    expect((await victim.session())?.user?.email).toBe('ada@example.com')
  })

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a sibling host', { origin: 'https://sub.localhost', 'sec-fetch-site': 'same-site' }],
    ['an old browser, which sends Origin alone', { origin: 'https://evil.example' }],
  ])(
    'a form that %s posts confirms nothing, with the victim’s csrf token too',
    async (_, headers) => {
      const { ask, browser } = withMail()
      const { token, browser: asking } = await ask('eve@example.com')
      const victim = browser()
      const answer = await victim.submit('/auth/callback/email', { token }, headers)
      expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
      expect(await victim.session()).toBeNull()
      const own = await asking.submit('/auth/callback/email', { token })
      expect(setsSession(own)).toBe(true)
    },
  )

  it('a form without the csrf token, or with the attacker’s, confirms nothing', async () => {
    const { ask, browser } = withMail()
    const { token, browser: eve } = await ask('eve@example.com')
    const foreign = await eve.csrfToken()
    const victim = browser()
    await victim.csrfToken()
    for (const fields of [{ token }, { token, csrfToken: '' }, { token, csrfToken: foreign }]) {
      const answer = await victim.post('/auth/callback/email', fields)
      expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
    }
    expect(await victim.session()).toBeNull()
  })

  it('the page cannot be framed, scripted, stored, or revealed to another site', async () => {
    const { ask, browser } = withMail()
    const { path } = await ask('eve@example.com')
    const { headers } = await browser().get(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('script-src')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('referrer-policy')).toBe('strict-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  it('a confirmation by hand switches the session and ends the one before', async () => {
    const { ask, browser, store } = withMail()
    const victim = browser()
    await victim.get((await ask('ada@example.com', victim)).path)
    const revoke = vi.spyOn(store.ledger, 'revoke')
    const { token } = await ask('eve@example.com')
    await victim.submit('/auth/callback/email', { token })
    expect((await victim.session())?.user?.email).toBe('eve@example.com')
    expect(revoke).toHaveBeenCalledTimes(1)
  })
})

describe('the flow cookie that lets a link work with one click', () => {
  const confirmed = async (
    change: (jar: Map<string, string>, asked: { flow: string }) => void,
    providers?: (mails: VerificationRequest[]) => ReturnType<typeof mailProvider>[],
  ) => {
    const made = withMail()
    const asked = await made.ask()
    const other = providers
      ? withMail({}, { store: made.store, providers: providers(made.mails) })
      : made
    const browser = other.browser()
    for (const [name, value] of asked.browser.jar) browser.jar.set(name, value)
    change(browser.jar, asked)
    const answer = await browser.get(asked.path)
    return [answer.status, setsSession(answer)]
  }

  it('belongs to the request that the mail was sent for', async () => {
    const { ask, browser } = withMail()
    const victim = await ask('ada@example.com')
    const eve = browser()
    await ask('eve@example.com', eve)
    const page = await eve.get(victim.path)
    expect([page.status, setsSession(page)]).toEqual([200, false])
  })

  it('from an older request does not suffice, even with the same browser and address', async () => {
    const { ask } = withMail()
    const first = await ask()
    const { cookie } = first.browser
    const second = await ask('ada@example.com', first.browser)
    const page = await first.browser.get(second.path, { cookie })
    expect([page.status, setsSession(page)]).toEqual([200, false])
  })

  it('is refused when it was renamed to fit', async () => {
    const { ask, browser } = withMail()
    const victim = await ask('ada@example.com')
    const eve = await ask('eve@example.com')
    const again = browser()
    again.jar.set(`auth.flow.${victim.flow}`, eve.browser.jar.get(`auth.flow.${eve.flow}`) ?? '')
    const page = await again.get(victim.path)
    expect([page.status, setsSession(page)]).toEqual([200, false])
  })

  it.each<[string, (value: string) => string]>([
    ['empty', () => ''],
    ['cut short', (value) => value.slice(0, -1)],
    ['longer', (value) => `${value}A`],
    ['changed', (value) => value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41)],
    ['turned round', (value) => value.split('.').reverse().join('.')],
    ['another text', () => 'x'.repeat(400)],
    ['percent signs', () => '%%%'],
    ['a key’s id alone', (value) => `${value.split('.')[0]}.`],
  ])('%s counts as absent', async (_, damage) => {
    const change = (jar: Map<string, string>, { flow }: { flow: string }) =>
      jar.set(`auth.flow.${flow}`, damage(jar.get(`auth.flow.${flow}`) ?? ''))
    expect(await confirmed((jar, asked) => void change(jar, asked))).toEqual([200, false])
  })

  it('suffices when unchanged, so the refusals above have their cause in the change', async () => {
    expect(await confirmed(() => {})).toEqual([302, true])
  })

  it('a flow of an OAuth provider opens no link', async () => {
    const mails: VerificationRequest[] = []
    const { ask, browser } = withMail({}, { providers: [mailProvider(mails), fakeProvider()] })
    await ask()
    const { pathname, search } = new URL(mails[0]?.url ?? '')
    const eve = browser()
    const state = (await eve.start('fake')).searchParams.get('state')
    expect((await eve.get(pathname + search)).status).toBe(200)
    expect(await eve.session()).toBeNull()
    // A flow of a mail finishes no OAuth sign-in either.
    const asking = await ask('ada@example.com', browser())
    const back = await asking.browser.get(`/auth/callback/fake?code=c&state=${asking.flow}.x`)
    expect(errorOf(back)).toBe('/auth/signin InvalidCheck')
    expect(state).not.toBeNull()
  })

  it('is removed when its link has signed in, and the oldest of too many as well', async () => {
    const { ask, browser } = withMail()
    const where = browser()
    const asked = [] as Awaited<ReturnType<typeof ask>>[]
    for (let count = 0; count < 7; count++) {
      pass(1)
      asked.push(await ask(`p${count}@example.com`, where))
    }
    expect(flowNames(where.jar)).toHaveLength(5)
    const [oldest, newest] = [asked[0], asked[6]]
    expect((await where.get(oldest?.path ?? '')).status).toBe(200)
    expect((await where.get(newest?.path ?? '')).status).toBe(302)
    expect(flowNames(where.jar)).toHaveLength(4)
  })
})

describe('an invalid link', () => {
  it.each<[string, (token: string) => string]>([
    ['empty', () => ''],
    ['of another address', (token) => `${'A'.repeat(22)}.${token.split('.')[1]}`],
    ['without its address', (token) => token.split('.')[1] ?? ''],
    ['without its secret', (token) => `${token.split('.')[0]}.`],
    ['cut short', (token) => token.slice(0, -1)],
    ['longer', (token) => `${token}A`],
    ['in other letters', (token) => token.toLowerCase()],
    ['with a space', (token) => `${token} `],
    ['with a line break', (token) => `${token}\n`],
    ['with padding', (token) => `${token}=`],
    ['twice', (token) => `${token}.${token}`],
    ['huge', (token) => token + 'A'.repeat(10_000)],
    ['a name of every object', () => '__proto__.constructor'],
    ['SQL', (token) => `${token}' OR 1=1 --`],
  ])('%s: it does not work, by GET and POST, and nothing is used up', async (_, damage) => {
    const { ask } = withMail()
    const { token, path, browser } = await ask()
    const damaged = damage(token)
    const query = new URLSearchParams({ token: damaged })
    expect(errorOf(await browser.get(`/auth/callback/email?${query}`))).toBe(ended)
    expect(errorOf(await browser.submit('/auth/callback/email', { token: damaged }))).toBe(ended)
    expect(await browser.session()).toBeNull()
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
  })

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['Purpose', 'Prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])(
    'a prefetch (%s: %s) gets the confirmation page, also in the browser with the flow',
    async (name, value) => {
      const { ask } = withMail()
      const { path, browser } = await ask()
      const page = await browser.get(path, { [name]: value })
      expect([page.status, setsSession(page)]).toEqual([200, false])
      expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
    },
  )

  it('no token, or another method, causes no failure and no sign-in', async () => {
    const { ask } = withMail()
    const { path, browser } = await ask()
    expect(errorOf(await browser.get('/auth/callback/email'))).toBe(ended)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await browser.send(path, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    }
    const head = await browser.send(path, { method: 'HEAD' })
    expect([head.status, head.headers.getSetCookie(), await head.text()]).toEqual([200, [], ''])
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
  })
})

describe('the target of a link', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'https://localhost:8787@evil.example/',
    'http://localhost:8787.evil.example/',
    '/\t/evil.example',
    'data:text/html,x',
  ])('is not %s when a form asks for that', async (callbackUrl) => {
    const { ask, browser, mails } = withMail()
    const {
      path,
      browser: asking,
      token,
    } = await ask('ada@example.com', browser(), { callbackUrl })
    const page = await browser().get(path)
    expect(await page.text()).not.toContain('evil')
    // The confirmation and the link's query cannot change the target either.
    const other = browser()
    const back = await other.submit('/auth/callback/email', { token, callbackUrl })
    expect(locationOf(back)).toBe(`${origin}/`)
    const again = await ask('ada@example.com', asking, { callbackUrl })
    const query = `&callbackUrl=${encodeURIComponent(callbackUrl)}`
    const headers = { referer: 'https://evil.example/' }
    expect(locationOf(await asking.get(again.path + query, headers))).toBe(`${origin}/`)
    expect(mails.some(({ mail }) => mail.text.includes('evil'))).toBe(false)
  })

  it('is sealed, and cannot be changed afterwards', async () => {
    const { ask, browser } = withMail()
    const { token, flow, code, browser: asking } = await ask()
    const page = await browser().get(`/auth/callback/email?token=${token}&callbackUrl=/elsewhere`)
    expect(await page.text()).not.toContain('elsewhere')
    const fields = { flow, code, callbackUrl: '/elsewhere' }
    const back = await asking.submit('/auth/callback/email?callbackUrl=/elsewhere', fields)
    expect(locationOf(back)).toBe(`${origin}/inbox`)
  })

  it('open redirect: it is checked again, also by rules that are newer than the mail', async () => {
    const { store, config, ask } = withMail({}, { trustedOrigins: ['https://old.example'] })
    const { browser, path } = await ask('ada@example.com', undefined, {
      callbackUrl: 'https://old.example/inbox',
    })
    const later = copyOf(browser, { ...config, store, trustedOrigins: [] })
    expect(locationOf(await later.get(path))).toBe(`${origin}/`)
  })
})

describe('hostile values in the page and in the mail', () => {
  it('a device, a place and a theme are text', async () => {
    const hostile = '"><img src=x onerror=alert(1)>\r\nBcc: eve@example.com'
    const theme = { brandColor: '#000;}</style><script>', logo: 'javascript:alert(1)' }
    const { ask, browser, answer } = withMail({}, { theme })
    const asking = browser({ 'user-agent': hostile.replace(/[\r\n]/g, ' ') })
    const { mail, path } = await ask('ada@example.com', asking)
    const request = new Request(origin + path)
    Object.assign(request, { cf: { city: hostile, country: '<script>' } })
    const pages = [mail?.mail.html ?? '', await (await answer(request)).text()]
    for (const page of pages) {
      expect(page).not.toMatch(/<img src=x|<script|javascript:/)
    }
    const { subject = '', from = '', to = '' } = mail?.mail ?? {}
    for (const header of [subject, from, to]) expect(header).not.toMatch(/[\r\n]/)
  })

  it('a place from Cloudflare is shown as text on the page of the link', async () => {
    const { answer, mails, browser } = withMail()
    const asking = browser()
    const csrfToken = await asking.csrfToken()
    const request = new Request(`${origin}/auth/signin/email`, {
      method: 'POST',
      headers: { cookie: asking.cookie },
      body: new URLSearchParams({ csrfToken, email: 'ada@example.com' }),
    })
    const cf = { city: '<b>Paris</b>', country: 'FR"><script>' }
    await answer(Object.assign(request, { cf }))
    const { pathname, search } = new URL(mails[0]?.url ?? '')
    const page = await (await browser().get(pathname + search)).text()
    expect(page).toContain('&lt;b&gt;Paris')
    expect(page).not.toMatch(/<b>Paris|<script/)
    expect(mails[0]?.mail.html).not.toMatch(/<b>Paris|<script/)
  })
})
