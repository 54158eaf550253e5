import { createAuth } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installed, type Packages, versions } from './versions.ts'

const origin = 'http://localhost:8787'

type Auth = ReturnType<typeof createAuth>

/** Signs a user in with a password. @returns the answer, and the user if one is signed in */
async function signIn(auth: Pick<Auth, 'fetch'>): Promise<{ told: string; sub: string }> {
  const csrf = await auth.fetch(new Request(`${origin}/auth/csrf`))
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const [cookie = ''] = csrf.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const body = new URLSearchParams({ csrfToken, username: 'ada', callbackUrl: '/inbox' })
  const answer = await auth.fetch(
    new Request(`${origin}/auth/callback/password`, { method: 'POST', body, headers: { cookie } }),
  )
  const { pathname, searchParams } = new URL(answer.headers.get('location') ?? origin)
  const [token = ''] = /(?<=session-token=)[^;]+/.exec(answer.headers.getSetCookie().join()) ?? []
  const [, payload = ''] = token.split('.')
  const claims = Buffer.from(payload, 'base64url').toString() || '{}'
  const told = [answer.status, pathname, searchParams.get('error'), searchParams.get('code')]
  return { told: told.filter(Boolean).join(' '), sub: JSON.parse(claims).sub ?? '' }
}

let old: Packages
beforeAll(() => {
  old = installed(versions.at(-1) ?? '')
})
afterAll(() => old.remove())

test('attack: during a deployment, an isolate of the version before signs a blocked user in, or loses the block', async () => {
  const store = memoryStore()
  const provider = {
    id: 'password',
    name: 'Password',
    type: 'credentials' as const,
    credentials: { username: {} },
    authorize: ({ username }: Record<string, unknown>) => ({ id: String(username) }),
  }
  const config = {
    basePath: '/auth',
    secret: 'a-secret-of-the-tests-0123456789abcdef',
    providers: [provider],
    store,
    logger: { error: () => {}, warn: () => {}, info: () => {} },
  }
  const before = (await old.load<typeof import('@latchkey/worker')>('@latchkey/worker')).createAuth(
    config,
  )
  const now = createAuth(config)
  const { sub } = await signIn(before)
  expect(sub).not.toBe('')
  await now.blockPerson({ sub, reason: 'Spam' })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  for (let tries = 0; tries < 2; tries++) {
    expect(await signIn(before)).toEqual({ told: '503 /', sub: '' })
    expect(await signIn(now)).toEqual({ told: '302 /auth/error AccessDenied blocked', sub: '' })
  }
  // It refuses what would change the person, too.
  await expect(before.resetFactors(sub)).rejects.toThrow()
  expect((await now.getPerson(sub))?.blocked?.reason).toBe('Spam')
  await now.unblockPerson(sub)
  expect((await signIn(before)).sub).toBe(sub)
})
