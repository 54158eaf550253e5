import type { ImportRow } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { subjectOf } from '../../person/subject.js'
import { connectionKey, personKey, subjectKey, wayKey } from '../../person/way-document.js'
import credentials from '../../providers/credentials.js'
import google from '../../providers/google.js'
import keycloak from '../../providers/keycloak.js'
import microsoftEntraId from '../../providers/microsoft-entra-id.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'
import { importing } from '../../test-support/importing.js'

clock({ waits: true })

const ADA = [
  ['old-ada', 'one', 'ada'],
  ['old-ada', 'two', 'lovelace'],
] as const

function inObjects(...shards: number[]): Stores {
  const ledger = durableLedger(new FakeLedgers().binding, shards)
  return { ...memoryStore(), ledger, drawSid: (sub) => drawSid(shards, sub) }
}

const stores: Record<string, () => Stores> = {
  'one store': memoryStore,
  'one object': () => inObjects(1),
  'four objects': () => inObjects(4),
  'a hundred objects': () => inObjects(100),
  'four objects and seven to come': () => inObjects(4, 7),
}

describe.each(Object.entries(stores))('with %s', (_, make) => {
  it('each old account of a person signs in as the old id', async () => {
    const { bring, subBy } = importing(make())
    expect(await bring(...ADA, ['old-ben', 'one', 'ben'])).toEqual({ added: 3, known: 0, left: [] })
    expect(await subBy('one', 'ada')).toBe('old-ada')
    expect(await subBy('two', 'lovelace')).toBe('old-ada')
    expect(await subBy('one', 'ben')).toBe('old-ben')
    expect(await subBy('one', 'cleo')).toBe(await subjectOf('one', 'cleo'))
  })

  it('an account that came before is known, also if more accounts of the person come', async () => {
    const { bring, subBy, browser, signIn, ways } = importing(make())
    await bring(ADA[0])
    expect(await bring(...ADA)).toEqual({ added: 1, known: 1, left: [] })
    expect(await bring(...ADA)).toEqual({ added: 0, known: 2, left: [] })
    expect(await subBy('two', 'lovelace')).toBe('old-ada')
    const listed = await ways(await signIn('one', 'ada', browser()))
    expect(listed.map(({ provider }) => provider)).toEqual(['one', 'two'])
  })

  it('two old people with one account: the first one has it, and the other appears in the result', async () => {
    const { bring, subBy } = importing(make())
    const both: ImportRow[] = [
      ['old-ada', 'one', 'ada'],
      ['old-eve', 'one', 'ada'],
    ]
    expect(await bring(...both)).toEqual({ added: 1, known: 0, left: [[1, 'taken']] })
    expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
    expect(await subBy('one', 'ada')).toBe('old-ada')
  })

  it('many batches at once of the same people end as one after the other do', async () => {
    const { bring, subBy, browser, signIn, ways } = importing(make())
    const accounts = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ['old-ada', 'one', id] as const)
    const told = await Promise.all([...accounts, ...accounts].map((row) => bring(row)))
    expect(told.every(({ left }) => left.length === 0)).toBe(true)
    for (const [, , id] of accounts) expect(await subBy('one', id)).toBe('old-ada')
    expect(await ways(await signIn('one', 'a', browser()))).toHaveLength(6)
  })
})

describe('an import that breaks off', () => {
  const steps = Array.from({ length: 8 }, (_, step) => step)
  it.each(steps)('after its call %i, and is repeated, ends as one that did not', async (step) => {
    const { bring, send, faults, inner, subBy, browser, signIn, ways } = importing()
    const { ledger } = inner as { ledger: Ledger }
    await bring(['old-ben', 'one', 'ben'])
    let calls = 0
    for (const name of ['insertDocuments', 'changeDocument', 'document'] as const) {
      // Half of them are lost on the way there, and half on the way back.
      faults.set(name, async (...given) => {
        const isLost = calls++ >= step
        if (isLost && step % 2 === 0) return fails()
        const answer = await (ledger[name] as (...given: unknown[]) => Promise<unknown>)(...given)
        return isLost ? fails() : answer
      })
    }
    const rows: ImportRow[] = [...ADA, ['old-ben', 'two', 'ben']]
    const broken = await send(rows)
    expect([200, 503]).toContain(broken.status)
    faults.clear()
    const { left, added, known } = await bring(...rows)
    expect([left, added + known]).toEqual([[], 3])
    expect(await subBy('one', 'ada')).toBe('old-ada')
    expect(await subBy('two', 'lovelace')).toBe('old-ada')
    expect(await subBy('two', 'ben')).toBe('old-ben')
    expect(await ways(await signIn('one', 'ada', browser()))).toHaveLength(2)
    expect(await ways(await signIn('one', 'ben', browser()))).toHaveLength(2)
  })
})

