import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request that a receiver has taken in whole. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What a receiver does with a request; a number: the status of its answer. */
export type Behavior = number | 'hang' | 'drip' | 'close' | 'endless' | { redirect: string }

/** A receiver of webhooks, on a port of this machine. */
export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** For the requests to come: one for all, or a choice for each. */
  behavior: Behavior | ((request: Received) => Behavior)
  /** Answers the requests that hang. */
  release(status: number): void
  /** How many requests have no end yet: they hang, drip, or are answered endlessly. */
  open(): number
  stop(): Promise<void>
}

export async function startReceiver(
  behavior: Receiver['behavior'] = 204,
  port = 0,
): Promise<Receiver> {
  const received: Received[] = []
  const hanging = new Set<ServerResponse>()
  const open = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url: path = '', headers } = request
    const taken = { method, path, headers, body }
    received.push(taken)
    open.add(response)
    response.once('close', () => open.delete(response))
    const { behavior } = receiver
    answer(response, typeof behavior === 'function' ? behavior(taken) : behavior)
  })
  const answer = (response: ServerResponse, behavior: Behavior) => {
    if (typeof behavior === 'number') response.writeHead(behavior).end()
    else if (typeof behavior === 'object')
      response.writeHead(307, { location: behavior.redirect }).end()
    else if (behavior === 'hang') hanging.add(response)
    else if (behavior === 'close') response.socket?.destroy()
    else if (behavior === 'drip') drip(response)
    else pour(response)
  }
  const receiver: Receiver = {
    url: await listen(server, port),
    received,
    behavior,
    release(status) {
      for (const response of hanging) response.writeHead(status).end()
      hanging.clear()
    },
    open: () => open.size,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?to=latchkey`
}

/** An answer that always goes on and whose headers have no end. */
function drip({ socket }: ServerResponse): void {
  socket?.write('HTTP/1.1 200 OK\r\nx-drip: ')
  const timer = setInterval(() => socket?.write('.'), 10)
  socket?.once('close', () => clearInterval(timer))
}

/** An answer whose body has no end. */
function pour(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' })
  const chunk = 'x'.repeat(64 * 1024)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write)
  write()
}

/** A message as a receiver gets it, verified by `standardwebhooks`. @throws it is not genuine */
export function verified(
  secret: string,
  { headers, body }: Received,
): { type: string; timestamp: string; data: Record<string, unknown> } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}
