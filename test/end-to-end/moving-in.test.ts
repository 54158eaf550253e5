import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ProcessTree, startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { packAll } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'
import { linkKit } from '../sveltekit/kit-packages.ts'

/**
 * Apps as the documentation of Auth.js and better-auth shows them, with people signed in; then `latchkey migrate`,
 * and the same browsers again.
 */
const run = promisify(execFile)
const SECRET = 'a-secret-that-the-app-has-had-for-years-0123456789'
const PASSWORD = 'correct horse battery staple'

let temp: string
let browser: Browser
let provider: OidcProvider
let server: ProcessTree | undefined

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-moving-in-'))
  const apps = join(rootDir, 'test/moving-in')
  await cp(apps, temp, { recursive: true })
  const asked = await dependenciesOf(apps)
  await Promise.all([
    installAll(asked),
    launchBrowser().then((it) => {
      browser = it
    }),
    startOidcProvider().then((it) => {
      provider = it
    }),
  ])
  const installed = Object.keys(asked).map(async (name) => [name, await versionOf(name)])
  expect(Object.fromEntries(await Promise.all(installed))).toEqual(asked)
})
afterEach(() => server?.stop())
afterAll(async () => {
  await browser?.close()
  await provider?.stop()
  await rm(temp, { recursive: true, force: true })
})

/** What the manifests of the apps ask for, by name. */
async function dependenciesOf(apps: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const name of await readdir(apps)) {
    const manifest = JSON.parse(await readFile(join(apps, name, 'package.json'), 'utf8'))
    Object.assign(all, manifest.dependencies, manifest.devDependencies)
  }
  return all
}

/**
 * Installs the packages that the apps need, before and after, once, in the folder above them. npm brings the ones that
 * the repository lacks.
 */
