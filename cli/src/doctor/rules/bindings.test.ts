import { expect, test } from 'vitest'
import { parseWrangler } from '../reading/parse-wrangler.js'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

/** The bindings without one of their tables. */
function without(table: string): string {
  const tables = BINDINGS.split(/(?=\[\[)/)
  return tables.filter((text) => !text.startsWith(`[[${table}]]`)).join('')
}

test.each([
  ['kv_namespaces', 'SESSIONS'],
  ['durable_objects.bindings', 'LEDGER'],
])('a Worker without %s has no %s', async (table, name) => {
  await expectFault('binding-missing', {
    where: `wrangler.toml ${name}`,
    fault: { toml: without(table) },
    mended: { toml: BINDINGS },
  })
})

test('a wrangler file without anything lacks both, and one of an app nothing', async () => {
  const found = await findingsIn({ toml: 'name = "auth"' })
  expect(found.map(({ code }) => code)).toEqual(['binding-missing', 'binding-missing'])
  expect(
    await findingsIn({ toml: 'services = [{ binding = "AUTH", service = "latchkey" }]' }),
  ).toEqual([])
  expect(
    await findingsIn({ toml: '[vars]\nAUTH_WORKER_URL = "https://auth.example.com/auth"' }),
  ).toEqual([])
})

test('an environment gets no binding of the top', async () => {
  const found = await findingsIn({ toml: `${BINDINGS}[env.live]\nname = "live"` })
  expect(found.map(({ code, where }) => `${code} ${where}`)).toEqual([
    'binding-missing wrangler.toml env.live SESSIONS',
    'binding-missing wrangler.toml env.live LEDGER',
  ])
  // A top that is never deployed.
  const toml = BINDINGS.replaceAll('[[', '[[env.live.')
  expect(await findingsIn({ toml })).toEqual([])
})

test.each([
  ['', '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Other", "Ledger"]'],
  [
    '[[migrations]]\ntag = "v1"\nnew_classes = ["Ledger"]',
    '[exports.Ledger]\ntype = "durable-object"\nstorage = "sqlite"',
  ],
  [
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Ledger"]\n[[migrations]]\ntag = "v2"\ndeleted_classes = ["Ledger"]',
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Old"]\n[[migrations]]\ntag = "v2"\nrenamed_classes = [{ from = "Old", to = "Ledger" }]',
  ],
])('migrations %#', async (fault, mended) => {
  await expectFault('migration-missing', {
    where: 'wrangler.toml migrations',
    fault: { toml: without('migrations') + fault },
    mended: { toml: without('migrations') + mended },
  })
})

test('the class of another Worker has its migration there', async () => {
  const toml = without('migrations').replace(
    'class_name = "Ledger"',
    'class_name = "Ledger"\nscript_name = "latchkey"',
  )
  expect(await findingsIn({ toml })).toEqual([])
})

test('mails without a limit of requests', async () => {
  const vars = withSecret('AUTH_EMAIL_FROM=sign-in@example.com')
  await expectFault('rate-limit-missing', {
    where: 'wrangler.toml RATE_LIMIT',
    fault: { toml: without('ratelimits'), vars },
    mended: { toml: BINDINGS, vars },
  })
  expect(await findingsIn({ toml: without('ratelimits'), vars: withSecret() })).toEqual([])
  const unsafe = '[[unsafe.bindings]]\nname = "RATE_LIMIT"\ntype = "ratelimit"\nnamespace_id = "1"'
  expect(await findingsIn({ toml: without('ratelimits') + unsafe, vars })).toEqual([])
})

test.each([
  '[observability]\nenabled = true',
  '[observability.logs]\nenabled = true',
  '[observability.traces]\nenabled = true',
])('logs with queries: %s', async (text) => {
  await expectFault('logs-keep-queries', {
    where: 'wrangler.toml observability',
    fault: { toml: BINDINGS + text },
    mended: { toml: `observability.redact_query_string = true\n${BINDINGS}` },
  })
  const off = text.replace('true', 'false')
  expect(await findingsIn({ toml: BINDINGS + off })).toEqual([])
})

test('a wrangler file in JSON has its lines in JSON', async () => {
  const text = '// a comment\n{ "name": "auth", "observability": { "enabled": true, }, }'
  const [said] = await parseWrangler('wrangler.jsonc', text)
  expect(said?.wrangler).toMatchObject({ isJson: true, isObserved: true, redactsQueries: false })
})

test.each([
  ['wrangler.toml', 'name = "a"\nsecret = "canary'],
  ['wrangler.json', '{\n"secret": "canary'],
])('the message about a fault of %s has its line, and not its text', async (path, text) => {
  await expect(parseWrangler(path, text)).rejects.toThrow(/^it is not (?:TOML|JSON) \(line 2\)$/)
})

test.each(['[]', '1', 'null', '"x"'])('%s is not a wrangler file', async (text) => {
  await expect(parseWrangler('wrangler.json', text)).rejects.toThrow('it is not a JSON object')
})

test('members of another kind count as missing', async () => {
  const text = JSON.stringify({
    kv_namespaces: 'SESSIONS',
    durable_objects: [],
    migrations: { tag: 1 },
    routes: 5,
    env: { live: 'x' },
    vars: [],
    observability: null,
  })
  const said = await parseWrangler('wrangler.json', text)
  expect(said).toHaveLength(1)
  expect(said[0]?.wrangler.routes).toEqual([])
})
