import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import passkey from '@latchkey/express/providers/passkey'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { SECRET, startApp, versions } from '../express/support.ts'
import {
  button,
  ceremonies,
  clickSignUp,
  type Opened,
  open,
  type Person,
  personIn,
  signOut,
  unfoldSignUp,
} from '../passkeys/person.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { look } from '../support/look.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'

/** Passkeys in Chromium: its virtual authenticators stand for devices and their users. */
let browser: Browser
let servers: DevServers

beforeAll(async () => {
  const started = startTestServers({ AUTH_PASSKEY_NAME: 'Latchkey' })
  browser = await launchBrowser()
  servers = await started
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})
afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})

const at = (path: string) => servers.workerUrl + path
const SIGN_IN = '/auth/signin?callbackUrl=/auth/account'

const OPTIONS = '/auth/passkey/options'

const withoutScript = { javaScriptEnabled: false }

/** Holds the next request for a path back. */
async function holdNext(page: Page, path: string) {
  const [came, released] = [gate(), gate()]
  const hold = async (route: Route) => {
    came.open()
    await released.opened
    await route.continue()
  }
  await page.route(at(path), hold, { times: 1 })
  return { came: came.opened, release: released.open }
}

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** The page has done all that it had to do, and its requests are on their way. */
async function roundTrip(page: Page): Promise<void> {
  await page.evaluate(async () => void (await fetch('/auth/providers')))
}

/** Signs in by autofill, and presses the button before the service has answered. */
async function pressWhileJudged(page: Page, from: string, to: string): Promise<void> {
  const judged = await holdNext(page, '/auth/callback/passkey')
  await page.goto(at(from))
  await judged.came
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  await button.signIn(page).click()
  await roundTrip(page)
  judged.release()
  await page.waitForURL(at(to))
  expect(sent.filter((path) => path === OPTIONS || path === '/auth/csrf')).toEqual([])
}

/** From the summary of the account, on which nothing is changed. */
async function openPasskeys(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Passkeys' }).click()
  await page.waitForURL('**/auth/account/passkeys')
}

