import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { MiddlewareAuth, type MiddlewareAuthConfig } from '@latchkey/express'
import { mintSession } from '@latchkey/session/testing'
import type { Express, NextFunction, Request, Response } from 'express5'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { csrf, form, listen, SECRET, startApp, startService, versions } from '../express/support.ts'

/** Which headers and bodies are forwarded to the Worker and back, and which are not. */
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe.each(versions)('$name', ({ express, wildcard }) => {
  const start = (config: MiddlewareAuthConfig, build?: (app: Express) => void) =>
    startApp({ express, wildcard }, config, build, stops)

  test('headers for request smuggling are refused by Node, or are not forwarded', async () => {
    const seen: Record<string, string | string[] | undefined>[] = []
    const service = await listen((req, res) => {
      seen.push(req.headers)
      res.writeHead(200, [
        'set-cookie',
        'a=1',
        'set-cookie',
        'b=2',
        'connection',
        'x-inner',
        'x-inner',
        '1',
      ])
      res.end('{}')
    })
    stops.push(service.stop)
    const app = await start({ worker: `${service.url}/auth`, secret: SECRET })
    const answer = await app.ask('/auth/csrf', {
      headers: {
        connection: 'close, x-secret, x-forwarded-host',
        'x-secret': '1',
        te: 'trailers',
        'proxy-authorization': 'Basic eA==',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-port': '1',
        forwarded: 'for=6.6.6.6',
        'cf-connecting-ip': '6.6.6.6',
        'cf-ray': 'x',
        'true-client-ip': '6.6.6.6',
        'x-real-ip': '6.6.6.6',
        'x-http-method-override': 'DELETE',
        'x-app': 'kept',
        cookie: 'a=1; b=2',
      },
    })
    const [headers = {}] = seen
    expect(headers).toMatchObject({
      'x-forwarded-host': `127.0.0.1:${app.port}`,
      'x-forwarded-proto': 'http',
      'x-app': 'kept',
      cookie: 'a=1; b=2',
    })
    expect(headers['x-forwarded-for']).toMatch(/127\.0\.0\.1$/)
    const gone = Object.keys(headers).filter((name) =>
      /^(te|x-secret|proxy-.*|forwarded|cf-.*|true-.*|x-real.*|x-http.*|x-forwarded-port)$/.test(
        name,
      ),
    )
    expect(gone).toEqual([])
    expect(answer.cookies).toEqual(['a=1', 'b=2'])
    expect(answer.headers).not.toHaveProperty('x-inner')
    const raw = connect(app.port, '127.0.0.1')
    raw.write(
      `POST /auth/signout HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /me`,
    )
    const [reply] = (await new Promise((resolve) =>
      raw.once('data', (data) => resolve([data])),
    )) as [Buffer]
    expect(reply.toString()).toMatch(/^HTTP\/1\.1 400 /)
    raw.destroy()
    expect(seen).toHaveLength(1)
  })

  test('a service that is silent, gone or speaks no HTTP is a 503, and an answer without a status a 502', async () => {
    const gone = await listen(() => {})
    await gone.stop()
    const app = await start({ worker: `${gone.url}/auth`, secret: SECRET })
    expect((await app.ask('/auth/csrf')).status).toBe(503)
    const issuer = `${app.url}/auth`
    const old = await mintSession({ secret: SECRET, issuer, tokenMaxAge: -10 })
    const me = await app.ask('/me', { headers: { cookie: old.cookie } })
    expect([me.status, me.cookies]).toEqual([503, []])
    const mad = { fetch: async () => Response.error() }
    const other = await start({ worker: mad, secret: SECRET })
    expect((await other.ask('/auth/csrf')).status).toBe(502)
    const mail = createServer((socket) => {
      socket.on('error', () => {}).end('220 ESMTP\r\n', () => socket.destroy())
    })
    await once(mail.listen(0, '127.0.0.1'), 'listening')
    stops.push(() => new Promise((resolve) => mail.close(() => resolve())))
    const { port } = mail.address() as AddressInfo
    const strange = await start({ worker: `http://127.0.0.1:${port}/auth`, secret: SECRET })
    expect((await strange.ask('/auth/csrf')).status).toBe(503)
  })

  test('bodies stream in both directions, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const seen: Uint8Array[] = []
    const arrived = signal()
    const received = signal()
    const service = await listen(async (req, res) => {
      for await (const chunk of req) {
        seen.push(chunk)
        arrived.resolve()
      }
      res.write(Buffer.concat(seen))
      await received.promise
      res.end('end')
    })
    stops.push(service.stop)
    const app = await start({ worker: `${service.url}/auth`, secret: SECRET })
    const sent = request({ port: app.port, path: '/auth/signout', method: 'POST' })
    sent.write(bytes)
    // The service sees the first part before the client has sent the rest.
    await arrived.promise
    sent.end(bytes)
    const [answer] = await once(sent, 'response')
    const [first] = await once(answer, 'data')
    expect(new Uint8Array(first)).toEqual(Uint8Array.from([...bytes, ...bytes]))
    // The client sees the first part before the service has answered the rest.
    received.resolve()
    const [second] = await once(answer, 'data')
    expect(second.toString()).toBe('end')
  })

  test('a client that goes away ends the call to the Worker, and causes no error', async () => {
    const errors: unknown[] = []
    const ended = signal()
    const begun = signal()
    const service = await listen((req) => {
      begun.resolve()
      req.on('close', () => ended.resolve())
    })
    stops.push(service.stop)
    const app = express()
    app.use('/auth', MiddlewareAuth({ worker: `${service.url}/auth`, secret: SECRET }))
    app.use((error: Error, _req: Request, _res: Response, _next: NextFunction) => {
      errors.push(error)
    })
    const running = await listen(app)
    stops.push(running.stop)
    const sent = request({ port: running.port, path: '/auth/session' })
    sent.on('error', () => {})
    sent.end()
    await begun.promise
    sent.destroy()
    await ended.promise
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(errors).toEqual([])
  })

  test('redirects of the Worker are passed through, not followed', async () => {
    const service = await startService()
    stops.push(service.stop)
    const app = await start({ worker: `${service.url}/auth` })
    const { csrfToken, cookie } = await csrf(app)
    const sent = form({ csrfToken })
    const answer = await app.ask('/auth/signin/videoapp', {
      ...sent,
      headers: { ...sent.headers, cookie },
    })
    expect(answer.status).toBe(302)
    const location = new URL(answer.headers.location ?? '')
    expect(location.searchParams.get('redirect_uri')).toBe(`${app.url}/auth/callback/videoapp`)
  })

  test('a mount at another path than the Worker’s is an error that names the mount', async () => {
    const service = await startService()
    stops.push(service.stop)
    const app = express()
    app.use('/login', MiddlewareAuth({ worker: `${service.url}/auth` }))
    app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
      res.status(500).send(error.message)
    })
    const running = await listen(app)
    stops.push(running.stop)
    expect((await running.ask('/login/csrf')).text).toContain('mounted at /login')
  })
})
