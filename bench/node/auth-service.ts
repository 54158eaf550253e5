import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Auth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { SECRET } from './contestant.ts'
import { ISSUER } from './tokens.ts'

/** The auth service, for an app that reads its revocation feed. */
export interface AuthService extends AsyncDisposable {
  /** Origin and base path. */
  readonly url: string
  /** How often its revocation feed was read. */
  readonly feedReads: number
}

/** The service delays the feed, so that a read that waits for it is noticed. */
const FEED_DELAY = 300

export async function startAuthService(): Promise<AuthService> {
  const { pathname, origin } = new URL(ISSUER)
  const config = {
    secret: SECRET,
    basePath: pathname,
    providers: [credentials({ credentials: {}, authorize: () => null })],
  }
  let feedReads = 0
  const server = createServer(async (req, res) => {
    const answer = await Auth(new Request(new URL(req.url ?? '/', origin)), config)
    if (req.url?.startsWith(`${pathname}/revocations`)) {
      feedReads++
      await new Promise((resolve) => setTimeout(resolve, FEED_DELAY))
    }
    res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    get feedReads() {
      return feedReads
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
