import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandbox } from '@latchkey/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { customFetch } from '../../lib/symbols.js'
import videoapp from '../../providers/videoapp.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  goodTokens,
  locationOf,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import type { OIDCConfig } from '../../types.js'

let issuer: TestIssuer
let errors: Error[]

const at = 'https://issuer.example'
const failed = '/auth/signin OAuthCallbackError'

beforeEach(async () => {
  issuer = await testIssuer(at, { alg: 'ES256' })
  issuer.userinfo = { sub: 'ada', name: 'Ada' }
  errors = []
})
const { takeTimers, advance } = clock({ start: 'now' })

const logger = { error: (error: Error) => void errors.push(error) }
const browserFor = (fetcher: typeof fetch, options: Partial<OIDCConfig> = {}) =>
  new Browser(
    configWith({ providers: [providerAt(issuer, { ...options, [customFetch]: fetcher })], logger }),
  )

const client = { clientId: 'sandbox-client-key', clientSecret: 'sandbox-client-secret' }

/** Signs in with the video app, through its consent page. */
async function signInAtSandbox(fetcher: typeof fetch, sandbox = createSandbox()): Promise<string> {
  const providers = [videoapp({ ...client, [customFetch]: fetcher })]
  const browser = new Browser(configWith({ providers, logger }))
  const consent = await browser.start('videoapp')
  const body = new URLSearchParams({ person: 'ada', decision: 'allow', scope: 'user.info.profile' })
  const back = new URL(locationOf(await sandbox.request(consent.href, { method: 'POST', body })))
  return errorOf(await browser.get(back.pathname + back.search))
}

