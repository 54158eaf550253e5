import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { expect, test, vi } from 'vitest'
import { newOperatorKey } from './operator-key.js'

const night = newOperatorKey('night', 'read')

/** A service with the operator API, as an app configures it that runs it. */
const service = {
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  providers: [credentials({ authorize: () => null })],
  features: [operate()],
}

/** A logger of its own, so that no configuration counts as a copy of another one. */
const quiet = () => ({ error() {}, warn() {} })

/** The configuration of an app: the service itself, or the address of one. */
type Config =
  | (typeof service & { readonly logger: ReturnType<typeof quiet>; readonly basePath: string })
  | {
      readonly worker: Worker
      readonly basePath: string
      readonly logger: ReturnType<typeof quiet>
    }

interface Worker {
  fetch(url: string, init?: RequestInit): Promise<Response>
}

/**
 * Tests that an app with the operator API in its process serves it, and that one that forwards answers its paths itself.
 *
 * @param send sends a request to an app with this configuration. The app answers other paths than those of the service with 404
 */
export function testOperatorPaths(
  send: (
    config: Config,
    path: string,
    init: RequestInit,
  ) => Promise<{ status: number; text: string }>,
  basePath = '/auth',
): void {
  const path = (method: string) => `${basePath}/operator/${method}`
  const init = (key?: string) => ({
    method: 'POST',
    body: '{"sub":"ada"}',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
  })

  test('the operator API is there if the service runs in the app', async () => {
    vi.stubEnv('AUTH_OPERATOR_KEYS', night.entry)
    try {
      const app = { ...service, basePath, logger: quiet() }
      const told = async (method: string, key?: string) => {
        const { status, text } = await send(app, path(method), init(key))
        return [status, JSON.parse(text)]
      }
      expect(await told('listWays', night.key)).toEqual([200, { result: [] }])
      expect(await told('listWays')).toEqual([401, { error: 'OperatorKeyRequired' }])
      expect(await told('deletePerson', night.key)).toEqual([
        403,
        { error: 'ScopeRequired', scope: 'manage' },
      ])
      expect(await told('nothing', night.key)).toEqual([404, { error: 'NotFound' }])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('an app that forwards does not pass the paths of operators on', async () => {
    const asked: string[] = []
    const auth = createAuth({
      ...{ ...service, basePath, trustHost: true, store: memoryStore(), logger: quiet() },
    })
    const worker = {
      fetch(url: string, init?: RequestInit) {
        asked.push(new URL(url).pathname)
        return auth.fetch(new Request(url, init), { AUTH_OPERATOR_KEYS: night.entry })
      },
    }
    const app = { worker, basePath, logger: quiet() }
    for (const method of ['listWays', 'nothing']) {
      const { status, text } = await send(app, path(method), init(night.key))
      expect([status, text.includes('NotFound')]).toEqual([404, false])
    }
    expect((await send(app, `${basePath}/csrf`, {})).status).toBe(200)
    expect(asked).toEqual([`${basePath}/csrf`])
  })
}
