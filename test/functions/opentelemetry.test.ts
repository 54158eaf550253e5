import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROUTES } from '@latchkey/host/shared'
import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { examplesIn } from '../support/example-below.ts'

/** The examples of docs/opentelemetry.md. */
const exampleBelow = examplesIn('opentelemetry')
const page = readFileSync(join(rootDir, 'docs/opentelemetry.md'), 'utf8')

const folder = mkdtempSync(join(tmpdir(), 'opentelemetry-'))
const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => {
  warned.mockClear()
  logged.mockClear()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('Wrangler reads the settings of the page, and finds no fault in them', () => {
  const [, toml = ''] = /```toml\n([\s\S]*?)```/.exec(page) ?? []
  const file = join(folder, 'wrangler.toml')
  writeFileSync(file, `name = "latchkey"\ncompatibility_date = "2026-11-01"\n${toml}`)
  expect(readConfig({ config: file }).observability).toMatchObject({
    enabled: true,
    redact_query_string: true,
    traces: { enabled: true, destinations: ['traces'], head_sampling_rate: 0.05 },
    logs: { enabled: true, destinations: ['logs'] },
  })
  expect(warned.mock.calls).toEqual([])
})

interface Processor {
  onEnd(span: { attributes: Record<string, unknown> }): void
}

test.each([
  [
    'a callback, as instrumentation-http has written it since 2025',
    { 'url.path': '/auth/callback/github', 'url.query': '?code=c-secret&state=s' },
    { 'url.path': '/auth/callback/github' },
  ],
  [
    'a callback, in the earlier names',
    {
      'http.url': 'https://example.com/auth/callback/github?code=c-secret',
      'http.target': '/auth/callback/github?code=c-secret',
    },
    {
      'http.url': 'https://example.com/auth/callback/github',
      'http.target': '/auth/callback/github',
    },
  ],
  [
    'a mailed link',
    { 'url.full': 'https://example.com/auth/callback/email?token=c-secret#x' },
    { 'url.full': 'https://example.com/auth/callback/email' },
  ],
  [
    'HubSpot, which has the token in the path',
    {
      'url.full': 'https://api.hubapi.com/oauth/v1/access-tokens/c-secret',
      'url.path': '/oauth/v1/access-tokens/c-secret',
      'url.query': '',
    },
    {
      'url.full': 'https://api.hubapi.com/oauth/v1/access-tokens/REDACTED',
      'url.path': '/oauth/v1/access-tokens/REDACTED',
    },
  ],
  [
    'an address with a line break',
    { 'http.target': '/auth/callback/x?a=\n&code=c-secret' },
    { 'http.target': '/auth/callback/x' },
  ],
  [
    'anything else',
    { 'http.route': '/auth/*', 'url.path': 7 },
    { 'http.route': '/auth/*', 'url.path': 7 },
  ],
])('attack: a reader of traces finds a code or a token: %s', async (_, attributes, left) => {
  const { withoutQueries } = (await processor()) as { withoutQueries: Processor }
  withoutQueries.onEnd({ attributes })
  expect(attributes).toEqual(left)
  expect(JSON.stringify(attributes)).not.toContain('c-secret')
})

/** It stands below a heading of its own, within a section. */
async function processor(): Promise<object> {
  const [, code = ''] = /### The processor\n\n```ts\n([\s\S]*?)```/.exec(page) ?? []
  const file = join(rootDir, 'test/.docs-examples/opentelemetry/without-queries.ts')
  writeFileSync(file, code)
  return import(/* @vite-ignore */ file)
}

test('no path of the service has a part for a secret', () => {
  const parts = new Set(ROUTES.flatMap((route) => route.match(/[:*][\w-]*|\{[^}]+\}/g) ?? []))
  expect([...parts].toSorted()).toEqual([':provider'])
})

test('a line names the trace and the span of its request', async () => {
  const { linesWithTraces } = await exampleBelow<{
    linesWithTraces(current: () => object | undefined): AuthConfig['logger']
  }>('Lines of the log, and spans')
  const span = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
  const auth = createAuth({
    basePath: '/auth',
    store: memoryStore(),
    logger: linesWithTraces(() => span) ?? {},
    providers: [credentials({ credentials: { username: {} }, authorize: () => null })],
  })
  const env = { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef' }
  const origin = 'http://localhost:8787'
  const csrf = await auth.request(`${origin}/auth/csrf`, {}, env)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const body = new URLSearchParams({ csrfToken, username: 'ada' })
  await auth.request(
    `${origin}/auth/callback/credentials`,
    { method: 'POST', headers: { cookie, origin }, body },
    env,
  )
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'error', error: 'CredentialsSignin' }),
      expect.objectContaining({ level: 'info', event: 'sign-in-refused' }),
    ]),
  )
  for (const line of lines) {
    expect(line).toMatchObject({ trace_id: span.traceId, span_id: span.spanId })
  }
  expect(JSON.stringify(lines)).not.toContain('ada')
})
