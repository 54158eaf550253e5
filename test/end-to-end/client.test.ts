import type { Client } from '@latchkey/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AppProps } from '../client/app.js'
import type { Latchkey } from '../client/entry.js'
import { FIRST_SECRET, type StartedApp, startApp } from '../client/start-app.js'
import { watch } from '../passkeys/person.js'
import { launchBrowser } from '../support/browser.js'
import { addAuthenticator } from '../support/virtual-authenticator.js'

/** The client and React in Chromium, in StrictMode, below a strict Content-Security-Policy. */
declare const latchkey: Latchkey
declare const update: Client['update']

let browser: Browser
let app: StartedApp
let context: BrowserContext

beforeAll(async () => {
  const started = startApp()
  browser = await launchBrowser()
  app = await started
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((one) => one.close()))
  app.replace(undefined)
  app.rotate(FIRST_SECRET)
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

/** A tab, the paths below `/auth` that it asks for, and what goes wrong in it. */
async function openTab(props: AppProps = {}, name?: string) {
  context = browser.contexts()[0] ?? (await browser.newContext())
  if (name !== undefined) await enter(name)
  const page = await context.newPage()
  const wrong = await watch(page)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/auth/') || pathname.endsWith('passkey.js')) asked.push(pathname)
  })
  return { page, wrong, asked, load: () => page.goto(urlOf(props)) }
}

const urlOf = (props: AppProps) => `${app.url}/?props=${encodeURIComponent(JSON.stringify(props))}`

/** Signs in without a page. */
async function enter(name: string): Promise<void> {
  const { csrfToken } = await (await context.request.get(`${app.url}/auth/csrf`)).json()
  await context.request.post(`${app.url}/auth/callback/password`, {
    form: { csrfToken, name, password: 'lovelace' },
  })
}

const uses = (page: Page) => page.locator('li').allTextContents()

/** Waits until a page shows a text, and no other, wherever it uses the session. */
async function shows(page: Page, text: string): Promise<void> {
  await expect.poll(async () => new Set(await uses(page))).toEqual(new Set([text]))
}

/** The user returns to the tab. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
}

/** Holds the service's answer to the next request back. */
function holdAnswer() {
  let release = (_: Response) => {}
  const answer = new Promise<Response>((resolve) => {
    release = resolve
  })
  const came = new Promise<void>((resolve) =>
    app.replace(() => {
      resolve()
      return answer
    }),
  )
  return { came, release }
}

const signIn = (page: Page, name: string) =>
  page.evaluate(
    (name) => latchkey.signIn('password', { name, password: 'lovelace', redirect: false }),
    name,
  )
const signOut = (page: Page) => page.evaluate(() => latchkey.signOut({ redirect: false }))

/** A later render of the server, with another user. */
const render = (page: Page, name: string) =>
  page.evaluate(
    (name) => latchkey.render({ hasProvider: true, session: { user: { name }, expires: '' } }),
    name,
  )

