import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type WebAuth, webAuth } from './index.js'
import { binding, inProcess, SECRET } from './test-app.js'

/** Node's own server, which makes a standard request of each of its own, as frameworks do. */
function serverOf(answerOf: (request: Request, client?: string) => Promise<Response>): Server {
  return createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const body = method === 'POST' ? (Readable.toWeb(incoming) as ReadableStream) : null
    const sent = { method, body, duplex: 'half', headers: headers as never } as RequestInit
    const request = new Request(`http://${headers.host}${url}`, sent)
    const answer = await answerOf(request, incoming.socket.remoteAddress)
    outgoing.statusCode = answer.status
    for (const [name, value] of answer.headers) {
      if (name !== 'set-cookie') outgoing.setHeader(name, value)
    }
    outgoing.setHeader('set-cookie', answer.headers.getSetCookie())
    outgoing.end(Buffer.from(await answer.arrayBuffer()))
  })
}

/** An app with a form of its own. */
function appOf(auth: WebAuth): Server {
  return serverOf((request, client) =>
    auth.handle(
      request,
      async (own) => {
        if (new URL(request.url).pathname !== '/in')
          return new Response((await own())?.user?.name ?? 'nobody')
        // As a framework hands it on.
        const copy = new Request(request)
        return auth.signIn(copy, 'credentials', await copy.clone().formData())
      },
      { client },
    ),
  )
}

const running: Server[] = []
afterAll(() => {
  for (const server of running) server.close()
})

async function start(server: Server): Promise<string> {
  running.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

describe.each(['in process', 'forwarded to an address'])('%s', (mode) => {
  let origin: string
  beforeAll(async () => {
    if (mode === 'in process') {
      origin = await start(appOf(webAuth(inProcess({ trustedOrigins: [] }))))
      return
    }
    const worker = binding({ trustHost: false, trustedOrigins: ['http://localhost:*'] })
    const service = await start(serverOf((request) => worker.fetch(request.url, request)))
    const logger = { error() {}, warn() {} }
    origin = await start(appOf(webAuth({ worker: `${service}/auth`, secret: SECRET, logger })))
  })

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
})
