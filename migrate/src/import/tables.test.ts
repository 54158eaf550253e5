import { describe, expect, test } from 'vitest'
import { importing } from './test-support/run.js'

/** A table as Postgres dumps it. */
function copied(table: string, columns: string, ...rows: readonly string[]): string {
  return `COPY ${table} (${columns}) FROM stdin;\n${rows.map((row) => `${row}\n`).join('')}\\.\n`
}

const POSTGRES =
  "-- PostgreSQL database dump\nSELECT pg_catalog.set_config('search_path', '', false);\n"
const ACCOUNT = '"userId", type, provider, "providerAccountId"'
const USER = 'id, name, email, "emailVerified"'
const verified = '2024-01-01 00:00:00+00'

/**
 * The tables that the adapters of Auth.js and better-auth make, with others that real apps have.
 */
const prisma = [
  copied('public."Account"', `id, ${ACCOUNT}`, 'c1\tada\toauth\tgithub\t1'),
  copied('public."User"', USER, `ada\tAda\tada@example.com\t${verified}`),
  copied('public."Session"', 'id, "sessionToken", "userId", expires', 's\tt\tada\t2030-01-01'),
  copied('public._prisma_migrations', 'id, checksum', 'm\tc'),
].join('\n')

const drizzle = [
  copied('public.account', ACCOUNT, 'ada\toidc\tgoogle\t7'),
  copied('public."user"', USER, `ada\tAda\tada@example.com\t${verified}`),
  copied('drizzle.__drizzle_migrations', 'id, hash, created_at', '1\th\t1'),
].join('\n')

const betterAuth = [
  copied(
    'public.account',
    'id, "accountId", "providerId", "userId", password',
    'a1\t1\tgithub\tada\t\\N',
    'a2\tada\tcredential\tada\thash',
  ),
  copied(
    'public."user"',
    'id, name, email, "emailVerified", banned',
    'ada\tAda\tada@example.com\tt\t\\N',
  ),
  copied('public.session', 'id, token, "userId", "expiresAt"', 's\tt\tada\t2030-01-01'),
  copied('public."ssoProvider"', 'id, issuer, "userId", "providerId"', 'p\ti\tada\tsso'),
  copied('public.passkey', 'id, "userId", "credentialID"', 'k\tada\tc'),
  copied('public.invitation', 'id, email, role, status', 'i\tx@example.com\tadmin\tpending'),
].join('\n')

const supabase = [
  copied(
    'auth.users',
    'instance_id, id, email, encrypted_password, email_confirmed_at',
    `0\tu-1\tada@example.com\thash\t${verified}`,
  ),
  copied(
    'auth.identities',
    'provider_id, user_id, identity_data, provider, id',
    '1\tu-1\t{}\tgithub\ti-1',
  ),
  copied('next_auth.users', USER, `ada\tAda\tada@example.com\t${verified}`),
  copied('next_auth.accounts', `id, ${ACCOUNT}`, 'a\tada\toauth\tgithub\t1'),
].join('\n')

const forum = `-- MySQL dump 10.13
CREATE TABLE \`phpbb_users\` (\`user_id\` int, \`username\` varchar(255), \`user_email\` varchar(100), \`user_password\` varchar(255));
INSERT INTO \`phpbb_users\` VALUES (1,'ada','ada@example.com','hash');
CREATE TABLE \`phpbb_oauth_accounts\` (\`user_id\` int, \`provider\` varchar(255), \`oauth_provider_id\` text);
INSERT INTO \`phpbb_oauth_accounts\` VALUES (1,'auth.provider.oauth.service.google','7');
CREATE TABLE \`accounts\` (\`userId\` int, \`type\` text, \`provider\` text, \`providerAccountId\` text);
INSERT INTO \`accounts\` VALUES (1,'oauth','google','7');
`

const newsletter = copied(
  'public.newsletter',
  'id, email, email_verified',
  '1\teve@example.com\tt',
  '2\tbob@example.com\tt',
)
const links = copied(
  'public.links',
  'user_id, provider_id, account_id, label',
  '1\tgithub\t666\tmy page',
)

