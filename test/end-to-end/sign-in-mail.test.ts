import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Auth } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { AuthConfig, SignInMail } from '@latchkey/worker/types'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startWranglerDev } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { picture } from '../support/look.ts'

const SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0'
const LOGO = 'https://cdn.example.com/logo.svg'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})

afterAll(() => browser?.close())

interface Asked {
  readonly mail: SignInMail
  /** The service that sent it. */
  readonly ask: (request: Request) => Promise<Response>
}

const HERE = { city: 'São Paulo', country: 'BR' }

/** The mail of a sign-in that was asked for with this theme, at this origin, on this device. */
async function askForMail(
  theme: AuthConfig['theme'] = {},
  {
    origin = 'https://app.example.com',
    ...device
  }: Parameters<typeof postAddress>[2] & {
    origin?: string
  } = HERE,
): Promise<Asked> {
  const sent: SignInMail[] = []
  const provider = email({
    from: 'Example <sign-in@example.com>',
    sendVerificationRequest: ({ mail }) => void sent.push(mail),
  })
  const store = memoryStore()
  const named = { basePath: '/auth', trustedOrigins: [origin] }
  const config = { providers: [provider], ...named, secret: SECRET, theme, store }
  const ask = (request: Request) => Auth(request, config)
  await postAddress(ask, origin, device)
  expect(sent).toHaveLength(1)
  return { mail: sent[0] as SignInMail, ask }
}

/** Opens the HTML as a mail program does: loads pictures, runs no script. */
async function open(html: string, answer?: (route: Route) => Promise<void>) {
  const context = await browser.newContext({ javaScriptEnabled: false, deviceScaleFactor: 2 })
  const page = await context.newPage()
  const requests: string[] = []
  await context.route('**', async (route) => {
    requests.push(route.request().url())
    await (answer ? answer(route) : route.abort())
  })
  await page.setContent(html)
  return { page, requests }
}

/** In both schemes, large and small, it fits into its window. */
async function fits(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [600, 390]) {
      await page.setViewportSize({ width, height: 844 })
      const [needed, given] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return [scrollWidth, clientWidth]
      })
      expect(needed, `${name} ${colorScheme} ${width}`).toBeLessThanOrEqual(given as number)
      await picture(page, `mail-${name}-${width}-${colorScheme}`)
    }
  }
}

describe('the sign-in mail in a browser', () => {
  test('loads nothing, and follows the reader’s color scheme', async () => {
    const { mail } = await askForMail()
    const { page, requests } = await open(mail.html)
    await fits(page, 'plain')
    expect(requests).toEqual([])
    const colors = () =>
      page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await colors()).toBe('rgb(243, 244, 247)')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colors()).toBe('rgb(15, 17, 21)')
  })

  test('begins with a preview text, which is hidden in the mail itself', async () => {
    const { mail } = await askForMail()
    const { page } = await open(mail.html)
    const preview = page.getByText('Requested from: Firefox on Windows, São Paulo, BR. Sign in')
    expect(await preview.isVisible()).toBe(false)
    expect(await page.getByText('Requested from: Firefox on Windows, São Paulo, BR').count()).toBe(
      2,
    )
  })

  test('asks for the operator’s logo and nothing else, and can be read without it', async () => {
    const { mail } = await askForMail({ logo: LOGO, brandColor: '#ffcc00' })
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect width="900" height="300" rx="60" fill="#c09000"/></svg>`
    const shown = await open(mail.html, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: svg }),
    )
    await fits(shown.page, 'brand')
    expect(new Set(shown.requests)).toEqual(new Set([LOGO]))
    const blocked = await open(mail.html)
    await fits(blocked.page, 'brand-blocked')
    expect(await blocked.page.getByRole('img', { name: 'app.example.com' }).count()).toBe(1)
  })

  test('keeps its layout with any values', async () => {
    const label = 'a'.repeat(60)
    const { mail } = await askForMail(
      { logo: 'https://cdn.example.com/"onerror="alert(1)', brandColor: '#fff;}' },
      {
        origin: `https://${label}.${label}.${label}.example.com:8443`,
        userAgent: '"><script>document.title="hacked"</script>',
        city: `<img src="https://evil.example/x.png"> ${'z'.repeat(200)}`,
        country: 'https://evil.example/login',
      },
    )
    const { page, requests } = await open(mail.html)
    await fits(page, 'hostile')
    expect(requests.filter((url) => !url.startsWith('https://cdn.example.com/'))).toEqual([])
    expect(await page.locator('script').count()).toBe(0)
    const hosts = await page
      .locator('a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).host))
    expect(hosts).toEqual(Array(2).fill(`${label}.${label}.${label}.example.com:8443`))
  })

  test('its button opens the page that asks first, and that page signs in', async () => {
    const { mail, ask } = await askForMail()
    const { page } = await open(mail.html, async (route) => {
      const request = route.request()
      const method = request.method()
      const headers = await request.allHeaders()
      const body = method === 'POST' ? (request.postData() ?? '') : null
      const http = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
      const answer = await ask(new Request(request.url(), { method, headers: http, body }))
      await route.fulfill({
        status: answer.status,
        headers: {
          ...Object.fromEntries(answer.headers),
          // Playwright takes several headers of one name in this form.
          'set-cookie': answer.headers.getSetCookie().join('\n'),
        },
        body: await answer.text(),
      })
    })
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    expect(page.url()).toMatch(/^https:\/\/app\.example\.com\/auth\/callback\/email\?token=/)
    expect(await page.textContent('body')).toContain('ada@mail.example')
    await page.getByRole('button').first().click()
    const session = async () => {
      const cookies = await page.context().cookies()
      return cookies.some(({ name }) => name === '__Host-auth.session-token')
    }
    await expect.poll(session).toBe(true)
  })

  test('selecting the code selects its six digits and nothing else', async () => {
    const { mail } = await askForMail()
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.setContent(mail.html)
    await page.getByText(/^\d{3}$/).click()
    const selected = await page.evaluate(() => String(getSelection()))
    expect(selected.trim()).toBe(/^\d{6}$/m.exec(mail.text)?.[0])
  })
})

