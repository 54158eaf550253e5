import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mintSession } from '@latchkey/session/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask } from '../express/support.ts'
import { bundleByWrangler } from '../support/bundle-by-wrangler.ts'
import { freePort } from '../support/free-port.ts'
import { packedAsIn } from '../support/packed.ts'
import { layOut, linkPackages } from '../support/user-project.ts'

/** A Hono app of a user's own, made from the packed tarballs and the examples of the README. */
const run = promisify(execFile)
const tsc = join(rootDir, 'node_modules/typescript/bin/tsc')
const AUTH_SECRET = 'a-secret-of-a-users-own-app-0123456789'
const CODE = /```ts\n([\s\S]*?)```/g
/** The examples of the package's README, and the one of the repository's. */
const examples: string[] = []
/** The one example that has these texts. */
function exampleWith(...texts: readonly string[]): string {
  const found = examples.filter((code) => texts.every((text) => code.includes(text)))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

let project: string
let child: ChildProcess | undefined

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'latchkey-hono-'))
  const readme = await readFile(join(rootDir, 'adapters/hono/README.md'), 'utf8')
  const front = await readFile(join(rootDir, 'README.md'), 'utf8')
  const codes = [...`${readme}\n${front.split('## Hono')[1]?.split('\n## ')[0]}`.matchAll(CODE)]
  examples.push(...codes.map(([, code = '']) => code))
  // As the README says to do it.
  const packed = await packedAsIn(readme)
  expect(packed.map(({ name }) => name.split('/')[1]).sort()).toEqual([
    'hono',
    'host',
    'session',
    'worker',
  ])
  const manifest = { name: 'project', private: true, type: 'module' }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  await layOut(project, packed)
  const tools = ['@hono/node-server', '@types/node', '@cloudflare/workers-types']
  linkPackages(project, ['hono', '@phi-ag/argon2', ...tools])
})
afterEach(async () => {
  if (child?.exitCode === null && child.kill()) await once(child, 'exit')
})
afterAll(() => rm(project, { recursive: true, force: true }))

test('a program type-checks, and so does every example of the README', async () => {
  expect(examples.length).toBeGreaterThan(4)
  const files = ['program.ts', ...examples.map((_, index) => `example-${index}.ts`)]
  for (const [index, code] of [PROGRAM, ...examples].entries()) {
    await writeFile(join(project, files[index] ?? ''), code)
  }
  const types = ['node', '@cloudflare/workers-types']
  const options = { target: 'es2023', module: 'nodenext', types, noEmit: true }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true }
  const config = { compilerOptions: { ...options, ...strict }, files }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((it) => it)
  expect(stdout).toBe('')
  const { stdout: printed } = await run(process.execPath, ['program.ts'], { cwd: project })
  expect(printed).toBe('ok\n')
})

test('the example for Workers is bundled as one', async () => {
  expect(await bundleByWrangler(project, exampleWith('// on Workers'))).toContain('worker.js')
})

test('a Worker that verifies passwords is bundled with the one package that its docs name, and without the others', async () => {
  const code = `
    import { verifyPassword } from '@latchkey/worker/passwords'
    export default { fetch: async () => Response.json(await verifyPassword('', '')) }`
  expect(await bundleByWrangler(project, code)).toContain('worker.js')
})

test('a Worker that forwards is bundled without the worker package', async () => {
  const installed = join(project, 'node_modules/@latchkey/worker')
  await rename(installed, join(project, 'kept'))
  const code = `
    import { authHandler } from '@latchkey/hono/forward'
    import { Hono } from 'hono'
    const auth = authHandler<{ Bindings: { AUTH: Fetcher } }>((c) => ({ worker: c.env.AUTH }))
    export default new Hono<{ Bindings: { AUTH: Fetcher } }>().all('/auth/*', auth)`
  try {
    expect(await bundleByWrangler(project, code)).toContain('worker.js')
  } finally {
    await rename(join(project, 'kept'), installed)
  }
})

