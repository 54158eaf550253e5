import { describe, expect, test } from 'vitest'
import { accountsIn, hasAccounts } from './accounts.js'
import { readExport } from './read-export.js'
import { importing } from './test-support/run.js'

/** The ids of the accounts in an export. */
async function idsIn(text: string): Promise<(string | undefined)[]> {
  const parts = async function* () {
    yield Buffer.from(text)
  }
  const ids: (string | undefined)[] = []
  for await (const rows of readExport('-', hasAccounts, parts)) {
    for (const row of rows) ids.push(...accountsIn(row, {}).map(({ account }) => account))
  }
  return ids
}

/** Needs no quote, so that it may stand in any text. */
const INJECTED =
  'INSERT INTO account (userId, providerId, accountId) VALUES (1, 0x676974687562, 666); -- '
const GENUINE =
  "INSERT INTO `account` (`userId`,`providerId`,`accountId`) VALUES ('ada','github','7');\n"

describe('account takeover by typed texts:', () => {
  test.each([
    [
      'two procedures in a dump of phpMyAdmin',
      `-- phpMyAdmin SQL Dump
DELIMITER $$
CREATE PROCEDURE one() SELECT (1)$$

CREATE PROCEDURE two() SELECT (2)$$

DELIMITER ;
`,
    ],
    [
      'the same from a tool that does not name the database',
      `SET NAMES utf8mb4;
DELIMITER $$
CREATE PROCEDURE one() SELECT (1)$$

CREATE PROCEDURE two() SELECT (2)$$

DELIMITER ;
`,
    ],
    ['an apostrophe in the comments of Sequel Ace', "# Sequel Ace SQL dump\n# Host: Ada's Mac\n"],
    [
      'an apostrophe in a later comment of MySQL',
      "SET NAMES utf8mb4;\n# Dump of Ada's tables\nDROP TABLE IF EXISTS `user`;\n",
    ],
  ])('%s leaves a name a name', async (_, beginning) => {
    const rows = `INSERT INTO \`user\` (\`id\`,\`name\`) VALUES ('eve','$$; ${INJECTED}');\n`
    expect(await idsIn(`${beginning}${rows}${GENUINE}`)).toEqual(['7'])
  })

  test.each([
    ['CSV', `id,user_id,provider,provider_account_id,name\na,1,github,7,"; ${INJECTED}"\n`],
    ['CSV with semicolons', `id;user_id;provider;name\na;1;github; ${INJECTED}\n`],
    ['CSV with quotes', `"id","user_id","provider"\n"a","1","; ${INJECTED}"\n`],
    ['tab-separated values', `id\tuser_id\tname\na\t1\t; ${INJECTED}\n`],
    ['XML', `<?xml version="1.0"?>\n<row><name>; ${INJECTED}</name></row>`],
    ['YAML', `users:\n  - name: "; ${INJECTED}"\n`],
    ['what mysql prints', `+----+\n| id |\n+----+\n| ; ${INJECTED} |\n`],
  ])('a file of %s is not a dump', async (_, text) => {
    await expect(idsIn(text)).rejects.toThrow('It is not a dump in SQL')
  })

  test('lines of COPY without the names of columns are not statements', async () => {
    const dump = `-- PostgreSQL database dump
COPY notes FROM stdin;
1\t; ${INJECTED}
\\.
COPY public.account ("userId", "providerId", "accountId") FROM stdin;
ada\tgithub\t7
\\.
`
    expect(await idsIn(dump)).toEqual(['7'])
    const table = 'CREATE TABLE account ("userId" text, "providerId" text, "accountId" text);\n'
    const copy = 'COPY account FROM stdin;\nada\tgithub\t7\n\\.\n'
    expect(await idsIn(`${table}${copy}`)).toEqual(['7'])
    await expect(idsIn(copy)).rejects.toThrow('which columns "account" has')
  })

  test('a backslash before a quote in a text that is a name elsewhere is refused', async () => {
    const dump = `CREATE TABLE a (id TEXT);
INSERT INTO user (id, name, image) VALUES ("eve", "\\", "); ${INJECTED}");\n`
    await expect(idsIn(dump)).rejects.toThrow('write "-- MySQL dump"')
  })

  test.each([
    ['SQLite', 'INSERT INTO account VALUES(1,1,NULL,7);\n'],
    [
      'COPY',
      'COPY account (id, "userId", "providerId", "accountId", note) FROM stdin;\n1\t1\tgithub\t7\n\\.\n',
    ],
    [
      'a row that has more',
      "INSERT INTO account (userId, providerId, accountId) VALUES ('1','github','7','8');\n",
    ],
  ])('a row with more or fewer values than columns is refused: %s', async (_, rows) => {
    const dump = `CREATE TABLE account (id INTEGER, slug TEXT GENERATED ALWAYS AS (upper(providerId)), userId INTEGER, providerId TEXT, accountId TEXT);\n${rows}`
    await expect(idsIn(dump)).rejects.toThrow('values, and the table')
  })
})

