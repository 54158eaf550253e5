import { createSandbox, defaultClient } from '@latchkey/sandbox'
import oauth from '@latchkey/worker/providers/oauth'
import oidc from '@latchkey/worker/providers/oidc'
import videoapp from '@latchkey/worker/providers/videoapp'
import type { Provider } from '@latchkey/worker/types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OidcProvider, startOidcProvider } from '../../../../test/support/oidc-provider.js'
import { lookAt } from '../check-live.js'
import { getWithin } from '../live/get.js'
import { type Between, closeAll, runningService, serving } from '../test-support/running.js'

afterEach(closeAll)

/** The findings about the providers of a service. */
async function asking(
  providers: readonly Provider[],
  { timeout = 20_000, between = undefined as Between | undefined } = {},
) {
  const base = await runningService({ providers: [...providers] }, between)
  return { base, ...(await lookAt(base, getWithin(timeout))) }
}

const CLIENT = { clientId: 'the-client-id', clientSecret: 'canary-client-secret' }

/** A provider by OAuth whose authorization address is somewhere. */
function forum(authorization: string): Provider {
  return oauth({
    id: 'forum',
    ...CLIENT,
    authorization,
    token: 'https://forum.example/token',
    userinfo: 'https://forum.example/me',
  })
}

/** A provider whose page gives the same answer to everybody. */
async function askingForum(answer: (request: Request) => Response | 'hang', timeout = 20_000) {
  const origin = await serving(answer)
  return { origin, ...(await asking([forum(`${origin}/authorize`)], { timeout })) }
}

describe('oidc-provider', () => {
  let provider: OidcProvider
  beforeAll(async () => {
    provider = await startOidcProvider()
  })
  afterAll(() => provider?.stop())

  const client = (id: string, { id: clientId, secret: clientSecret } = provider.clients.basic) =>
    oidc({ id, name: id, issuer: provider.issuer, clientId, clientSecret })

  test('knows some redirect URIs and clients, and others not', async () => {
    const providers = () => [
      client('basic'),
      client('other'),
      client('stranger', { id: 'nobody', secret: 'canary-client-secret' }),
    ]
    let begun = 0
    const base = await runningService(
      () => ({ providers: providers() }),
      (request, answer) => {
        if (request.method === 'POST') begun++
        return answer()
      },
    )
    await provider.registerApp(new URL(base).origin)
    const { findings, untold } = await lookAt(base, getWithin(20_000))
    expect(findings.map(({ code, where }) => [code, where])).toEqual([
      ['redirect-uri', `${base}/callback/other`],
      ['client-unknown', provider.issuer],
    ])
    expect(findings[0]?.fix).toContain(`${base}/callback/other `)
    expect(untold).toHaveLength(1)
    expect(untold[0]).toMatch(/^basic: it /)
    expect(begun).toBe(3)
    expect(JSON.stringify([findings, untold])).not.toMatch(/canary|state=|code_challenge/)
  })
})

test.each([
  ['shows a page to a client that it knows', true],
  ['says that a redirect URI is not registered', false],
])('the sandbox %s', async (_, isRegistered) => {
  let sandbox = createSandbox()
  const origin = await serving((request) => sandbox.fetch(request))
  const { clientKey: clientId, clientSecret } = defaultClient
  const authorization = `${origin}/v2/auth/authorize/`
  const providers = [videoapp({ clientId, clientSecret, authorization })]
  const base = await runningService({ providers })
  const redirectUris = [`${base}/callback/videoapp`]
  if (isRegistered) sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  const { findings, untold } = await lookAt(base, getWithin(20_000))
  expect(findings.map(({ code }) => code)).toEqual(isRegistered ? [] : ['redirect-uri'])
  expect(untold.map((one) => one.slice(0, 27))).toEqual(
    isRegistered ? ['Video App: it shows a page.'] : [],
  )
})

