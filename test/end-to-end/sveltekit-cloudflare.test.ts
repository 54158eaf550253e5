import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { testByMail } from '../sveltekit/by-mail.ts'
import { testByPasskey } from '../sveltekit/by-passkey.ts'
import { type Example, startExample } from '../sveltekit/example.ts'
import { testInABrowser } from '../sveltekit/in-a-browser.ts'
import { testPastTheHook } from '../sveltekit/past-the-hook.ts'

/** examples/sveltekit as it runs on Cloudflare: the real Worker is bound to it. */
let example: Example
let browser: Browser

const [exampleOf, browserOf] = [() => example, () => browser]

beforeAll(async () => {
  browser = await launchBrowser()
  example = await startExample('worker')
})
afterAll(async () => {
  await browser?.close()
  await example?.stop()
})

// The two parts ask for different things, so neither uses up a rate limit of the other one.
describe('on Cloudflare', () => {
  testInABrowser('cloudflare', exampleOf, browserOf)
  testPastTheHook(exampleOf, browserOf)
})

describe('by email and passkey', () => {
  testByMail(exampleOf, browserOf)
  testByPasskey(exampleOf, browserOf)
})