async function installAll(asked: Record<string, string>): Promise<void> {
  const lacking = Object.entries(asked).filter(([name]) => name.startsWith('@auth/'))
  const dependencies = Object.fromEntries(lacking)
  await writeFile(join(temp, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', [...install, '--legacy-peer-deps'], { cwd: temp })
  const all = await packAll()
  const ours = ['session', 'host', 'client', 'worker', 'adapters/express', 'adapters/sveltekit']
  await layOut(
    temp,
    ours.flatMap((folder) => all.get(folder) ?? []),
  )
  linkPackages(temp, ['@phi-ag/argon2', 'better-auth', 'express', '@types/express', '@types/node'])
  await linkKit(temp, 2)
}

async function versionOf(name: string): Promise<string> {
  const manifest = await readFile(join(temp, 'node_modules', name, 'package.json'), 'utf8')
  return JSON.parse(manifest).version
}

const bin = (path: string) => join(temp, 'node_modules', path)

/** An app in its folder, which keeps its address while it is stopped, changed and started again. */
class App {
  readonly name: string
  readonly origin: string
  readonly #args: string[]
  readonly #variables: Record<string, string>

  constructor(name: string, port: number, args: string[], variables: Record<string, string>) {
    this.name = name
    this.origin = `http://localhost:${port}`
    this.#args = args
    this.#variables = { PORT: String(port), ORIGIN: this.origin, ...variables }
  }

  get env() {
    return { PATH: process.env.PATH, ...this.#variables }
  }

  node(...args: string[]) {
    return run(process.execPath, args, { cwd: join(temp, this.name), env: this.env })
  }

  async start(): Promise<void> {
    const lines: string[] = []
    server = startProcessTree(this.#args, {
      cwd: join(temp, this.name),
      env: this.env,
      onLine: (line) => lines.push(line),
    })
    const status = () =>
      fetch(this.origin).then(
        (answer) => answer.status,
        () => lines.join('\n'),
      )
    await expect.poll(status).toBeTypeOf('number')
  }

  async stop(): Promise<void> {
    await server?.stop()
  }

  /** Runs the command in the app's folder, and answers with the open decisions. */
  async migrate(): Promise<string> {
    const { stdout } = await this.node(
      join(rootDir, 'cli/dist/latchkey.js'),
      'migrate',
      '--write',
    ).catch((error: { stdout: string }) => error)
    expect(stdout).toMatch(/^Changed \d+ files/)
    return stdout
  }
}

/** The session as the app reads it. */
async function sessionOf(page: Page, path = '/me') {
  const answer = await page.request.get(new URL(path, page.url()).href)
  return (await answer.json()) as { user: { id: string; name: string }; role?: string } | null
}

async function newPage(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}

/** Clicks what goes to the provider, and comes back as Ada, at once if the provider knows the browser. */
async function comeBackAsAda(page: Page, button: string, to: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  const person = page.getByRole('button', { name: 'Continue as Ada Example' })
  const isBack = page.waitForURL(to).then(() => true)
  const isAsked = person.waitFor().then(() => false)
  isBack.catch(() => {})
  isAsked.catch(() => {})
  if (!(await Promise.race([isBack, isAsked]))) await person.click()
  await isBack
}

async function cookieNames(context: BrowserContext): Promise<string[]> {
  return (await context.cookies()).map(({ name }) => name)
}

const company = () => ({
  AUTH_COMPANY_ISSUER: provider.issuer,
  AUTH_COMPANY_ID: provider.clients.basic.id,
  AUTH_COMPANY_SECRET: provider.clients.basic.secret,
})

/** A session of Auth.js that fills several cookies, made by its own function. */
async function chunkedCookies(origin: string) {
  const { encode } = await import(createRequire(join(temp, 'x.js')).resolve('@auth/core/jwt'))
  const token = { sub: '77', name: 'Grace', email: 'grace@example.com', role: 'x'.repeat(6_000) }
  const salt = 'authjs.session-token'
  const text: string = await encode({ token, secret: SECRET, salt })
  const parts = text.match(/.{1,3500}/g) ?? []
  expect(parts.length).toBeGreaterThan(2)
  return parts.map((value, at) => ({ name: `${salt}.${at}`, value, url: origin }))
}

test('an Express app moves from Auth.js, and no user is signed out', async () => {
  const port = await freePort()
  const app = new App('authjs-express', port, ['src/server.ts'], {
    AUTH_SECRET: SECRET,
    AUTH_GITHUB_ID: 'id',
    AUTH_GITHUB_SECRET: 'secret',
    AUTH_GOOGLE_ID: 'id',
    AUTH_GOOGLE_SECRET: 'secret',
    PASSWORD_OF_ADA: PASSWORD,
    ...company(),
  })
  const members = `${app.origin}/members`
  await provider.registerApp(app.origin, 'company')

  async function signInByPassword(page: Page): Promise<void> {
    await page.goto(`${app.origin}/login`)
    await page.locator('[data-ready]').waitFor()
    await page.getByLabel('User name').fill('Ada')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in with a password' }).click()
    await page.waitForURL(members)
  }
  async function signInByCompany(page: Page): Promise<void> {
    await page.goto(`${app.origin}/login`)
    await page.locator('[data-ready]').waitFor()
    await comeBackAsAda(page, 'Sign in with Company', members)
  }

  await app.start()
  const [byPassword, byCompany, inChunks] = [
    await newPage(app.origin),
    await newPage(app.origin),
    await newPage(app.origin),
  ]
  await signInByPassword(byPassword)
  await signInByCompany(byCompany)
  await inChunks.context().addCookies(await chunkedCookies(app.origin))
  const everybody = [byPassword, byCompany, inChunks]
  const before = await Promise.all(everybody.map((page) => sessionOf(page)))
  expect(before.map((session) => session?.role?.slice(0, 6))).toEqual(['admin', 'member', 'xxxxxx'])
  expect([before[0]?.user.id, before[2]?.user.id]).toEqual(['1', '77'])

  await app.stop()
  expect(await app.migrate()).toContain('Set `until`')
  const types = await app.node(bin('@typescript/native/bin/tsc'), '-p', '.').catch((error) => error)
  expect(types.stdout).toBe('')
  await app.start()

  for (const [at, page] of everybody.entries()) {
    await page.goto(members)
    expect(page.url()).toBe(members)
    const { user, role } = (await sessionOf(page)) ?? {}
    expect({ id: user?.id, name: user?.name, role }).toEqual({
      id: before[at]?.user.id,
      name: before[at]?.user.name ?? null,
      role: before[at]?.role,
    })
    const names = await cookieNames(page.context())
    expect(names.filter((name) => name.startsWith('authjs.session-token'))).toEqual([])
    expect(names.some((name) => name.startsWith('auth.session-token'))).toBe(true)
  }

  await byPassword.getByRole('link', { name: 'Sign out' }).click()
  await byPassword.getByRole('button', { name: /sign out/i }).click()
  await byPassword.waitForURL(`${app.origin}/`)
  expect(await sessionOf(byPassword)).toBeNull()
  expect((await sessionOf(byCompany))?.user.id).toBe(before[1]?.user.id)
  await signInByPassword(byPassword)
  expect(await sessionOf(byPassword)).toMatchObject({ user: { id: '1' }, role: 'admin' })
  const ids: (string | undefined)[] = []
  for (const page of [await newPage(app.origin), await newPage(app.origin)]) {
    await signInByCompany(page)
    ids.push((await sessionOf(page))?.user.id)
  }
  expect(ids[0]).toBe(ids[1])
})

test('a SvelteKit app moves from Auth.js, and no user is signed out', async () => {
  const port = await freePort()
  const app = new App('authjs-sveltekit', port, ['build/index.js'], {
    AUTH_SECRET: SECRET,
    AUTH_GITHUB_ID: 'id',
    AUTH_GITHUB_SECRET: 'secret',
    AUTH_GOOGLE_ID: 'id',
    AUTH_GOOGLE_SECRET: 'secret',
    PASSWORD_OF_ADA: PASSWORD,
    ...company(),
  })
  const members = `${app.origin}/members`
  await provider.registerApp(app.origin, 'company')
  /** Without a secret, as where apps are built. */
  const build = () =>
    run(process.execPath, [bin('vite/bin/vite.js'), 'build'], {
      cwd: join(temp, app.name),
      env: { PATH: process.env.PATH },
    })
  const shown = async (page: Page) => JSON.parse((await page.locator('pre').textContent()) ?? '')
  async function signInByPassword(page: Page): Promise<void> {
    await page.goto(app.origin, { waitUntil: 'networkidle' })
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in with a password' }).click()
    await page.waitForURL(members)
  }

  await build()
  await app.start()
  const [byPassword, byCompany] = [await newPage(app.origin), await newPage(app.origin)]
  await signInByPassword(byPassword)
  await byCompany.goto(`${app.origin}/signin`)
  await comeBackAsAda(byCompany, 'company', members)
  const everybody = [byPassword, byCompany]
  const before = await Promise.all(everybody.map(shown))
  expect(before[0].user.id).toBe('1')
  expect(before[1].groups).toEqual(['everybody'])

  await app.stop()
  await app.migrate()
  const check = [bin('svelte-check/bin/svelte-check'), '--fail-on-warnings', '--tsgo']
  const types = await app.node(...check).catch((error) => error)
  expect(types.stdout).toContain('found 0 errors and 0 warnings')
  await build()
  await app.start()

  for (const [at, page] of everybody.entries()) {
    await page.goto(members)
    const { user, groups } = await shown(page)
    expect(page.url()).toBe(members)
    expect({ id: user.id, name: user.name, groups }).toEqual({
      id: before[at].user.id,
      name: before[at].user.name ?? null,
      groups: before[at].groups,
    })
  }
  await byPassword.goto(app.origin, { waitUntil: 'networkidle' })
  await byPassword.getByRole('button', { name: 'Sign out', exact: true }).click()
  await byPassword.getByRole('button', { name: 'Sign in with Company' }).waitFor()
  expect(await shown(byPassword)).toBeNull()
  await signInByPassword(byPassword)
  expect((await shown(byPassword)).user.id).toBe('1')
  await byCompany.goto(app.origin, { waitUntil: 'networkidle' })
  await byCompany.getByRole('button', { name: 'Sign out by a form' }).click()
  await byCompany.waitForURL((url) => url.pathname !== '/members')
  await expect.poll(() => shown(byCompany)).toBeNull()
  await byCompany.goto(app.origin, { waitUntil: 'networkidle' })
  await comeBackAsAda(byCompany, 'Sign in with Company', members)
  expect((await shown(byCompany)).user.name).toBe('Ada Example')
})

test('an Express app moves from better-auth, with its passwords, and no user is signed out', async () => {
  const port = await freePort()
  const app = new App('better-auth-express', port, ['src/server.ts'], {
    AUTH_SECRET: 'a-secret-for-new-sessions-0123456789abcdef',
    BETTER_AUTH_SECRET: SECRET,
    BETTER_AUTH_URL: `http://localhost:${port}`,
    AUTH_URL: `http://localhost:${port}`,
    GITHUB_CLIENT_ID: 'id',
    GITHUB_CLIENT_SECRET: 'secret',
  })
  const tables = `import { auth } from './src/auth.ts'; await (await auth.$context).runMigrations()`
  await app.node('--input-type=module', '--eval', tables)
  await app.start()
  const post = (page: Page, path: string, data: object) =>
    page.request.post(app.origin + path, { data, headers: { origin: app.origin } })
  const [withCopy, lookedUp] = [await newPage(app.origin), await newPage(app.origin)]
  for (const [at, page] of [withCopy, lookedUp].entries()) {
    const email = `ada${at}@example.com`
    const data = { name: `Ada ${at}`, email, password: PASSWORD }
    expect((await post(page, '/api/auth/sign-up/email', data)).status()).toBe(200)
  }
  const before = await Promise.all([withCopy, lookedUp].map((page) => sessionOf(page)))
  // The copy in the cookie is over after five minutes, and the database decides.
  await lookedUp.context().clearCookies({ name: 'better-auth.session_data' })

  await app.stop()
  expect(await app.migrate()).toContain('New accounts, changed and forgotten passwords')
  const types = await app.node(bin('@typescript/native/bin/tsc'), '-p', '.').catch((error) => error)
  expect(types.stdout).toBe('')
  await app.start()

  for (const [at, page] of [withCopy, lookedUp].entries()) {
    const after = await sessionOf(page)
    expect({ id: after?.user.id, name: after?.user.name }).toEqual({
      id: before[at]?.user.id,
      name: before[at]?.user.name,
    })
    const names = await cookieNames(page.context())
    expect(names.filter((name) => name.startsWith('better-auth.session'))).toEqual([])
  }
  await withCopy.goto(`${app.origin}/api/auth/signout`)
  await withCopy.getByRole('button', { name: /sign out/i }).click()
  await withCopy.waitForURL(`${app.origin}/`)
  expect(await sessionOf(withCopy)).toBeNull()
  expect((await sessionOf(lookedUp))?.user.name).toBe('Ada 1')
  await withCopy.goto(`${app.origin}/api/auth/signin?callbackUrl=/members`)
  await withCopy.getByLabel('Email').fill('ada0@example.com')
  await withCopy.getByLabel('Password').fill(PASSWORD)
  await withCopy.locator('form[action$="/callback/credentials"] button').click()
  await withCopy.waitForURL(`${app.origin}/members`)
  expect((await sessionOf(withCopy))?.user.id).toBe(before[0]?.user.id)
})

/** What docs/migrate-from-better-auth.md says about passwords, for the file that `latchkey migrate` has written. */
function withOwnPasswords(text: string): string {
  const from = text.indexOf('/** The user with this address and password')
  const to = text.indexOf('/** Takes the place of')
  const own = [
    "email({ from: 'app@example.com', sendVerificationRequest: () => {} })",
    'password()',
  ].join(', ')
  return (text.slice(0, from) + text.slice(to))
    .replace(/^import credentials from .+$/m, () =>
      [
        "import { passwords } from '@latchkey/worker/features/passwords'",
        "import email from '@latchkey/express/providers/email'",
        "import password from '@latchkey/express/providers/password'",
      ].join('\n'),
    )
    .replace(/ {4}credentials\(\{[\s\S]*?\n {4}\}\),\n/, () => `    ${own},\n`)
    .replace(/ {2}async subject\([\s\S]*?\n {2}\},\n/, '  features: [passwords],\n')
    .replace(/ {2}\/\/ Several accounts[\s\S]*?sharedSubjects: true,\n/, '')
}

/** Signs in by the form, and answers with the id of the person; `undefined`: the password is wrong. */
async function signInBy(origin: string, email: string, password: string) {
  const csrf = await fetch(`${origin}/api/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookiesOf = (answer: Response) =>
    answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0])
  const answer = await fetch(`${origin}/api/auth/callback/password`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, cookie: cookiesOf(csrf).join('; ') },
    body: new URLSearchParams({ csrfToken, email, password }),
  })
  const me = await fetch(`${origin}/me`, { headers: { cookie: cookiesOf(answer).join('; ') } })
  return ((await me.json()) as { user?: { id: string } } | null)?.user?.id
}

test('ten people of better-auth move in with their passwords, and sign in without its tables', async () => {
  const port = await freePort()
  await cp(
    join(rootDir, 'test/moving-in/better-auth-express'),
    join(temp, 'better-auth-passwords'),
    {
      recursive: true,
    },
  )
  const app = new App('better-auth-passwords', port, ['src/server.ts'], {
    AUTH_SECRET: 'a-secret-for-new-sessions-0123456789abcdef',
    AUTH_STORE: 'file:sessions.db',
    BETTER_AUTH_SECRET: SECRET,
    BETTER_AUTH_URL: `http://localhost:${port}`,
    AUTH_URL: `http://localhost:${port}`,
    GITHUB_CLIENT_ID: 'id',
    GITHUB_CLIENT_SECRET: 'secret',
  })
  const people = Array.from({ length: 10 }, (_, at) => ({
    name: `Person ${at}`,
    email: `person${at}@example.com`,
    password: at === 0 ? 'Gürteltier 🦔' : `secret ${at}`,
  }))
  const made = await app.node(
    '--input-type=module',
    '--eval',
    `import { auth } from './src/auth.ts'
    const { runMigrations, internalAdapter } = await auth.$context
    await runMigrations()
    for (const body of ${JSON.stringify(people)}) {
      const { user } = await auth.api.signUpEmail({ body })
      await internalAdapter.updateUser(user.id, { emailVerified: body.name !== 'Person 9' })
      console.log(user.id)
    }`,
  )
  const ids = made.stdout.trim().split('\n')
  expect(ids).toHaveLength(10)
  await app.migrate()
  const folder = join(temp, 'better-auth-passwords')
  const written = join(folder, 'src/auth.ts')
  await writeFile(written, withOwnPasswords(await readFile(written, 'utf8')))
  const types = await app.node(bin('@typescript/native/bin/tsc'), '-p', '.').catch((error) => error)
  expect(types.stdout).toBe('')

  const dump = await run('sqlite3', ['app.db', '.dump user account'], { cwd: folder })
  await writeFile(join(folder, 'people.sql'), dump.stdout)
  const command = ['import', 'people.sql', '--store', 'file:sessions.db', '--email', 'email']
  const told = await app
    .node(join(rootDir, 'cli/dist/latchkey.js'), ...command, '--passwords')
    .catch((error: { stdout: string; code: number }) => error)
  expect(told.stdout).toContain('18 taken over')
  expect(told.stdout).toContain('1 unverified:')
  await rm(join(folder, 'app.db'))
  await writeFile(
    written,
    (await readFile(written, 'utf8')).replace(
      "new DatabaseSync('app.db')",
      "new DatabaseSync(':memory:')",
    ),
  )
  await app.start()
  for (const [at, { email, password }] of people.entries()) {
    const isVerified = at !== 9
    expect([email, await signInBy(app.origin, email, `${password}x`)]).toEqual([email, undefined])
    // The first time replaces the hash.
    for (const _ of [1, 2]) {
      const id = await signInBy(app.origin, email, password)
      expect([email, id]).toEqual([email, isVerified ? ids[at] : undefined])
    }
  }
}, 180_000)
