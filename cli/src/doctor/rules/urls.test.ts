import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

test.each([
  ['AUTH_URL', 'auth.example.com'],
  ['AUTH_URL', 'ftp://auth.example.com'],
  ['AUTH_URL', 'https://auth.example.com/auth?x=1'],
  ['AUTH_URL', 'https://auth.example.com/auth#x'],
  ['AUTH_URL', 'https://user:word@auth.example.com'],
  ['AUTH_URL', 'http://auth.example.com'],
  ['AUTH_WORKER_URL', 'http://192.168.0.7:8787/auth'],
  ['AUTH_WORKER_URL', '/auth'],
])('%s=%s', async (name, value) => {
  await expectFault('url-invalid', {
    where: `.env ${name}`,
    fault: { vars: withSecret(`${name}="${value}"`) },
    mended: { vars: withSecret(`${name}=https://auth.example.com/auth`) },
  })
})

test.each([
  'http://localhost:8787',
  'http://app.localhost',
  'http://127.0.0.1:3000/auth',
  'http://[::1]',
])('%s is on this machine', async (url) => {
  expect(await findingsIn({ vars: withSecret(`AUTH_URL=${url}`) })).toEqual([])
})

const routed = (routes: string, url = 'https://example.com/auth') =>
  `workers_dev = false\nroutes = [${routes}]\n${BINDINGS}[vars]\nAUTH_URL = "${url}"`

test.each([
  ['"example.com/login/*"', '"example.com/auth/*"'],
  ['"example.com/auth"', '"example.com/auth*"'],
  ['"www.example.com/auth/*"', '"*example.com/auth/*"'],
  [
    '{ pattern = "example.com/auth/signin", zone_name = "example.com" }',
    '{ pattern = "example.com/*", zone_name = "example.com" }',
  ],
  [
    '{ pattern = "auth.example.com", custom_domain = true }',
    '{ pattern = "example.com", custom_domain = true }',
  ],
  ['"*.example.com/*"', '"https://example.com/auth/*"'],
])('a mount that the routes %s do not cover, and %s do', async (fault, mended) => {
  const found = await expectFault('mount', {
    where: 'wrangler.toml routes',
    fault: { toml: routed(fault) },
    mended: { toml: routed(mended) },
  })
  expect(found.fix).toContain('example.com/auth/*')
})

test('an AUTH_URL without a path is for the routes of the shipped Worker, or of createAuth', async () => {
  const url = 'https://example.com'
  await expectFault('mount', {
    where: 'wrangler.toml routes',
    fault: { toml: routed('"example.com/login/*"', url) },
    mended: { toml: routed('"example.com/auth/*"', url) },
  })
  expect(await findingsIn({ toml: routed('"example.com/api/auth/*"', url) })).toEqual([])
})

test('an AUTH_URL for this machine leaves that of the deployment to be looked at', async () => {
  const vars = withSecret('AUTH_URL=http://localhost:8787')
  const found = await findingsIn({ toml: routed('"example.com/login/*"'), vars })
  expect(found.map(({ code }) => code)).toEqual(['mount'])
  expect(await findingsIn({ toml: routed('"example.com/auth/*"'), vars })).toEqual([])
})

test('a route, and the address on workers.dev beside it', async () => {
  const toml = (more: string) => `${more}\nroute = "example.com/auth/*"\n${BINDINGS}`
  await expectFault('second-origin', {
    where: 'wrangler.toml workers_dev',
    fault: { toml: toml('') },
    mended: { toml: toml('workers_dev = false') },
  })
})

test('an environment has the routes of the top, and its own variables', async () => {
  const bindings = BINDINGS.replaceAll('[[', '[[env.live.').replaceAll(
    '[[env.live.migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Ledger"]\n',
    '',
  )
  const toml = (url: string) =>
    `workers_dev = false\nroute = "example.com/auth/*"\n${BINDINGS}${bindings}[env.live.vars]\nAUTH_URL = "${url}"`
  await expectFault('mount', {
    where: 'wrangler.toml env.live routes',
    fault: { toml: toml('https://other.example/auth') },
    mended: { toml: toml('https://example.com/auth') },
  })
})
