import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Browser, bindings, service, signedIn } from './support.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

interface Tenant {
  readonly SESSIONS: unknown
  readonly LEDGER: unknown
  readonly AUTH_SECRET: string
  readonly NAME: string
}

const { SESSIONS, LEDGER } = bindings

function tenant(name: string): Tenant {
  return { SESSIONS, LEDGER, AUTH_SECRET: `the-secret-of-${name}`.padEnd(40, '.'), NAME: name }
}

function configOf({ NAME }: Tenant): AuthConfig {
  const authorize = () => ({ id: 'somebody', name: NAME })
  const provider = credentials({ id: NAME, name: NAME, credentials: {}, authorize })
  return { basePath: '/auth', providers: [provider], logger: { error() {} } }
}

describe('one config function, two environments', () => {
  test('two hundred alternating requests never mix', async () => {
    const auth = createAuth(configOf)
    const tenants = [tenant('red'), tenant('blue')]
    const browsers = tenants.map(
      (env) => new Browser({ ...service(), auth: auth as never, env: env as never }),
    )
    for (const [index, { NAME }] of tenants.entries()) {
      await browsers[index]?.post(`/auth/callback/${NAME}`)
    }
    const cookies = browsers.map(({ cookieHeader }) => cookieHeader)
    const requests = Array.from({ length: 200 }, async (_, count) => {
      const [own, other] = count % 2 ? [1, 0] : [0, 1]
      const env = tenants[own]
      const ask = async (path: string, cookie = '') => {
        const request = new Request(`http://localhost:8787/auth${path}`, { headers: { cookie } })
        return (await auth.fetch(request, env)).json<Record<string, never> | null>()
      }
      const [providers, session, foreign] = await Promise.all([
        ask('/providers'),
        ask('/session', cookies[own]),
        ask('/session', cookies[other]),
      ])
      expect(Object.keys(providers ?? {})).toEqual([env?.NAME])
      expect(session).toMatchObject({ user: { name: env?.NAME } })
      expect(foreign).toBeNull()
    })
    await Promise.all(requests)
  })
})

describe('keys and configuration are made once', () => {
  test('a hundred reads of a session derive, import and use no key', async () => {
    const { browser } = await signedIn()
    await browser.session()
    const used = (['importKey', 'deriveBits', 'verify', 'sign'] as const).map((name) =>
      vi.spyOn(crypto.subtle, name),
    )
    for (let request = 0; request < 100; request++) await browser.session()
    for (const spy of used) expect(spy).not.toHaveBeenCalled()
  })

  test('a config that is new for each request derives no key again', async () => {
    const auth = createAuth(configOf)
    const env = tenant('green')
    const ask = () => auth.fetch(new Request('http://localhost:8787/auth/jwks.json'), env)
    const first = await (await ask()).text()
    const derive = vi.spyOn(crypto.subtle, 'deriveBits')
    const load = vi.spyOn(crypto.subtle, 'importKey')
    for (let request = 0; request < 100; request++) expect(await (await ask()).text()).toBe(first)
    expect(derive).not.toHaveBeenCalled()
    expect(load).not.toHaveBeenCalled()
  })
})

describe('the log names the mistake in a configuration', () => {
  test.for([
    ['SESSIONS', /SESSIONS \(KV\)/],
    ['LEDGER', /LEDGER \(Durable Object\)/],
  ] as const)('a missing binding %s, once, and starts no sign-in', async ([name, message]) => {
    const of = service({}, { [name]: undefined })
    const browser = new Browser(of)
    await browser.go('/auth/signin')
    await browser.go('/auth/providers')
    expect(of.errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    const answer = await browser.post('/auth/signin/videoapp')
    expect(answer.headers.get('location')).toContain('error=Configuration')
    expect(await browser.session()).toBeNull()
  })

  test.for([
    ['missing', undefined, /AUTH_SECRET is not set/],
    ['short', 'short', /AUTH_SECRET must have at least 32 characters/],
    ['of equal letters', 's'.repeat(32), /AUTH_SECRET can be guessed/],
  ] as const)('a secret that is %s', async ([, secret, message]) => {
    const of = service({}, { AUTH_SECRET: secret })
    const answer = await new Browser(of).go('/auth/session')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toMatch(/AUTH_SECRET|short/)
    expect(of.errors[0]?.message).toMatch(message)
  })
})
