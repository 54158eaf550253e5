import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcessTree } from '../../scripts/process-tree.ts'
import { signInAsAda } from '../../scripts/stopwatch/sign-in.ts'
import { rootDir, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startSandboxHere } from '../support/dev.ts'
import { freePort } from '../support/free-port.ts'

/** What `latchkey init` writes, started by `npm run dev`: a person signs in. Below the repository, whose packages it finds. */
const home = join(rootDir, 'test', '.init')

const KIT = {
  'package.json': {
    type: 'module',
    scripts: { dev: 'vite dev' },
    devDependencies: { '@sveltejs/kit': '3' },
  },
  'src/app.html': '<!doctype html><head>%sveltekit.head%</head><body>%sveltekit.body%</body>\n',
  'src/routes/+page.svelte':
    '<a href="/auth/signin?callbackUrl=/" data-sveltekit-reload>Sign in</a>\n',
  'vite.config.js': [
    "import adapter from '@sveltejs/adapter-node'",
    "import { sveltekit } from '@sveltejs/kit/vite'",
    "export default { logLevel: 'error', plugins: [sveltekit({ adapter: adapter() })] }\n",
  ].join('\n'),
}

const NEXT = {
  'package.json': { type: 'module', scripts: { dev: 'next dev' }, dependencies: { next: '16' } },
  'app/layout.jsx':
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>\n',
  'app/page.jsx': `import { auth } from '../auth'
export default async function Page() {
  const session = await auth()
  return session ? <p>Hello {session.user.name}</p> : <a href="/api/auth/signin?callbackUrl=/">Sign in</a>
}
`,
}

/** Files that are there before, arguments that name the port, and where a person looks first. */
const kinds = {
  worker: { there: {}, port: '--port', base: '/auth', first: '/auth/signin' },
  express: { there: {}, port: undefined, base: '/auth', first: '/' },
  hono: { there: {}, port: undefined, base: '/auth', first: '/' },
  sveltekit: { there: KIT, port: '--port', base: '/auth', first: '/auth/signin' },
  next: { there: NEXT, port: '--port', base: '/api/auth', first: '/' },
} as const

let browser: Browser
let sandbox: WranglerDev
let sandboxPort: number
const ports = new Map<string, number>()

beforeAll(async () => {
  browser = await launchBrowser()
  sandboxPort = await freePort()
  for (const kind of Object.keys(kinds)) ports.set(kind, await freePort())
  const uris = Object.entries(kinds).map(
    ([kind, { base }]) => `http://localhost:${ports.get(kind)}${base}/callback/videoapp`,
  )
  sandbox = await startSandboxHere(sandboxPort, { SANDBOX_REDIRECT_URIS: uris.join(',') })
})
afterAll(async () => {
  await sandbox?.stop()
  await browser?.close()
  rmSync(home, { recursive: true, force: true })
})

test.each(Object.entries(kinds))('%s: npm run dev, and a person signs in', async (kind, app) => {
  const folder = join(home, kind)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(app.there)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text))
  }
  expect(await init(folder, kind)).toBe(0)

  const variables = join(folder, kind === 'worker' ? '.dev.vars' : '.env')
  const text = readFileSync(variables, 'utf8')
  writeFileSync(variables, text.replaceAll('localhost:8788', `localhost:${sandboxPort}`))
  const port = ports.get(kind)
  const given = app.port ? ['--', app.port, `${port}`] : []
  const printed: string[] = []
  const dev = startProcessTree([npm, 'run', 'dev', ...given], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: `${port}`,
      NODE_ENV: 'development',
    },
    onLine: (line) => void printed.push(line),
  })
  let how: string | undefined
  dev.ended.then((text) => {
    how = text
  })
  try {
    const url = `http://localhost:${port}`
    await expect
      .poll(
        () =>
          how ??
          fetch(`${url}${app.base}/csrf`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 120_000 },
      )
      .toBe(200)
    await signInAsAda(`${url}${app.first}`, browser, app.base)
  } catch (error) {
    throw new Error(`${how ?? 'The app runs.'}\n${printed.join('\n')}`, { cause: error })
  } finally {
    await dev.stop()
  }
})

const npm = process.env.npm_execpath ?? ''

async function init(folder: string, kind: string): Promise<number> {
  const command = join(rootDir, 'cli/dist/latchkey.js')
  const args = [command, 'init', folder, '--kind', kind, '--provider', 'videoapp']
  const [code] = await once(
    spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }),
    'exit',
  )
  return code as number
}
