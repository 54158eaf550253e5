import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holds } from '../../../test/support/holds.ts'
import { accountsIn, hasAccounts } from './accounts.js'
import { readExport } from './read-export.js'
import type { Row } from './rows.js'

/** What the fixtures have, which sqlite3 and pg_dump themselves have written, as ids of accounts. */
const HOSTILE = [
  'plain',
  "it's",
  'two\nlines\nand more',
  "semi); INSERT INTO accounts VALUES ('x');--",
  'tab\tand \\ back\\n slash',
  'quote"double`tick',
  'ünïcödé 𝕏 日本',
  '-- no comment',
  '/* none */',
  '$$ dollar $tag$',
  '\\N',
  '\\.',
  'NULL',
  "x','y",
  'MySQL dump',
  'COPY accounts FROM stdin;',
]

async function rowsOf(text: string | Uint8Array, size = 65_536): Promise<Row[]> {
  const bytes = Buffer.from(text as string)
  const parts = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const rows: Row[] = []
  for await (const found of readExport('-', hasAccounts, parts)) rows.push(...found)
  return rows
}

async function idsIn(text: string | Uint8Array, size?: number): Promise<(string | undefined)[]> {
  const rows = await rowsOf(text, size)
  return rows.flatMap((row) => accountsIn(row, {})).map(({ account }) => account)
}

const dump = (name: string) =>
  readFileSync(new URL(`test-support/dumps/${name}.sql`, import.meta.url))

const quotedFor = {
  standard: (value: string) => `'${value.replaceAll("'", "''")}'`,
  mysql: (value: string) =>
    `'${value
      .replace(/[\\'"]/g, '\\$&')
      .replaceAll('\n', '\\n')
      .replaceAll('\0', '\\0')}'`,
  copy: (value: string) =>
    value
      .replaceAll('\\', '\\\\')
      .replaceAll('\n', '\\n')
      .replaceAll('\t', '\\t')
      .replaceAll('\r', '\\r'),
}

describe.each(['sqlite-dump', 'pg-dump', 'pg-dump-inserts', 'pg-dump-column-inserts'])(
  'a dump by %s',
  (name) => {
    test.each([1, 2, 3, 7, 1_000, 1_000_000])(
      'in parts of %i bytes has every account',
      async (size) => {
        const ids = await idsIn(dump(name), size)
        expect(ids.map((id) => id?.replaceAll('\r\n', '\n'))).toEqual(HOSTILE)
      },
    )

    test('has the verified addresses', async () => {
      const rows = await rowsOf(dump(name))
      const found = rows.flatMap((row) => accountsIn(row, { email: 'email' }))
      const addresses = found.filter(({ provider }) => provider === 'email')
      expect(addresses.map(({ user }) => user)).toEqual(
        Array.from({ length: 8 }, (_, at) => `user-${2 * at}`),
      )
    })
  },
)

/** Any text of an export; SQLite's text ends at a NUL, and the other one stands for what cannot be read. */
const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((it) => !/[\0\ufffd]/.test(it))

const writers: Record<string, (ids: readonly string[]) => string> = {
  SQLite: (ids) => {
    const database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE a (id TEXT)')
    for (const id of ids) database.prepare('INSERT INTO a VALUES (?)').run(id)
    const rows = database.prepare('SELECT quote(id) AS id FROM a').all()
    const lines = rows.map(({ id }) => `INSERT INTO "accounts" VALUES('u','github',${id});`)
    database.close()
    return `PRAGMA foreign_keys=OFF;\nCREATE TABLE accounts ("userId", provider, "providerAccountId");\n${lines.join('\n')}`
  },
  MySQL: (ids) => {
    const values = ids.map((id) => `('u','github',${quotedFor.mysql(id)})`)
    return `-- MySQL dump 10.13\n/*!40101 SET NAMES utf8mb4 */;\nINSERT INTO \`Account\` (\`userId\`, \`provider\`, \`providerAccountId\`) VALUES ${values.join(',')};\n`
  },
  COPY: (ids) => {
    const lines = ids.map((id) => `u\tgithub\t${quotedFor.copy(id)}\n`)
    return `COPY public."Account" ("userId", provider, "providerAccountId") FROM stdin;\n${lines.join('')}\\.\n`
  },
  'JSON lines': (ids) =>
    ids
      .map((providerAccountId) =>
        JSON.stringify({ userId: 'u', provider: 'github', providerAccountId }),
      )
      .join('\n'),
}

