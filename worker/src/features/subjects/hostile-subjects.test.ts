import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { kvSessionStore } from '../../stores/kv.js'
import { sqliteRows } from '../../stores/ledger/sqlite-rows.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import {
  Browser,
  claimsIn,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { FakeKv } from '../../test-support/kv.js'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { asStore } from '../../test-support/own-ledger.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { emptyDatabase } from '../../test-support/sqlite.js'

// Any id that an app gives a person names only that person: in keys of KV and of the ledger, in the
// feed, on pages and in logs. Each is tried as the id of Eve, beside people whose records it is
// spelled like.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** The ids that accounts and addresses of Ada and Grace have of their own. */
let adaAtOne = ''
let adaAtTwo = ''
let graceByMail = ''
beforeAll(async () => {
  const { signIn, subOf } = people()
  adaAtOne = subOf(await signIn('one', 'ada'))
  adaAtTwo = subOf(await signIn('two', 'ada'))
  graceByMail = subOf(await signIn('email', 'grace@mail.example'))
})

const SIMPLE = [
  '1',
  '-7',
  'ada',
  'ada lovelace',
  ' ada ',
  'a:b',
  'a/b/../c',
  '%00%2e%2e',
  '"\'<script>&amp;',
  '{"owner":"ada"}',
  '\\u0000',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  '*',
  '~',
  'x'.repeat(255),
  '"'.repeat(255),
  '\\'.repeat(255),
  '\u{1f600}'.repeat(255),
  'e\u0301',
  '\u00e9',
  '\u202eada',
  'a\u2028b',
  '00000000-0000-4000-8000-000000000000',
]

/** Ids that are spelled like a record of another person, by that record. */
const LIKE_ANOTHERS: readonly (readonly [string, () => string])[] = [
  ['the own id of a way that Ada has added', () => adaAtTwo],
  ['the name of Grace’s address', () => `email:${graceByMail}`],
  ['the name of a passkey', () => `passkey:${adaAtOne}`],
  ['Ada’s id and a separator', () => `${adaAtOne}:`],
  ['Ada’s sessions', () => `${adaAtOne}:aaaaaaaaaaaaaaaaaaaaaa`],
  ['Ada’s key in KV', () => `session:${adaAtOne}`],
  ['the count of ways that Ada adds', () => `ways:${adaAtOne}`],
  ['the count of Ada’s codes', () => `factor:${adaAtOne}`],
  ['the document of Ada', () => `person ${adaAtOne}`],
  ['the beginning of Ada’s id', () => adaAtOne.slice(0, -1)],
]

/** Stores with readable contents, as a Worker has them. */
function open() {
  const kv = new FakeKv()
  const run = emptyDatabase()
  const stores: Stores = {
    sessions: kvSessionStore(kv.at('here')),
    ledger: ledgerOver(sqliteRows(run), Date.now),
  }
  return { kv, stores }
}

/** Ada with two ways, Grace with an address and a factor, and Eve with an id from the app. */
async function world(eveId: string, inner: Stores) {
  const made = people(
    {
      subject: ({ user }) => (user.id === 'eve' ? eveId : undefined),
      accountDeletion: true,
      ledgerShards: 4,
    },
    { inner },
  )
  const auth = createAuth(made.config)
  const ada = await made.signIn('one', 'ada')
  pass(2)
  await made.add(ada, 'two', 'ada')
  const grace = await made.signIn('email', 'grace@mail.example')
  await setUpFactor(grace)
  pass(120)
  return { ...made, auth, ada, grace }
}

const sessionsOf = async (browser: Browser) =>
  ((await (await browser.get('/auth/sessions')).json()) as { sessions: { id: string }[] }).sessions