describe('the pages of the Worker', () => {
  test('a person creates an account in one prompt, signs out, and signs in by autofill', async () => {
    const { page, wrong } = await open(browser)
    await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await unfoldSignUp(page)
    await page.getByLabel('Your name').fill('Ada')
    await look(page, 'passkeys-sign-in')
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    const ada = await personIn(page, servers.workerUrl)
    expect(ada?.name).toBe('Ada')
    await openPasskeys(page)
    expect(await button.remove(page).count()).toBe(1)
    expect(await page.locator('main').textContent()).toContain('Synced')
    await signOut(page, servers.workerUrl)
    // The user presses no button.
    await page.goto(at(SIGN_IN))
    await page.waitForURL(at('/auth/account'))
    expect(await personIn(page, servers.workerUrl)).toEqual(ada)
    expect(wrong).toEqual([])
  })

  test('a security key signs up without a name, and in by the button', async () => {
    const { page, wrong } = await open(browser)
    await addAuthenticator(page, 'usb')
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    const person = await personIn(page, servers.workerUrl)
    expect(person?.name).toBeNull()
    await openPasskeys(page)
    expect(await page.locator('main').textContent()).toContain('On one device')
    await signOut(page, servers.workerUrl)
    await page.goto(at(SIGN_IN))
    await button.signIn(page).click()
    await page.waitForURL(at('/auth/account'))
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('a button ends the autofill that waits', async () => {
    const { page } = await open(browser)
    const device = await addAuthenticator(page)
    await device.answer(false)
    const begun = ceremonies(page)
    await page.goto(at(SIGN_IN))
    await expect.poll(() => begun).toContain('sign-in')
    await device.answer(true)
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    expect(begun.at(-1)).toBe('sign-up')
  })

  test('a device that does not verify its person makes no account', async () => {
    const { page, wrong } = await open(browser)
    const device = await addAuthenticator(page)
    await device.verify(false)
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.getByRole('status').waitFor()
    expect(await page.getByRole('status').textContent()).toContain('No passkey was created.')
    await look(page, 'passkeys-cancelled')
    expect(await device.passkeys()).toEqual([])
    expect(await personIn(page, servers.workerUrl)).toBeUndefined()
    expect(wrong).toEqual([])
  })

  test('after a sign-in that was canceled autofill is armed again, without an alarm', async () => {
    const { page, wrong } = await open(browser)
    const device = await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    await signOut(page, servers.workerUrl)
    await device.verify(false)
    await page.goto(at(SIGN_IN))
    await button.signIn(page).click()
    await page.getByRole('status').waitFor()
    expect(await page.getByRole('status').textContent()).toContain('No passkey was used.')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await personIn(page, servers.workerUrl)).toBeUndefined()
    await device.verify(true)
    await page.waitForURL(at('/auth/account'))
    expect(wrong).toEqual([])
  })

  test('two devices have two passkeys: the user renames one and removes one, which its device then forgets', async () => {
    const { page, wrong } = await open(browser)
    const phone = await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    const person = await personIn(page, servers.workerUrl)
    await openPasskeys(page)
    // The phone has a passkey of this person already.
    await button.add(page).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/already has a passkey/)

    const key = await addAuthenticator(page, 'usb')
    await button.add(page).click()
    await expect.poll(() => button.remove(page).count()).toBe(2)
    expect(await phone.passkeys()).toHaveLength(1)
    expect(await key.passkeys()).toHaveLength(1)
    const group = page.getByRole('group').filter({ hasText: 'On one device' })
    await group.locator('summary').click()
    await group.getByLabel('Name of this passkey').fill('The key on my ring')
    await look(page, 'passkeys-two')
    await group.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByText('The key on my ring').waitFor()

    const name = /^Remove.*The key on my ring/
    await page.getByRole('button', { name }).click()
    await page.getByRole('dialog', { name }).getByRole('button', { name }).click()
    await expect.poll(() => button.remove(page).count()).toBe(1)
    await expect.poll(() => key.passkeys()).toEqual([])
    expect(await phone.passkeys()).toHaveLength(1)
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('a device learns the address that a person adds, by the page of their account', async () => {
    const { page, wrong } = await open(browser)
    const phone = await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await unfoldSignUp(page)
    await page.getByLabel('Your name').fill('Ada')
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    expect(await phone.names()).toEqual([['Ada', 'Ada']])
    const address = 'ada-of-the-passkey@example.com'
    await page.goto(at('/auth/account/ways'))
    const folded = page.locator('details:not([open]) > summary', { hasText: 'Email' })
    if (await folded.isVisible()) await folded.click()
    await page.getByLabel('Email address').fill(address)
    await page.getByLabel('Email address').press('Enter')
    const arrived = async () => (await servers.readMails()).find(({ to }) => to === address)
    const mail = await expect.poll(arrived).toBeDefined().then(arrived)
    await page.goto(/http\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.goto(at('/auth/account'))
    await expect.poll(() => phone.names()).toEqual([[address, 'Ada']])
    expect(wrong).toEqual([])
  })

  test('a button that is pressed while a chosen passkey is judged asks for no other one, and the session stays', async () => {
    const { page, wrong } = await open(browser)
    await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    const person = await personIn(page, servers.workerUrl)
    await signOut(page, servers.workerUrl)
    await pressWhileJudged(page, SIGN_IN, '/auth/account')
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('a removed passkey does not sign in, its device forgets it, and autofill goes on', async () => {
    const { page, wrong } = await open(browser)
    const phone = await addAuthenticator(page)
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    // From another browser, which cannot tell this one.
    const elsewhere = await open(browser)
    await elsewhere.page.context().addCookies(await page.context().cookies())
    await addAuthenticator(elsewhere.page, 'usb')
    await elsewhere.page.goto(at('/auth/account/passkeys'))
    await button.add(elsewhere.page).click()
    await expect.poll(() => button.remove(elsewhere.page).count()).toBe(2)
    const group = elsewhere.page.getByRole('group').filter({ hasText: 'Synced' })
    await button.remove(group as never).click()
    await elsewhere.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .click()
    await expect.poll(() => button.remove(elsewhere.page).count()).toBe(1)

    await page.context().clearCookies()
    const begun = ceremonies(page)
    await page.goto(at(SIGN_IN))
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/no longer works here/)
    await look(page, 'passkeys-unknown')
    await expect.poll(() => phone.passkeys()).toEqual([])
    await expect.poll(() => begun.length).toBeGreaterThan(1)
    expect(new Set(begun)).toEqual(new Set(['sign-in']))
    expect(await personIn(page, servers.workerUrl)).toBeUndefined()
    expect([...wrong, ...elsewhere.wrong]).toEqual([])
  })

  test('a step-up with a passkey continues the same session', async () => {
    const { page, wrong } = await open(browser)
    await addAuthenticator(page, 'usb')
    await page.goto(at(SIGN_IN))
    await clickSignUp(page)
    await page.waitForURL(at('/auth/account'))
    const sessions = async () => {
      const answer = await (await page.request.get(at('/auth/sessions'))).json()
      return (answer as { sessions: { id: string }[] }).sessions.map(({ id }) => id)
    }
    const before = await sessions()
    const title = async () => {
      await page.goto(at('/auth/signin?maxAge=0&callbackUrl=/auth/account'))
      return page.locator('h1').textContent()
    }
    await expect.poll(title).toBe('Sign in again')
    expect(await page.getByText('Create an account').count()).toBe(0)
    await look(page, 'passkeys-again')
    await button.signIn(page).click()
    await page.waitForURL(at('/auth/account'))
    expect(await sessions()).toEqual(before)
    expect(wrong).toEqual([])
  })

  test.each([
    { browsers: 'without scripts', options: withoutScript, hasApi: true },
    { browsers: 'that know no passkeys', options: {}, hasApi: false },
  ])('browsers $browsers see the other ways alone', async ({ options, hasApi }) => {
    const { page, wrong } = await open(browser, options)
    if (!hasApi) {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    }
    await page.goto(at(SIGN_IN))
    await page.getByLabel('Email address').waitFor()
    expect(
      await page
        .getByText(/passkey/i)
        .filter({ visible: true })
        .count(),
    ).toBe(0)
    // The page keeps no place for them.
    const places = await page
      .locator('[hidden]')
      .evaluateAll((all) => all.flatMap((one) => [...one.getClientRects()]).length)
    expect(places).toBe(0)
    expect(wrong).toEqual([])
  })

  test('nothing moves when the script shows the passkeys', async () => {
    const { page } = await open(browser)
    await page.goto(at(SIGN_IN))
    await page.getByText('Create an account').first().waitFor()
    const moved = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) =>
            resolve(
              list
                .getEntries()
                .reduce((all, entry) => all + (entry as never as { value: number }).value, 0),
            ),
          ).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve(0), 500)
        }),
    )
    expect(moved).toBe(0)
  })
})

