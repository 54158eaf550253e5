import { type AuthHandler, createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'
import * as openid from 'openid-client'
import { afterEach, expect, test, vi } from 'vitest'
import { examplesIn } from '../support/example-below.ts'
import { Visitor } from '../support/visitor.ts'

/** The examples of docs/back-channel-logout.md, run unchanged: an app signs a user in by `openid-client`, and hears of the end. */
const exampleBelow = examplesIn('back-channel-logout')

const origin = 'https://auth.example.com'
const app = 'https://notes.example.com'
const env = {
  AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
  AUTH_URL: origin,
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
  AUTH_APP_NOTES_REDIRECT_URIS: `${app}/callback`,
  AUTH_APP_NOTES_FIRST_PARTY: 'true',
  AUTH_APP_NOTES_BACKCHANNEL_LOGOUT_URI: `${app}/backchannel-logout`,
}

/** GitHub, which knows one person. */
async function atGithub(address: string): Promise<Response> {
  const { pathname } = new URL(address)
  if (pathname.endsWith('access_token')) {
    return Response.json({ access_token: 'a', token_type: 'bearer', scope: 'read:user' })
  }
  if (pathname.endsWith('emails')) return Response.json([])
  return Response.json({ id: 7, login: 'ada', name: 'Ada Example', email: null })
}

const base = { basePath: '/auth', store: memoryStore(), providers: [github()] }

type End = (session: { readonly sub: string; readonly sid: string }) => Promise<void>

afterEach(() => void vi.unstubAllGlobals())

test('the configuration of the page is taken', async () => {
  const { feature } = await exampleBelow<{ feature: never }>('Switch it on')
  const auth = createAuth({ ...base, features: [feature] })
  const bare = { AUTH_SECRET: env.AUTH_SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' }
  const answer = await auth.request(`${origin}/auth/.well-known/openid-configuration`, {}, bare)
  expect(await answer.json()).toMatchObject({ backchannel_logout_supported: true })
})

test('a user signs in at an app, and out here: the receiver of the page ends the session of the app', async () => {
  const { receive } = await exampleBelow<{
    receive(request: Request, end: End): Promise<Response>
  }>('A receiver')
  const sessions = new Map<string, string>()
  const answers: number[] = []
  const end: End = async ({ sub, sid }) => {
    if (sessions.get(sid) === sub) sessions.delete(sid)
  }
  const toApp = async (input: unknown, init: unknown) => {
    const answer = await receive(new Request(input as string, init as RequestInit), end)
    answers.push(answer.status)
    return answer
  }
  const auth: AuthHandler<object> = createAuth({
    ...base,
    features: [authorizationServer({ fetch: toApp })],
  })
  const ask = (url: string | URL, init?: RequestInit) => auth.request(url, init, env)
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) =>
    new URL(input).origin === origin ? ask(input, init) : atGithub(String(input)),
  )
  const visitor = new Visitor(origin, (request) => auth.fetch(request, env))
  /** What a browser does at an address. @returns where it is sent, or the page */
  async function go(path: string, fields?: Record<string, string>): Promise<string> {
    const answer = await (fields ? visitor.post(path, fields) : visitor.go(path))
    return answer.headers.get('location') ?? (await answer.text())
  }
  const csrfToken = () => visitor.csrfToken()

  const config = await openid.discovery(
    new URL(`${origin}/auth`),
    'notes',
    undefined,
    openid.None(),
  )
  openid.enableNonRepudiationChecks(config)
  expect(config.serverMetadata().backchannel_logout_session_supported).toBe(true)
  const verifier = openid.randomPKCECodeVerifier()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${app}/callback`,
    scope: 'openid',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const page = new URL(await go(url.href))
  const callbackUrl = page.searchParams.get('callbackUrl') ?? ''
  const consent = new URL(
    await go('/auth/signin/github', { csrfToken: await csrfToken(), callbackUrl }),
  )
  const state = consent.searchParams.get('state') ?? ''
  const back = await go(`/auth/callback/github?${new URLSearchParams({ code: 'c', state })}`)
  const tokens = await openid.authorizationCodeGrant(config, new URL(await go(back)), {
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  sessions.set(String(claims?.sid), claims?.sub ?? '')

  await go('/auth/signout', { csrfToken: await csrfToken() })
  await expect.poll(() => sessions.size).toBe(0)
  expect(answers).toEqual([200])
  // Any other token is refused.
  for (const token of [tokens.id_token ?? '', tokens.access_token, 'a.b.c', '']) {
    const body = new URLSearchParams({ logout_token: token })
    const answer = await receive(new Request(`${app}/`, { method: 'POST', body }), async () => {
      throw new Error('It ends nothing.')
    })
    expect(answer.status).toBe(400)
  }
})