async function everythingWorks(eveId: string, inner: Stores, kv?: FakeKv) {
  const set = await world(eveId, inner)
  const { auth, ada, grace, subOf } = set
  const others = async () => [
    (await ada.session())?.user?.id,
    (await grace.session())?.user?.id,
    await set.ways(ada),
    await set.ways(grace),
    await auth.exportPerson(subOf(ada), {}),
    await auth.exportPerson(subOf(grace), {}),
    (await inner.ledger.document(`way\n${adaAtTwo}`))?.content,
    (await inner.ledger.document(`way\nemail:${graceByMail}`))?.content,
  ]
  const before = await others()
  const [eve, elsewhere] = [await set.signIn('one', 'eve'), await set.signIn('one', 'eve')]
  pass(120)
  expect([subOf(eve), (await eve.session())?.user?.id]).toEqual([eveId, eveId])
  for (const key of kv?.keys ?? []) expect(new TextEncoder().encode(key).length).toBeLessThan(513)
  expect(Buffer.byteLength(eve.cookie)).toBeLessThan(8_000)
  expect(await sessionsOf(eve)).toHaveLength(2)
  const token = { ok: true, accessToken: 'eve' }
  const request = new Request(origin, { headers: { cookie: eve.cookie } })
  expect(await auth.getAccessToken(request, {})).toMatchObject(token)
  expect(await auth.exportPerson(eveId, {})).toMatchObject({ sub: eveId, sessions: [{}, {}] })
  expect((await eve.get('/auth/account')).status).toBe(200)
  // Renewed, and ended one by one.
  pass(280)
  expect((await eve.session())?.user?.id).toBe(eveId)
  const other = (await sessionsOf(eve)).find(({ id }) => id === claimsIn(elsewhere).sid)
  await eve.submit('/auth/sessions/revoke', { session: other?.id ?? '' })
  expect([await elsewhere.session(), (await eve.session())?.user?.id]).toEqual([null, eveId])
  // Ways, a connection, a factor.
  const fresh = await set.signIn('one', 'eve')
  pass(2)
  expect(locationOf(await set.add(fresh, 'two', 'eve-too'))).toBe(`${origin}/inbox`)
  expect(await set.ways(fresh)).toHaveLength(2)
  pass(2)
  const way = await set.signIn('two', 'eve-too')
  pass(2)
  expect(subOf(way)).toBe(eveId)
  expect(await auth.getAccessTokenOf(eveId, 'two', {})).toMatchObject({ accessToken: 'eve-too' })
  await setUpFactor(fresh)
  expect(setsSession(await set.browser().signIn('one', 'eve'))).toBe(false)
  await auth.resetFactors(eveId, {})
  await auth.disconnect(eveId, 'two', {})
  expect(await auth.listWays(eveId, {})).toHaveLength(2)
  // The feed names no user.
  const feed = await (await eve.get('/auth/revocations')).text()
  const payloads = feed.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  if (eveId.length > 6) expect([feed, ...payloads].join()).not.toContain(eveId)
  pass(120)
  await auth.endSessions({ sub: eveId }, {})
  pass(20)
  expect(await fresh.session()).toBeNull()
  pass(120)
  expect(await others()).toEqual(before)
  // Deleted, and another person may have the id.
  const last = await set.signIn('one', 'eve')
  pass(120)
  await auth.deletePerson(eveId, {})
  pass(120)
  await auth.deletePerson(eveId, {})
  expect(await last.session()).toBeNull()
  expect(await auth.exportPerson(eveId, {})).toBeNull()
  for (const kind of ['person', 'subject']) {
    expect(await inner.ledger.document(`${kind}\n${eveId}`)).toBeUndefined()
  }
  expect(await others()).toEqual(before)
  expect(subOf(await set.signIn('two', 'ada'))).toBe(subOf(ada))
  expect(setsSession(await set.browser().signIn('two', 'eve'))).toBe(true)
}

describe.each(['in memory', 'in KV and SQL'])(
  'an id of any spelling works everywhere, %s',
  (where) => {
    const stores = () => (where === 'in memory' ? { stores: memoryStore() } : open())

    it.each(SIMPLE)('%j', async (id) => {
      const { stores: inner, kv } = stores() as ReturnType<typeof open>
      await everythingWorks(id, inner, kv)
    })

    it.each(LIKE_ANOTHERS.slice(1))(
      'and does not reach another person’s records: it is spelled like %s',
      async (_, id) => {
        const { stores: inner, kv } = stores() as ReturnType<typeof open>
        await everythingWorks(id(), inner, kv)
      },
    )
  },
)

