import { type AuthConfig, type AuthHandler, createAuth } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, expect, test, vi } from 'vitest'
import { examplesIn } from '../support/example-below.ts'
import { Visitor } from '../support/visitor.ts'

/** The examples of docs/authorization-server.md, run unchanged: the app signs in at the service of the page. */
const exampleBelow = examplesIn('authorization-server')

const origin = 'https://auth.example.com'
const env = {
  AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
  AUTH_URL: origin,
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
}

/** GitHub, which knows one person. */
async function github(address: string): Promise<Response> {
  const { pathname } = new URL(address)
  if (pathname.endsWith('access_token')) {
    return Response.json({ access_token: 'a', token_type: 'bearer', scope: 'read:user' })
  }
  if (pathname.endsWith('emails')) return Response.json([])
  return Response.json({ id: 7, login: 'ada', name: 'Ada Example', email: null })
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
}

interface Spa {
  signIn(): Promise<string>
  finish(address: string): Promise<Tokens>
  refresh(token: string): Promise<Tokens>
}

afterEach(() => void vi.unstubAllGlobals())

test('the first app signs a user in, calls as they allow, refreshes, and is ended by its user', async () => {
  const { config } = await exampleBelow<{ config: AuthConfig }>('A first app in five minutes')
  const auth = createAuth({ ...config, store: memoryStore() })
  const spa = await exampleBelow<Spa>('A single-page app')
  const operator =
    await exampleBelow<
      Record<'appsOf' | 'endPhone', (auth: object, sub: string) => Promise<unknown>>
    >('For the operator')
  const ask = (url: string | URL, init?: RequestInit) => auth.request(url, init, env)
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    const url = new URL(input)
    return url.origin === origin ? ask(url, init) : github(url.href)
  })
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  })
  const visitor = new Visitor(origin, (request) => auth.fetch(request, env))
  /** What a browser does at an address. @returns where it is sent, or the page */
  async function go(path: string, fields?: Record<string, string>): Promise<string> {
    const answer = await (fields ? visitor.post(path, fields) : visitor.go(path))
    return answer.headers.get('location') ?? (await answer.text())
  }
  const csrfToken = () => visitor.csrfToken()

  const page = new URL(await go(await spa.signIn()))
  expect(page.pathname).toBe('/auth/signin')
  const callbackUrl = page.searchParams.get('callbackUrl') ?? ''
  const consent = new URL(
    await go('/auth/signin/github', { csrfToken: await csrfToken(), callbackUrl }),
  )
  const state = consent.searchParams.get('state') ?? ''
  const back = await go(`/auth/callback/github?${new URLSearchParams({ code: 'c', state })}`)
  const answer = await go(back)
  expect(answer).toMatch(/^https:\/\/notes\.example\.com\/callback\?code=/)
  const tokens = await spa.finish(answer)
  expect(tokens.scope).toBe('openid profile notes:read')
  const renewed = await spa.refresh(tokens.refresh_token ?? '')
  expect(renewed.access_token).not.toBe(tokens.access_token)

  const { sub } = JSON.parse(atob(tokens.access_token.split('.')[1] ?? '')) as { sub: string }
  const bound: Pick<AuthHandler<object>, 'listApps' | 'endApp'> = {
    listApps: (of) => auth.listApps(of, env),
    endApp: (of, app) => auth.endApp(of, app, env),
  }
  expect(await operator.appsOf(bound, sub)).toEqual(['Notes: openid profile notes:read'])
  await operator.endPhone(bound, sub)
  await go('/auth/apps/remove', { csrfToken: await csrfToken(), app: 'notes' })
  await expect(spa.refresh(renewed.refresh_token ?? '')).rejects.toThrow()
})
