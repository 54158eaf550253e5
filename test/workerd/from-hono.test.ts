import { discordAuth } from '@hono/oauth-providers/discord'
import { msentraAuth } from '@hono/oauth-providers/msentra'
import { xAuth } from '@hono/oauth-providers/x'
import type { AuthConfig } from '@latchkey/worker'
import fromHono from '@latchkey/worker/providers/from-hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Browser, location, type Service, service } from './support.ts'

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

const providers: AuthConfig['providers'] = [
  fromHono({
    ...client,
    id: 'discord',
    name: 'Discord',
    middleware: ({ clientId, clientSecret, redirectUri }) =>
      discordAuth({
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        scope: ['identify'],
      }),
  }),
  fromHono({
    ...client,
    id: 'x',
    name: 'X',
    middleware: ({ clientId, clientSecret, redirectUri }) =>
      xAuth({
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        scope: ['users.read'],
      }),
  }),
]

const answers: Readonly<Record<string, unknown>> = {
  'https://discord.com/api/oauth2/token': { access_token: 'a', expires_in: 60, scope: 'identify' },
  'https://discord.com/api/oauth2/@me': { user: { id: '80351', username: 'ada' } },
  'https://api.twitter.com/2/oauth2/token': { access_token: 'a', scope: 'users.read' },
  'https://api.twitter.com/2/users/me': { data: { id: '22', name: 'ada' } },
}

/** The network, which the package reaches by the global fetch alone. */
function network(): URL[] {
  const asked: URL[] = []
  vi.stubGlobal('fetch', async (input: string) => {
    const url = new URL(input)
    asked.push(url)
    return Response.json(answers[url.origin + url.pathname] ?? {})
  })
  return asked
}

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Signs in; the response to the callback. */
async function signIn(browser: Browser, provider: string): Promise<Response> {
  const started = await browser.post(`/auth/signin/${provider}`, { callbackUrl: '/inbox' })
  const state = location(started).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: 'the-code', state })
  return browser.go(`/auth/callback/${provider}?${query}`)
}

describe('a middleware of @hono/oauth-providers in the Workers runtime', () => {
  test.each(['discord', 'x'])('%s signs a person in', async (provider) => {
    const asked = network()
    const of = service({ providers })
    const browser = new Browser(of)
    expect(location(await signIn(browser, provider)).pathname).toBe('/inbox')
    expect((await browser.session())?.user).toMatchObject({ name: 'ada', email: null })
    const kept = ['auth.csrf-token', 'auth.last-way', 'auth.session-token']
    expect([...browser.cookies.keys()].sort()).toEqual(kept)
    expect(asked).toHaveLength(2)
    expect(of.errors).toEqual([])
  })

  test('env(c) reads bindings only in workerd: the middleware sees none of the Worker’s', async () => {
    const middleware = () => msentraAuth({ scope: ['openid'] })
    const entra = fromHono({ ...client, id: 'msentra', name: 'Entra', middleware })
    const of = service({ providers: [entra] })
    const bindings = { MSENTRA_ID: 'a', MSENTRA_SECRET: 'b', MSENTRA_TENANT_ID: 'c' }
    const browser = new Browser({ ...of, env: { ...of.env, ...bindings } } as Service)
    const answer = await browser.post('/auth/signin/msentra')
    expect(location(answer).pathname).toBe('/auth/error')
    const cause = { error: expect.stringContaining('Required parameters') }
    expect(of.errors).toMatchObject([{ type: 'ProviderMisconfigured', cause }])
  })
})
