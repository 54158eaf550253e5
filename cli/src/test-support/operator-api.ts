import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { main } from '../main.js'
import { terminalOf } from './terminal.js'

/** A key of the operator API that no service has. */
export const KEY = `lkop_${'Canary0'.repeat(6)}x`

interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on a port of 127.0.0.1, which remembers its requests. */
export async function serverOf(answer: RequestListener) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { url: path = '', headers } = request
    asked.push({ path, headers, body: Buffer.concat(parts).toString() })
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    base: `http://127.0.0.1:${port}/auth`,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

/** A service that answers each method as a test says: a result, or an error with its status. */
export async function operatorApi(
  results: Readonly<Record<string, unknown>>,
  error?: readonly [status: number, body: unknown],
) {
  return serverOf((request, response) => {
    const method = request.url?.replace('/auth/operator/', '') ?? ''
    const [status, body] = error ?? [200, { result: results[method] ?? null }]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
}

/** Runs the command line against a service. */
export async function latchkey(
  base: string,
  args: readonly string[],
  parts: Parameters<typeof terminalOf>[0] = {},
) {
  const env = { LATCHKEY_URL: base, AUTH_OPERATOR_KEY: KEY }
  const terminal = terminalOf({ env, ...parts })
  const code = await main(args, terminal)
  return { code, printed: terminal.printed(), noted: terminal.noted() }
}