describe('a finding is an answer that says so:', () => {
  test.each<[string, string, number, string, string]>([
    ['redirect-uri', 'a page', 400, 'text/html', '<h1>Error 400: redirect_uri_mismatch</h1>'],
    [
      'redirect-uri',
      'a page in words',
      403,
      'text/html',
      '<p>The <code>redirect_uri</code> must match the registered callback URL.</p>',
    ],
    [
      'redirect-uri',
      'JSON',
      400,
      'application/json',
      '{"error":"invalid_request","error_description":"Invalid redirect URI: it is not allowed"}',
    ],
    [
      'client-unknown',
      'JSON',
      401,
      'application/json',
      '{"error":"invalid_client","error_description":"Client authentication failed"}',
    ],
    ['client-unknown', 'a page', 400, 'text/html', '<p>Client ID not found.</p>'],
    [
      'client-unknown',
      'an error within',
      400,
      'application/json',
      '{"error":{"message":"Invalid App ID","code":101}}',
    ],
    [
      'client-unknown',
      'Entra',
      400,
      'text/html',
      "AADSTS700016: Application with identifier 'x' was not found in the directory",
    ],
  ])('%s, by %s', async (code, _, status, type, body) => {
    const headers = { 'content-type': type }
    const { findings, untold } = await askingForum(() => new Response(body, { status, headers }))
    expect(findings.map((one) => one.code)).toEqual([code])
    expect(untold).toEqual([])
  })

  test('a redirect back with an error, which is not followed to the service', async () => {
    const origin = await serving((request) => {
      const back = new URL(new URL(request.url).searchParams.get('redirect_uri') ?? '')
      back.search =
        '?error=redirect_uri_mismatch&error_description=The+redirect_uri+MUST+match&state=x'
      return Response.redirect(back)
    })
    const asked: string[] = []
    const between: Between = (request, answer) => {
      asked.push(new URL(request.url).pathname)
      return answer()
    }
    const { findings } = await asking([forum(`${origin}/authorize`)], { between })
    expect(findings.map((one) => one.code)).toEqual(['redirect-uri'])
    expect(asked.filter((path) => path.includes('callback'))).toEqual([])
    expect(asked.filter((path) => path === '/auth/signin/forum')).toHaveLength(1)
  })

  test('a preview names the redirect URI of its proxy, and no redirect is followed there', async () => {
    const asked: string[] = []
    const proxy = await serving((request) => {
      asked.push(request.url)
      return new Response('')
    })
    const seen: string[] = []
    const origin = await serving((request) => {
      const back = new URL(new URL(request.url).searchParams.get('redirect_uri') ?? '')
      seen.push(back.href)
      back.search = '?error=invalid_request&error_description=redirect_uri'
      return seen.length === 1 ? Response.redirect(back) : new Response('')
    })
    const env = { AUTH_REDIRECT_PROXY_URL: `${proxy}/auth` }
    const providers = [forum(`${origin}/authorize`)]
    const base = await runningService({ providers }, undefined, env)
    const { findings } = await lookAt(base, getWithin(20_000))
    expect(seen).toEqual([`${proxy}/auth/callback/forum`])
    expect(findings.map(({ code, where }) => [code, where])).toEqual([
      ['redirect-uri', `${proxy}/auth/callback/forum`],
    ])
    expect(asked).toEqual([])
  })

  test('in the beginning of an endless page', async () => {
    const filler = 'x'.repeat(50_000)
    const body = `redirect_uri_mismatch ${filler}`
    const { findings } = await askingForum(
      () =>
        new Response(
          new ReadableStream({
            start: (to) => to.enqueue(new TextEncoder().encode(body)),
            pull: (to) => to.enqueue(new Uint8Array(65_536).fill(32)),
          }),
          { status: 400 },
        ),
    )
    expect(findings.map((one) => one.code)).toEqual(['redirect-uri'])
  })

  test('after redirects, with the cookies that the provider sets', async () => {
    const { findings } = await askingForum((request) => {
      const { pathname, origin } = new URL(request.url)
      const to = (path: string, cookie: string) => {
        const headers = {
          location: path.startsWith('http') ? path : `${origin}${path}`,
          'set-cookie': cookie,
        }
        return new Response(null, { status: 302, headers })
      }
      if (pathname === '/authorize') return to('/two', 'walk=1; Path=/; HttpOnly')
      if (request.headers.get('cookie') !== 'walk=1') return new Response('no cookie')
      return new Response('redirect_uri is not registered', { status: 400 })
    })
    expect(findings.map((one) => one.code)).toEqual(['redirect-uri'])
  })
})

test.each([
  ['redirect-uri', 'error=invalid_request&error_description=redirect_uri'],
  ['client-unknown', 'error=unauthorized_client'],
  ['client-unknown', 'error=invalid_request&error_description=Bad+client_id'],
])('%s, by a redirect to a page of the provider with %s', async (code, query) => {
  const { findings } = await askingForum((request) =>
    new URL(request.url).pathname === '/authorize'
      ? Response.redirect(new URL(`/error?${query}`, request.url))
      : new Response('An error page'),
  )
  expect(findings.map((one) => one.code)).toEqual([code])
})