/** The example for Node, as a process of its own with one `authHandler`. */
async function start(config: string, env: Record<string, string> = {}): Promise<string> {
  const port = await freePort()
  const code = exampleWith('@hono/node-server', 'github()')
    .replace('{ providers: [github()] }', config)
    .replace('port: 3000 }', `port: ${port} }, () => console.log('ready')`)
  expect(code).toContain('ready')
  await writeFile(join(project, 'server.ts'), code)
  const github = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
  child = spawn(process.execPath, ['server.ts'], {
    cwd: project,
    env: { ...process.env, ...github, AUTH_SECRET, NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const isUp = await Promise.race([
    new Promise((resolve) => child?.stdout?.once('data', () => resolve(true))),
    once(child, 'exit'),
  ])
  expect(isUp).toBe(true)
  return `http://127.0.0.1:${port}`
}

async function cookieFor(origin: string, more: object = {}): Promise<string> {
  const user = { id: 'ada', name: '<b>Ada</b>' }
  const secret = AUTH_SECRET
  return (await mintSession({ secret, issuer: `${origin}/auth`, user, ...more })).cookie
}

test('on Node it greets a signed-in person as text, and sends others to sign in', async () => {
  const origin = await start('{ providers: [github()] }')
  const stranger = await fetch(origin, { redirect: 'manual' })
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    302,
    '/auth/signin?callbackUrl=%2F',
  ])
  const greeted = await fetch(origin, { headers: { cookie: await cookieFor(origin) } })
  expect(await greeted.text()).toBe('Hello <b>Ada</b>')
  expect((await fetch(`${origin}/auth/csrf`)).status).toBe(200)
})

test('a reader without a configuration uses the one authHandler’s', async () => {
  const secret = 'another-secret-that-is-in-the-code-0123456789'
  const origin = await start(`{ providers: [github()], secret: '${secret}' }`)
  const own = await fetch(origin, { headers: { cookie: await cookieFor(origin, { secret }) } })
  expect(await own.text()).toBe('Hello <b>Ada</b>')
  const headers = { cookie: await cookieFor(origin) }
  const other = await fetch(origin, { headers, redirect: 'manual' })
  expect(other.status).toBe(302)
})

test('with several authHandlers the environment decides how sessions are read', async () => {
  const several =
    "{ providers: [] }))\napp.all('/other/*', authHandler({ providers: [], secret: 'a-secret-of-the-tests-0123456789abcdef' }"
  const origin = await start(several)
  const greeted = await fetch(origin, { headers: { cookie: await cookieFor(origin) } })
  expect(await greeted.text()).toBe('Hello <b>Ada</b>')
})

test('an untrusted Host is refused in production', async () => {
  const origin = await start('{ providers: [github()] }', { NODE_ENV: 'production' })
  expect((await fetch(`${origin}/auth/csrf`)).status).toBe(200)
  const { port } = new URL(origin)
  const evil = `evil.example:${port}`
  const headers = { host: evil, cookie: await cookieFor(`http://${evil}`) }
  expect((await ask(Number(port), '/auth/csrf', { headers })).status).toBe(400)
  expect((await ask(Number(port), '/', { headers })).status).toBe(302)
})

test('it answers 503 while the Worker is down, and works again afterwards', async () => {
  const origin = await start(`{ worker: 'http://127.0.0.1:${await freePort()}/auth' }`)
  const headers = { cookie: await cookieFor(origin, { tokenMaxAge: -1 }) }
  for (const path of ['/', '/auth/session']) {
    const answer = await fetch(origin + path, { headers })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  }
  expect((await fetch(origin, { redirect: 'manual' })).status).toBe(302)
})

const PROGRAM = `
import { type Account, AuthError, type AuthHandlerConfig, authHandler, CredentialsSignin, customFetch, type DefaultSession, getSession, type Profile, requireSession, type Session, session, type User, WorkerUnavailable } from '@latchkey/hono'
import github, { type GitHubProfile } from '@latchkey/hono/providers/github'
import { Hono } from 'hono'

export type All = [Account, DefaultSession, Profile, Session, User, GitHubProfile, WorkerUnavailable]

const config: AuthHandlerConfig = {
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  providers: [github({ clientId: 'id', clientSecret: 'secret', [customFetch]: fetch })],
}
// @ts-expect-error: raw is not for Hono
export const withRaw: AuthHandlerConfig = { providers: [], raw: true }
// @ts-expect-error: either the app or the Worker answers the routes
export const both: AuthHandlerConfig = { providers: [], worker: 'https://example.com/auth' }
if (!(new CredentialsSignin() instanceof AuthError)) throw new Error('not an AuthError')

const app = new Hono<{ Bindings: { AUTH: { fetch: typeof fetch } } }>()
app.all('/auth/*', authHandler(config))
app.all('/bound/*', authHandler<{ Bindings: { AUTH: { fetch: typeof fetch } } }>(async (c) => ({ worker: c.env.AUTH })))
app.use(session(config))
app.get('/', requireSession({}, config), async (c) => {
  const found: Session | null = c.var.session
  return c.json([found?.user?.name, await getSession(c, config)])
})
const answer = await app.request('/', { headers: { accept: 'application/json' } })
console.log(answer.status === 401 ? 'ok' : answer.status)
`
