import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPTIONS } from '@latchkey/host/shared'
import { describe, expect, test } from 'vitest'
import type { Options } from './configuration-tables.ts'
import { readCapabilities } from './read-capabilities.ts'
import { readConfiguration } from './read-configuration.ts'

/** generated-files.test.ts compares docs/configuration.md itself with the generated text. */
const root = join(import.meta.dirname, '../..')
const { options, variables } = readConfiguration(root, readCapabilities(root))

/** The table of each holder of options. */
const TABLES: Record<keyof typeof OPTIONS, keyof Options> = {
  service: 'The service',
  reader: 'An app that reads sessions',
  forwarded: 'An app that forwards',
  session: 'session',
  callbacks: 'callbacks',
  events: 'events',
  pages: 'pages',
  theme: 'theme',
  themeLinks: 'theme.links',
  themeColors: 'theme.colors',
  ways: 'ways',
  revocation: 'revocation',
  cookies: 'cookies',
  cookieOptions: 'cookies.sessionToken.options',
  oauth: 'An OAuth or OpenID provider',
  authorization: 'providers.authorization',
  token: 'providers.token',
  userinfo: 'providers.userinfo',
  client: 'providers.client',
  connection: 'providers.connection',
  middleware: 'A provider of a Hono middleware',
  email: 'The email provider',
  credentials: 'The credentials provider',
  webauthn: 'The passkey provider',
}

test.each(Object.entries(TABLES))(
  'every option of %s that is read is in its table',
  (holder, heading) => {
    const names = options.find((table) => table.heading === heading)?.rows.map(({ name }) => name)
    const known = OPTIONS[holder as keyof typeof OPTIONS].split(' ')
    // `raw` is for an app that calls `Auth` itself.
    expect(names?.filter((name) => name !== 'raw').sort()).toEqual(known.sort())
  },
)

describe('every part that a reader of the page needs', () => {
  const rows = options.flatMap(({ heading, rows }) =>
    rows.map((row) => ({ ...row, path: `${heading}: ${row.name}` })),
  )

  test('every option has a docstring with its purpose', () => {
    expect(rows.length).toBeGreaterThan(150)
    expect(rows.filter(({ summary }) => summary === '').map(({ path }) => path)).toEqual([])
  })

  test('a docstring says the default of every option that may be left out, unless it is a function or a table', () => {
    const withTable = new Set(options.flatMap(({ heading }) => heading.split('.').at(-1)))
    const silent = rows.filter(
      ({ name, isRequired, isFunction, fallback, variable }) =>
        !isRequired && !isFunction && !withTable.has(name) && `${fallback}${variable}` === '',
    )
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('every lifetime names its unit', () => {
    const lifetimes = rows.filter(({ name }) => /Age$|Delay$/.test(name))
    expect(lifetimes.length).toBeGreaterThan(6)
    expect(lifetimes.filter(({ summary }) => !/second/.test(summary))).toEqual([])
  })
})

describe('every variable and binding', () => {
  const listed = variables.flatMap(({ rows }) => rows.flatMap(({ name }) => name.split(', ')))
  const sources = globSync(['{worker,session,host,adapters/*}/src/**/*.ts'], { cwd: root })
    .filter((path) => !/\.test\.ts$|test-support|testing|providers\/|preset-table/.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
  const read = new Set(
    sources.flatMap((text) =>
      [
        ...text.matchAll(
          /(?:\benv(?: as \w+)?, |\benv\.|\{ )'?((?:AUTH|NODE)_[A-Z_]+)\b|bindingOf<[^(]*\(env, '(\w+)'/g,
        ),
      ].map(([, variable, binding]) => variable ?? binding ?? ''),
    ),
  )

  test('that the code reads is listed', () => {
    expect(read.size).toBeGreaterThan(20)
    // A key of a mail service is one of `AUTH_<ID>_KEY`.
    expect(
      [...read].filter((name) => !listed.includes(name) && name !== 'AUTH_RESEND_KEY'),
    ).toEqual([])
  })

  test('that is listed stands in the code', () => {
    const all = sources.join('\n')
    const plain = listed.filter((name) => !name.includes('<'))
    expect(
      plain.filter(
        (name) =>
          !all.includes(`${name}'`) && !all.includes(`.${name}`) && !all.includes(`{ ${name}`),
      ),
    ).toEqual([])
  })

  test('that an option names as its default is listed, or is one of a single provider', () => {
    const named = options
      .flatMap(({ rows }) => rows.map(({ variable }) => variable))
      .filter(Boolean)
    expect(named.filter((name) => !listed.includes(name))).toEqual([
      'AUTH_LOOPS_TRANSACTIONAL_ID',
      'AUTH_SES_REGION',
      'AUTH_SES_KEY',
      'AUTH_SES_SECRET',
    ])
  })
})