describe('the page of docs/passkeys.md', () => {
  /** A page of a new browser that has the documented one at `/own`, which leads to `/members`. */
  async function openOwn(): Promise<Opened> {
    const opened = await open(browser)
    const docs = readFileSync(join(rootDir, 'docs/passkeys.md'), 'utf8')
    const [, example = ''] = /```html\n([\s\S]*?)```/.exec(docs) ?? []
    const html = (body: string) => ({ body: `<!DOCTYPE html>${body}`, contentType: 'text/html' })
    await opened.page.route(at('/own'), (route) => route.fulfill(html(example)))
    await opened.page.route(at('/members'), (route) => route.fulfill(html('Members')))
    return opened
  }

  async function signUp(page: Page): Promise<Person | undefined> {
    await page.goto(at('/own'))
    await clickSignUp(page)
    await page.waitForURL(at('/members'))
    const person = await personIn(page, servers.workerUrl)
    expect(person).toBeDefined()
    await signOut(page, servers.workerUrl)
    return person
  }

  test('signs up, and signs in by autofill', async () => {
    const { page, wrong } = await openOwn()
    await addAuthenticator(page)
    const person = await signUp(page)
    await page.goto(at('/own'))
    await page.waitForURL(at('/members'))
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('says that a person refused, and signs in by the button', async () => {
    const { page, wrong } = await openOwn()
    // Autofill uses only passkeys within a device, so only the button signs in.
    const key = await addAuthenticator(page, 'usb')
    const person = await signUp(page)
    await key.verify(false)
    await page.goto(at('/own'))
    await button.signIn(page).click()
    await page.getByText('Canceled.').waitFor()
    await key.verify(true)
    await button.signIn(page).click()
    await page.waitForURL(at('/members'))
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('a button that is pressed twice asks again, without an alarm', async () => {
    const { page, wrong } = await openOwn()
    const device = await addAuthenticator(page)
    const person = await signUp(page)
    await device.answer(false)
    const begun = ceremonies(page)
    await page.goto(at('/own'))
    await expect.poll(() => begun).toEqual(['sign-in'])
    // The route that is added last is asked first.
    const second = await holdNext(page, OPTIONS)
    const first = await holdNext(page, OPTIONS)
    await button.signIn(page).click()
    await first.came
    await button.signIn(page).click()
    await second.came
    await device.answer(true)
    const answered = page.waitForResponse(at(OPTIONS))
    first.release()
    await (await answered).finished()
    await roundTrip(page)
    expect(await page.locator('#said').textContent()).toBe('')
    second.release()
    await page.waitForURL(at('/members'))
    expect(begun).toEqual(['sign-in', 'sign-in', 'sign-in'])
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })

  test('a button that is pressed while a chosen passkey is judged asks for no other one, and the session stays', async () => {
    const { page, wrong } = await openOwn()
    await addAuthenticator(page)
    const person = await signUp(page)
    await pressWhileJudged(page, '/own', '/members')
    expect(await personIn(page, servers.workerUrl)).toEqual(person)
    expect(wrong).toEqual([])
  })
})

describe('an app on Express, in process', () => {
  const stops: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const stop of stops) await stop()
  })

  test('a person creates an account, adds a device, and signs in by either', async () => {
    const [, express] = versions
    const config = { secret: SECRET, trustHost: true, providers: [passkey({ rpName: 'App' })] }
    const { port } = await startApp(express as never, config, undefined, stops)
    // Passkeys belong to names, not to addresses.
    const url = `http://localhost:${port}`
    const { page, wrong } = await open(browser)
    const phone = await addAuthenticator(page)
    await page.goto(`${url}${SIGN_IN}`)
    await unfoldSignUp(page)
    await page.getByLabel('Your name').fill('Grace')
    await look(page, 'passkeys-alone')
    await clickSignUp(page)
    await page.waitForURL(`${url}/auth/account`)
    const grace = await personIn(page, url)
    expect(grace?.name).toBe('Grace')
    await addAuthenticator(page, 'usb')
    await openPasskeys(page)
    await button.add(page).click()
    await expect.poll(() => button.remove(page).count()).toBe(2)
    await signOut(page, url)
    await page.goto(`${url}${SIGN_IN}`)
    await page.waitForURL(`${url}/auth/account`)
    expect(await personIn(page, url)).toEqual(grace)
    await signOut(page, url)
    await phone.remove()
    await page.goto(`${url}${SIGN_IN}`)
    await button.signIn(page).click()
    await page.waitForURL(`${url}/auth/account`)
    expect(await personIn(page, url)).toEqual(grace)
    expect(wrong).toEqual([])
  })

  test('without scripts a page with passkeys alone says that it needs them', async () => {
    const [, express] = versions
    const config = { secret: SECRET, trustHost: true, providers: [passkey({ rpName: 'App' })] }
    const { port } = await startApp(express as never, config, undefined, stops)
    const { page } = await open(browser, withoutScript)
    await page.goto(`http://localhost:${port}${SIGN_IN}`)
    expect(await page.locator('main').textContent()).toContain('You need JavaScript')
    await look(page, 'passkeys-alone-no-script')
    expect(await page.getByRole('button').count()).toBe(0)
  })
})