describe('the tables of', () => {
  test.each<[string, string, string[], string[]]>([
    [
      'Prisma’s adapter',
      POSTGRES + prisma,
      ['public.Account: 1 account', 'public.User: 1 person'],
      ['github 1', 'email ada@example.com'],
    ],
    [
      'Drizzle’s adapter',
      POSTGRES + drizzle,
      ['public.account: 1 account', 'public.user: 1 person'],
      ['google 7', 'email ada@example.com'],
    ],
    [
      'better-auth',
      POSTGRES + betterAuth,
      ['public.account: 2 accounts', 'public.user: 1 person'],
      ['github 1', 'email ada@example.com'],
    ],
    [
      'Supabase’s adapter beside Supabase’s own',
      POSTGRES + supabase,
      ['next_auth.accounts: 1 account', 'next_auth.users: 1 person'],
      ['github 1', 'email ada@example.com'],
    ],
  ])('%s are taken, and printed with their counts', async (_, dump, tables, accounts) => {
    const { sent, printed, noted } = await importing(dump, '--email', 'email')
    expect(noted).not.toContain('--accounts')
    expect(printed.split('\n').slice(0, 2)).toEqual(tables)
    expect(sent.map(([sub, provider, id]) => [sub, `${provider} ${id}`])).toEqual(
      accounts.map((account) => ['ada', account]),
    )
  })

  test('a forum without those of Auth.js give no user an account', async () => {
    const { sent, printed } = await importing(forum)
    expect(printed).toMatch(/^accounts: 1 account\n/)
    expect(sent).toEqual([['1', 'google', '7']])
  })
})