describe('nothing is found in', () => {
  test.each<[string, (request: Request) => Response, RegExp]>([
    [
      'a page',
      () => new Response('<h1>Sign in</h1> invalid client redirect_uri mismatch'),
      /it shows a page/,
    ],
    [
      'a refusal of a robot',
      () =>
        new Response('Your client does not have permission to get URL /authorize', { status: 403 }),
      /it answers 403, and does not say why/,
    ],
    [
      'a request that is malformed',
      () => new Response('Your client has issued a malformed or illegal request.', { status: 400 }),
      /it answers 400/,
    ],
    ['a rate limit', () => new Response('Too many requests', { status: 429 }), /it answers 429/],
    [
      'a scope that is invalid, beside the request',
      (request) => {
        const { search } = new URL(request.url)
        return new Response(
          `<p>invalid_scope: the scope is invalid for this client</p><a href="/authorize${search}">Again</a> ${search}`,
          { status: 400 },
        )
      },
      /it answers 400/,
    ],
    [
      'a page that repeats the request',
      (request) =>
        new Response(
          `<p>Something is not right.</p><p>Details: ${new URL(request.url).search}</p><input name="redirect_uri">`,
          { status: 400 },
        ),
      /it answers 400/,
    ],
    [
      'the script of a page',
      () =>
        new Response(
          '<p>Something went wrong.</p><script>const text = "redirect_uri is invalid"</script><style>a{}</style><p>Try again.</p>',
          { status: 400 },
        ),
      /it answers 400/,
    ],
    [
      'another error of a redirect',
      (request) => {
        const back = new URL(new URL(request.url).searchParams.get('redirect_uri') ?? '')
        back.search = '?error=access_denied&error_description=The+client+is+unknown+to+you'
        return Response.redirect(back)
      },
      /it redirects to the service/,
    ],
    [
      'redirects without an end',
      (request) => Response.redirect(new URL(`/on?${Math.random()}`, request.url)),
      /it redirects on and on/,
    ],
    [
      'a redirect to no page',
      () => new Response(null, { status: 302, headers: { location: 'app://open' } }),
      /it shows a page/,
    ],
  ])('%s', async (_, answer, untold) => {
    let count = 0
    const given = await askingForum((request) => {
      count++
      return answer(request)
    })
    expect(given.findings).toEqual([])
    expect(given.untold).toHaveLength(1)
    expect(given.untold[0]).toMatch(untold)
    expect(count).toBeLessThanOrEqual(6)
  })
})

test('providers with the same answer are named in one sentence', async () => {
  const origin = await serving(() => new Response('<h1>Sign in</h1>'))
  const { untold } = await asking([
    forum(`${origin}/one`),
    { ...forum(`${origin}/two`), id: 'club', name: 'Club' } as Provider,
  ])
  expect(untold).toEqual([
    'forum, Club: it shows a page. This does not tell if the provider knows the redirect URI and the client.',
  ])
})

describe('provider-away', () => {
  test.each<[string, (request: Request) => Response | 'hang', RegExp]>([
    ['5xx', () => new Response('', { status: 503 }), /answers 503/],
    ['silence', () => 'hang', /does not answer within/],
  ])('%s', async (_, answer, what) => {
    const { findings, origin } = await askingForum(answer, 1_000)
    expect(findings).toMatchObject([{ code: 'provider-away', where: `${origin}/authorize` }])
    expect(findings[0]?.what).toMatch(what)
    expect(JSON.stringify(findings)).not.toContain('state')
  })

  test('attack: an address that a shell would run is one word of the command', async () => {
    const path = "/;curl$IFS$(id)|sh&'x"
    const { findings, origin } = await askingForum(({ url }) =>
      new URL(url).pathname === '/authorize'
        ? new Response('', { status: 302, headers: { location: path } })
        : new Response('', { status: 503 }),
    )
    expect(findings).toMatchObject([{ code: 'provider-away', where: origin + path }])
    expect(findings[0]?.fix).toMatch(/^curl -i '[^']*;curl[$]IFS[$]\(id\)[|]sh&'\\''x' {3}#/)
  })

  test('discovery that is not there', async () => {
    const issuer = await serving(() => new Response('', { status: 404 }))
    const { findings, base } = await asking([oidc({ issuer, ...CLIENT })])
    expect(findings).toMatchObject([{ code: 'provider-away', where: `${base}/signin/oidc` }])
  })
})

test('a service that cannot begin a sign-in', async () => {
  const between: Between = (request, answer) =>
    request.method === 'POST' ? new Response('', { status: 500 }) : answer()
  const { findings } = await asking([forum('https://forum.example/authorize')], { between })
  expect(findings).toMatchObject([{ code: 'configuration', level: 'error' }])
})