describe('the examples of the documentation', () => {
  test('the first shows the user', async () => {
    const { page, wrong } = await openTab({}, 'Ada')
    const printed: string[] = []
    page.on('console', (message) => printed.push(message.text()))
    await page.goto(`${app.url}/example/plain`)
    await expect.poll(() => printed).toContain('Hello Ada')
    expect(wrong).toEqual([])
  })

  test.each(['react', 'react18'])(
    'that of %s shows the user, and its button signs out',
    async (name) => {
      const { page, wrong } = await openTab({}, 'Ada')
      await page.goto(`${app.url}/example/${name}`)
      await page.getByRole('button', { name: 'Sign out, Ada' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(wrong).toEqual([])
    },
  )
})

describe('the first page', () => {
  test('has the server’s session in its HTML, and hydration changes and asks nothing', async () => {
    const { page, wrong, asked, load } = await openTab({ hasProvider: true, uses: 3 }, 'Ada')
    const answer = await load()
    expect(await answer?.text()).toContain('<li>Hello Ada</li>'.repeat(3))
    await page.waitForFunction(() => 'latchkey' in globalThis)
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
    await shows(page, 'Hello Ada')
    expect(asked).toEqual([])
    expect(wrong).toEqual([])
  })

  test('without a provider makes one request for all uses, and shows that it loads until then', async () => {
    const { page, wrong, asked, load } = await openTab({ uses: 12 }, 'Ada')
    const answer = await load()
    expect(await answer?.text()).toContain('<li>loading</li>'.repeat(12))
    await shows(page, 'Hello Ada')
    expect(asked).toEqual(['/auth/session'])
    expect(wrong).toEqual([])
  })

  test('shows a later session of the server, and an equal one does not bring back a user that signed out', async () => {
    const { page, wrong, load } = await openTab({ hasProvider: true }, 'Ada')
    await load()
    await render(page, 'Bob')
    await shows(page, 'Hello Bob')
    await signOut(page)
    await shows(page, 'unauthenticated')
    await render(page, 'Bob')
    await shows(page, 'unauthenticated')
    await signIn(page, 'Eve')
    await shows(page, 'Hello Eve')
    expect(wrong).toEqual([])
  })
})

describe('a page for users alone', () => {
  test('opens the sign-in page, which leads back', async () => {
    const { page, wrong, load } = await openTab({ required: 'sign-in' })
    await load()
    await page.waitForURL(/\/auth\/signin\?/)
    expect(new URL(page.url()).searchParams.get('callbackUrl')).toBe(urlOf({ required: 'sign-in' }))
    expect(wrong).toEqual([])
  })

  test('calls onUnauthenticated once for each end of a session, and is loading meanwhile', async () => {
    const { page, load } = await openTab({ required: 'callback', hasProvider: true })
    await load()
    const calls = () => page.evaluate(() => latchkey.calls.length)
    await expect.poll(calls).toBe(1)
    expect(await page.locator('main').textContent()).toBe('loading')
    await signIn(page, 'Ada')
    await page.getByText('Members, such as Ada').waitFor()
    expect(await calls()).toBe(1)
    await signOut(page)
    await expect.poll(calls).toBe(2)
  })
})

describe('other tabs', () => {
  test('twenty show a sign-out of one, by one request each', async () => {
    const first = await openTab({}, 'Ada')
    await first.load()
    const others = await Promise.all(Array.from({ length: 19 }, () => openTab()))
    await Promise.all(others.map(({ load }) => load()))
    await Promise.all(others.map(({ page }) => shows(page, 'Hello Ada')))
    for (const { asked } of others) asked.length = 0
    await signOut(first.page)
    await Promise.all(others.map(({ page }) => shows(page, 'unauthenticated')))
    for (const { asked, wrong } of others) {
      expect(asked).toEqual(['/auth/session'])
      expect(wrong).toEqual([])
    }
  })

  test('show the user that signed in last, and not the one before', async () => {
    const [one, other] = [await openTab({ hasProvider: true }, 'Ada'), await openTab()]
    await Promise.all([one.load(), other.load()])
    await shows(other.page, 'Hello Ada')
    await signOut(one.page)
    await shows(other.page, 'unauthenticated')
    await signIn(other.page, 'Bob')
    await shows(one.page, 'Hello Bob')
    await shows(other.page, 'Hello Bob')
  })

  test('show what an update changes', async () => {
    const [one, other] = [await openTab({ hasProvider: true }, 'Ada'), await openTab()]
    await Promise.all([one.load(), other.load()])
    await shows(other.page, 'Hello Ada')
    const updated = await one.page.evaluate(() => update({ name: 'Countess' }))
    expect(updated).toMatchObject({ user: { name: 'Countess' } })
    await shows(one.page, 'Hello Countess')
    await shows(other.page, 'Hello Countess')
    expect(one.asked).toEqual(['/auth/csrf', '/auth/session'])
  })

  test('a form’s sign-out is shown when the user returns, also by the back button', async () => {
    const { page, asked, load } = await openTab({ hasProvider: true }, 'Ada')
    await load()
    await context.clearCookies()
    await page.evaluate(
      () => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    )
    await shows(page, 'unauthenticated')
    expect(asked).toEqual(['/auth/session'])
  })

  test('are left out if storage and BroadcastChannel are forbidden', async () => {
    const { page, wrong, load } = await openTab()
    await page.addInitScript(() => {
      const forbidden = () => {
        throw new DOMException('Forbidden.', 'SecurityError')
      }
      Object.defineProperty(globalThis, 'BroadcastChannel', {
        value: new Proxy(BroadcastChannel, { construct: forbidden }),
      })
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
        Object.defineProperty(globalThis, name, { get: forbidden })
      }
    })
    await load()
    await shows(page, 'unauthenticated')
    expect(await signIn(page, 'Ada')).toMatchObject({ ok: true })
    await shows(page, 'Hello Ada')
    expect(await signOut(page)).toMatchObject({ ok: true })
    await shows(page, 'unauthenticated')
    expect(wrong).toEqual([])
  })
})

describe('bad luck', () => {
  test.each<[string, string, number]>([
    ['fails', '<h1>Bad gateway</h1>', 502],
    ['is hidden by a hotel’s network', '<h1>Welcome</h1>', 200],
  ])(
    'a service that %s signs nobody out, and is asked again at the next return',
    async (_, text, status) => {
      const { page, wrong, load } = await openTab({}, 'Ada')
      await load()
      await shows(page, 'Hello Ada')
      app.replace(() => new Response(text, { status }))
      await comeBack(page)
      const asking = page.evaluate(() => latchkey.getSession().catch(({ type }) => type))
      expect(await asking).toBe('Unavailable')
      await shows(page, 'Hello Ada')
      app.replace(undefined)
      await context.clearCookies()
      await comeBack(page)
      await shows(page, 'unauthenticated')
      expect(wrong).toEqual([])
    },
  )

  test('a slow service is asked once, however often the user returns, and its answer counts', async () => {
    const { page, asked, load } = await openTab({ hasProvider: true }, 'Ada')
    await load()
    const held = holdAnswer()
    for (let times = 0; times < 3; times++) await comeBack(page)
    await held.came
    await shows(page, 'Hello Ada')
    held.release(Response.json(null))
    await shows(page, 'unauthenticated')
    expect(asked).toHaveLength(1)
  })

  test('an answer from before a later render of the server does not take its place', async () => {
    const { page, load } = await openTab({ hasProvider: true }, 'Ada')
    await load()
    const held = holdAnswer()
    const asking = page.evaluate(() => latchkey.getSession())
    await held.came
    await render(page, 'Bob')
    held.release(Response.json(null))
    await asking
    await shows(page, 'Hello Bob')
  })

  test('a rotation of the secret signs nobody out, and the end of the old secret does', async () => {
    const { page, load } = await openTab({}, 'Ada')
    await load()
    await shows(page, 'Hello Ada')
    app.rotate('a-new-secret-of-the-tests-0123456789abc', FIRST_SECRET)
    expect(await page.evaluate(() => latchkey.getSession())).toMatchObject({
      user: { name: 'Ada' },
    })
    await context.clearCookies()
    await enter('Bob')
    app.rotate('another-secret-of-the-tests-0123456789ab')
    await comeBack(page)
    await shows(page, 'unauthenticated')
  })

  test.each(['1999-01-01', '2060-01-01'])(
    'a browser’s clock that says %s changes nothing',
    async (time) => {
      const { page, wrong, load } = await openTab({}, 'Ada')
      await page.clock.setFixedTime(time)
      await load()
      await shows(page, 'Hello Ada')
      await signOut(page)
      await signIn(page, 'Bob')
      await shows(page, 'Hello Bob')
      expect(wrong).toEqual([])
    },
  )
})

describe('signIn', () => {
  test('says what was wrong, and changes nothing', async () => {
    const { page, load } = await openTab({ hasProvider: true })
    await load()
    const outcome = await page.evaluate(() =>
      latchkey.signIn('password', { name: 'Ada', password: 'wrong', redirect: false }),
    )
    expect(outcome).toMatchObject({ ok: false, error: 'CredentialsSignin', status: 401 })
    await shows(page, 'unauthenticated')
  })

  test('leaves for the provider’s page', async () => {
    const { page, wrong, load } = await openTab({ hasProvider: true })
    await load()
    await page.route('https://elsewhere.example/**', (route) =>
      route.fulfill({ body: 'Elsewhere' }),
    )
    await page.evaluate(() => void latchkey.signIn('elsewhere', { redirectTo: '/inbox' }))
    await page.waitForURL(/^https:\/\/elsewhere\.example\/authorize\?/)
    expect(wrong).toEqual([])
  })

  test('a passkey: an account, a sign-in, a refusal, and its code only at the first use', async () => {
    const { page, wrong, asked, load } = await openTab({ hasProvider: true })
    await load()
    const authenticator = await addAuthenticator(page)
    expect(asked).toEqual([])
    const made = await page.evaluate(() =>
      latchkey.signIn('passkey', { action: 'register', name: 'Grace', redirect: false }),
    )
    expect(made).toMatchObject({ ok: true })
    expect(asked.filter((path) => path.endsWith('passkey.js'))).toHaveLength(1)
    await shows(page, 'Hello Grace')
    await signOut(page)
    await shows(page, 'unauthenticated')
    const inOnce = () => page.evaluate(() => latchkey.signIn('passkey', { redirect: false }))
    expect(await inOnce()).toMatchObject({ ok: true })
    await shows(page, 'Hello Grace')
    await authenticator.verify(false)
    expect(await inOnce()).toMatchObject({ ok: false, code: 'cancelled' })
    expect(wrong).toEqual([])
  })
})
