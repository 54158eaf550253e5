import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { serve } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'
import { findFastapi, findGo, type LanguageProgram } from '../support/language-programs.ts'
import { Person } from '../support/mcp-client.ts'

const folder = join(rootDir, 'verifiers')
const made = mkdtempSync(join(tmpdir(), 'latchkey-go-example-'))
const stops: (() => unknown)[] = [() => rmSync(made, { recursive: true })]
afterAll(() => Promise.all(stops.map((stop) => stop())))

/** The examples of the packages, as their readers start them. */
const examples = [
  {
    name: 'the Python verifier in FastAPI',
    program: await findFastapi(),
    start: ({ path, env }: LanguageProgram, port: number, vars: NodeJS.ProcessEnv) => {
      const sources = join(folder, 'python/src')
      const PYTHONPATH = [sources, env.PYTHONPATH ?? ''].join(delimiter)
      const args = ['-m', 'uvicorn', 'fastapi_app:app', '--port', String(port)]
      const cwd = join(folder, 'python/examples')
      return spawn(path, args, { cwd, env: { ...env, ...vars, PYTHONPATH }, stdio: 'ignore' })
    },
  },
  {
    name: 'the Go verifier in net/http',
    program: await findGo(),
    start: ({ path, env }: LanguageProgram, port: number, vars: NodeJS.ProcessEnv) => {
      const example = join(made, 'example')
      const options = { cwd: join(folder, 'go'), env, encoding: 'utf8' } as const
      const built = spawnSync(path, ['build', '-o', example, './example'], options)
      expect(built.stderr).toBe('')
      return spawn(example, [], { env: { ...env, ...vars, PORT: String(port) }, stdio: 'ignore' })
    },
  },
]

/** The time after which an app refuses a session that has ended. Seconds. */
const MAX_DELAY = 15

const audience = 'https://api.example.com/'
const roles = new Map<string, string>()

async function startService() {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const auth = createAuth({
    basePath: '/auth',
    secret: 'a-secret-of-the-other-verifiers-0123456789',
    trustHost: true,
    store: memoryStore(),
    logger: { error: console.error, warn: () => {}, info: () => {} },
    providers: [
      credentials({
        credentials: { username: {}, password: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    callbacks: {
      session: ({ session, token }) => ({ ...session, role: roles.get(String(token.name)) }),
    },
    features: [
      authorizationServer({
        resources: { [audience]: { name: 'Notes', scopes: { 'notes:read': 'Read your notes' } } },
        keys: { prefix: 'acme' },
      }),
    ],
  })
  const running = serve({ fetch: (request) => auth.fetch(request), port })
  stops.push(() => running.close())
  return { auth, url }
}

const service = await startService()

async function signedIn(name: string): Promise<Person> {
  const person = new Person(service.url)
  await person.signIn(name)
  expect(person.cookie).toContain('auth.session-token=')
  return person
}

/** The seconds until an answer is as it should be. */
async function secondsUntil(check: () => Promise<boolean>): Promise<number> {
  const began = Date.now()
  await vi.waitUntil(check, { timeout: 60_000, interval: 200 })
  return (Date.now() - began) / 1000
}

describe.each(examples)('$name', ({ program, start, name }) => {
  const slug = name.split(' ')[1]?.toLowerCase() ?? ''

  test.skipIf('why' in program)(
    'hears each ending of a service within fifteen seconds',
    async () => {
      const port = await freePort()
      const app = `http://127.0.0.1:${port}`
      const vars = { AUTH_WORKER_URL: `${service.url}/auth`, AUDIENCE: audience }
      const child: ChildProcess = start(program as LanguageProgram, port, vars)
      stops.push(() => void child.kill())
      await vi.waitUntil(() => fetch(`${app}/me`).catch(() => undefined), { timeout: 60_000 })

      const me = (person: Person, more = {}) =>
        fetch(`${app}/me`, { headers: { cookie: person.cookie, ...more }, redirect: 'manual' })
      const notes = (key: string) =>
        fetch(`${app}/notes`, { headers: { authorization: `Bearer ${key}` } })

      const [ada, bob, eve] = await Promise.all(
        ['ada', 'bob', 'eve'].map((one) => signedIn(`${one}-${slug}`)),
      )
      if (!ada || !bob || !eve) throw new Error('Three people sign in.')
      expect((await fetch(`${app}/me`)).status).toBe(401)
      const found = (await (await me(ada)).json()) as { sub: string; name: string }
      expect(found).toMatchObject({ name: `ada-${slug}`, sub: expect.any(String) })
      const { sub: bobs } = (await (await me(bob)).json()) as { sub: string }
      const { sub: eves } = (await (await me(eve)).json()) as { sub: string }

      const { key } = await service.auth.createKey(eves, { name: 'CI', scopes: ['notes:read'] })
      expect(await (await notes(key)).json()).toEqual({ sub: eves, client: 'api-key' })
      const refused = await notes(`${key.slice(0, -1)}-`)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="The access token is not valid here", scope="notes:read"',
      ])

      // A sign-out, with a cookie that somebody has copied.
      const { cookie } = ada
      await ada.ask('/auth/signout', { csrfToken: await ada.csrfToken() })
      const copied = () => fetch(`${app}/me`, { headers: { cookie } })
      expect(await secondsUntil(async () => (await copied()).status === 401)).toBeLessThan(
        MAX_DELAY,
      )

      // A block ends sessions and keys.
      await service.auth.blockPerson({ sub: eves, reason: 'a test' })
      expect(await secondsUntil(async () => (await me(eve)).status === 401)).toBeLessThan(MAX_DELAY)
      expect(await secondsUntil(async () => (await notes(key)).status === 401)).toBeLessThan(
        MAX_DELAY,
      )

      // A refresh of claims signs nobody out: the browser is sent to the service, and comes back.
      roles.set(`bob-${slug}`, 'editor')
      await service.auth.refreshClaims({ sub: bobs })
      const stale = async () => (await me(bob, { accept: 'text/html' })).status === 302
      expect(await secondsUntil(stale)).toBeLessThan(MAX_DELAY)
      const away = await me(bob, { accept: 'text/html' })
      const back = `${app}/me`
      expect(away.headers.get('location')).toBe(
        `${service.url}/auth/renew?callbackUrl=${encodeURIComponent(back)}`,
      )
      await bob.ask('/auth/renew?callbackUrl=/')
      expect(await (await me(bob)).json()).toEqual({
        sub: bobs,
        name: `bob-${slug}`,
        role: 'editor',
      })
    },
  )

  test.skipIf('why' in program)(
    'answers 503 while its service is silent, and lets nobody in',
    async () => {
      const port = await freePort()
      const app = `http://127.0.0.1:${port}`
      const vars = {
        AUTH_WORKER_URL: `http://127.0.0.1:${await freePort()}/auth`,
        AUDIENCE: audience,
      }
      const child = start(program as LanguageProgram, port, vars)
      stops.push(() => void child.kill())
      await vi.waitUntil(() => fetch(`${app}/me`).catch(() => undefined), { timeout: 60_000 })
      const ada = await signedIn(`ada-${slug}-again`)
      const answer = await fetch(`${app}/me`, { headers: { cookie: ada.cookie } })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    },
  )
})
