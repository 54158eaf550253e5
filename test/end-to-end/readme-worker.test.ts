import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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

/** The Worker of the tutorial, with the files that its page writes. */
const tutorial = 'docs/quick-start-worker.md'
const folder = join(rootDir, 'test', '.readme-worker')
let servers: DevServers
let browser: Browser

function filesOf(page: string, heading?: string): { file: string; text: string }[] {
  const walk = walks.find((one) => one.page === page && (!heading || one.heading === heading))
  return walk ? stepsOf(walk).flatMap((step) => ('file' in step ? [step] : [])) : []
}

function writeFiles(page: string, to: string, heading?: string): void {
  mkdirSync(to, { recursive: true })
  for (const { file, text } of filesOf(page, heading)) writeFileSync(join(to, file), text)
}

beforeAll(async () => {
  writeFiles(tutorial, folder)
  servers = await startTestServers({}, 'test/.readme-worker/wrangler.toml')
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await servers?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the tutorial greets a user with their role, keeps them from the page for admins, and signs them out', async () => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${servers.workerUrl}/admin`)
  expect(new URL(page.url()).searchParams.get('callbackUrl')).toBe('/admin')
  await page.goto(`${servers.workerUrl}/`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.waitForURL(`${servers.workerUrl}/`)
  await page.getByRole('heading', { name: 'Hello Ada Example' }).waitFor()
  await page.getByText('Your role is member.').waitFor()
  expect((await page.request.get(`${servers.workerUrl}/admin`)).status()).toBe(403)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
})

test('the Worker of the README is the one of worker/README.md, with other providers', () => {
  const readme = readFileSync(join(rootDir, 'README.md'), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const [own] = filesOf('worker/README.md')
  const withVideoApp = code.replace(/import google.*\n/, '').replace(', google()', '')
  expect(`// worker.ts\n${withVideoApp.replaceAll('github', 'videoapp')}`).toBe(own?.text)
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

test.each([
  ['worker/README.md', 'Quick start', '/auth/signin'],
  ['docs/web-first-app.md', 'Workers', '/'],
])(
  'the Worker of %s signs a user in with only the files on that page',
  async (page, heading, path) => {
    const own = join(folder, heading.replace(' ', '-'))
    writeFiles(page, own, heading)
    const started = await startTestServers({}, `${relative(rootDir, own)}/wrangler.toml`)
    try {
      await signInAsAda(started.workerUrl + path, browser)
    } finally {
      await started.stop()
    }
  },
)
