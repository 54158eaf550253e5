import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHost, type Host } from './host.js'
import type { HostConfig } from './host-config.js'
import type { HostRequest } from './host-request.js'
import { inProcess } from './in-process.js'

afterEach(() => vi.restoreAllMocks())

const secret = 'a-secret-of-the-adapter-tests-0123456789'

const host = () => createHost({ name: 'test', service: inProcess(async () => ({}) as never) })

function requestBy(source: HostRequest['source'], env: object = ENV): HostRequest {
  const headers: Record<string, string> = { cookie: 'auth.session-token=a.b.c' }
  return {
    native: {},
    source,
    env,
    method: 'GET',
    target: '/',
    path: '/',
    cookie: headers.cookie,
    header: (name: string) => headers[name],
    scheme: 'http',
    host: 'localhost:3000',
  } as unknown as HostRequest
}

const ENV = {}

async function reads(by: Host, source: HostRequest['source'], times = 3): Promise<void> {
  for (let time = 0; time < times; time++) await by.read(requestBy(source))
}

/** A configuration of an app in JavaScript, with the lines that it logs. */
function logging(config: object): { config: HostConfig; lines: unknown[][] } {
  const lines: unknown[][] = []
  const warn = (...line: unknown[]) => void lines.push(line)
  return { config: { secret, logger: { warn }, ...config } as HostConfig, lines }
}

const line = (start: string) => ['unknown-option', expect.stringContaining(start)]

describe('an unknown option of an app is one line', () => {
  test('when the auth routes are mounted, and not at each request', async () => {
    const { config, lines } = logging({
      providers: [],
      adapter: { url: 'the-value' },
      raw: true,
      session: { strategy: 'database' },
      revocation: { maxDelays: 20 },
      online: false,
    })
    const app = host()
    app.mount(config)
    expect(lines).toEqual([
      line('The option adapter does nothing. There is no user database'),
      line('The option raw does nothing. An adapter'),
      line('The option session.strategy does nothing. '),
      line('The option revocation.maxDelays does nothing. Is it misspelt?'),
    ])
    expect(JSON.stringify(lines)).not.toContain('the-value')
    await reads(app, config)
    await reads(app, { ...config, online: true })
    expect(lines).toHaveLength(4)
  })

  test('if the routes are forwarded, options of the service do nothing, and a warning names them', async () => {
    const { config, lines } = logging({
      worker: 'https://auth.example/auth',
      publicKeys: { keys: [] },
      callbacks: {},
      pages: undefined,
      strategy: 'jwt',
      cookies: { sessionToken: { name: 'mine', options: { httpOnly: false } } },
    })
    host().mount(config)
    expect(lines).toEqual([
      line('The option callbacks does nothing. It is an option of the service'),
      line('The option strategy does nothing. Is it misspelt?'),
      line('The option cookies.sessionToken.options.httpOnly does nothing. Cookies are always'),
    ])
  })

  test('a function’s options: at its first use, though each request has a new configuration', async () => {
    const { config, lines } = logging({ providers: [], useSecureCookies: true })
    const source = () => ({ ...config })
    const app = host()
    app.mount(source)
    expect(lines).toEqual([])
    await reads(app, source)
    expect(lines).toEqual([line('The option useSecureCookies does nothing. ')])
  })

  test('the options of a reader that passes a new configuration each time', async () => {
    const { config, lines } = logging({ encode: () => '' })
    const app = host()
    for (let time = 0; time < 3; time++) {
      await reads(app, { ...config, trustedOrigins: ['https://a.example'] }, 1)
    }
    expect(lines).toEqual([line('The option encode does nothing. The token')])
  })

  test('the options of each of two mounts', () => {
    const [one, other] = [logging({ providers: [], jwt: {} }), logging({ providers: [], jwt: {} })]
    const app = host()
    app.mount(one.config)
    app.mount(other.config)
    expect([one.lines.length, other.lines.length]).toEqual([1, 1])
  })

  test('on the console if the app has no logger; undefined and strategy: "jwt" are not named', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const session = { strategy: 'jwt', maxAge: undefined, generateSessionToken: undefined }
    host().mount({ providers: [], secret, session, adapter: undefined } as HostConfig)
    expect(warn).not.toHaveBeenCalled()
    host().mount({ providers: [], secret, database: 'x' } as HostConfig)
    expect(warn.mock.calls).toEqual([[expect.stringContaining('The option database does nothing')]])
  })
})

describe('a base path that is said twice is one line', () => {
  const AUTH_URL = 'https://example.com/auth'

  test.each([
    ['/auth', 'env-url-basepath-redundant'],
    ['/api/auth', 'env-url-basepath-mismatch'],
  ])('basePath %s beside AUTH_URL with /auth', async (basePath, code) => {
    for (const service of [{ providers: [] }, { worker: { fetch: async () => new Response() } }]) {
      const { config, lines } = logging({ ...service, basePath })
      const app = host()
      app.mount(config, { AUTH_URL })
      expect(lines).toEqual([[code, expect.stringContaining('AUTH_URL')]])
      for (let time = 0; time < 2; time++) app.mount(config, { AUTH_URL })
      expect(lines).toHaveLength(1)
    }
  })

  test('a function’s options: once, though each request has a new configuration', async () => {
    const { config, lines } = logging({ providers: [], basePath: '/auth' })
    const source = () => ({ ...config })
    const app = host()
    app.mount(source)
    for (let time = 0; time < 3; time++) await app.read(requestBy(source, { AUTH_URL }))
    expect(lines.map(([code]) => code)).toEqual(['env-url-basepath-redundant'])
  })

  test('there is no warning if one of them is set', async () => {
    const { config, lines } = logging({ providers: [] })
    host().mount(config, { AUTH_URL })
    host().mount({ ...config, basePath: '/auth' }, { AUTH_URL: 'https://example.com' })
    expect(lines).toEqual([])
  })
})
