import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { beforeEach, describe, expect, it, test, vi } from 'vitest'
import { rootDir } from '../../../../scripts/wrangler-dev.js'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { companyWorld } from '../../test-support/companies.js'
import type { Account, Profile } from '../../types.js'

clock()

/** The route of docs/scim.md, run unchanged over D1. It is compiled as an app of its own, with other types. */
const folder = join(rootDir, 'examples/worker/src')
interface User {
  readonly id: string
  readonly userName: string
  readonly externalId: string
  readonly active: boolean
}
interface Directory {
  find(company: string, by?: object): Promise<{ users: readonly User[]; total: number }>
}
interface Settings {
  readonly auth: object
  readonly directory: Directory
  readonly tokens: Readonly<Record<string, string>>
}
interface Route {
  scim(request: Request, path: string, settings: Settings): Promise<Response>
  mayEnter(directory: Directory, account: Account, profile?: Profile): Promise<boolean>
}
const load = (name: string) => import(/* @vite-ignore */ join(folder, name))
const { scim, mayEnter } = (await load('scim.ts')) as Route
const { tablesIn } = (await load('scim-tables.ts')) as {
  tablesIn(database: unknown): Directory
}
/** The statements in the comment of scim-tables.ts. */
const tables = [
  ...readFileSync(join(folder, 'scim-tables.ts'), 'utf8').matchAll(/CREATE TABLE[^;]+/g),
].map(([statement]) => statement.replaceAll(/\n \*\s+/g, ' '))

/** The part of D1 that the tables use, over SQLite in this process: a call of the real one takes 50 ms here. */
function sqlite() {
  const database = new DatabaseSync(':memory:')
  const prepare = (sql: string, values: (string | number | null)[] = []) => {
    const statement = () => database.prepare(sql)
    return {
      bind: (...given: typeof values) => prepare(sql, given),
      run: async () => statement().run(...values),
      all: async () => ({ results: statement().all(...values) }),
      first: async (column: string) => statement().get(...values)?.[column] ?? null,
    }
  }
  return { prepare }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const TOKENS = { acme: 'token-of-acme', bolt: 'token-of-bolt' }
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const PATCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }
const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeEach(() => void logged.mockClear())

async function started(database: Pick<ReturnType<typeof sqlite>, 'prepare'> = sqlite()) {
  for (const statement of tables) await database.prepare(statement).run()
  const directory = tablesIn(database)
  const world = await companyWorld(undefined, {
    callbacks: { signIn: ({ account, profile }) => mayEnter(directory, account, profile) },
  })
  const auth = createAuth(world.config)
  const tokens = { acme: sha256(TOKENS.acme), bolt: sha256(TOKENS.bolt) }
  const settings = { auth, directory, tokens }
  async function ask(
    asked: string,
    body?: object | string,
    token: string = TOKENS.acme,
  ): Promise<Response> {
    const [method = '', path = ''] = asked.split(' ', 2)
    const url = new URL(`https://app.example/scim/v2${path}`)
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/scim+json; charset=utf-8',
    }
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request(url, { method, headers, ...(body ? { body: sent } : {}) })
    return scim(request, url.pathname.slice('/scim/v2'.length), settings)
  }
  /** The user that a directory makes, as Entra and Okta send it. */
  async function made(externalId = 'ada', token?: string): Promise<string> {
    const answer = await ask('POST /Users', createdByOkta(externalId), token)
    expect(answer.status).toBe(201)
    return ((await answer.json()) as User).id
  }
  const signsIn = async (company = 'acme', claims = {}) =>
    errorOf(await world.signInBy(world.browser(), company, claims))
  return { ...world, auth, directory, settings, ask, made, signsIn }
}

/** Okta's reference of SCIM 2.0, "Create Users". */
const createdByOkta = (externalId: string) => ({
  schemas: [USER],
  userName: `${externalId}@okta.local`,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: `${externalId}@okta.local`, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId,
  groups: [],
  password: '1mz050nq',
  active: true,
})

