import { once } from 'node:events'
import { request as ask } from 'node:http'
import { getSession, MiddlewareAuth, requireSession } from '@latchkey/express'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express5'
import { listen, type versions } from '../../express/support.ts'
import { LOGIN, page, SAFE, VAULT } from './app.ts'
import { adapterContract } from './contract.ts'

/** The contract with one version of Express, on real sockets. */
export function expressContract({ name, express, wildcard }: (typeof versions)[number]): void {
  const stops: (() => Promise<void>)[] = []

  adapterContract(name, {
    hasGuard: true,
    async start(config) {
      const app = express()
      app.use(`/auth${wildcard}`, MiddlewareAuth(config))
      app.use('/members', requireSession(LOGIN, config))
      app.use('/pay', requireSession({ maxAge: 60 }, config))
      app.use('/vault', requireSession(VAULT, config))
      app.use('/safe', requireSession(SAFE, config))
      app.use((req: ExpressRequest, res: ExpressResponse, next) => {
        const request = new Request(`http://${req.headers.host}${req.originalUrl}`)
        page(request, () => getSession(req, config)).then((answer) => send(answer, res), next)
      })
      const { port, stop } = await listen(app)
      stops.push(stop)
      return (request) => throughSocket(port, request)
    },
    stop: async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))),
  })
}

async function send(answer: Response, res: ExpressResponse): Promise<void> {
  for (const [name, value] of answer.headers) {
    if (name === 'set-cookie') res.append(name, value)
    else res.setHeader(name, value)
  }
  res.status(answer.status).end(await answer.text())
}

/** `fetch` would send neither another Host nor a Connection header. */
async function throughSocket(port: number, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url)
  const { method } = request
  const headers = { host, ...Object.fromEntries(request.headers) }
  const path = pathname + search
  const sent = ask({ port, host: '127.0.0.1', path, method, headers, agent: false })
  sent.end(method === 'POST' ? new Uint8Array(await request.arrayBuffer()) : undefined)
  const [answer] = await once(sent, 'response')
  const chunks: Uint8Array[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const lines = new Headers()
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    lines.append(answer.rawHeaders[at], answer.rawHeaders[at + 1])
  }
  const hasBody = method !== 'HEAD' && answer.statusCode !== 304
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status: answer.statusCode,
    headers: lines,
  })
}