it.each([
  ['the own id of Ada', () => adaAtOne],
  ['the own id of a way that she has added', () => adaAtTwo],
  ['the own id of Grace’s address', () => graceByMail],
])('%s belongs to no other person', async (_, id) => {
  const { browser } = await world(id(), memoryStore())
  const end = await browser().signIn('one', 'eve')
  expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin OAuthAccountNotLinked', false])
})

it('a person who took the own id of a later account does not have its ways and cannot delete them', async () => {
  const set = people({ subject: ({ user }) => (user.id === 'eve' ? adaAtTwo : undefined) })
  const auth = createAuth(set.config)
  const eve = await set.signIn('one', 'eve')
  await setUpFactor(eve)
  // No way of Ada's is Eve's now.
  expect(await set.inner.ledger.document(`way\n${adaAtTwo}`)).toBeUndefined()
  expect(await set.inner.ledger.document(`way\nemail:${adaAtTwo}`)).toBeUndefined()
  await eve.submit('/auth/sessions/revoke', { session: 'all' })
  await auth.resetFactors(adaAtTwo, {})
  // The operator frees the way for Ada, and she adds it to her own.
  await set.inner.ledger.changeDocument(`way\n${adaAtTwo}`, 0, JSON.stringify({ owner: adaAtOne }))
  await auth.deletePerson(adaAtTwo, {})
  await auth.deletePerson(adaAtTwo, {})
  const kept = await set.inner.ledger.document(`way\n${adaAtTwo}`)
  expect(JSON.parse(kept?.content ?? '{}')).toEqual({ owner: adaAtOne })
})

it('a way is not taken from an id if KV does not show the session yet', async () => {
  const { kv, stores } = open()
  const set = people(
    { subject: ({ user }) => (user.id === 'eve' ? `email:${graceByMail}` : undefined) },
    { inner: stores },
  )
  const eve = await set.signIn('one', 'eve')
  kv.before.set('get', async () => {})
  const elsewhere = people({
    ...set.config,
    store: asStore({ ...stores, sessions: kvSessionStore(new FakeKv().at('elsewhere')) }),
  })
  const away = set.copyOf(eve)
  const there = new Browser(elsewhere.config)
  for (const [name, value] of away.jar) there.jar.set(name, value)
  await set.add(there, 'two', 'eve-too')
  const grace = await stores.ledger.document(`way\nemail:${graceByMail}`)
  expect(grace).toBeUndefined()
  expect(set.subOf(await set.signIn('two', 'eve-too'))).toBe(`email:${graceByMail}`)
})

it('a person signs up with a passkey under an id of the app’s', async () => {
  const asked: unknown[] = []
  const set = passkeyPeople({
    subject: ({ provider, account, user }) => {
      asked.push([provider, account.providerAccountId === user.id, account.providerAccountId])
      return provider === 'passkey' ? 'user:1' : undefined
    },
  })
  const authenticator = set.authenticator()
  const { one, told } = await set.signUp(authenticator, { name: 'Ada' })
  expect([told.status, set.subOf(one)]).toEqual([200, 'user:1'])
  const { one: again } = await set.signInBy(authenticator)
  expect(set.subOf(again)).toBe('user:1')
  // Once, with the credential's id: afterwards the ledger knows its owner.
  expect(asked).toEqual([['passkey', true, expect.stringMatching(/^[\w-]+$/)]])
  expect((await again.get('/auth/account')).status).toBe(200)
  // Another passkey is not this person's because an app says so.
  const { told: other } = await set.signUp(set.authenticator())
  expect(other).toMatchObject({ status: 403, error: 'OAuthAccountNotLinked' })
})

it('holds for any text', async () => {
  const parts = [...':/%~"\\ -_.\u00e9\u{1f600}az09', '\u2028', '__proto__', 'email:', 'person']
  const ids = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 30 })
    .map((chosen) => chosen.join(''))
    .filter((id) => id.trim() !== '')
  await holds(
    8,
    fc.asyncProperty(ids, async (id) => {
      const { kv, stores } = open()
      await everythingWorks(id, stores, kv)
    }),
  )
})