/** Microsoft's tutorial "Develop a SCIM endpoint", "Create User". */
const createdByEntra = {
  schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Test_User_00aa00aa-bb11-cc22-dd33-44ee44ee44ee',
  active: true,
  emails: [{ primary: true, type: 'work', value: 'Test_User@testuser.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
}

describe('a person that the directory deactivates', () => {
  /** As the vendors publish it: Microsoft’s known issues of SCIM and its tutorial, and Okta’s reference. */
  it.each([
    ['Entra', { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }],
    ['Entra, aadOptscim062020', { Operations: [{ op: 'replace', path: 'active', value: false }] }],
    ['Entra, its tutorial', { Operations: [{ op: 'Replace', path: 'active', value: false }] }],
    ['Okta', { Operations: [{ op: 'replace', value: { active: false } }] }],
    [
      'a path with its schema',
      { Operations: [{ op: 'replace', path: `${USER}:active`, value: 'false' }] },
    ],
    [
      'several operations',
      {
        Operations: [
          { op: 'Replace', path: 'displayName', value: 'Pvlo' },
          { op: 'Replace', path: 'emails[type eq "work"].value', value: 'a@b.example' },
          { op: 'Add', path: 'active', value: 'False' },
        ],
      },
    ],
  ])('is signed out everywhere and cannot come back, until they are back: %s', async (_, body) => {
    const world = await started()
    const id = await world.made()
    const [one, other] = [await world.of('acme'), await world.of('acme', { sub: 'bob' })]
    const answer = await world.ask(`PATCH /Users/${id}`, { ...PATCH, ...body })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ id, active: false })
    expect(answer.headers.get('content-type')).toBe('application/scim+json')
    expect([await one.session(), (await other.session()) !== null]).toEqual([null, true])
    expect(await world.signsIn()).toContain('AccessDenied')
    const back = { Operations: [{ op: 'Replace', path: 'active', value: 'True' }] }
    expect((await world.ask(`PATCH /Users/${id}`, { ...PATCH, ...back })).status).toBe(200)
    expect(await world.signsIn()).toBe('/inbox')
    expect(claimsIn(await world.of('acme')).company).toBe('acme')
  })

  it('by a PUT of the whole user, as integrations of Okta’s wizard send it', async () => {
    const world = await started()
    const id = await world.made()
    const one = await world.of('acme')
    const put = { ...createdByOkta('ada'), id, active: false, meta: { resourceType: 'User' } }
    expect((await world.ask(`PUT /Users/${id}`, put)).status).toBe(200)
    expect(await one.session()).toBeNull()
    expect((await world.ask(`PUT /Users/${id}`, { ...put, active: true })).status).toBe(200)
    expect(await world.signsIn()).toBe('/inbox')
  })

  it('by a DELETE, after which the directory does not find them', async () => {
    const world = await started()
    const id = await world.made()
    const one = await world.of('acme')
    expect((await world.ask(`DELETE /Users/${id}`)).status).toBe(204)
    expect(await one.session()).toBeNull()
    expect(await world.signsIn()).toBe('/auth/error AccessDenied blocked')
    expect((await world.ask(`GET /Users/${id}`)).status).toBe(404)
    // The user is made again when they come back.
    await world.made()
    expect(await world.signsIn()).toBe('/inbox')
  })

  it('is found by the object id that Entra has for them, since its `sub` is another one for each client', async () => {
    const world = await started()
    const answer = await world.ask('POST /Users', createdByEntra)
    const { id } = (await answer.json()) as User
    const claims = { sub: 'pairwise-1', oid: createdByEntra.externalId }
    const one = await world.of('acme', claims)
    const off = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }
    expect((await world.ask(`PATCH /Users/${id}`, { ...PATCH, ...off })).status).toBe(200)
    expect(await one.session()).toBeNull()
    expect(await world.signsIn('acme', claims)).toContain('AccessDenied')
  })

  it('does not come in if they were never here before', async () => {
    const world = await started()
    const id = await world.made()
    await world.ask(`PATCH /Users/${id}`, {
      ...PATCH,
      Operations: [{ op: 'replace', value: { active: false } }],
    })
    expect(await world.signsIn()).toContain('AccessDenied')
    expect(await world.signsIn('acme', { sub: 'bob' })).toBe('/inbox')
  })

  it('stays out while the store fails, and the directory is told to try again', async () => {
    const world = await started()
    const id = await world.made()
    await world.of('acme')
    const off = { ...PATCH, Operations: [{ op: 'replace', path: 'active', value: false }] }
    const auth = { ...world.auth, blockPerson: () => Promise.reject(new Error('a secret')) }
    const request = new Request('https://app.example/scim/v2/Users/1', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${TOKENS.acme}` },
      body: JSON.stringify(off),
    })
    const failed = await scim(request, `/Users/${id}`, { ...world.settings, auth })
    expect(failed.status).toBe(503)
    expect(await failed.text()).not.toContain('secret')
    expect(JSON.stringify(logged.mock.calls)).not.toContain('secret')
    expect(await world.signsIn()).toContain('AccessDenied')
    expect((await world.ask(`PATCH /Users/${id}`, off)).status).toBe(200)
    expect(await world.signsIn()).toBe('/auth/error AccessDenied blocked')
  })
})

describe('the tests of a connection', () => {
  it('Entra asks for a user that does not exist, and for its filters', async () => {
    const world = await started()
    const answer = await world.ask('POST /Users', createdByEntra)
    expect([answer.status, await answer.json()]).toEqual([
      201,
      {
        schemas: [USER],
        id: expect.any(String),
        userName: createdByEntra.userName,
        externalId: createdByEntra.externalId,
        active: true,
        meta: { resourceType: 'User' },
      },
    ])
    const find = async (filter: string) => {
      const found = await world.ask(`GET /Users?${new URLSearchParams({ filter })}`)
      return [found.status, await found.json()]
    }
    const empty = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    }
    expect(await find('userName eq "non-existent user"')).toEqual([200, empty])
    for (const filter of [
      `userName eq "${createdByEntra.userName}"`,
      `userName eq "${createdByEntra.userName.toUpperCase()}"`,
      `externalId eq "${createdByEntra.externalId}"`,
    ]) {
      expect(await find(filter), filter).toMatchObject([200, { totalResults: 1, itemsPerPage: 1 }])
    }
  })

  it('Okta asks for two users, and reads what it has made', async () => {
    const world = await started()
    for (const name of ['ada', 'bob', 'eve']) await world.made(name)
    const two = await world.ask('GET /Users?startIndex=1&count=2')
    expect(await two.json()).toMatchObject({ totalResults: 3, startIndex: 1, itemsPerPage: 2 })
    const rest = await world.ask('GET /Users?startIndex=3&count=2')
    expect(await rest.json()).toMatchObject({ totalResults: 3, startIndex: 3, itemsPerPage: 1 })
    expect((await world.ask('POST /Users', createdByOkta('ada'))).status).toBe(409)
    const config = await world.ask('GET /ServiceProviderConfig')
    expect(await config.json()).toMatchObject({ patch: { supported: true } })
    expect((await world.ask('GET /Groups?startIndex=1&count=100')).status).toBe(404)
  })
})

test('the tables are those of D1', async () => {
  const script = 'export default { fetch: () => new Response() }'
  const options = { modules: true, script, d1Databases: ['DIRECTORY'] }
  const running = new Miniflare(convertV4MiniflareOptions(options))
  try {
    const database = await running.getD1Database('DIRECTORY')
    const world = await started(database as unknown as ReturnType<typeof sqlite>)
    const id = await world.made()
    const one = await world.of('acme')
    const filter = new URLSearchParams({ filter: 'userName eq "ADA@okta.local"' })
    const found = await world.ask(`GET /Users?${filter}`)
    expect(await found.json()).toMatchObject({ totalResults: 1, Resources: [{ id, active: true }] })
    const off = { ...PATCH, Operations: [{ op: 'replace', value: { active: false } }] }
    expect((await world.ask(`PATCH /Users/${id}`, off)).status).toBe(200)
    expect(await one.session()).toBeNull()
    expect(await world.signsIn()).toContain('AccessDenied')
    expect((await world.ask(`DELETE /Users/${id}`)).status).toBe(204)
    expect((await world.ask(`GET /Users/${id}`)).status).toBe(404)
  } finally {
    await running.dispose()
  }
})

test.each([
  ['none', ''],
  ['another one', 'token-of-acme2'],
  ['its digest', sha256(TOKENS.acme)],
  ['the name of a property', '__proto__'],
])('attack: a request with a wrong token, %s: nothing is read or changed', async (_, token) => {
  const world = await started()
  const id = await world.made()
  const one = await world.of('acme')
  for (const asked of ['GET /Users', `DELETE /Users/${id}`, `PATCH /Users/${id}`, 'GET /nothing']) {
    const answer = await world.ask(asked, undefined, token)
    expect(answer.status, asked).toBe(401)
    expect(await answer.text()).not.toContain('ada')
  }
  expect(await one.session()).not.toBeNull()
})

test('attack: a company blocks, reads or unblocks the people of another company', async () => {
  const world = await started()
  const id = await world.made()
  const one = await world.of('acme')
  for (const asked of [`GET /Users/${id}`, `DELETE /Users/${id}`, `PUT /Users/${id}`]) {
    const body = asked.startsWith('PUT') ? { ...createdByOkta('ada'), active: false } : undefined
    expect((await world.ask(asked, body, TOKENS.bolt)).status, asked).toBe(404)
  }
  // It says that it has a person with the same id, and lets them go.
  const own = await world.made('ada', TOKENS.bolt)
  expect((await world.ask(`DELETE /Users/${own}`, undefined, TOKENS.bolt)).status).toBe(204)
  const listed = await world.ask('GET /Users', undefined, TOKENS.bolt)
  expect(await listed.json()).toMatchObject({ totalResults: 0 })
  expect(await one.session()).not.toBeNull()
  await world.ask(`DELETE /Users/${id}`)
  await world.made('ada', TOKENS.bolt)
  expect(await world.signsIn()).toBe('/auth/error AccessDenied blocked')
})

test('attack: a directory ends a block that you have imposed', async () => {
  const world = await started()
  const id = await world.made()
  const { sub } = claimsIn(await world.of('acme'))
  await world.auth.blockPerson({ sub, reason: 'Spam, ticket 4711' })
  for (const active of [true, false, true]) {
    await world.ask(`PATCH /Users/${id}`, {
      ...PATCH,
      Operations: [{ op: 'replace', value: { active } }],
    })
  }
  expect((await world.auth.getPerson(sub))?.blocked?.reason).toBe('Spam, ticket 4711')
})

test.each([
  `userName eq "x" or userName pr`,
  `userName eq "x" and active eq true`,
  `userName eq "x"; DROP TABLE scim_user; --"`,
  `company eq "bolt"`,
  `id eq "1"`,
  `userName sw "a"`,
  `userName eq x`,
  `userName eq "${'x'.repeat(257)}"`,
  `userName eq "${'\\"'.repeat(50_000)}`,
])('attack: a filter that says more than it may: %s', async (filter) => {
  const world = await started()
  await world.made()
  const before = performance.now()
  const answer = await world.ask(`GET /Users?${new URLSearchParams({ filter })}`)
  expect([answer.status, ((await answer.json()) as { scimType: string }).scimType]).toEqual([
    400,
    expect.stringMatching(/^invalid(?:Filter|Value)$/),
  ])
  expect(performance.now() - before).toBeLessThan(5_000)
})

test.each([`' OR '1'='1`, `" OR ""="`, `x'); DROP TABLE scim_user; --`, '%', '_____________'])(
  'attack: a value that would be SQL is a value: %j',
  async (value) => {
    const world = await started()
    await world.made()
    const filter = `userName eq ${JSON.stringify(value)}`
    const answer = await world.ask(`GET /Users?${new URLSearchParams({ filter })}`)
    expect(await answer.json()).toMatchObject({ totalResults: 0 })
    expect((await world.directory.find('acme', { externalId: 'ada' })).total).toBe(1)
  },
)

test('attack: a body of megabytes, with its length and without: it is not read to its end', async () => {
  const world = await started()
  const id = await world.made()
  const large = JSON.stringify({ ...createdByOkta('eve'), more: 'x'.repeat(10_000_000) })
  expect((await world.ask('POST /Users', large)).status).toBe(413)
  let read = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      read += 16_384
      controller.enqueue(new Uint8Array(16_384).fill(32))
    },
  })
  const request = new Request(`https://app.example/scim/v2/Users/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${TOKENS.acme}` },
    body,
    duplex: 'half',
  } as RequestInit)
  expect((await scim(request, `/Users/${id}`, world.settings)).status).toBe(413)
  expect(read).toBeLessThan(200_000)
})

