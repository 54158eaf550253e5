import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProcessTree, startProcessTree } from '../../scripts/process-tree.ts'
import { stepsOf, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'

/** The app of docs/quick-start-sveltekit.md, with the files around it that `sv create` makes. */
const walk = walks.find(({ page }) => page === 'docs/quick-start-sveltekit.md')
const steps = walk ? stepsOf(walk) : []
const folder = join(rootDir, 'test/sveltekit/.svelte-kit/quick-start')
const vite = join(rootDir, 'node_modules/vite/bin/vite.js')
const stops: (() => unknown)[] = []
/** The output of the app, which a failure shows. */
const printed: string[] = []
const onLine = (line: string) => void printed.push(line)
let browser: Browser
let url: string

const around = {
  'package.json': '{ "type": "module" }\n',
  'src/app.html': '<!doctype html><head>%sveltekit.head%</head><body>%sveltekit.body%</body>\n',
  'vite.config.js': [
    "import adapter from '@sveltejs/adapter-node'",
    "import { sveltekit } from '@sveltejs/kit/vite'",
    "export default { logLevel: 'error', plugins: [sveltekit({ adapter: adapter() })] }\n",
  ].join('\n'),
}

beforeAll(async () => {
  const [port, sandboxPort] = [await freePort(), await freePort()]
  url = `http://localhost:${port}`
  const redirectUris = [`${url}/auth/callback/videoapp`]
  const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  const server = serve({ fetch: sandbox.fetch, port: sandboxPort })
  stops.push(() => server.close())

  const [settings = ''] = steps.flatMap((step) =>
    'commands' in step ? (/<<EOF\n([\s\S]*?)^EOF$/m.exec(step.commands)?.[1] ?? []) : [],
  )
  const env = settings
    .replace('$(openssl rand -hex 32)', 'a-secret-of-the-tests-0123456789abcdef')
    .replaceAll('http://localhost:8788', `http://localhost:${sandboxPort}`)
  await rm(folder, { recursive: true, force: true })
  for (const [file, text] of Object.entries({ ...around, '.env': env })) await write(file, text)
  for (const step of steps) if ('file' in step) await write(step.file, step.text)

  // What `npm run dev` starts.
  const dev = startProcessTree([vite, 'dev', '--port', String(port), '--strictPort'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    onLine,
  })
  stops.push(() => dev.stop())
  await answers(url, dev)
  browser = await launchBrowser()
  stops.push(() => browser.close())
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  await rm(folder, { recursive: true, force: true })
})

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), text)
}

async function answers(address: string, app: ProcessTree): Promise<void> {
  let how: string | undefined
  app.ended.then((text) => {
    how = text
  })
  while (how === undefined) {
    const answer = await fetch(address).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The app ${how}.\n${printed.join('\n')}`)
}

async function signIn(page: Page): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.getByRole('heading', { name: 'Hello Ada Example' }).waitFor()
}

test('the tutorial greets a user, keeps others from the page for admins, and signs out without JavaScript', async () => {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  const guarded = await page.goto(`${url}/admin`)
  expect(guarded?.url()).toContain('/auth/signin?callbackUrl=')
  await signIn(page)
  await page.getByText('Your role is member.').waitFor()
  const id = (await page.locator('code').textContent()) ?? ''
  expect((await page.goto(`${url}/admin`))?.status()).toBe(403)

  // "Make yourself an admin": the list is in the source.
  const source = await readFile(join(folder, 'src/auth.ts'), 'utf8')
  const changed = source.replace('[] = []', `[] = ['${id}']`)
  expect(changed).not.toBe(source)
  await write('src/auth.ts', changed)
  await page.goto(url)
  await page.getByRole('heading', { name: 'Hello Ada Example' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await signIn(page)
  await page.getByText('Your role is admin.').waitFor()
  await page.goto(`${url}/admin`)
  await page.getByRole('heading', { name: 'You are an admin.' }).waitFor()
})

test('the tutorial’s app is built for Node', async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  await promisify(execFile)(process.execPath, [vite, 'build'], { cwd: folder, env })
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const app = startProcessTree(['--env-file=.env', 'build'], {
    cwd: folder,
    env: { ...env, ORIGIN: origin, PORT: String(port) },
    onLine,
  })
  try {
    await answers(origin, app)
    expect(await (await fetch(origin)).text()).toContain('Sign in</a>')
  } finally {
    await app.stop()
  }
})