test.each(Object.entries(writers))(
  '%s: the reader reads exactly what the writer wrote',
  async (_, write) => {
    const property = fc.asyncProperty(
      fc.array(text, { minLength: 1 }),
      fc.integer({ min: 1, max: 200 }),
      async (ids, size) => {
        expect(await idsIn(write(ids), size)).toEqual(ids)
      },
    )
    await holds(100, property)
  },
)

test.each(Object.entries(writers))(
  '%s: a value of ten million characters is read',
  async (_, write) => {
    const long = `${"it's \\ \n".repeat(1_250_000)}!`
    expect(await idsIn(write(['before', long, 'after']))).toEqual(['before', long, 'after'])
  },
)

describe('other parts of dumps', () => {
  const columns = '("userId", provider, "providerAccountId")'
  test.each<[string, string, string[]]>([
    ['a value in hexadecimal', `INSERT INTO accounts ${columns} VALUES ('u','g',X'6869');`, ['hi']],
    ['a cast', `INSERT INTO accounts ${columns} VALUES ('u'::text,'g','hi'::text);`, ['hi']],
    [
      'line breaks of D1',
      `INSERT INTO accounts ${columns} VALUES ('u','g',replace(replace('a\\r\\nb','\\n',char(10)),'\\r',char(13)));`,
      ['a\r\nb'],
    ],
    [
      'line breaks of newer shells',
      `INSERT INTO accounts ${columns} VALUES ('u','g',unistr('a\\u000ab\\\\'));`,
      ['a\nb\\'],
    ],
    [
      'escapes of Postgres',
      `INSERT INTO accounts ${columns} VALUES ('u','g',E'a\\nb''c');`,
      ["a\nb'c"],
    ],
    [
      'numbers',
      `INSERT INTO accounts ${columns} VALUES (1,'g',12345678901234567890);`,
      ['12345678901234567890'],
    ],
    [
      'several rows',
      `INSERT INTO accounts ${columns} VALUES (1,'g','a'),\n(2,'g','b');`,
      ['a', 'b'],
    ],
    [
      'conflicts',
      `INSERT OR IGNORE INTO accounts ${columns} VALUES (1,'g','a') ON CONFLICT (provider) DO UPDATE SET x = VALUES ('b','c','d');`,
      ['a'],
    ],
    [
      'statements for psql',
      `\\restrict abc'def\nSET x = 'y';\nINSERT INTO accounts ${columns} VALUES (1,'g','a');`,
      ['a'],
    ],
    [
      'functions',
      `CREATE FUNCTION f() AS $x$ INSERT INTO accounts ${columns} VALUES (1,'g','no'); $x$;`,
      [],
    ],
    [
      'triggers',
      `CREATE TRIGGER t BEGIN INSERT INTO accounts ${columns} VALUES (old.a,'g','no'); END;`,
      [],
    ],
    [
      'comments',
      `-- INSERT INTO accounts ${columns} VALUES (1,'g','no');\n/* INSERT INTO accounts ${columns} VALUES (1,'g','no'); */`,
      [],
    ],
    [
      'other tables',
      `INSERT INTO sessions (id, "userId") VALUES ('a','b'); INSERT INTO accounts ${columns} VALUES (1,'g','a');`,
      ['a'],
    ],
    ['a query', `INSERT INTO accounts ${columns} SELECT 1,'g','no';`, []],
    ['no semicolon at its end', `INSERT INTO accounts ${columns} VALUES (1,'g','a')`, ['a']],
    [
      'a table of a schema',
      `INSERT INTO "next_auth"."accounts" ${columns} VALUES (1,'g','a');`,
      ['a'],
    ],
    [
      'columns in another spelling',
      `INSERT INTO accounts (user_id, provider, provider_account_id) VALUES (1,'g','a');`,
      ['a'],
    ],
  ])('%s', async (_, text, ids) => {
    const read = await idsIn(text)
    expect(read.filter((id) => id !== undefined)).toEqual(ids)
  })
})

