import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'
import { runLatchkey } from '../support/run-latchkey.ts'

/** The shipped Worker, the sandbox and a browser, for all tests of this folder: each has people of its own. */
export let servers: DevServers
export let browser: Browser
/** The key of an operator, who may do everything. */
export let operatorKey: string

beforeAll(async () => {
  const { printed } = await runLatchkey(['secret', 'operator', 'night', '--manage', '--json'])
  const { key, entry } = JSON.parse(printed) as { key: string; entry: string }
  operatorKey = key
  servers = await startTestServers({ AUTH_OPERATOR_KEYS: entry, AUTH_AUDIT_DAYS: '30' })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
})
