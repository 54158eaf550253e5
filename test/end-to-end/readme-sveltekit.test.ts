import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DevServers, startDevServers } from '../../scripts/dev-servers.ts'
import { writeDevVars } from '../../scripts/dev-vars.ts'
import { signInAsAda } from '../../scripts/stopwatch/sign-in.ts'
import { stepsOf, textUnder, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir, startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { startSandboxHere } from '../support/dev.ts'
import { freePort } from '../support/free-port.ts'
import { type Packed, packedAsIn } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'
import { KIT_PACKAGES, linkKit } from '../sveltekit/kit-packages.ts'

/** "On Cloudflare" of adapters/sveltekit/README.md, in the app that `sv create` makes. */
const run = promisify(execFile)
const page = 'adapters/sveltekit/README.md'
const walk = walks.find(({ name }) => name === 'SvelteKit on Cloudflare')
if (!walk) throw new Error('The stopwatch has no such walk.')
const steps = stepsOf(walk)
const files = steps.flatMap((step) => ('file' in step ? [step] : []))
const [, gen = ''] = /scripts[.]gen="(.+)"/.exec(textUnder(page, walk.heading)) ?? []

let packed: readonly Packed[]
let temp: string
let browser: Browser
let servers: DevServers
let appPort: number

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-readme-sveltekit-'))
  packed = await packedAsIn(textUnder(page, 'On Cloudflare'))
  browser = await launchBrowser()
  const envFile = join(temp, '.dev.vars')
  writeDevVars(envFile, join(rootDir, '.dev.vars.example'))
  appPort = await freePort()
  servers = await startDevServers({
    workerPort: await freePort(),
    sandboxPort: await freePort(),
    appOrigins: [`http://localhost:${appPort}`],
    persistTo: join(temp, 'state'),
    quiet: true,
    envFile,
    startSandbox: startSandboxHere,
  })
})
afterAll(async () => {
  await servers?.stop()
  await browser?.close()
  await rm(temp, { recursive: true, force: true })
})

test('the page says which versions go together', async () => {
  const table = textUnder(page, 'Which versions go together')
  for (const kit of [2, 3] as const) {
    const version = KIT_PACKAGES[kit]['@sveltejs/adapter-cloudflare']
    const named = kit === 2 ? version.split('.')[0] : version
    expect(table).toMatch(new RegExp(`^\\| ${kit}\\b.*adapter-cloudflare@${named}\``, 'm'))
  }
})

describe.each([2, 3] as const)('with SvelteKit %d', (kit) => {
  let folder: string
  let app: WranglerDev | undefined

  beforeAll(async () => {
    folder = join(temp, `kit-${kit}`)
    const manifest = {
      name: 'my-app',
      private: true,
      type: 'module',
      dependencies: Object.fromEntries(packed.map(({ name, tarball }) => [name, tarball])),
    }
    const written = { 'package.json': JSON.stringify(manifest), ...SCAFFOLD, ...OF_KIT[kit] }
    for (const [name, text] of [
      ...Object.entries(written),
      ...files.map(({ file, text }) => [file, text] as const),
    ]) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    if (kit === 3) {
      await cp(join(rootDir, 'examples/sveltekit/cloudflare.ts'), join(folder, 'cloudflare.ts'))
    }
    await layOut(folder, packed)
    await linkKit(folder, kit)
    if (kit === 3) linkPackages(folder, ['@types/node'])
  })
  afterAll(() => app?.stop())

  const bin = (command: string) => {
    const [name = '', ...args] = command.split(' ')
    const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
    return run(join(folder, 'node_modules/.bin', name), args, { cwd: folder, env })
  }

  test('the app type-checks with the types that wrangler makes, and the code from the examples does too', async () => {
    await bin(gen)
    await bin('svelte-kit sync')
    const { stdout } = await bin('svelte-check --fail-on-warnings').catch((error) => error)
    expect(stdout).toContain('found 0 errors and 0 warnings')
  })

  test('it is built, and the types are as they were, so that it is built once more', async () => {
    await bin('vite build')
    await bin('wrangler types --check')
    const { stdout } = await bin('svelte-check --fail-on-warnings').catch((error) => error)
    expect(stdout).toContain('found 0 errors and 0 warnings')
  })

  test('with only its wrangler.toml a user signs in, in a browser', async () => {
    app = await startWranglerDev({
      name: 'app',
      config: join(folder, 'wrangler.toml'),
      port: appPort,
      persistTo: join(folder, 'state'),
    })
    await signInAsAda(app.url, browser)
  })
})

/** What `sv create` writes, as far as it is of interest here. */
const SCAFFOLD = {
  'src/app.html': `<!doctype html>
    <html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>`,
  'src/app.d.ts': `
    declare global {
      namespace App {
        interface Platform {
          env: Env
          ctx: ExecutionContext
          caches: CacheStorage
          cf?: IncomingRequestCfProperties
        }
      }
    }

    export {}`,
}

const options = {
  rewriteRelativeImportExtensions: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  strict: true,
  moduleResolution: 'bundler',
  types: ['./worker-configuration.d.ts'],
}

const vite = (adapter: string) => `
  import adapter from '${adapter}'
  import { sveltekit } from '@sveltejs/kit/vite'
  import { defineConfig } from 'vite'

  export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] })`

const OF_KIT = {
  2: {
    'vite.config.ts': vite('@sveltejs/adapter-cloudflare'),
    'tsconfig.json': JSON.stringify({
      extends: './.svelte-kit/tsconfig.json',
      compilerOptions: options,
    }),
  },
  3: {
    'vite.config.ts': vite('./cloudflare.ts'),
    'tsconfig.json': JSON.stringify({
      extends: '$app/tsconfig',
      compilerOptions: { ...options, types: ['$app/types', 'node', './worker-configuration.d.ts'] },
      include: ['src', '*'],
    }),
  },
}
