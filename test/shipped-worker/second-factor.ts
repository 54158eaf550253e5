import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { AuthenticatorApp, keyOn, recoveryCodesOn } from '../support/authenticator-app.ts'
import { look } from '../support/look.ts'
import { browser, servers } from './servers.ts'

/** Gives the first factor in a new browser, with scripts off. */
async function begin(): Promise<Page> {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(`${servers.workerUrl}/auth/account`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Grace/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  return page
}

test('a person sets an authenticator app up, and signs in with it, with a recovery code, and without', async () => {
  const first = await begin()
  await first.waitForURL(`${servers.workerUrl}/auth/account`)
  await first.getByRole('link', { name: 'Set up an authenticator app' }).click()
  expect(await first.getByRole('img', { name: 'QR code of the key' }).count()).toBe(1)
  await look(first, 'factor-setup')
  const app = new AuthenticatorApp(keyOn(await first.content()))
  // The sign-in below takes the code of the next step: then a slow page keeps both valid.
  await first.getByLabel('Six-digit code from the app').fill(app.code())
  await first.getByRole('button', { name: 'Turn it on' }).click()
  await first.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await look(first, 'factor-recovery-codes')
  const codes = recoveryCodesOn(await first.content())
  expect(codes).toHaveLength(10)
  await first.getByRole('link', { name: 'I have saved them' }).click()
  await first.getByText('10 recovery codes are left').waitFor()
  await look(first, 'factor-account')

  const second = await begin()
  await second.waitForURL(`${servers.workerUrl}/auth/factor`)
  await second.getByLabel('Code').fill('000000')
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.getByText('That code is wrong').waitFor()
  await look(second, 'factor')
  await second.getByLabel('Code').fill(app.code(1))
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.waitForURL(`${servers.workerUrl}/auth/account`)

  const third = await begin()
  await third.getByLabel('Code').fill((codes[0] ?? '').toLowerCase())
  await third.getByRole('button', { name: 'Sign in' }).click()
  await third.getByText('9 recovery codes are left').waitFor()
  await third.getByRole('navigation').getByRole('link', { name: 'Security' }).click()
  const off = { name: 'Turn off the authenticator app' }
  await third.getByRole('button', off).click()
  await look(third, 'factor-switch-off')
  await third.getByRole('dialog', off).getByRole('button', off).click()
  await third.getByRole('link', { name: 'Set up an authenticator app' }).waitFor()

  const fourth = await begin()
  await fourth.waitForURL(`${servers.workerUrl}/auth/account`)
})
