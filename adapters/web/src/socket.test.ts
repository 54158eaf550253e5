import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webAuth } from './index.js'
import { inProcess } from './test-app.js'

/** Node's own server, which makes a standard request of each of its own, as frameworks do. */
const auth = webAuth(inProcess({ trustedOrigins: [] }))
const server = createServer(async (incoming, outgoing) => {
  const { method = 'GET', url = '/', headers } = incoming
  const body = method === 'POST' ? (Readable.toWeb(incoming) as ReadableStream) : null
  const sent: RequestInit & { duplex: 'half' } = { method, body, duplex: 'half' }
  const request = new Request(`http://${headers.host}${url}`, {
    ...sent,
    headers: headers as never,
  })
  const client = incoming.socket.remoteAddress
  const answer = await auth.handle(
    request,
    async (own) => {
      if (url !== '/in') return new Response((await own())?.user?.name ?? 'nobody')
      // As a framework hands it on.
      const copy = new Request(request)
      return auth.signIn(copy, 'credentials', await copy.clone().formData())
    },
    { client },
  )
  outgoing.statusCode = answer.status
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie') outgoing.setHeader(name, value)
  }
  outgoing.setHeader('set-cookie', answer.headers.getSetCookie())
  outgoing.end(Buffer.from(await answer.arrayBuffer()))
})

let origin: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

test('over a socket a form of the app signs in, also by a copy of the request', async () => {
  const body = new URLSearchParams({ username: 'ann', password: 'right', redirectTo: '/' })
  const headers = { origin }
  const init = { method: 'POST', body, headers, redirect: 'manual' } as const
  const entered = await fetch(`${origin}/in`, init)
  expect([entered.status, entered.headers.get('location')]).toEqual([303, `${origin}/`])
  const cookie = entered.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const page = await fetch(origin, { headers: { cookie: cookie.join('; ') } })
  expect(await page.text()).toBe('ann')
})

test('attack: over a socket a form without Origin and Sec-Fetch-Site is refused', async () => {
  const body = new URLSearchParams({ username: 'ann', password: 'right' })
  expect((await fetch(`${origin}/in`, { method: 'POST', body })).status).toBe(403)
})

test('over a socket the routes have their body, however it comes', async () => {
  const begun = await fetch(`${origin}/auth/csrf`)
  const { csrfToken } = (await begun.json()) as { csrfToken: string }
  const cookie = begun.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const form = new URLSearchParams({ csrfToken, username: 'ann', password: 'right' })
  const sent = await fetch(`${origin}/auth/callback/credentials`, {
    method: 'POST',
    headers: {
      cookie: cookie.join('; '),
      origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new Blob([form.toString()]).stream(),
    duplex: 'half',
    redirect: 'manual',
  } as RequestInit)
  expect(sent.headers.getSetCookie().join()).toContain('auth.session-token=')
})