test.each([
  ['a number', { op: 'replace', path: 'active', value: 0 }],
  ['a text', { op: 'replace', path: 'active', value: 'no' }],
  ['nothing', { op: 'replace', path: 'active' }],
  ['a removal', { op: 'Remove', path: 'active' }],
  ['null in a value', { op: 'replace', value: { active: null } }],
  ['a list', { op: 'replace', path: 'active', value: [] }],
])(
  'attack: a person stays because `active` is unreadable, %s: it is refused',
  async (_, operation) => {
    const world = await started()
    const id = await world.made()
    const answer = await world.ask(`PATCH /Users/${id}`, { ...PATCH, Operations: [operation] })
    expect([answer.status, await answer.json()]).toMatchObject([400, { scimType: 'invalidValue' }])
  },
)

test.each(['', 'null', '[]', '{', '{"Operations":{}}', '{"Operations":[null]}', '"x"'])(
  'a malformed body %j is refused, and changes nothing',
  async (body) => {
    const world = await started()
    const id = await world.made()
    expect((await world.ask(`PATCH /Users/${id}`, body || ' ')).status).toBe(400)
    expect((await world.directory.find('acme', { id })).users).toMatchObject([{ active: true }])
  },
)

test('attack: a user takes the name or the id of one who has left, so that their row is gone', async () => {
  const world = await started()
  const [left, other] = [await world.made('ada'), await world.made('bob')]
  await world.ask(`PATCH /Users/${left}`, {
    ...PATCH,
    Operations: [{ op: 'replace', value: { active: false } }],
  })
  for (const value of [{ userName: 'ADA@okta.local' }, { externalId: 'ada' }]) {
    const answer = await world.ask(`PATCH /Users/${other}`, {
      ...PATCH,
      Operations: [{ op: 'replace', value }],
    })
    expect(answer.status).toBe(409)
  }
  expect((await world.directory.find('acme', { id: left })).users).toMatchObject([
    { active: false },
  ])
})