test('the shipped Worker sends the mail with both parts through its binding', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-mail-'))
  const envFile = join(dir, '.dev.vars')
  await writeFile(envFile, '')
  const lines: string[] = []
  const worker = await startWranglerDev({
    name: 'Worker',
    port: await freePort(),
    persistTo: dir,
    envFile,
    vars: { AUTH_SECRET: SECRET, AUTH_EMAIL_FROM: 'Example, Inc. <sign-in@example.com>' },
    onLine: (line) => void lines.push(line),
  })
  try {
    const { host } = new URL(worker.url)
    const answer = await postAddress((request) => fetch(request), worker.url)
    expect(answer.headers.get('location')).toContain('/auth/verify-request')
    // The binding of `wrangler dev` keeps each part in a file and names them.
    await expect.poll(() => lines.join('\n')).toMatch(/^HTML: /m)
    const log = lines.join('\n')
    expect(log).toMatch(
      new RegExp(
        `From: "Example, Inc\\." <sign-in@example\\.com>\nTo: ada@mail\\.example\nSubject: Sign in to ${host} · [A-Z]{4}\n`,
      ),
    )
    const [text, html] = await Promise.all(
      ['Text', 'HTML'].map((part) =>
        readFile(new RegExp(`^${part}: (.*)$`, 'm').exec(log)?.[1] ?? '', 'utf8'),
      ),
    )
    const { page, requests } = await open(html ?? '')
    const link = page.getByRole('link', { name: 'Sign in', exact: true })
    expect(text).toContain(`\n${await link.getAttribute('href')}\n`)
    expect(await page.getByRole('heading').textContent()).toBe(`Sign in to ${host}`)
    expect(requests).toEqual([])
  } finally {
    await worker.stop()
    await rm(dir, { recursive: true, force: true })
  }
})

/** Types an address into the sign-in page and submits it. */
async function postAddress(
  ask: (request: Request) => Promise<Response>,
  origin: string,
  { userAgent = FIREFOX, ...cf }: { userAgent?: string; city?: string; country?: string } = {},
): Promise<Response> {
  const csrf = await ask(new Request(`${origin}/auth/csrf`))
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const request = new Request(`${origin}/auth/signin/email`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'user-agent': userAgent },
    body: new URLSearchParams({ csrfToken, email: 'ada@mail.example' }),
  })
  return ask(Object.assign(request, { cf }))
}
