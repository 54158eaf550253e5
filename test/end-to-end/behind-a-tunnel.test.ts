import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { startTestServers } from '../support/dev.ts'

/**
 * Requests as `wrangler dev` gets them from a tunnel: a public host, plain http, and headers that
 * say https.
 */
const HOST = 'quiet-river.trycloudflare.com'
const TUNNEL_HEADERS = {
  host: HOST,
  'x-forwarded-proto': 'https',
  'cf-visitor': '{"scheme":"https"}',
  'cf-connecting-ip': '203.0.113.7',
}

let servers: DevServers

beforeAll(async () => {
  servers = await startTestServers({ AUTH_TRUST_HOST: 'true' })
})

afterAll(() => servers?.stop())

interface Answer {
  status: number
  location: string
  cookies: string[]
  body: string
}

/** `fetch` does not let a caller choose the Host. */
function send(path: string, headers: Record<string, string>, form?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(servers.workerUrl)
    const method = form === undefined ? 'GET' : 'POST'
    const sent = request({ port, path, method, headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({
        status: response.statusCode ?? 0,
        location: response.headers.location ?? '',
        cookies: response.headers['set-cookie'] ?? [],
        body,
      })
    })
    sent.on('error', reject)
    sent.end(form)
  })
}

test('the public https origin is picked up although the Worker sees http', async () => {
  const { body } = await send('/auth/providers', TUNNEL_HEADERS)
  expect(JSON.parse(body).videoapp.callbackUrl).toBe(`https://${HOST}/auth/callback/videoapp`)
})

test('the pages’ own forms start a sign-in with the public redirect URI', async () => {
  const csrf = await send('/auth/csrf', TUNNEL_HEADERS)
  const cookie = csrf.cookies[0]?.split(';')[0] ?? ''
  expect(cookie).toMatch(/^__Host-auth\.csrf-token=/)
  expect(csrf.cookies[0]).toContain('Secure')
  const started = await send(
    '/auth/signin/videoapp',
    {
      ...TUNNEL_HEADERS,
      cookie,
      origin: `https://${HOST}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    new URLSearchParams({ csrfToken: JSON.parse(csrf.body).csrfToken }).toString(),
  )
  expect(started.status).toBe(302)
  expect(new URL(started.location).searchParams.get('redirect_uri')).toBe(
    `https://${HOST}/auth/callback/videoapp`,
  )
})

test('another site is refused behind the tunnel too', async () => {
  const csrf = await send('/auth/csrf', TUNNEL_HEADERS)
  const refused = await send(
    '/auth/signin/videoapp',
    {
      ...TUNNEL_HEADERS,
      cookie: csrf.cookies[0]?.split(';')[0] ?? '',
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    },
    new URLSearchParams({ csrfToken: JSON.parse(csrf.body).csrfToken }).toString(),
  )
  expect(refused.location).toContain('error=MissingCSRF')
})
