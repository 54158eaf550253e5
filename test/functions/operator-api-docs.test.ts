import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { newOperatorKey } from '../support/operator-key.ts'

/** docs/operator-api.md, whose commands run unchanged. */
const page = readFileSync(join(rootDir, 'docs/operator-api.md'), 'utf8')

const run = promisify(execFile)
const key = newOperatorKey('ada', 'manage')
const auth = createAuth({
  basePath: '/auth',
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  providers: [],
  store: memoryStore(),
  features: [operate()],
  logger: { error() {}, warn() {} },
})
const env = { AUTH_OPERATOR_KEYS: key.entry }
const server = createAdaptorServer({ fetch: (request) => auth.fetch(request, env) })
const requests: { readonly url: string | undefined; readonly key: string | undefined }[] = []

beforeAll(async () => {
  server.on('request', ({ url, headers }) => {
    requests.push({ url, key: headers.authorization?.replace(/^Bearer /, '') })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const [, ask = ''] = /```sh\n(ask\(\) \{[\s\S]*?\n\})\n```/.exec(page) ?? []
const examples = [
  ...page.matchAll(/```sh\n((?:\w+=\S+ )?ask \w+ [^\n]*)\n```\n\n```json\n([^\n]*)\n```/g),
]

describe('the operator API', () => {
  test.each(examples.map(([, command, answer]) => [command, answer]))(
    '%s prints the answer of the page',
    async (command = '', answer = '') => {
      const { port } = server.address() as AddressInfo
      const { stdout } = await run('sh', ['-c', `${ask}\n${command}`], {
        env: {
          PATH: process.env.PATH,
          LATCHKEY_URL: `http://127.0.0.1:${port}/auth`,
          AUTH_OPERATOR_KEY: key.key,
        },
      })
      expect(JSON.parse(stdout)).toEqual(JSON.parse(answer))
      // The key is in the header alone.
      const { url, key: sent } = requests.at(-1) ?? {}
      expect(url).toBe(`/auth/operator/${/ask (\w+)/.exec(command)?.[1]}`)
      expect(sent).toBe(command.includes('unknown') ? 'lkop_unknown' : key.key)
    },
  )

  test('has its examples on the page', () => {
    expect(examples).toHaveLength(4)
  })

  test('has its methods, bodies and scopes on the page as the table of methods has them', () => {
    const document = JSON.parse(readFileSync(join(rootDir, 'worker/openapi.json'), 'utf8')) as {
      paths: Record<string, { post: Operation }>
    }
    const rows = [...page.matchAll(/^\| (`[^|]*`) \| `\{([^}]*)\}`[^|]*\| (read|manage) \|$/gm)]
    const said = rows.flatMap(([, names = '', members = '', scope]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [
        `${name}`,
        members.split(',').flatMap((one) => one.trim() || []),
        scope,
      ]),
    )
    const found = Object.entries(document.paths).flatMap(([path, { post }]) => {
      const [, name] = /^\/operator\/(\w+)$/.exec(path) ?? []
      if (!name) return []
      const { properties, required = [] } = post.requestBody.content['application/json'].schema
      const members = Object.keys(properties).map((one) =>
        required.includes(one) ? one : `${one}?`,
      )
      return [[name, members, '403' in post.responses ? 'manage' : 'read']]
    })
    const byName = new Map(said.map((one) => [one[0], one]))
    expect(found.map(([name]) => byName.get(`${name}`))).toEqual(found)
  })
})

interface Operation {
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: { readonly properties: object; readonly required?: readonly string[] }
      }
    }
  }
  readonly responses: object
}
