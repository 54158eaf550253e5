import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { afterEach, expect, test, vi } from 'vitest'
import { sandboxSettings } from '../../scripts/dev-servers.ts'
import { examplesIn } from '../support/example-below.ts'

/** The apps of two quick starts, run unchanged. The stopwatch follows the whole of each in a browser. */
const pages = {
  hono: [examplesIn('adapters/hono/README.md'), 'Quick start'],
  web: [examplesIn('docs/web-first-app.md'), 'On Node'],
} as const

type Serve = (app: { fetch: (request: Request) => Promise<Response>; port: number }) => void
const serve = vi.hoisted(() => vi.fn<Serve>())
vi.mock('@hono/node-server', () => ({ serve }))

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test.each(['hono', 'web'] as const)(
  'the app of %s greets a signed-in user, and sends all others to sign in',
  async (name) => {
    const settings = { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef', ...sandboxSettings() }
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
    const redirectUris = ['http://localhost:3000/auth/callback/videoapp']
    const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) => sandbox.request(address, init))
    const [exampleBelow, heading] = pages[name]
    await exampleBelow(heading)
    const [app] = serve.mock.lastCall ?? []
    expect(app?.port).toBe(3000)

    const jar = new Map<string, string>()
    async function go(address: string, init: RequestInit = {}): Promise<Response> {
      const url = new URL(address, 'http://localhost:3000')
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const headers = { host: url.host, cookie }
      const answer = await app?.fetch(new Request(url, { ...init, headers }))
      for (const line of answer?.headers.getSetCookie() ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        jar.set(name, value)
      }
      return answer ?? Response.error()
    }
    const leadsTo = (answer: Response) => answer.headers.get('location') ?? ''

    expect(leadsTo(await go('/'))).toBe('/auth/signin?callbackUrl=/')
    const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
    const form = new URLSearchParams({ csrfToken, callbackUrl: '/' })
    const consent = leadsTo(await go('/auth/signin/videoapp', { method: 'POST', body: form }))
    const body = new URLSearchParams({
      person: 'ada',
      decision: 'allow',
      scope: 'user.info.profile',
    })
    const allowed = await sandbox.request(consent, { method: 'POST', body })
    const done = await go(leadsTo(allowed))
    expect(new URL(leadsTo(done), 'http://localhost:3000').pathname).toBe('/')
    expect(await (await go('/')).text()).toMatch(/^Hello Ada/)
  },
)
