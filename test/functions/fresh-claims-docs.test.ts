import { createVerifier } from '@latchkey/session'
import { type AuthConfig, type AuthHandler, createAuth, type Environment } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { examplesIn } from '../support/example-below.ts'

interface Members {
  roleOf(id: string): Promise<string>
  setRole(id: string, role: string): Promise<void>
}

interface Example {
  callbacksFor(members: Members): AuthConfig['callbacks']
  setRole(
    members: Members,
    auth: AuthHandler<Environment>,
    env: Environment,
    id: string,
    role: string,
  ): Promise<void>
}

const exampleBelow = examplesIn('fresh-claims')
const { pass } = clock({ start: 'now' })
const origin = 'https://app.example'
const env = { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef', AUTH_URL: `${origin}/auth` }

test('the example: a role that is changed reaches a verifier within 15 seconds, and nobody is signed out', async () => {
  const { callbacksFor, setRole } = await exampleBelow<Example>('Example')
  const roles = new Map<string, string>()
  const members: Members = {
    roleOf: async (id) => roles.get(id) ?? 'member',
    setRole: async (id, role) => void roles.set(id, role),
  }
  const callbacks = callbacksFor(members) ?? {}
  const providers = [credentials({ authorize: () => ({ id: 'ada', name: 'Ada' }) })]
  const logger = { error() {}, warn() {}, info() {} }
  const store = memoryStore()
  const auth = createAuth<Environment>({ basePath: '/auth', store, providers, callbacks, logger })
  const ask = (url: string, init?: RequestInit) => auth.fetch(new Request(url, init), env)
  const csrf = await ask(`${origin}/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const body = new URLSearchParams({ csrfToken })
  const init = { method: 'POST', body, headers: { cookie, origin } }
  const entered = await ask(`${origin}/auth/callback/credentials`, init)
  const session = entered.headers.getSetCookie().find((line) => line.includes('session-token'))
  const verifier = createVerifier({ worker: { fetch: ask }, issuer: `${origin}/auth` })
  const read = async () => (await verifier.read(session?.split(';', 1)[0])).session
  const before = await read()
  expect(before).toMatchObject({ role: 'member' })
  pass(60)
  await setRole(members, auth, env, before?.user?.id ?? '', 'admin')
  pass(15)
  expect(await read()).toMatchObject({ role: 'admin', user: { name: 'Ada' } })
  verifier.close()
})