describe('a batch that would take over an account', () => {
  it('an address of a person who has signed in here with one way stays theirs', async () => {
    const { bring, subBy } = importing()
    const sub = await subBy('one', 'ada')
    expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
    expect(await subBy('one', 'ada')).toBe(sub)
  })

  it('leaves both ways to a person who has added one', async () => {
    const { bring, browser, signIn, add, subBy } = importing()
    const one = await signIn('one', 'ada', browser())
    await add(one, 'two', 'lovelace')
    const sub = await subBy('one', 'ada')
    expect(await bring(['old-eve', 'two', 'lovelace'], ['old-eve', 'one', 'ada'])).toMatchObject({
      added: 0,
      left: [
        [0, 'taken'],
        [1, 'taken'],
      ],
    })
    expect(await subBy('two', 'lovelace')).toBe(sub)
  })

  it.each([
    ['a connection', async (sub: string) => connectionKey(sub, sub)],
    ['a document of the person', async (sub: string) => personKey(sub)],
  ])('from a person with only %s left leaves it theirs', async (_, keyOf) => {
    const { bring, inner, subBy } = importing()
    const sub = await subjectOf('one', 'ada')
    const content = JSON.stringify({ ways: [] })
    await inner.ledger.changeDocument(await keyOf(sub), 0, content)
    expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
    expect(await subBy('one', 'ada')).toBe(sub)
  })

  it('into the sub that an account has of its own, for that account’s person to come, is refused', async () => {
    const { bring, subBy } = importing()
    const victim = await subjectOf('one', 'victim')
    expect(await bring([victim, 'two', 'eve'])).toMatchObject({ left: [[0, 'id-of-ours']] })
    expect(await subBy('two', 'eve')).not.toBe(victim)
  })

  it('into an id that the app has given to another account is refused', async () => {
    const { bring, inner, subBy } = importing()
    const way = await subjectOf('one', 'ada')
    await inner.ledger.changeDocument(subjectKey('1'), 0, JSON.stringify({ way }))
    expect(await bring(['1', 'two', 'eve'])).toMatchObject({ left: [[0, 'id-taken']] })
    expect(await subBy('two', 'eve')).not.toBe('1')
    // The same account brings the rest with it.
    expect(await bring(['1', 'one', 'ada'], ['1', 'two', 'lovelace'])).toMatchObject({ added: 2 })
    expect(await bring(['1', 'two', 'more'])).toMatchObject({ added: 1 })
  })

  it('which its person has removed leaves it removed', async () => {
    const { bring, browser, signIn, ways, remove, send } = importing()
    await bring(...ADA)
    const one = await signIn('one', 'ada', browser())
    const second = (await ways(one)).find(({ provider }) => provider === 'two')
    await remove(one, second?.id ?? '')
    expect(await ways(one)).toHaveLength(1)
    expect(await bring(...ADA)).toMatchObject({ known: 1, left: [[1, 'removed']] })
    expect(await ways(one)).toHaveLength(1)
    expect((await send([['old-eve', 'two', 'lovelace']])).status).toBe(200)
    expect(await bring(['old-eve', 'two', 'lovelace'])).toMatchObject({ left: [[0, 'removed']] })
  })

  it('beside another one at once leaves no list with an account of the other', async () => {
    const { bring, subBy, browser, signIn, ways } = importing()
    const rivals = ['old-ada', 'old-eve', 'old-mal']
    await bring(...rivals.map((sub) => [sub, 'two', sub] as const))
    const told = await Promise.all(rivals.map((sub) => bring([sub, 'one', 'contested'])))
    expect(told.reduce((sum, { added }) => sum + added, 0)).toBe(1)
    const winner = await subBy('one', 'contested')
    for (const sub of rivals) {
      const listed = await ways(await signIn('two', sub, browser()))
      expect(listed).toHaveLength(sub === winner ? 2 : 1)
    }
  })

  it('with a person who became another one here, or is being erased, is left out', async () => {
    const { bring, inner } = importing()
    for (const [sub, more] of [
      ['merged', { mergedInto: 'old-ada' }],
      ['erased', { erasing: true }],
    ] as const) {
      const content = JSON.stringify({ ways: [], ...more })
      await inner.ledger.changeDocument(personKey(sub), 0, content)
      expect(await bring([sub, 'one', sub])).toMatchObject({ left: [[0, 'gone']] })
      expect(await inner.ledger.document(wayKey(await subjectOf('one', sub)))).toBeUndefined()
    }
  })

  it('and meets what cannot be read leaves that account out alone', async () => {
    const { bring, inner } = importing()
    const way = await subjectOf('one', 'ada')
    await inner.ledger.changeDocument(wayKey(way), 0, 'rubbish')
    expect(await bring(...ADA)).toEqual({ added: 1, known: 0, left: [[0, 'damaged']] })
  })
})

