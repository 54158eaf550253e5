import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { testByMail } from '../sveltekit/by-mail.ts'
import { testByPasskey } from '../sveltekit/by-passkey.ts'
import { type Example, startExample } from '../sveltekit/example.ts'
import { testInABrowser } from '../sveltekit/in-a-browser.ts'
import { testPastTheHook } from '../sveltekit/past-the-hook.ts'

/**
 * examples/sveltekit as it runs on Cloudflare: the real Worker is bound to it. In one file, since
 * both parts build it in one folder; restarted for each, with rate limits of its own.
 */
let example: Example
let browser: Browser

const [exampleOf, browserOf] = [() => example, () => browser]

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

describe.each([
  {
    part: 'on Cloudflare',
    define() {
      testInABrowser('cloudflare', exampleOf, browserOf)
      testPastTheHook(exampleOf, browserOf)
    },
  },
  {
    part: 'by email and passkey',
    define() {
      testByMail(exampleOf, browserOf)
      testByPasskey(exampleOf, browserOf)
    },
  },
])('$part', ({ define }) => {
  beforeAll(async () => {
    example = await startExample('worker')
  })
  afterAll(() => example?.stop())

  define()
})