describe('a customFetch', () => {
  it('sees every request to an OpenID provider, and the platform’s fetch none', async () => {
    const platform = vi.spyOn(globalThis, 'fetch')
    expect(errorOf(await signInAt(browserFor(issuer.fetch)))).toBe('/inbox')
    expect(issuer.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${at}/.well-known/openid-configuration`,
      `POST ${at}/token`,
      `GET ${at}/keys`,
      `GET ${at}/userinfo`,
    ])
    expect(platform).not.toHaveBeenCalled()
    platform.mockRestore()
  })

  it('sees the final requests of the video app, its client_key in the body', async () => {
    const sandbox = createSandbox()
    const seen: { url: string; headers: Headers; form: URLSearchParams }[] = []
    const fetcher: typeof fetch = async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      const { url, headers } = request.clone()
      seen.push({ url, headers, form: new URLSearchParams(await request.text()) })
      return sandbox.request(input as string, init)
    }
    expect(await signInAtSandbox(fetcher, sandbox)).toBe('/inbox')
    const [token, person] = seen
    expect(seen).toHaveLength(2)
    expect(token?.form.getAll('client_key')).toEqual([client.clientId])
    expect(token?.form.getAll('client_secret')).toEqual([client.clientSecret])
    expect(token?.headers.get('content-type')).toContain('application/x-www-form-urlencoded')
    expect(person?.url).toContain('fields=open_id')
    expect(person?.headers.get('authorization')).toMatch(/^Bearer ./)
  })
})

describe('the uses of customFetch', () => {
  it('a proxy: every request goes to one on this machine', async () => {
    const asked: string[] = []
    const server = createServer(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const target = new URL(request.url ?? '', 'http://proxy').searchParams.get('to') ?? ''
      asked.push(`${request.method} ${target}`)
      const { authorization, 'content-type': type } = request.headers
      const answer = await issuer.fetch(target, {
        method: request.method ?? 'GET',
        headers: Object.entries({ authorization, 'content-type': type }).filter(
          (pair): pair is [string, string] => pair[1] !== undefined,
        ),
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const proxied: typeof fetch = (input, init) =>
      fetch(`http://127.0.0.1:${port}/?to=${encodeURIComponent(String(input))}`, init)
    expect(errorOf(await signInAt(browserFor(proxied)))).toBe('/inbox')
    expect(asked).toEqual(issuer.requests.map(({ method, url }) => `${method} ${url}`))
    expect(asked).toHaveLength(4)
    server.close()
  })

  it('a mock: a whole sign-in without a network', async () => {
    const mock = async (input: unknown) =>
      Response.json(String(input).endsWith('/token/') ? { ...goodTokens, open_id: 'ada' } : person)
    const person = { data: { user: { open_id: 'ada' } }, error: { code: 'ok' } }
    const browser = new Browser(
      configWith({ providers: [videoapp({ ...client, [customFetch]: mock })] }),
    )
    expect(errorOf(await browser.signIn('videoapp'))).toBe('/inbox')
  })

  it('a logger: method, path and status of each request, without a secret', async () => {
    const lines: string[] = []
    const logging =
      (next: typeof fetch): typeof fetch =>
      async (input, init) => {
        const answer = await next(input, init)
        const { pathname } = new URL(input instanceof Request ? input.url : input)
        lines.push(`${init?.method ?? 'GET'} ${pathname} ${answer.status}`)
        return answer
      }
    const sandbox = createSandbox()
    const network = (input: unknown, init: unknown) =>
      sandbox.request(String(input), init as RequestInit)
    expect(errorOf(await signInAt(browserFor(logging(issuer.fetch))))).toBe('/inbox')
    expect(await signInAtSandbox(logging(network as typeof fetch), sandbox)).toBe('/inbox')
    expect(lines).toEqual([
      'GET /.well-known/openid-configuration 200',
      'POST /token 200',
      'GET /keys 200',
      'GET /userinfo 200',
      'POST /v2/oauth/token/ 200',
      'GET /v2/user/info/ 200',
    ])
  })
})

describe('a broken fetch ends the sign-in, at any request', () => {
  const paths = ['openid-configuration', 'token', 'keys', 'userinfo']
  const faults: [string, () => unknown][] = [
    [
      'throws at once',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with a text', () => Promise.reject('broken')],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns a text', () => '{"sub":"ada"}'],
    ['returns what JSON holds', () => ({ sub: 'ada' })],
    ['returns a half response', () => ({ status: 200, ok: true, json: () => ({ sub: 'ada' }) })],
    ['returns a body that was read', () => readResponse()],
    ['returns an impossible status', () => ({ status: 999, body: null })],
  ]

  it.each(paths.flatMap((path) => faults.map(([name, fault]) => [path, name, fault] as const)))(
    '%s: it %s',
    async (path, _, fault) => {
      const broken = (input: unknown, init: unknown) =>
        String(input).endsWith(path) ? fault() : issuer.fetch(input as string, init as RequestInit)
      const browser = browserFor(broken as typeof fetch)
      const start = await browser.submit('/auth/signin/test')
      const end = errorOf(start) === at ? await signInAt(browser) : start
      expect([end.status, errorOf(end)]).toEqual([302, failed])
      expect(await browser.session()).toBeNull()
      expect(errors).toHaveLength(1)
    },
  )

  it.each(paths.slice(1))('%s: it hangs', async (path) => {
    takeTimers()
    let hang = () => {}
    const hanging = new Promise<void>((resolve) => {
      hang = resolve
    })
    const fetcher: typeof fetch = (input, init) => {
      if (!String(input).endsWith(path)) return issuer.fetch(input, init)
      hang()
      return new Promise(() => {})
    }
    const end = signInAt(browserFor(fetcher))
    await hanging
    await advance(10_000)
    expect(errorOf(await end)).toBe(failed)
    expect(everythingIn(errors)).toContain('No answer within 10000 ms')
  })

  it.each([['fetch'], [7], [{}]])('%j is refused as a fetch', async (fetcher) => {
    const browser = browserFor(fetcher as never)
    expect(errorOf(await browser.submit('/auth/signin/test'))).toBe(failed)
  })
})

async function readResponse(): Promise<Response> {
  const response = Response.json({ sub: 'ada' })
  await response.text()
  return response
}
