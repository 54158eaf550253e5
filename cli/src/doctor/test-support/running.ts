import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { AuthConfig } from '@latchkey/worker/types'
import { SECRET } from './written.js'

const open: (() => Promise<unknown>)[] = []

/** Closes all servers of a test. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0)) await close()
}

/** A server on a port of this machine, and its origin. */
async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  open.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The same, of a function from a request to its answer; `'hang'`: it never answers. */
export async function serving(
  answer: (request: Request) => Response | 'hang' | Promise<Response | 'hang'>,
): Promise<string> {
  const never = new Promise<Response>(() => {})
  return listening(
    getRequestListener(async (request) => {
      const given = await answer(request)
      return given === 'hang' ? never : given
    }),
  )
}

/** A proxy in front of the service, which may spoil an answer. */
export type Between = (
  request: Request,
  answer: () => Promise<Response>,
) => Response | 'hang' | Promise<Response | 'hang'>

/**
 * The service in this process, on a port of its own.
 *
 * @param changes of its configuration; a function is called with the first request, when the port is known
 */
export async function runningService(
  changes: Partial<AuthConfig> | (() => Partial<AuthConfig>) = {},
  between: Between = (_, answer) => answer(),
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const quiet = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} }
  const store = memoryStore()
  const auth = createAuth(() => {
    const own = typeof changes === 'function' ? changes() : changes
    const providers = [github({ clientId: 'id', clientSecret: 'secret' })]
    return { basePath: '/auth', secret: SECRET, store, logger: quiet, providers, ...own }
  })
  const origin = await serving((request) => between(request, async () => auth.fetch(request, env)))
  return `${origin}/auth`
}