describe('account takeover by a table of something else:', () => {
  const accounts = copied('public.accounts', ACCOUNT, '1\toauth\tgithub\t1')
  const users = copied('public.users', USER, `1\tAda\tada@example.com\t${verified}`)

  test('a newsletter with the same ids is not a table of people, and where both fit it stops', async () => {
    const dump = POSTGRES + accounts + users + newsletter
    const stopped = await importing(dump, '--email', 'email')
    expect(stopped.code).toBe(1)
    expect(stopped.sent).toEqual([])
    expect(stopped.noted).toContain('--people')
    expect(stopped.noted).toContain('public.users (1 person)')
    expect(stopped.noted).toContain('public.newsletter (2 people)')
    const named = await importing(dump, '--email', 'email', '--people', 'public.users')
    expect(named.sent).toEqual([
      ['1', 'github', '1'],
      ['1', 'email', 'ada@example.com'],
    ])
    expect(named.printed).toContain('public.users: 1 person\n')
  })

  test('a newsletter with ids that no account refers to is left out', async () => {
    const dump = POSTGRES + accounts.replace('1\toauth', 'ada\toauth') + newsletter
    const { code, sent, noted } = await importing(dump, '--email', 'email')
    expect(code).toBe(1)
    expect(sent).toEqual([])
    expect(noted).toContain('No table of people has the ids that the accounts refer to')
    expect(noted).toContain('public.newsletter (2 people)')
  })

  test('a newsletter that has some of the ids that the accounts refer to is left', async () => {
    const more = ['3', '4', '5'].map((id) => `${id}\toauth\tgithub\t${id}`)
    const dump = POSTGRES + copied('public.accounts', ACCOUNT, '1\toauth\tgithub\t1', ...more)
    const { code, sent } = await importing(dump + newsletter, '--email', 'email')
    expect({ code, sent }).toEqual({ code: 1, sent: [] })
  })

  test('a newsletter with the ids of all accounts is left out if no foreign key names the people’s table', async () => {
    const two = copied('public.accounts', ACCOUNT, '1\toauth\tgithub\t1', '2\toauth\tgithub\t2')
    const members = copied(
      'public.members',
      'id, email, email_verified_at',
      `1\ta@b.example\t${verified}`,
    )
    const dump = POSTGRES + two + members + newsletter
    const stopped = await importing(dump, '--email', 'email')
    expect(stopped).toMatchObject({ code: 1, sent: [] })
    expect(stopped.noted).toContain('--people public.newsletter')
    const key = `ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT "a_fk" FOREIGN KEY ("userId") REFERENCES public.users(id);`
    const said = await importing(POSTGRES + accounts + users + key, '--email', 'email')
    expect(said.sent).toEqual([
      ['1', 'github', '1'],
      ['1', 'email', 'ada@example.com'],
    ])
  })

  test('two people with one id, of tables that became one, stop it', async () => {
    const lines = [
      { userId: 'ada', provider: 'github', providerAccountId: '1' },
      { _id: 'ada', email: 'ada@example.com', emailVerified: true },
      { id: 'ada', email: 'eve@example.com', emailVerified: true },
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    for (const named of [[], ['--people', 'lines']]) {
      const stopped = await importing(text, '--email', 'email', ...named)
      expect(stopped).toMatchObject({ code: 1, sent: [] })
      expect(stopped.noted).toContain('have one id')
    }
  })

  test.each([
    ['', 'accounts'],
    [POSTGRES, 'public.accounts'],
  ])('two dumps in one file, which have a table of one name, stop it', async (first, table) => {
    const create = `CREATE TABLE ${table} ("userId" text, provider text, "providerAccountId" text);\n`
    const dump = (id: string) =>
      `${first}${create}INSERT INTO ${table} VALUES ('ada', 'github', '${id}');\n`
    expect((await importing(dump('1'))).sent).toEqual([['ada', 'github', '1']])
    const stopped = await importing(dump('1') + dump('666'))
    expect(stopped).toMatchObject({ code: 1, sent: [] })
    expect(stopped.noted).toContain('twice')
  })

  test('a table of people without any verified address still counts', async () => {
    const dump =
      POSTGRES +
      accounts.replace('1\toauth', 'ada\toauth') +
      copied('public.users', USER, 'ada\tAda\tada@example.com\t\\N')
    const { code, sent, printed } = await importing(dump, '--email', 'email')
    expect(code).toBe(0)
    expect(sent).toEqual([['ada', 'github', '1']])
    expect(printed).toContain('public.users: 1 person\n')
  })

  test.each<[string, string]>([
    [
      'ALTER TABLE',
      `${POSTGRES}${accounts}${newsletter}
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT "a_fk" FOREIGN KEY ("userId") REFERENCES public.members(id) ON DELETE CASCADE;`,
    ],
    [
      'a constraint',
      `CREATE TABLE public.accounts ("userId" int, type text, provider text DEFAULT ('a,b'), "providerAccountId" text, CONSTRAINT f FOREIGN KEY ("userId") REFERENCES public.members (id));
${accounts}${newsletter}`,
    ],
    [
      'a column',
      `CREATE TABLE public.accounts ("userId" int NOT NULL REFERENCES members(id), type text, provider text, "providerAccountId" text);
${accounts}${newsletter}`,
    ],
  ])(
    'a newsletter is left if %s says that the accounts refer to another table',
    async (_, dump) => {
      const { code, sent, noted } = await importing(dump, '--email', 'email')
      expect(code).toBe(1)
      expect(sent).toEqual([])
      expect(noted).toContain('--people')
    },
  )

  test('a table in which people type their own links stops it', async () => {
    const dump = POSTGRES + links + accounts
    const stopped = await importing(dump)
    expect(stopped).toMatchObject({ code: 1, sent: [] })
    expect(stopped.noted).toContain('--accounts')
    expect(stopped.noted).toContain('public.links (1 account)')
    expect(stopped.noted).toContain('public.accounts (1 account)')
    const { sent, printed } = await importing(dump, '--accounts', 'accounts')
    expect(sent).toEqual([['1', 'github', '1']])
    expect(printed).toMatch(/^public\.accounts: 1 account\n/)
    expect(printed).not.toContain('links')
  })

  test('tables of two schemas are told apart by them', async () => {
    const other = copied('archive.accounts', ACCOUNT, '1\toauth\tgithub\t666')
    const dump = POSTGRES + other + accounts
    for (const args of [[], ['--accounts', 'accounts']]) {
      const { code, sent, noted } = await importing(dump, ...args)
      expect(code).toBe(1)
      expect(sent).toEqual([])
      expect(noted).toContain('archive.accounts (1 account)')
    }
    const { sent } = await importing(dump, '--accounts', 'public.accounts')
    expect(sent).toEqual([['1', 'github', '1']])
  })

  test.each<[string, (schema: string) => string]>([
    ['a database of mysqldump', (name) => `USE \`${name}\`;`],
    ['a search path', (name) => `SET search_path = ${name}, pg_catalog;`],
    ['a database of pg_dumpall', (name) => `\\connect ${name}`],
  ])('two tables of one name are told apart by %s', async (_, schema) => {
    const one = (columns: string, id: string) =>
      `CREATE TABLE accounts (${columns});\nINSERT INTO accounts VALUES ('1', 'github', '${id}');\n`
    const columns = '"userId", provider, "providerAccountId"'
    const dump = [
      '-- x',
      schema('app'),
      one(columns, '1'),
      schema('old'),
      one(columns, '666'),
    ].join('\n')
    const stopped = await importing(dump)
    expect(stopped).toMatchObject({ code: 1, sent: [] })
    expect(stopped.noted).toContain('app.accounts (1 account)')
    expect(stopped.noted).toContain('old.accounts (1 account)')
    expect((await importing(dump, '--accounts', 'app.accounts')).sent).toEqual([
      ['1', 'github', '1'],
    ])
  })

  test('columns of a table of another schema are not those of a table of the same name', async () => {
    const dump = `${POSTGRES}
CREATE TABLE public.accounts ("userId" text, provider text, "providerAccountId" text);
CREATE TABLE blog.accounts ("providerAccountId" text, provider text, "userId" text);
INSERT INTO public.accounts VALUES ('ada', 'github', '1');`
    expect((await importing(dump)).sent).toEqual([['ada', 'github', '1']])
  })

  test('a document of MongoDB with nested documents of users is read as itself', async () => {
    const evil = { userId: '1', provider: 'github', providerAccountId: '666' }
    const lines = [
      { _id: 'n1', title: 'Note', row: evil },
      { _id: 'n2', title: 'Note', Item: evil },
      { _id: 'n3', table: 'accounts', row: evil },
      { userId: '1', provider: 'github', providerAccountId: '1', table: 'users' },
    ]
    const { sent } = await importing(lines.map((line) => JSON.stringify(line)).join('\n'))
    expect(sent).toEqual([['1', 'github', '1']])
  })
})

describe('a table that is named', () => {
  test('and is not there, or has none, stops', async () => {
    const dump = POSTGRES + prisma
    const { code, sent, noted } = await importing(dump, '--accounts', 'public.accounts')
    expect(code).toBe(1)
    expect(sent).toEqual([])
    expect(noted).toContain('public.Account (1 account)')
  })

  test('is one of several, such as the parts of one', async () => {
    const one = copied('public.accounts_1', ACCOUNT, 'ada\toauth\tgithub\t1')
    const two = copied('public.accounts_2', ACCOUNT, 'bob\toauth\tgithub\t2')
    const named = ['--accounts', 'accounts_1', '--accounts', 'accounts_2']
    const { sent } = await importing(POSTGRES + one + two, ...named)
    expect(sent.map(([sub]) => sub)).toEqual(['ada', 'bob'])
  })

  test('has people without any account', async () => {
    const users = copied('public.users', USER, `ada\tAda\tada@example.com\t${verified}`)
    const stopped = await importing(POSTGRES + users, '--email', 'email')
    expect(stopped).toMatchObject({ code: 1, sent: [] })
    expect(stopped.noted).toContain('--people public.users')
    const { sent } = await importing(POSTGRES + users, '--email', 'email', '--people', 'users')
    expect(sent).toEqual([['ada', 'email', 'ada@example.com']])
  })
})

test('a line for psql that is cut in two by a part of the file is one line', async () => {
  const dump = `${POSTGRES}${' '.repeat(410)}\n\\restrict ${'a'.repeat(300)} x\n${prisma}`
  expect((await importing(dump)).sent).toHaveLength(1)
})

describe('an option that fits nothing in the file:', () => {
  test('--provider of a name that no account has', async () => {
    const { code, noted } = await importing(POSTGRES + prisma, '--provider', 'githbu=github')
    expect(code).toBe(1)
    expect(noted).toContain('--provider githbu=github had no effect')
  })

  test('--email of an export without people', async () => {
    const accounts = copied('public.account', ACCOUNT, 'ada\toidc\tgoogle\t7')
    const { code, noted } = await importing(POSTGRES + accounts, '--email', 'email')
    expect(code).toBe(1)
    expect(noted).toContain('--email had no effect')
    expect((await importing(POSTGRES + accounts)).code).toBe(0)
  })

  test('--provider twice for one name, and --show-addresses without a report, are wrong use', async () => {
    const twice = ['--provider', 'a=github', '--provider', 'a=google']
    await expect(importing(POSTGRES + prisma, ...twice)).rejects.toThrow('one <old> twice')
    await expect(importing(POSTGRES + prisma, '--show-addresses')).rejects.toThrow('--report')
  })
})
