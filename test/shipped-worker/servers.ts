import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'

/** The shipped Worker, the sandbox and a browser, for all tests of this folder: each has people of its own. */
export let servers: DevServers
export let browser: Browser

beforeAll(async () => {
  servers = await startTestServers()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})
