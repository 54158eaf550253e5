import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Auth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { type Cookie, signInAt } from '../cookies.ts'
import { ORIGIN, SECRET } from './contestant.ts'
import { ISSUER } from './tokens.ts'

/** The auth service, for an app that reads its revocation feed and has it renew sessions. */
export interface AuthService extends AsyncDisposable {
  /** Origin and base path. */
  readonly url: string
  /** How often its revocation feed was read. */
  readonly feedReads: number
  /** Signs a person in. */
  signIn(name: string): Promise<Cookie>
}

/** @param feedDelay milliseconds by which the feed comes late, so that a read that waits for it is noticed */
export async function startAuthService(feedDelay = 0): Promise<AuthService> {
  const { pathname, origin } = new URL(ISSUER)
  const config = {
    secret: SECRET,
    basePath: pathname,
    store: memoryStore(),
    // Each sign-in would be a line.
    logger: { info: () => {} },
    providers: [
      credentials({
        credentials: { name: {} },
        authorize: ({ name }) => ({ id: String(name), name: String(name) }),
      }),
    ],
  }
  let feedReads = 0
  const server = createServer(async (req, res) => {
    const { url = '', headers } = req
    const { cookie = '' } = headers
    const answer = await Auth(new Request(new URL(url, origin), { headers: { cookie } }), config)
    if (url.startsWith(`${pathname}/revocations`)) {
      feedReads++
      if (feedDelay > 0) await new Promise((resolve) => setTimeout(resolve, feedDelay))
    }
    res.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  // The connections are idle while other apps are measured.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    get feedReads() {
      return feedReads
    },
    signIn: (name) => signInAt(ORIGIN, config, name),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
