import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportRow } from '@latchkey/host/shared'
import { createAuth } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import github from '@latchkey/worker/providers/github'
import password from '@latchkey/worker/providers/password'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { sqliteStore } from '@latchkey/worker/stores/sqlite'
import { WrongUse } from 'latchkey/internal'
import { terminalOf } from 'latchkey/test-support/terminal'
import { afterAll, describe, expect, test } from 'vitest'
import { type Outside, runImport } from './import.js'

const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const TO = ['--to', 'https://auth.example/auth', '--email', 'email', '--passwords']
const folder = mkdtempSync(join(tmpdir(), 'latchkey-import-passwords-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A hash of "old1", as better-auth has made it. */
const HASH =
  '9490e852331405c035f96e4d75abb909:d468ee82c59b88c60687a31e25264c47781ce7b7cea47ce4f3bc9aa73bcd51f8092c3d21f0bd0e996f7bd784356f8894b61af87d3fd39e0c0c8821fbb0561d2e'

interface Options {
  readonly hasPasswords?: boolean
  readonly env?: Record<string, string>
}

/** Runs the command over a text, against a service unless the arguments name a store. */
async function run(
  text: string,
  args: readonly string[],
  { hasPasswords = true, env = { AUTH_SECRET } }: Options = {},
) {
  const logged: unknown[] = []
  const log = (...given: unknown[]) => void logged.push(given)
  const mail = email({ from: 'a@example.com', sendVerificationRequest: () => {} })
  const auth = createAuth({
    basePath: '/auth',
    secret: AUTH_SECRET,
    store: memoryStore(),
    logger: { info: log, warn: log, error: log },
    providers: [
      github({ clientId: 'id', clientSecret: 'secret' }),
      mail,
      ...(hasPasswords ? [password()] : []),
    ],
    features: [passwords],
  })
  const AUTH_IMPORT_UNTIL = new Date(Date.now() + 86_400_000).toISOString()
  const sent: ImportRow[] = []
  const outside: Outside = {
    fetch: async (url, init) => {
      const request = new Request(url, init)
      if (url.pathname.endsWith('/import')) {
        const body = (await request.clone().json()) as { accounts: ImportRow[] }
        sent.push(...body.accounts)
      }
      return auth.fetch(request, { AUTH_IMPORT_UNTIL })
    },
    now: Date.now,
    sleep: async () => {},
    open: async function* () {
      for (let at = 0; at < text.length; at += 500) yield text.slice(at, at + 500)
    },
  }
  const terminal = terminalOf({ env, directory: folder })
  const code = await runImport(['-', ...args], terminal, outside)
  return { code, sent, logged, printed: terminal.printed(), noted: terminal.noted() }
}

/** Tables as better-auth has them in SQLite. */
function dump(
  people: readonly (readonly [id: string, address: string, isVerified: 0 | 1, more?: string])[],
  accounts: readonly (readonly [
    user: string,
    provider: string,
    account: string,
    hash: string | null,
  ])[],
  columns = '',
) {
  const text = (value: string | null) =>
    value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`
  return [
    'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;',
    `CREATE TABLE "user" ("id" text primary key, "email" text, "emailVerified" integer${columns});`,
    ...people.map(
      ([id, address, isVerified, more = '']) =>
        `INSERT INTO user VALUES(${text(id)},${text(address)},${isVerified}${more});`,
    ),
    'CREATE TABLE "account" ("id" text primary key, "accountId" text, "providerId" text, "userId" text references "user" ("id"), "password" text);',
    ...accounts.map(
      ([user, provider, account, hash], at) =>
        `INSERT INTO account VALUES('a${at}',${text(account)},${text(provider)},${text(user)},${text(hash)});`,
    ),
    'COMMIT;\n',
  ].join('\n')
}

const ADA = ['ada', 'ada@mail.example', 1] as const

describe('people of better-auth', () => {
  test('bring their address, their accounts and their hash along', async () => {
    const text = dump(
      [ADA],
      [
        ['ada', 'credential', 'ada', HASH],
        ['ada', 'github', '1', null],
      ],
    )
    const { code, sent, printed } = await run(text, TO)
    expect(sent).toEqual([
      ['ada', 'github', '1'],
      ['ada', 'email', 'ada@mail.example'],
      ['ada', 'email', 'ada@mail.example', '', HASH],
    ])
    expect(printed).toContain('3 accounts read: github 1, email 1, password 1')
    expect(printed).toContain('3 taken over, 0 were there before')
    expect(code).toBe(0)
  })

  test('with an address that nobody has proved, without a hash that counts, or with a second factor are left out by name', async () => {
    const text = dump(
      [
        [...ADA, ',0'],
        ['eve', 'ada@other.example', 0, ',0'],
        ['ben', 'ben@mail.example', 1, ',0'],
        ['cleo', 'cleo@mail.example', 1, ',1'],
        ['dora', 'dora@mail.example', 1, ',0'],
      ],
      [
        ['ada', 'credential', 'ada', HASH],
        ['eve', 'credential', 'eve', HASH],
        ['ben', 'credential', 'ben', null],
        ['cleo', 'credential', 'cleo', HASH],
        ['dora', 'credential', 'dora', 'plain text'],
      ],
      ', "twoFactorEnabled" integer',
    )
    const report = join(folder, 'left.jsonl')
    const { code, sent, printed, noted, logged } = await run(text, [...TO, '--report', report])
    expect(code).toBe(1)
    expect(sent.filter((row) => row.length === 5).map(([sub]) => sub)).toEqual(['ada', 'dora'])
    const left = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(left.toSorted((one, other) => one.why.localeCompare(other.why))).toEqual([
      { why: 'bad-hash', user: 'ben', provider: 'password', account: 'b***@mail.example' },
      { why: 'bad-hash', user: 'dora', provider: 'password', account: 'd***@mail.example' },
      { why: 'two-factor', user: 'cleo', provider: 'password', account: 'c***@mail.example' },
      { why: 'unverified', user: 'eve', provider: 'password' },
    ])
    const said = JSON.stringify([printed, noted, logged, left])
    for (const secret of [HASH, HASH.slice(40, 80), 'plain text'])
      expect(said).not.toContain(secret)
  })

  test('without --passwords their hashes stay where they are', async () => {
    const text = dump([ADA], [['ada', 'credential', 'ada', HASH]])
    const { sent, printed } = await run(text, TO.slice(0, 4))
    expect(sent).toEqual([['ada', 'email', 'ada@mail.example']])
    expect(printed).toContain('1 password:')
  })

  test('keep their id for the app’s own form too, if --credentials asks for it', async () => {
    const text = dump([ADA], [['ada', 'credential', 'ada', HASH]])
    const { sent } = await run(text, [...TO, '--credentials', 'github'])
    expect(sent.map((row) => row.length)).toEqual([3, 3, 5])
  })
})

describe('a table of one’s own', () => {
  const person = (more: object) =>
    `${JSON.stringify({ id: 'ada', email: 'ada@mail.example', emailVerified: true, ...more })}\n`

  test.each([
    ['hashed_password', { hashed_password: HASH }],
    ['password beside the token of a reset', { passwordResetToken: 'abc', password: HASH }],
    [
      'encryptedPassword beside a date',
      { passwordChangedAt: '2026-01-01', encryptedPassword: HASH },
    ],
  ])('has its hashes in the column %s', async (_, more) => {
    const { sent } = await run(person(more), [...TO, '--people', 'lines'])
    expect(sent).toContainEqual(['ada', 'email', 'ada@mail.example', '', HASH])
  })

  test('brings the address alone of a person without a password', async () => {
    const { sent, code, noted } = await run(person({ password: null }), [
      ...TO,
      '--people',
      'lines',
    ])
    expect([sent, code]).toEqual([[['ada', 'email', 'ada@mail.example']], 1])
    expect(noted).toBe('--passwords had no effect: the file has nothing for it.\n')
  })

  test('attack: an address that somebody typed and nobody proved takes no password along', async () => {
    const { sent, printed } = await run(person({ emailVerified: false, password: HASH }), [
      ...TO,
      '--people',
      'lines',
    ])
    expect(sent).toEqual([])
    expect(printed).toContain('1 unverified:')
  })

  test('attack: a column beside better-auth’s own account is not taken for the password', async () => {
    const other = '$2b$04$w83TMqWV3WBALCq1VCTiLOAvWj2uwpfiXtmj8kuPTusXfR5N.LDqm'
    const text = dump(
      [[...ADA, `,'${other}'`]],
      [['ada', 'credential', 'ada', HASH]],
      ', "old_password" text',
    )
    const { sent } = await run(text, TO)
    expect(sent.filter((row) => row.length === 5)).toEqual([
      ['ada', 'email', 'ada@mail.example', '', HASH],
    ])
  })

  test('with two columns that mean one password is refused', async () => {
    const { code, noted } = await run(person({ password: HASH, pass_word: HASH }), [
      ...TO,
      '--people',
      'lines',
    ])
    expect([code, noted]).toEqual([1, expect.stringContaining('mean the same')])
  })
})

describe('wrong use', () => {
  const text = dump([ADA], [['ada', 'credential', 'ada', HASH]])

  test('without --email, and --store without AUTH_SECRET', async () => {
    const path = join(folder, 'never.db')
    await expect(run(text, ['--to', 'https://auth.example/auth', '--passwords'])).rejects.toThrow(
      WrongUse,
    )
    const store = ['--store', `file:${path}`, '--email', 'email', '--passwords']
    await expect(run(text, store, { env: {} })).rejects.toThrow(/AUTH_SECRET/)
    await expect(run(text, store, { env: {} })).rejects.toThrow(WrongUse)
    expect(existsSync(path)).toBe(false)
  })

  test('at a service without password() sends nothing', async () => {
    const { code, sent, noted } = await run(text, TO, { hasPasswords: false })
    expect([code, sent]).toEqual([1, []])
    expect(noted).toContain('password()')
  })
})

test('the store of an app on Node gets them sealed by the app’s secret, and the old password signs in there', async () => {
  const path = join(folder, 'app.db')
  const text = dump([ADA], [['ada', 'credential', 'ada', HASH]])
  const store = ['--store', `file:${path}`, '--email', 'email', '--passwords']
  expect((await run(text, store)).code).toBe(0)
  expect(readFileSync(path).includes(HASH.slice(40, 80))).toBe(false)
  expect((await run(text, store)).printed).toContain('0 taken over, 2 were there before')
  const opened = sqliteStore(path)
  await opened.ready()
  try {
    const auth = createAuth({
      basePath: '/auth',
      secret: AUTH_SECRET,
      store: opened,
      trustHost: true,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      providers: [email({ from: 'a@example.com', sendVerificationRequest: () => {} }), password()],
      features: [passwords],
    })
    const exported = await auth.exportPerson('ada', {})
    expect(exported).toMatchObject({ password: { since: expect.any(String) } })
  } finally {
    await opened.close()
  }
})
