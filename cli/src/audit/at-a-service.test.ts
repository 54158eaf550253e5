import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
import credentials from '@latchkey/worker/providers/credentials'
import { sqliteStore } from '@latchkey/worker/stores/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperatorKey } from '../../../test/support/operator-key.js'
import { latchkey } from '../test-support/operator-api.js'

// A service on Node, with the log in its file, behind a socket.

const key = newOperatorKey('day', 'manage')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-log-'))
const path = join(folder, 'sessions.db')
const store = sqliteStore(path)
let receiver: Server
let received = 0
let server: Server
let base: string

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received++
    request.resume().on('end', () => response.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const auth = createAuth({
    basePath: '/auth',
    secret: 'a-secret-of-the-tests-0123456789abcdef',
    store,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    features: [operate()],
    providers: [credentials({ authorize: ({ id }) => ({ id: String(id), name: String(id) }) })],
  })
  const env = {
    AUTH_OPERATOR_KEYS: key.entry,
    AUTH_AUDIT_DAYS: '30',
    AUTH_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    AUTH_WEBHOOK_SECRET: `whsec_${btoa('a secret of 24 bytes, see')}`,
  }
  const fetch = (request: Request) => auth.fetch(request, env)
  server = serve({ fetch, port: 0, hostname: '127.0.0.1' }) as Server
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  receiver.closeAllConnections()
  receiver.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: readonly string[]) {
  const env = { AUTH_OPERATOR_KEY: key.key }
  const options = { env, directory: folder }
  const { code, printed, noted } = await latchkey(base, [...args, '--to', base, '--json'], options)
  expect(printed + noted).not.toContain(key.key)
  const lines = printed.trim().split('\n').filter(Boolean)
  return { code, lines: lines.map((line) => JSON.parse(line)) }
}

async function signIn(id: string) {
  const csrf = await fetch(`${base}/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers.getSetCookie().map((line) => line.split(';')[0])
  const body = new URLSearchParams({ csrfToken, id })
  const headers = { cookie: cookie.join('; ') }
  await fetch(`${base}/callback/credentials`, { method: 'POST', headers, body, redirect: 'manual' })
}

test('the command reads and checks the log of a service on Node, and its webhooks', async () => {
  for (const id of ['ada', 'grace', 'ada']) await signIn(id)
  const { code, lines } = await run('audit', '--all')
  expect(code).toBe(0)
  expect(lines.map(({ id, event }) => `${id} ${event}`)).toEqual([
    'store_1 sign-in',
    'store_2 sign-in',
    'store_3 sign-in',
  ])
  const heads = ['audit', 'verify', '--heads', 'heads.json']
  const whole = { ok: true, records: 3, faults: [] }
  expect(await run(...heads)).toMatchObject({ code: 0, lines: [whole] })
  await expect.poll(() => received, { timeout: 10_000 }).toBe(3)
  expect(await run('webhooks')).toMatchObject({ code: 0, lines: [{ waiting: 0, failed: [] }] })
  expect((await run('webhooks', 'resend', 'store_2')).code).toBe(0)
  expect((await run('webhooks', 'resend', 'store_9')).code).toBe(1)
  await expect.poll(() => received, { timeout: 10_000 }).toBe(4)

  // Somebody with the file changes a record.
  const file = new DatabaseSync(path)
  const [row] = file
    .prepare(`SELECT key FROM documents WHERE key LIKE 'audit record%' ORDER BY key`)
    .all()
    .slice(1)
  file
    .prepare(`UPDATE documents SET content = replace(content, 'sign-in', 'sign-out') WHERE key = ?`)
    .run(String(row?.key))
  file.close()
  expect(await run(...heads)).toMatchObject({
    code: 1,
    lines: [{ ok: false, faults: [{ fault: 'edited', chain: 'store', seq: 2 }] }],
  })
})
