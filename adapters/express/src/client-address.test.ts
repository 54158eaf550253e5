import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import credentials from '@latchkey/worker/providers/credentials'
import { afterAll, describe, expect, test } from 'vitest'
import { ask, cookieOf, form, SECRET, versions } from '../../../test/express/support.js'
import { MiddlewareAuth } from './index.js'

const stops: (() => unknown)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

/** A socket on this machine that says it comes from elsewhere, as a proxy with a public address does. */
const PROXY = '198.51.100.30'

describe.each(versions)('$name', ({ name, express }) => {
  test.each([
    [true, 'keep no other visitor out', [10, 1]],
    [false, 'keep them out, and the app warns once', [10, 0]],
  ])(
    'attack: a stranger’s wrong passwords, through a proxy with a public address that is trusted (%s), %s',
    async (trustHost, _, expected) => {
      const warnings: string[] = []
      const logger = { error() {}, warn: (code: string) => void warnings.push(code) }
      const providers = [credentials({ authorize: () => null })]
      const app = express().use(
        '/auth',
        MiddlewareAuth({ providers, secret: SECRET, logger, trustHost }),
      )
      const server = createServer(app).listen(0, '127.0.0.1')
      server.on('connection', (socket) => {
        Object.defineProperty(socket, 'remoteAddress', {
          value: trustHost ? PROXY : `${PROXY}${name.at(-1)}`,
        })
      })
      stops.push(() => server.close())
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as AddressInfo
      const host = `localhost:${port}`
      const first = await ask(port, '/auth/csrf', { headers: { host } })
      const { csrfToken } = JSON.parse(first.text) as { csrfToken: string }
      const judged = async (last: string, count: number) => {
        let found = 0
        for (let at = 0; at < count; at++) {
          const sent = form({ csrfToken, username: 'ada', password: 'wrong' })
          const own = {
            host,
            'x-auth-return-redirect': '1',
            cookie: cookieOf(first),
            'x-forwarded-for': `6.6.6.${at}, ${last}`,
          }
          const headers = { ...sent.headers, ...own }
          const answer = await ask(port, '/auth/callback/credentials', { ...sent, headers })
          if (answer.headers['retry-after'] === undefined) found += 1
        }
        return found
      }
      const network = `203.0.11${name.at(-1)}`
      const found = [await judged(`${network}.1`, 12), await judged(`${network}.2`, 1)]
      expect(found).toEqual(expected)
      const said = warnings.filter((code) => code !== 'too-many-attempts')
      expect(said).toEqual(trustHost ? [] : ['public-proxy'])
    },
  )
})
