import { execFile } from 'node:child_process'
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { makeFolder, NEEDED, type NextApp, runNextBuild, startNextApp } from '../next/apps.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { packAll } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'

/**
 * The apps of `test/moving-in-next`, as `next build` makes them, with people signed in; then `latchkey migrate`, what
 * it leaves to a person, another build, and the same browsers again.
 */
const run = promisify(execFile)
const SECRET = 'a-secret-that-the-app-has-had-for-years-0123456789'
const PASSWORD = 'correct horse battery staple'
const root = JSON.stringify(rootDir)
/** Their types have a test of their own, beside the command. */
const CONFIG = `export default {
  turbopack: { root: ${root} },
  outputFileTracingRoot: ${root},
  typescript: { ignoreBuildErrors: true },
}`

/** Has both versions of `next-auth`, and the apps. */
let folder: string
let browser: Browser
let provider: OidcProvider
let running: NextApp | undefined

beforeAll(async () => {
  folder = await makeFolder()
  await Promise.all([
    install(),
    launchBrowser().then((it) => {
      browser = it
    }),
    startOidcProvider().then((it) => {
      provider = it
    }),
  ])
})
afterEach(() => running?.stop())
afterAll(async () => {
  await browser?.close()
  await provider?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Both versions by one command. The apps say which they need. */
async function install(): Promise<void> {
  const dependencies = {
    'next-auth-4': 'npm:next-auth@4.24.15',
    'next-auth-5': 'npm:next-auth@5.0.0-beta.32',
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const args = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', [...args, '--legacy-peer-deps', '--no-package-lock'], { cwd: folder })
}

class App {
  readonly folder: string
  readonly #port: number
  readonly #variables: Readonly<Record<string, string>>

  constructor(name: string, port: number, variables: Record<string, string>) {
    this.folder = join(folder, name)
    this.#port = port
    this.#variables = { PORT: String(port), ...variables }
  }

  get origin(): string {
    return `http://localhost:${this.#port}`
  }

  static async copy(name: string, variables: Record<string, string>): Promise<App> {
    const app = new App(name, await freePort(), variables)
    await cp(join(rootDir, 'test/moving-in-next', name), app.folder, { recursive: true })
    await writeFile(join(app.folder, 'next.config.mjs'), CONFIG)
    linkPackages(app.folder, [`${name} as next-auth`], join(folder, 'node_modules'))
    return app
  }

  async start(variables: Record<string, string> = {}): Promise<void> {
    await runNextBuild(this.folder)
    running = await startNextApp(this.folder, { ...this.#variables, ...variables })
  }

  /** Stops it, runs the command, and installs: the new packages are there, and the old one is not. */
  async migrate(): Promise<void> {
    await running?.stop()
    const command = [join(rootDir, 'cli/dist/latchkey.js'), 'migrate', '--write']
    const { stdout } = await run(process.execPath, command, { cwd: this.folder }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toMatch(/^Changed \d+ files/)
    await rm(join(this.folder, 'node_modules'), { recursive: true })
    await rm(join(this.folder, '.next'), { recursive: true })
    const packed = await packAll()
    await layOut(
      this.folder,
      NEEDED.flatMap((name) => packed.get(name) ?? []),
    )
  }

  /** Replaces a text of a file, as a person does. */
  async change(path: string, from: string | RegExp, to: string): Promise<void> {
    const file = join(this.folder, path)
    const before = await readFile(file, 'utf8')
    expect(before).toMatch(from)
    await writeFile(file, before.replace(from, to))
  }

  rename(from: string, to: string): Promise<void> {
    return rename(join(this.folder, from), join(this.folder, to))
  }
}

async function newPage(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}

/** The id of the user, in the old session's cookie. */
async function oldId(page: Page, version: 4 | 5): Promise<unknown> {
  const { decode } = createRequire(join(folder, 'x.js'))(`next-auth-${version}/jwt`)
  const name = version === 4 ? 'next-auth.session-token' : 'authjs.session-token'
  const cookie = (await page.context().cookies()).find((one) => one.name === name)
  const salt = version === 4 ? '' : name
  return (await decode({ token: cookie?.value, secret: SECRET, salt }))?.sub
}

const textAt = async (page: Page, path: string) =>
  (await page.request.get(new URL(path, page.url()).href)).text()

async function newId(page: Page): Promise<unknown> {
  return JSON.parse(await textAt(page, '/api/auth/session'))?.user?.id
}

async function sessionCookies(page: Page): Promise<string[]> {
  const cookies = await page.context().cookies()
  return cookies.map(({ name }) => name).filter((name) => name.includes('session-token'))
}

test('an app of next-auth 5 moves, and no user is signed out', async () => {
  const app = await App.copy('next-auth-5', {
    AUTH_SECRET: SECRET,
    AUTH_TRUST_HOST: 'true',
    AUTH_GITHUB_ID: 'id',
    AUTH_GITHUB_SECRET: 'secret',
    PASSWORD_OF_ADA: PASSWORD,
    AUTH_COMPANY_ISSUER: provider.issuer,
    AUTH_COMPANY_ID: provider.clients.basic.id,
    AUTH_COMPANY_SECRET: provider.clients.basic.secret,
  })
  await app.start()
  await provider.registerApp(app.origin, 'company', '/api/auth')
  const members = `${app.origin}/members`

  async function signInByPassword(page: Page): Promise<void> {
    await page.goto(members)
    await page.waitForURL(/\/login\?callbackUrl=/)
    await page.locator('input[name=username]').fill('Ada')
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(members)
  }

  const byPassword = await newPage(app.origin)
  const byCompany = await newPage(app.origin)
  await signInByPassword(byPassword)
  await byCompany.getByRole('button', { name: 'Sign in with Company' }).click()
  await byCompany.getByRole('button', { name: 'Continue as Ada Example' }).click()
  await byCompany.waitForURL(members)
  const before = [await oldId(byPassword, 5), await oldId(byCompany, 5)]
  expect(before).toEqual(['1', expect.stringMatching(/./)])

  await app.migrate()
  await app.change('app/layout.tsx', ' refetchOnWindowFocus={false}', '')
  await app.change('auth.config.ts', 'session.user.name', 'Object(session).user?.name')
  await app.rename('middleware.ts', 'proxy.ts')
  await app.change('proxy.ts', /^.*\.auth$/ms, "export { auth as proxy } from '@/auth'")
  await app.start()

  for (const [at, page] of [byPassword, byCompany].entries()) {
    await page.goto(members)
    expect(page.url()).toBe(members)
    expect(await newId(page)).toBe(before[at])
    expect(await sessionCookies(page)).toEqual(['auth.session-token'])
  }

  await byPassword.locator('input[name=name]').fill('Countess')
  const isRenamed = byPassword.waitForResponse((answer) => answer.request().method() === 'POST')
  await byPassword.getByRole('button', { name: 'Rename' }).click()
  await isRenamed
  await byPassword.goto(app.origin)
  await byPassword.getByText('Hello Countess').waitFor()
  await byPassword.getByRole('button', { name: 'Sign out' }).click()
  await byPassword.getByRole('button', { name: 'Sign in with Company' }).waitFor()
  expect(await sessionCookies(byPassword)).toEqual([])
  await byPassword.goto(members)
  await byPassword.waitForURL(/\/login\?callbackUrl=/)
  expect(await newId(byCompany)).toBe(before[1])
  await signInByPassword(byPassword)
  expect(await newId(byPassword)).toBe('1')
  expect(JSON.parse(await textAt(byPassword, '/api/me'))).toMatchObject({ role: 'admin' })
})

test('an app of next-auth 4 moves, and no user is signed out', async () => {
  const app = await App.copy('next-auth-4', {
    NEXTAUTH_SECRET: SECRET,
    NEXTAUTH_URL: '{url}',
    GITHUB_ID: 'id',
    GITHUB_SECRET: 'secret',
  })
  // Next 16 looks for the function by its name, where version 15 takes a default of another file.
  await app.change('src/middleware.ts', '{ default }', '{ default as middleware }')
  await app.start()
  const members = `${app.origin}/members`
  const page = await newPage(`${app.origin}/login`)
  async function signIn(): Promise<void> {
    await page.goto(`${app.origin}/login`)
    await page.locator('input[name=email]').fill('ada@example.com')
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(members)
    await page.getByRole('button', { name: 'admin' }).waitFor()
  }
  await signIn()
  const before = await oldId(page, 4)
  expect(before).toBe('1')

  await app.migrate()
  await app.rename('src/middleware.ts', 'src/proxy.ts')
  await app.change('src/proxy.ts', 'auth as middleware', 'auth as proxy')
  // The variables are renamed, with the same values.
  await app.start({ AUTH_SECRET: SECRET, AUTH_URL: '{url}', NEXTAUTH_SECRET: '', NEXTAUTH_URL: '' })

  await page.goto(members)
  await page.getByText('Hello Ada').waitFor()
  await page.getByRole('button', { name: 'admin' }).waitFor()
  expect(await newId(page)).toBe(before)
  expect(await sessionCookies(page)).toEqual(['auth.session-token'])
  await page.getByRole('button', { name: 'admin' }).click()
  await page.waitForURL(`${app.origin}/`)
  expect(await sessionCookies(page)).toEqual([])
  await page.goto(members)
  await page.waitForURL(/\/login\?callbackUrl=/)
  await signIn()
  expect(await newId(page)).toBe('1')
})
