import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stepsOf, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { makeFolder, NEEDED, type NextApp, runNextBuild, startNextApp } from '../next/apps.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { packAll } from '../support/packed.ts'
import { layOut } from '../support/user-project.ts'

/**
 * The app of docs/quick-start-next.md, with the files around it that `create-next-app` 16.4 makes: it sets
 * `cacheComponents`, by which what reads a session outside of `<Suspense>` fails the build.
 */
const walk = walks.find(({ page }) => page === 'docs/quick-start-next.md')
const steps = walk ? stepsOf(walk) : []
const stops: (() => unknown)[] = []
let browser: Browser
let folder: string
let env: Readonly<Record<string, string>>

const root = JSON.stringify(rootDir)
const around = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.ts': `import type { NextConfig } from 'next'

const nextConfig: NextConfig = {
  cacheComponents: true,
  partialPrefetching: true,
  turbopack: { root: ${root} },
  outputFileTracingRoot: ${root},
}

export default nextConfig
`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ target: 'ES2017', lib: ['dom', 'dom.iterable', 'esnext'], allowJs: true },
      ...{ skipLibCheck: true, strict: true, noEmit: true, esModuleInterop: true },
      ...{ module: 'esnext', moduleResolution: 'bundler', resolveJsonModule: true },
      ...{ isolatedModules: true, jsx: 'react-jsx', incremental: true },
      plugins: [{ name: 'next' }],
      paths: { '@/*': ['./*'] },
    },
    include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts'],
    exclude: ['node_modules'],
  }),
  'app/layout.tsx': `export default function RootLayout({ children }: LayoutProps<"/">) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`,
}

beforeAll(async () => {
  folder = await makeFolder()
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const sandboxPort = await freePort()
  const redirectUris = [`http://localhost:${port}/api/auth/callback/videoapp`]
  const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  const server = serve({ fetch: sandbox.fetch, port: sandboxPort })
  stops.push(() => server.close())
  const [settings = ''] = steps.flatMap((step) =>
    'commands' in step ? (/<<EOF\n([\s\S]*?)^EOF$/m.exec(step.commands)?.[1] ?? []) : [],
  )
  const lines = settings
    .replace('$(openssl rand -hex 32)', 'a-secret-of-the-tests-0123456789abcdef')
    .replaceAll('http://localhost:8788', `http://localhost:${sandboxPort}`)
    .trim()
    .split('\n')
  env = {
    ...Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2))),
    PORT: String(port),
  }
  for (const [file, text] of Object.entries(around)) await write(file, text)
  for (const step of steps) if ('file' in step) await write(step.file, step.text)
  const packed = await packAll()
  await layOut(
    folder,
    NEEDED.flatMap((name) => packed.get(name) ?? []),
  )
  browser = await launchBrowser()
  stops.push(() => browser.close())
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), text)
}

async function signIn(page: Page, { url }: NextApp): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Continue with Video App' }).click()
  await page.getByLabel(/Ada/).check()
  await page.getByRole('button', { name: /Allow/ }).click()
  await page.getByRole('heading', { name: 'Hello Ada Example' }).waitFor()
}

/** What the page says happens, however the app was started. */
async function walkThrough(app: NextApp): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${app.url}/admin`)
  await page.waitForURL(/\/api\/auth\/signin\?callbackUrl=/)
  await signIn(page, app)
  await page.getByText('Your role is member.').waitFor()
  await page.getByRole('link', { name: 'The page for admins' }).click()
  await page.getByRole('heading', { name: 'This page is for admins.' }).waitFor()
  await page.goto(app.url)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  return page
}

test('the tutorial’s app runs in `next dev`, and no page has an error of Next over it', async () => {
  const app = await startNextApp(folder, env, 'dev')
  try {
    // Each is compiled when it is asked for first, which takes a busy machine minutes.
    for (const path of ['/', '/admin', '/api/auth/signin']) await fetch(app.url + path)
    const page = await walkThrough(app)
    await page.waitForLoadState('networkidle')
    const dialogs = page.locator('[data-nextjs-toast-errors], [data-nextjs-dialog]')
    expect(await dialogs.allInnerTexts()).toEqual([])
    expect(app.printed.filter((line) => /Error|⨯/.test(line))).toEqual([])
  } finally {
    await app.stop()
  }
})

test('the tutorial’s app is built with cacheComponents, and its shell is the same for everybody', async () => {
  const { printed } = await runNextBuild(folder)
  expect(printed).not.toMatch(/warn|error/i)
  const app = await startNextApp(folder, env)
  try {
    const page = await walkThrough(app)
    await signIn(page, app)
    const shell = await (await fetch(app.url)).text()
    expect(shell).not.toContain('Ada')
  } finally {
    await app.stop()
  }
})