describe('two columns of one name', () => {
  test.each([
    [
      'in SQL',
      `INSERT INTO accounts (userId, user_id, provider, providerAccountId) VALUES ('1','2','g','7');`,
    ],
    [
      'in a table that CREATE TABLE names',
      `CREATE TABLE accounts ("userId" TEXT, user_id TEXT, provider TEXT, "providerAccountId" TEXT);
INSERT INTO accounts VALUES ('1','2','g','7');`,
    ],
    [
      'in COPY',
      'COPY accounts ("userId", provider, "providerAccountId", provider_account_id) FROM stdin;\n1\tg\t7\t8\n\\.\n',
    ],
    ['in JSON', '{"userId":"1","user_id":"2","provider":"g","providerAccountId":"7"}'],
    ['of people', '{"id":"1","_id":"2","email":"a@example.com","emailVerified":true}'],
    ['of verified addresses', '{"id":"1","email":"a","emailVerified":false,"email_verified":true}'],
  ])('%s are refused', async (_, text) => {
    await expect(idsIn(text)).rejects.toThrow('which mean the same')
  })

  test('that are not read do not matter', async () => {
    const line =
      '{"_id":"1","userId":"1","createdAt":1,"created_at":2,"provider":"g","providerAccountId":"7"}'
    expect(await idsIn(line)).toEqual(['7'])
  })

  test('the columns of Auth.js and of better-auth are never mixed', async () => {
    const row = (more: object) => idsIn(JSON.stringify({ userId: '1', ...more }))
    expect(await row({ provider: 'github', accountId: 'a tenant' })).toEqual([])
    expect(
      await row({ provider: 'github', providerAccountId: '7', accountId: 'a tenant' }),
    ).toEqual(['7'])
    expect(await row({ providerId: 'github', providerAccountId: '7' })).toEqual(['7'])
  })
})

test.each([
  [
    'two columns',
    (name: string) =>
      `INSERT INTO "${name}" (userId, "user_id", provider, providerAccountId) VALUES (1);`,
  ],
  ['no columns', (name: string) => `INSERT INTO "${name}accounts" VALUES (1);`],
  [
    'too few values',
    (name: string) => `INSERT INTO "${name}" (userId, provider, providerAccountId) VALUES (1);`,
  ],
])(
  'a table with %s and control characters in its name is printed without them',
  async (_, dump) => {
    const read = idsIn(dump('\u001b[2J\u009b2J\u202e'))
    await expect(read).rejects.toThrow(/^[ -~]+$/)
  },
)

describe('two dumps without their tables in one file', () => {
  const dump = (id: string, account: string) =>
    `COPY public.accounts (id, "userId", type, provider, "providerAccountId") FROM stdin;\n${id}\t1\toauth\tgithub\t${account}\n\\.\n`

  test('are refused if several accounts have one id: ids that count up would make two people one', async () => {
    const { code, sent, noted } = await importing(dump('1', '7') + dump('1', '8'))
    expect([code, sent]).toEqual([1, []])
    expect(noted).toContain('have one id')
  })

  test('one person may have several accounts', async () => {
    expect((await importing(dump('1', '7') + dump('2', '8'))).sent).toHaveLength(2)
  })
})

describe('a character that ends with the byte of a backslash takes no quote along:', () => {
  test.each([
    ['mysqldump in GBK', '/*!40101 SET NAMES gbk */;'],
    ['mysqldump in Shift JIS', '/*!40101 SET NAMES cp932 */;'],
    ['pg_dump in Big5', "SET client_encoding = 'BIG5';"],
  ])('%s is refused', async (_, line) => {
    const head = `-- MySQL dump 10.13\n${'-- \n'.repeat(100)}${line}\n`
    const bytes = Buffer.from(
      `${head}INSERT INTO \`user\` VALUES (2,'\xd5\x5c','; ${INJECTED}');\n`,
      'latin1',
    )
    const parts = async function* () {
      for (const byte of bytes) yield Buffer.from([byte])
    }
    const read = async () => {
      for await (const rows of readExport('-', hasAccounts, parts)) expect(rows).toEqual([])
    }
    await expect(read()).rejects.toThrow('export it as UTF-8')
  })

  test('a name like such a line refuses nothing', async () => {
    const rows = "INSERT INTO `user` (`id`) VALUES ('\nSET NAMES gbk;\n');\n"
    expect(await idsIn(`-- MySQL dump\n${rows}${GENUINE}`)).toEqual(['7'])
  })

  test.each(['utf8mb4', 'utf8', 'binary', 'latin1'])('%s has none', async (name) => {
    expect(await idsIn(`-- MySQL dump\n/*!40101 SET NAMES ${name} */;\n${GENUINE}`)).toEqual(['7'])
  })
})

test('ids that are not UTF-8 are unreadable: they would all be the same', async () => {
  const rows = [
    ['1', '\xff'],
    ['\xfe', '7'],
  ].map(([user, account]) => `${user}\tgithub\t${account}\n`)
  const text = `COPY account ("userId", "providerId", "accountId") FROM stdin;\n${rows.join('')}\\.\n`
  const parts = async function* () {
    yield Buffer.from(text, 'latin1')
  }
  for await (const found of readExport('-', hasAccounts, parts)) {
    for (const row of found) expect(accountsIn(row, {})[0]).toMatchObject({ why: 'unreadable' })
  }
})
