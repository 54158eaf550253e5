import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as a receiver gets it. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One receiver, for a test of its own. */
interface Inbox {
  readonly received: ReceivedWebhook[]
  readonly hanging: Set<ServerResponse>
  /** How it answers. */
  answer: string
}

/** @param how a status, or `hang`, `redirect`, `close`, `endless` */
function answer(response: ServerResponse, how: string, elsewhere: string): void {
  if (how === 'redirect') response.writeHead(307, { location: elsewhere }).end()
  else if (how === 'close') response.socket?.destroy()
  else if (how === 'endless') pour(response.writeHead(200))
  else if (how !== 'hang') response.writeHead(Number(how)).end()
}

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
  response.once('drain', () => pour(response))
}

/**
 * Receivers of webhooks for tests in workerd: `POST /hook/<name>` is a message. `GET /inbox/<name>` shows the messages, and how
 * many requests hang; `PUT /inbox/<name>` sets how the next ones are answered, and ends those that hang.
 */
export async function startWebhookReceiver(): Promise<{ readonly url: string; stop(): void }> {
  const inboxes = new Map<string, Inbox>()
  const inboxOf = (name: string) => {
    const inbox = inboxes.get(name) ?? { received: [], hanging: new Set(), answer: '204' }
    inboxes.set(name, inbox)
    return inbox
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const [, kind, name = ''] = (request.url ?? '').split('/')
    const inbox = inboxOf(name)
    if (kind === 'hook') {
      inbox.received.push({ headers: request.headers, body })
      inbox.hanging.add(response)
      response.once('close', () => inbox.hanging.delete(response))
      answer(response, inbox.answer, `/hook/${name}-redirected`)
    } else if (request.method === 'PUT') {
      inbox.answer = body
      for (const open of inbox.hanging) if (!open.headersSent) answer(open, body, '')
      response.end()
    } else {
      const { received, hanging } = inbox
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ received, hanging: hanging.size }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
