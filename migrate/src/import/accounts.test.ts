import { describe, expect, test } from 'vitest'
import { accountsIn, type Wanted } from './accounts.js'
import { providerHere } from './provider-names.js'
import { plainName, type Value } from './rows.js'

function found(row: Record<string, Value>, wanted: Wanted = {}) {
  const values = new Map(Object.entries(row).map(([name, value]) => [plainName(name), value]))
  return accountsIn({ table: 'any', values }, wanted)
}

const token = (claims: object) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`

describe('an account', () => {
  test.each<[string, Record<string, Value>]>([
    ['Auth.js', { userId: 'u', type: 'oauth', provider: 'github', providerAccountId: '1' }],
    ['Auth.js with other names', { user_id: 'u', provider: 'github', provider_account_id: 1 }],
    [
      'NextAuth.js 3',
      { user_id: 'u', provider_type: 'oauth', provider_id: 'github', provider_account_id: '1' },
    ],
    ['better-auth', { id: 'x', userId: 'u', providerId: 'github', accountId: '1', password: null }],
    ['better-auth with other names', { user_id: 'u', provider_id: 'github', account_id: '1' }],
  ])('of %s', (_, row) => {
    expect(found(row)).toEqual([{ user: 'u', provider: 'github', account: '1', issuer: undefined }])
  })

  test('has the issuer of its ID token, or of its own column', () => {
    const row = { userId: 'u', provider: 'azure-ad', providerAccountId: '1' }
    const issuer = 'https://login.example/tenant/v2.0'
    expect(found({ ...row, id_token: token({ iss: issuer }) })).toMatchObject([{ issuer }])
    expect(found({ ...row, issuer })).toMatchObject([{ issuer }])
    for (const broken of ['x', 'a.b.c', token({}), token({ iss: 1 }), null]) {
      expect(found({ ...row, idToken: broken })).toMatchObject([{ issuer: undefined }])
    }
  })

  test.each<Record<string, Value>>([
    { userId: null, provider: 'github', providerAccountId: '1' },
    { userId: 'u', provider: '', providerAccountId: '1' },
    { userId: 'u', provider: 'github', providerAccountId: undefined },
    { userId: 1.5, provider: 'github', providerAccountId: '1' },
  ])('without the member that identifies it is left out: %j', (row) => {
    expect(found(row)).toMatchObject([{ why: 'unreadable' }])
  })

  test('a password’s account has the provider that the command names, with the old id', () => {
    const row = { userId: 'u', providerId: 'credential', accountId: 'u', password: 'hash' }
    expect(found(row)).toEqual([
      { user: 'u', provider: 'credential', account: 'u', why: 'password' },
    ])
    expect(found(row, { credentials: 'login' })).toEqual([
      { user: 'u', provider: 'login', account: 'u' },
    ])
  })
})

describe('a person', () => {
  const row = { id: 'u', name: 'Ada', email: 'ada@example.com', emailVerified: true }

  test('has only the accounts that the options name', () => {
    expect(found(row)).toEqual([])
  })

  test.each<Value>([
    true,
    1,
    't',
    'true',
    '1',
    '\u0001',
    '2024-01-01T00:00:00Z',
    '2024-01-01 00:00:00.123+00',
    1_700_000_000_000,
    '1700000000000',
  ])('an account with a verified address (%j) signs in by it', (emailVerified) => {
    expect(found({ ...row, emailVerified }, { email: 'email' })).toEqual([
      { user: 'u', provider: 'email', account: 'ada@example.com' },
    ])
  })

  test.each<Value>([
    false,
    0,
    -1,
    Number.NaN,
    null,
    undefined,
    '',
    'f',
    'false',
    '0',
    '0.0',
    '-1',
    '00',
    '0000-00-00 00:00:00',
    '0000-01-01',
    // MySQL's BIT(1), and what some tools write for it.
    '\0',
    '\u0000',
    '\\0',
    "b'0'",
    'no',
    'unverified',
    'pending since 2024-01-01',
    '-infinity',
    '{}',
    ' ',
  ])('an account with an unverified address (%j) does not', (emailVerified) => {
    expect(found({ ...row, emailVerified }, { email: 'email' })).toEqual([])
  })

  test('with a password of the app’s own signs in by it', () => {
    const wanted = { credentials: 'credentials' }
    expect(found({ ...row, password_hash: 'x' }, wanted)).toEqual([
      { user: 'u', provider: 'credentials', account: 'u' },
    ])
    expect(found({ ...row, password_hash: null }, wanted)).toEqual([])
  })
})

test.each<[string, [string, string][], string[] | undefined, string]>([
  ['twitter', [], ['x'], 'x'],
  ['azure-ad', [], undefined, 'microsoft-entra-id'],
  ['tiktok', [], ['videoapp'], 'videoapp'],
  // An app may have a provider of its own by that name.
  ['twitter', [], ['twitter', 'x'], 'twitter'],
  ['twitter', [['twitter', 'birds']], ['twitter'], 'birds'],
  ['github', [], ['google'], 'github'],
  ['constructor', [], undefined, 'constructor'],
])('%s with %j at %j is %s here', (id, said, there, here) => {
  expect(providerHere(id, new Map(said), there && new Set(there))).toBe(here)
})
