import { exports } from 'cloudflare:workers'
import type { WorkerAddress } from '@latchkey/session'
import { mintSession } from '@latchkey/session/testing'
import { webAuth } from '@latchkey/web'
import credentials from '@latchkey/web/providers/credentials'
import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { bindings } from './support.ts'

/** A plain Worker, with the bindings of wrangler.toml. */
const ORIGIN = 'http://localhost:8787'
const { AUTH_SECRET } = bindings
const service = (exports as unknown as { default: WorkerAddress & object }).default

const { pass } = clock({ start: 'now' })

const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: ({ username, password }) =>
      password === 'open sesame' ? { id: String(username), name: String(username) } : null,
  }),
]
const quiet = { error() {}, warn() {} }
const EMPTY = new Response(null, { status: 204 })

/** A browser at a Worker that works on after its answers. @param env the bindings of its requests */
function browserOf(auth: ReturnType<typeof webAuth>, env: object = bindings) {
  const cookies = new Map<string, string>()
  const work: Promise<unknown>[] = []
  const ctx = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) }
  async function go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('cookie'))
      headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    const request = new Request(new URL(path, ORIGIN), { redirect: 'manual', ...init, headers })
    const next = async (own: Parameters<NonNullable<Parameters<typeof auth.handle>[1]>>[0]) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/in') {
        // As a framework hands it on.
        const copy = new Request(request)
        return auth.signIn(copy, 'credentials', { username: 'ada', password: 'open sesame' })
      }
      if (pathname === '/members') await own.requireSession()
      if (pathname === '/socket') {
        await own()
        const { 0: webSocket } = new WebSocketPair()
        return new Response(null, { status: 101, webSocket })
      }
      if (pathname === '/empty') {
        await own()
        return EMPTY
      }
      if (pathname === '/elsewhere') {
        await own()
        return Response.redirect(`${ORIGIN}/`, 302)
      }
      return Response.json(await own())
    }
    const answer = await auth.handle(request, next, { env, ctx })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  const submit = (path: string) =>
    go(path, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } })
  const settle = async () => {
    while (work.length > 0) await work.pop()
  }
  return { cookies, go, submit, settle }
}

describe('a plain Worker', () => {
  test('signs in by a copy of the request, reads, renews on an immutable answer, and signs out for good', async () => {
    const browser = browserOf(webAuth({ providers, logger: { ...quiet } }))
    expect((await browser.go('/members')).headers.get('location')).toBe(
      '/login?callbackUrl=%2Fmembers',
    )
    expect((await browser.submit('/in')).status).toBe(303)
    expect(await (await browser.go('/members')).json()).toMatchObject({ user: { name: 'ada' } })
    pass(400)
    const answer = await browser.go('/elsewhere')
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([302, 1])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const kept = browser.cookies.get('auth.session-token') ?? ''
    const { csrfToken } = await (await browser.go('/auth/csrf')).json<{ csrfToken: string }>()
    const body = new URLSearchParams({ csrfToken })
    expect((await browser.go('/auth/signout', { method: 'POST', body })).status).toBe(302)
    const headers = { cookie: `auth.session-token=${kept}` }
    expect(await (await browser.go('/', { headers })).json()).toBeNull()
    await browser.settle()
  })

  test('renews beside a WebSocket, and on an answer that all users get without keeping it there', async () => {
    const browser = browserOf(webAuth({ providers, logger: { ...quiet } }))
    await browser.submit('/in')
    for (const [path, status] of [
      ['/socket', 101],
      ['/empty', 204],
    ] as const) {
      pass(400)
      const answer = await browser.go(path)
      expect([answer.status, answer.headers.getSetCookie().length]).toEqual([status, 1])
      expect(Boolean(answer.webSocket)).toBe(status === 101)
    }
    expect(EMPTY.headers.getSetCookie()).toEqual([])
    await browser.settle()
  })

  test('forwards through a binding that each request brings, and reads the Worker’s sessions', async () => {
    const browser = browserOf(webAuth(() => ({ worker: service, logger: quiet })))
    expect((await browser.go('/auth/csrf')).headers.getSetCookie()).toHaveLength(1)
    const user = { id: 'ada', name: 'Ada' }
    const { cookie } = await mintSession({ secret: AUTH_SECRET, issuer: `${ORIGIN}/auth`, user })
    const me = await browser.go('/', { headers: { cookie } })
    expect(await me.json()).toMatchObject({ user: { name: 'Ada' } })
    await browser.settle()
  })

  test('attack: a forwarded host does not count, since the platform routes by the host', async () => {
    const env = { ...bindings, NODE_ENV: 'production' }
    const browser = browserOf(webAuth({ providers, logger: { ...quiet } }), env)
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const answer = await browser.go('https://app.example/auth/providers', { headers })
    expect(await answer.text()).toContain('"https://app.example/auth/callback/credentials"')
  })

  test('a mistake in the configuration is logged at the first request for a route', async () => {
    const browser = browserOf(webAuth({ providers, logger: quiet }), { AUTH_SECRET: 'short' })
    const answer = await browser.go('/auth/csrf')
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'Configuration' }])
    expect((await browser.go('/')).status).toBe(200)
  })
})
