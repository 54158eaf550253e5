import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  button,
  clickSignUp,
  personIn,
  refusal,
  signOut,
  unfoldSignUp,
  watch,
} from '../passkeys/person.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import type { Example } from './example.ts'
import { look, openPage, untilStarted } from './person.ts'

/** Passkeys in the example: its own pages, by the component and by the client. */
export function testByPasskey(exampleOf: () => Example, browserOf: () => Browser): void {
  test('a person creates an account on the service’s page, and signs in by the component', async () => {
    const { url } = exampleOf()
    const page = await openPage(browserOf())
    const wrong = await watch(page)
    const device = await addAuthenticator(page, 'usb')
    await page.goto(`${url}/auth/signin?callbackUrl=/auth/account`)
    await unfoldSignUp(page)
    await page.getByLabel('Your name').fill('Ada')
    await clickSignUp(page)
    await page.waitForURL(`${url}/auth/account`)
    const ada = await personIn(page, url)
    expect(ada?.name).toBe('Ada')
    await signOut(page, url)

    await page.goto(`${url}/members`)
    await untilStarted(page)
    await look(page, 'passkey-sign-in')
    await button.signIn(page).click()
    await page.waitForURL(`${url}/members`)
    expect(await page.locator('main').textContent()).toContain('swordfish')
    expect(await personIn(page, url)).toEqual(ada)
    await page.goto(url)
    await untilStarted(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()

    // After a refusal the user stays on the page.
    await device.verify(false)
    await page.goto(`${url}/signin`)
    await untilStarted(page)
    const refused = refusal(page)
    await button.signIn(page).click()
    expect(await refused).toBe('NotAllowedError')
    await device.verify(true)
    await button.signIn(page).click()
    await page.waitForURL(`${url}/`)
    expect(await personIn(page, url)).toEqual(ada)
    expect(wrong).toEqual([])
  })

  test('the client creates an account, says that a person refused, and signs in', async () => {
    const { url } = exampleOf()
    const page = await openPage(browserOf())
    const wrong = await watch(page)
    const device = await addAuthenticator(page, 'usb')
    await page.goto(`${url}/client`)
    await untilStarted(page)
    await unfoldSignUp(page)
    await page.getByLabel('Your name').fill('Grace')
    await clickSignUp(page)
    await page.getByText('Signed in.').waitFor()
    await page.getByText('Signed in as Grace').waitFor()
    const grace = await personIn(page, url)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed out.').waitFor()
    await device.verify(false)
    await button.signIn(page).click()
    await page.getByText('Not signed in: CredentialsSignin, cancelled.').waitFor()
    await look(page, 'passkey-client')
    await device.verify(true)
    await button.signIn(page).click()
    await page.getByText('Signed in.').waitFor()
    expect(await personIn(page, url)).toEqual(grace)
    expect(wrong).toEqual([])
  })

  test('without scripts the component leads to the sign-in page', async () => {
    const { url } = exampleOf()
    const page = await openPage(browserOf(), { withScripts: false })
    await page.goto(`${url}/signin?callbackUrl=/members`)
    await button.signIn(page).click()
    await page.getByLabel('Email address').waitFor()
    const { pathname, searchParams } = new URL(page.url())
    expect(pathname).toBe('/auth/signin')
    expect(searchParams.get('callbackUrl')).toMatch(/\/members$/)
  })
}