describe('an old id', () => {
  it.each([
    '1',
    'ö',
    'user:with:colons',
    'a b',
    'x'.repeat(255),
    '𝕏'.repeat(255),
    "'; DROP TABLE documents; --",
    'email:somebody',
    '__proto__',
    '0192f5c4-5a3e-7000-8000-000000000000',
    'clh3am8hi0000qwer1234abcd',
  ])('such as %j lives on, and the session carries it', async (sub) => {
    const { bring, browser, signIn, ways } = importing()
    expect(await bring([sub, 'one', 'ada'])).toMatchObject({ added: 1 })
    const one = await signIn('one', 'ada', browser())
    expect((await one.session())?.user?.id).toBe(sub)
    expect(await ways(one)).toHaveLength(1)
  })

  // The last one is an attack: a person with the `sub` of a machine.
  it.each([
    '',
    ' ',
    'a\nb',
    'a\u0000b',
    '\u007f',
    '\ud800',
    'x'.repeat(256),
    '𝕏'.repeat(256),
    'machine:ci',
  ])('such as %j is invalid, and is left out alone', async (sub) => {
    const { bring } = importing()
    const told = await bring([sub, 'one', 'ada'], ['old-ben', 'one', 'ben'])
    expect(told).toEqual({ added: 1, known: 0, left: [[0, 'bad-id']] })
  })
})

