import { describe, expect, it, vi } from 'vitest'
import email from '../../providers/email.js'
import { Browser, configWith, locationOf, origin } from '../../test-support/browser.js'
import type { AuthConfig, EmailUserConfig, VerificationRequest } from '../../types.js'

/** A deployment whose mails are recorded. */
function withMail(options: EmailUserConfig = {}, changes: Partial<AuthConfig> = {}) {
  const mails: VerificationRequest[] = []
  const provider = email({
    from: 'Example <sign-in@example.com>',
    sendVerificationRequest: (request) => void mails.push(request),
    ...options,
  })
  const config = configWith({ providers: [provider], ...changes })
  const browser = () => new Browser(config)
  const ask = async (where = browser(), address = 'ada@example.com', callbackUrl = '/inbox') => {
    const answer = await where.submit('/auth/signin/email', { email: address, callbackUrl })
    const mail = mails.at(-1)
    const path = mail?.url.slice(origin.length)
    const flow = new URL(locationOf(answer), origin).searchParams.get('flow') ?? ''
    return { answer, browser: where, mail, path: path ?? '', code: mail?.code ?? '', flow }
  }
  return { mails, config, browser, ask }
}

const tokenOf = (path: string) => new URL(path, origin).searchParams.get('token') ?? ''

describe('a sign-in mail', () => {
  it('has a link that signs in at once in the browser that asked for it', async () => {
    const { ask, mails } = withMail()
    const { answer, browser, path } = await ask()
    expect(answer.status).toBe(302)
    expect(locationOf(answer)).toMatch(/\/auth\/verify-request\?provider=email&flow=/)
    expect(mails).toHaveLength(1)
    const back = await browser.get(path)
    expect([back.status, locationOf(back)]).toEqual([302, `${origin}/inbox`])
    expect((await browser.session())?.user).toMatchObject({ email: 'ada@example.com' })
    expect([...browser.jar.keys()].filter((name) => name.includes('flow'))).toEqual([])
  })

  it('asks first in any other browser, names the address, and signs in when that is confirmed', async () => {
    const { ask, browser } = withMail()
    const { path } = await ask()
    const other = browser()
    const page = await other.get(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('ada@example.com')
    expect(await other.session()).toBeNull()
    const back = await other.submit('/auth/callback/email', { token: tokenOf(path) })
    expect(locationOf(back)).toBe(`${origin}/inbox`)
    expect((await other.session())?.user?.email).toBe('ada@example.com')
  })

  it('has a code for the page that it was asked from', async () => {
    const { ask } = withMail()
    const { browser, code, flow } = await ask()
    expect(code).toMatch(/^\d{6}$/)
    const page = await browser.get(`/auth/verify-request?provider=email&flow=${flow}`)
    expect(await page.text()).toContain('ada@example.com')
    const back = await browser.submit('/auth/callback/email', { flow, code })
    expect(locationOf(back)).toBe(`${origin}/inbox`)
    expect((await browser.session())?.user?.email).toBe('ada@example.com')
  })
})

describe('requests that no person made', () => {
  it('a mail scanner may open the link as often as it likes, by GET and by HEAD', async () => {
    const { ask, browser } = withMail()
    const { path, browser: asking } = await ask()
    const scanner = browser()
    for (let count = 0; count < 20; count++) {
      expect((await scanner.get(path)).status).toBe(200)
      expect((await scanner.send(path, { method: 'HEAD' })).status).toBe(200)
      expect((await asking.send(path, { method: 'HEAD' })).status).toBe(200)
    }
    expect(await scanner.session()).toBeNull()
    expect(await asking.session()).toBeNull()
    expect(locationOf(await asking.get(path))).toBe(`${origin}/inbox`)
  })

  it.each([
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])('a browser that prefetches does not sign in: %o', async (headers) => {
    const { ask } = withMail()
    const { path, browser } = await ask()
    const page = await browser.get(path, headers as Record<string, string>)
    expect(page.status).toBe(200)
    expect(await browser.session()).toBeNull()
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
  })
})

describe('exactly once', () => {
  it('fifty redemptions at once, by link, by confirmation and by code, give one session', async () => {
    const { ask, config } = withMail()
    const put = vi.spyOn(config.store?.sessions ?? ({} as never), 'put')
    const { browser, path, code, flow } = await ask()
    const csrfToken = await browser.csrfToken()
    const cookie = browser.cookie
    const tries = Array.from({ length: 50 }, (_, at) => {
      const each = new Browser(config)
      if (at % 3 === 0) return each.send(path, { headers: { cookie } })
      const fields = at % 3 === 1 ? { token: tokenOf(path) } : { flow, code }
      return each.post('/auth/callback/email', { csrfToken, ...fields }, { cookie })
    })
    const answers = await Promise.all(tries)
    expect(answers.filter((answer) => locationOf(answer) === `${origin}/inbox`)).toHaveLength(1)
    expect(put).toHaveBeenCalledTimes(1)
  })
})

describe('if the app decides which addresses may sign in', () => {
  const onlyAda = {
    signIn: ({ user }: { user: { email?: string | null } }) => user.email === 'ada@example.com',
  }

  it('a slow mail does not change the time of the answer, and works when it arrives', async () => {
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const mails: VerificationRequest[] = []
    const { ask, browser } = withMail(
      {
        async sendVerificationRequest(request) {
          await slow
          mails.push(request)
        },
      },
      { callbacks: onlyAda },
    )
    // The answer comes although nothing was sent, as for a refused address.
    const [welcome, refused] = await Promise.all([
      ask(browser()),
      ask(browser(), 'eve@example.com'),
    ])
    expect(locationOf(welcome.answer)).toContain('/auth/verify-request?')
    expect(locationOf(refused.answer)).toContain('/auth/verify-request?')
    release()
    await expect.poll(() => mails).toHaveLength(1)
    const back = await welcome.browser.get(mails[0]?.url.slice(origin.length) ?? '')
    expect(locationOf(back)).toBe(`${origin}/inbox`)
  })

  it('a mail that fails after the answer is logged, and neither link nor code works', async () => {
    let fail = () => {}
    const broken = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('no route'))
    })
    let url = ''
    const errors: Error[] = []
    const { ask, browser } = withMail(
      {
        async sendVerificationRequest(request) {
          url = request.url
          await broken
        },
      },
      { callbacks: onlyAda, logger: { error: (error) => void errors.push(error) } },
    )
    const { answer, browser: asking } = await ask(browser())
    expect(locationOf(answer)).toContain('/auth/verify-request?')
    fail()
    await expect.poll(() => errors.map(({ name }) => name)).toEqual(['EmailNotSent'])
    const back = await asking.get(url.slice(origin.length))
    expect(new URL(locationOf(back)).search).toBe('?error=Verification')
  })
})
