import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Example, startExample } from '../sveltekit/example.ts'
import { testInABrowser } from '../sveltekit/in-a-browser.ts'
import { testPastTheHook } from '../sveltekit/past-the-hook.ts'

/** examples/sveltekit as it runs on Cloudflare: the real Worker is bound to it. */
let example: Example
let browser: Browser

beforeAll(async () => {
  example = await startExample('worker')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await example?.stop()
})

testInABrowser(
  'cloudflare',
  () => example,
  () => browser,
)
testPastTheHook(
  () => example,
  () => browser,
)