describe('an account', () => {
  it.each([
    ['an account of a provider that is not configured', ['a', 'three', 'x'], 'unknown-provider'],
    ['of passkeys', ['a', 'passkey', 'x'], 'unknown-provider'],
    ['without an id', ['a', 'one', ' '], 'bad-account'],
    ['with an id that no provider gives', ['a', 'one', 'x'.repeat(1025)], 'bad-account'],
    ['with an address that is two', ['a', 'email', 'a@example.com,b@example.com'], 'bad-account'],
  ])('%s is left out', async (_, row, why) => {
    const { bring } = importing()
    expect(await bring(row as unknown as ImportRow)).toMatchObject({ left: [[0, why]] })
  })

  it('that is an address signs in by mail, in whatever spelling it was stored', async () => {
    const { bring, subBy } = importing()
    await bring(['old-ada', 'email', 'Ada@EXAMPLE.com'])
    expect(await subBy('email', 'ada@example.com')).toBe('old-ada')
  })

  it('for a password is the id that authorize answers', async () => {
    const form = credentials({
      credentials: { username: {} },
      authorize: () => ({ id: '42', name: 'Ada' }),
    })
    const { bring, browser } = importing(undefined, { providers: [form] })
    await bring(['42', 'credentials', '42'])
    const one = browser()
    await one.submit('/auth/callback/credentials', { username: 'ada' })
    expect((await one.session())?.user?.id).toBe('42')
  })

  it('at a provider with many tenants needs its issuer', async () => {
    const entra = microsoftEntraId({ clientId: 'id', clientSecret: 'secret' })
    const { bring, inner } = importing(undefined, { providers: [entra] })
    const issuer = 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'
    const id = 'microsoft-entra-id'
    expect(await bring(['a', id, 'x'], ['a', id, 'x', issuer])).toMatchObject({
      added: 1,
      left: [[0, 'bad-account']],
    })
    const way = await subjectOf(id, 'x', issuer)
    expect(await inner.ledger.document(wayKey(way))).toBeDefined()
  })

  it('with another issuer than that of an OpenID provider is left out', async () => {
    const client = { clientId: 'id', clientSecret: 'secret' }
    const tenant = 'https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0'
    const config = {
      providers: [
        keycloak({ ...client, issuer: 'https://id.example.com/realms/app' }),
        google(client),
        microsoftEntraId({ ...client, issuer: tenant }),
      ],
    }
    const { bring } = importing(undefined, config)
    const told = await bring(
      ['a', 'keycloak', '1', 'https://id.example.com/realms/other'],
      ['b', 'keycloak', '2', 'https://evil.example/realms/app'],
      ['c', 'google', '3', 'https://id.example.com/realms/app'],
      ['d', 'microsoft-entra-id', '4', tenant.replace('8eae', '8eaf')],
      ['e', 'keycloak', '5', 'https://id.example.com/realms/app/'],
      ['f', 'keycloak', '6'],
      ['g', 'google', '7', 'accounts.google.com'],
      ['h', 'microsoft-entra-id', '8', tenant],
    )
    expect(told).toMatchObject({
      added: 4,
      left: [0, 1, 2, 3].map((at) => [at, 'bad-account']),
    })
  })

  it('is at most the twentieth of its person', async () => {
    const { bring } = importing()
    const rows = Array.from({ length: 22 }, (_, at) => ['old-ada', 'one', `account-${at}`] as const)
    const first = await bring(...rows)
    expect([first.added, first.left.map(([, why]) => why)]).toEqual([
      20,
      ['too-many-ways', 'too-many-ways'],
    ])
    expect((await bring(...rows)).known).toBe(20)
  })
})

describe('an imported person', () => {
  it('adds a way, loses the first one, and keeps the old id', async () => {
    const { bring, browser, signIn, add, ways, remove, subBy } = importing()
    await bring(['old-ada', 'one', 'ada'])
    const one = await signIn('one', 'ada', browser())
    expect((await add(one, 'two', 'lovelace')).status).toBe(302)
    const [first] = await ways(one)
    await remove(one, first?.id ?? '')
    expect(await subBy('two', 'lovelace')).toBe('old-ada')
    const refused = await signIn('one', 'ada', browser()).catch(() => undefined)
    expect(await refused?.session()).toBeNull()
  })

  it('is erased with each of their accounts', async () => {
    const { bring, config, inner } = importing()
    await bring(...ADA)
    await createAuth(config).deletePerson('old-ada')
    for (const [, provider, account] of ADA) {
      const way = await subjectOf(provider, account)
      expect(await inner.ledger.document(wayKey(way))).toBeUndefined()
    }
    expect(await inner.ledger.document(personKey('old-ada'))).toBeUndefined()
  })

  it('costs no look-up of sessions before the first sign-in, and one for each account afterwards', async () => {
    const inner = memoryStore()
    const isEmpty = async () => true
    const { bring, calls } = importing({ ...inner, sessions: { ...inner.sessions, isEmpty } })
    await bring(...ADA)
    expect(calls.filter(({ name }) => name === 'list')).toHaveLength(0)
    const looking = importing(inner)
    await looking.bring(['old-ben', 'one', 'ben'], ['old-cleo', 'one', 'cleo'])
    expect(looking.calls.filter(({ name }) => name === 'list')).toHaveLength(2)
  })

  it('takes five calls of the ledger for a batch, however many there are', async () => {
    const { bring, calls } = importing()
    const rows = Array.from({ length: 250 }, (_, at) => [`old-${at}`, 'one', `a-${at}`] as const)
    await bring(...rows)
    const ledger = calls.filter(({ name }) => /consume|ocument/.test(name))
    expect(ledger.map(({ name }) => name)).toEqual(['consume', ...Array(4).fill('insertDocuments')])
  })
})