describe('a zero of MySQL does not prove an address', () => {
  test.each<[string, string[]]>([
    ["_binary '\\0'", []],
    ["_binary '\0'", []],
    ['0x00', []],
    ["b'0'", []],
    ["X'00'", []],
    ["'0'", []],
    ["_binary '\u0001'", ['a@example.com']],
    ['0x01', ['a@example.com']],
    ["b'1'", ['a@example.com']],
    ['1', ['a@example.com']],
  ])('%j', async (value, addresses) => {
    const rows = await rowsOf(
      `-- MySQL dump\nINSERT INTO \`user\` (\`id\`,\`email\`,\`emailVerified\`) VALUES ('u','a@example.com',${value});`,
    )
    const found = rows.flatMap((row) => accountsIn(row, { email: 'email' }))
    expect(found.map(({ account }) => account)).toEqual(addresses)
  })
})

describe('JSON lines', () => {
  test.each([
    [
      'MongoDB',
      '{"_id":{"$oid":"a1"},"userId":{"$oid":"b2"},"provider":"g","providerAccountId":"hi"}',
    ],
    [
      'DynamoDB',
      '{"Item":{"userId":{"S":"b2"},"provider":{"S":"g"},"providerAccountId":{"S":"hi"}}}',
    ],
    [
      'a line that names its table',
      '{"table":"accounts","row":{"userId":"b2","provider":"g","providerAccountId":"hi"}}',
    ],
    [
      'empty lines, and CRLF',
      '\r\n{"userId":"b2","provider":"g","providerAccountId":"hi"}\r\n\r\n',
    ],
  ])('of %s', async (_, line) => {
    const rows = await rowsOf(line)
    expect(rows.flatMap((row) => accountsIn(row, {}))).toEqual([
      { user: 'b2', provider: 'g', account: 'hi', issuer: undefined },
    ])
  })
})

describe('a file that is not an export is refused, with what to do instead', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'The file is empty.'],
    ['a database', 'SQLite format 3\0', 'sqlite3 <file> .dump'],
    ['an archive of pg_dump', 'PGDMP\u0001', 'pg_restore'],
    ['a compressed file', new Uint8Array([0x1f, 0x8b, 8, 0]), 'gunzip'],
    ['UTF-16', Buffer.from('\ufeffINSERT', 'utf16le'), 'UTF-16'],
    ['a list', '[{"a":1}]', "jq -c '.[]'"],
    ['half a line', '{"a":1}\n{"a":', 'Line 2 is not JSON'],
    ['a line that is not an object', '{"a":1}\n[1]', 'Line 2 is not an object'],
    [
      'rows without columns',
      "INSERT INTO accounts VALUES ('a','b','c');",
      'which columns "accounts" has',
    ],
    ['CSV', 'COPY accounts ("userId", provider, "providerAccountId") FROM stdin CSV;', 'CSV'],
  ])('%s', async (_, text, remedy) => {
    await expect(rowsOf(text)).rejects.toThrow(remedy)
  })

  test('a quote without its end does not fill the memory', async () => {
    const part = 'x'.repeat(1024 * 1024)
    const parts = async function* () {
      yield "INSERT INTO accounts (userId, provider, providerAccountId) VALUES ('"
      for (let at = 0; at < 1_000; at++) yield part
    }
    const read = async () => {
      for await (const _ of readExport('-', hasAccounts, parts));
    }
    await expect(read()).rejects.toThrow('64 MiB')
  })
})

const injected =
  'INSERT INTO account (userId, provider, providerAccountId) VALUES ("victim", "github", "eve"); -- '

test.each([
  [
    'SQLite with backticks',
    `INSERT INTO \`user\` (\`id\`, \`name\`, \`image\`) VALUES ('eve', '\\', '); ${injected}');`,
  ],
  [
    'MySQL without',
    `INSERT INTO user (id, name, image) VALUES ('eve', '\\'); ${injected.replaceAll('"', "\\'")}', '');`,
  ],
])(
  'account takeover by a name: a dump of %s that does not say so is refused if a backslash stands before a quote',
  async (_, dump) => {
    await expect(rowsOf(`CREATE TABLE a (id TEXT);\n${dump}`)).rejects.toThrow(
      'write "-- MySQL dump"',
    )
  },
)

test.each(['-- MySQL dump', '-- phpMyAdmin SQL Dump', '-- Adminer 4.8.1 MySQL 8.0.32 dump'])(
  'a dump that begins with %s has backslashes before quotes',
  async (first) => {
    const insert = 'INSERT INTO `account` (`userId`, `provider`, `providerAccountId`) VALUES '
    const rows = await rowsOf(`${first}\n${insert}('O\\'Neil', 'github', '1');\n`)
    expect(rows.map(({ values }) => values.get('userid'))).toEqual(["O'Neil"])
  },
)
