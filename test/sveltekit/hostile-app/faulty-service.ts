import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { listen, type Running, startService } from '../../express/support.ts'

/** How a service can fail. */
export const FAULTS = {
  'answers with a page': (res) => res.writeHead(200, HTML).end('<h1>Welcome, zoe</h1>'),
  'answers 500': (res) => res.writeHead(500).end('a trace of the service'),
  'answers 404': (res) => res.writeHead(404).end(),
  'answers 204': (res) => res.writeHead(204).end(),
  'answers with something else': (res) => res.writeHead(200, JSON_TYPE).end('[1,{"user":2}]'),
  'leads elsewhere': (res) => res.writeHead(302, { location: 'https://evil.example/' }).end(),
  'never ends': async (res) => {
    res.writeHead(200, JSON_TYPE)
    for (let count = 0; count < 64 && !res.destroyed; count++) {
      if (res.write(MEBIBYTE)) continue
      await Promise.race([once(res, 'drain'), once(res, 'close')]).catch(() => {})
    }
    res.end()
  },
  'breaks off': (res) => {
    res.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 }).write('{"a')
    setTimeout(() => res.destroy(), 10)
  },
  'closes the door': (res) => res.destroy(),
} satisfies Record<string, (res: ServerResponse) => unknown>

export interface FaultyService extends Running {
  /** Its fault from now on; `undefined`: it works. */
  fault: keyof typeof FAULTS | undefined
  /** The paths that were asked for, with their methods, oldest first. */
  readonly asked: string[]
  /** The service itself, without the fault. */
  readonly sound: Running
}

/** The real service, behind something that can fail. */
export async function startFaultyService(
  basePath = '/app/auth',
  more: Parameters<typeof startService>[0] = {},
): Promise<FaultyService> {
  const sound = await startService({ basePath, ...more })
  const asked: string[] = []
  const front = await listen(async (req, res) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of req) chunks.push(chunk)
    const { method = 'GET', url = '/' } = req
    asked.push(`${method} ${url}`)
    if (service.fault) return FAULTS[service.fault](res)
    const headers = req.headers as Record<string, string>
    const answer = await sound.ask(url, { method, headers, body: Buffer.concat(chunks) })
    res.writeHead(answer.status, withoutLength(answer.headers)).end(answer.text)
  })
  const service: FaultyService = {
    ...front,
    sound,
    asked,
    fault: undefined,
    async stop() {
      await Promise.all([front.stop(), sound.stop()])
    },
  }
  return service
}

const HTML = { 'content-type': 'text/html' }
const JSON_TYPE = { 'content-type': 'application/json' }
const MEBIBYTE = Buffer.alloc(1 << 20, 'x')

function withoutLength({ connection, ...headers }: Record<string, unknown>) {
  const { 'transfer-encoding': _, 'content-length': __, ...rest } = headers
  return rest as Record<string, string | string[]>
}
