import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { readDevVars } from '../../scripts/dev-vars.ts'
import { signInAsAda } from '../../scripts/stopwatch/sign-in.ts'
import { stepsOf, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestServers } from '../support/dev.ts'

/** "A Worker of your own" of the README, as it stands there, with the bindings of examples/worker. */
const folder = join(rootDir, 'test', '.readme-worker')
let servers: DevServers
let browser: Browser

beforeAll(async () => {
  const readme = readFileSync(join(rootDir, 'README.md'), 'utf8')
  const section = readme.split(/^## /m).find((text) => text.startsWith('A Worker of your own\n'))
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(section ?? '') ?? []
  const config = readFileSync(join(rootDir, 'examples/worker/wrangler.toml'), 'utf8')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'worker.ts'), code)
  writeFileSync(join(folder, 'wrangler.toml'), config.replace('src/worker.ts', 'worker.ts'))
  servers = await startTestServers({}, 'test/.readme-worker/wrangler.toml')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('without a list of admins people sign in, and nobody is an admin', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${servers.workerUrl}/auth/signin?callbackUrl=/auth/signin`)
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${servers.workerUrl}/auth/signin`)
  const session = await (await page.request.get(`${servers.workerUrl}/auth/session`)).json()
  expect(session).toMatchObject({ user: { name: 'Ada Example', isAdmin: false } })
})

test('the settings in examples/worker/README.md are complete', async () => {
  const readme = readFileSync(join(rootDir, 'examples/worker/README.md'), 'utf8')
  const [, command = ''] = /(sed .*) > examples\/worker\/[.]dev[.]vars/.exec(readme) ?? []
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: rootDir })
  const file = join(folder, '.dev.vars')
  writeFileSync(file, stdout)
  const { AUTH_SECRET, ...others } = readDevVars(file)
  expect(AUTH_SECRET).toMatch(/^[0-9a-f]{64}$/)
  const { AUTH_SECRET: _, ...expected } = readDevVars(join(rootDir, '.dev.vars.example'))
  expect(others).toEqual(expected)
})

test('the Worker of worker/README.md signs somebody in with nothing but the files that stand there', async () => {
  const walk = walks.find(({ page }) => page === 'worker/README.md')
  const own = join(folder, 'own')
  mkdirSync(own)
  for (const step of walk ? stepsOf(walk) : []) {
    if ('file' in step) writeFileSync(join(own, step.file), step.text)
  }
  const started = await startTestServers({}, 'test/.readme-worker/own/wrangler.toml')
  try {
    await signInAsAda(`${started.workerUrl}/auth/signin`, browser)
  } finally {
    await started.stop()
  }
})
