import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import passkey from '../../providers/passkey.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { Browser, errorOf } from '../../test-support/browser.js'
import { withDocuments } from '../../test-support/documents.js'
import { accountsAt, people } from '../../test-support/people.js'
import { announce } from './announce.js'

clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const NOW = Date.UTC(2026, 10, 1, 10) / 1000

/** Ada with one way, and what the ledger says of her. */
async function adaAlone() {
  const world = people()
  const { signIn, subOf, inner, calls, errors } = world
  const ada = await signIn('one', 'ada')
  const x = subOf(await signIn('two', 'x'))
  const old = await signIn('two', 'x')
  await old.submit('/auth/sessions/revoke', { session: 'all' })
  const sub = subOf(ada)
  const { document, changeDocument } = inner.ledger as Ledger
  const read = async (key: string) => JSON.parse((await document(key))?.content ?? 'null')
  const write = async (key: string, content: object | null) =>
    changeDocument(key, (await document(key))?.version ?? 0, content && JSON.stringify(content))
  /** How often her list was written. */
  const writes = () =>
    calls.filter(({ name, args }) => name === 'changeDocument' && args[0] === `person\n${sub}`)
      .length
  const reasons = () => errors.map(({ message }) => message)
  return { ...world, ada, sub, x, read, write, writes, reasons }
}

it.each([
  ['by another request, a moment ago', { state: 'adding', since: NOW - 59 }, 1],
  ['a minute ago', { state: 'adding', since: NOW - 60 }, 2],
  ['for a merge', { state: 'adding', since: NOW - 59, from: 'grace' }, 2],
  ['and added', {}, 0],
])('a way that was announced before, %s', async (_, members, count) => {
  const { ada, sub, x, add, read, write, writes } = await adaAlone()
  await add(ada, 'two', 'y')
  const { ways } = await read(`person\n${sub}`)
  const entry = { way: x, provider: 'two', added: NOW, used: null, ...members }
  await write(`person\n${sub}`, { ways: [...ways, entry] })
  const before = writes()
  expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
  expect(writes() - before).toBe(count)
  const after = (await read(`person\n${sub}`)).ways
  expect(after.map(({ way, state }: Record<string, unknown>) => [way, state])).toEqual(
    [...ways, entry].map(({ way }) => [way, undefined]),
  )
})

it('a way that another request begins to remove is announced again, and is not added unseen', async () => {
  const { ada, sub, x, add, read, write, inner, faults } = await adaAlone()
  await add(ada, 'two', 'y')
  const { ways } = await read(`person\n${sub}`)
  const removing = {
    way: x,
    provider: 'two',
    added: NOW,
    used: null,
    state: 'removing',
    since: NOW,
  }
  faults.set('document', async (key) => {
    // Read after an earlier failure was repaired.
    if (key === `person\n${x}`) await write(`person\n${sub}`, { ways: [...ways, removing] })
    return inner.ledger.document(String(key))
  })
  expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
  const after = (await read(`person\n${sub}`)).ways
  expect(after.at(-1)).toMatchObject({ way: x })
  expect(after.at(-1)).not.toHaveProperty('state')
})

it('the first way of a person who gets a list is recorded as their first', async () => {
  const { ada, sub, x, add, read } = await adaAlone()
  expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
  expect(await read(`way\n${sub}`)).toEqual({ owner: sub, first: true })
  expect(await read(`way\n${x}`)).toEqual({ owner: sub })
})

it.each([{ erasing: true }, { mergedInto: 'grace' }, { blocked: { since: 1 } }])(
  'nothing is added to a person who no longer exists, or is blocked: %j',
  async (members) => {
    const { ada, sub, x, add, read, write, reasons } = await adaAlone()
    const gone = { ways: [{}], ...members }
    await write(`person\n${sub}`, gone)
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/auth/signin InvalidCheck')
    expect(reasons()).toEqual([
      'The person is another one now, or is being deleted, or is blocked.',
    ])
    expect(await read(`person\n${sub}`)).toEqual(gone)
    expect(await read(`way\n${x}`)).toBeNull()
  },
)

it('a session of a provider that is gone adds nothing: its own way could not be listed', async () => {
  const { ada, sub, x, config, read, reasons, comeBack, startAdding } = await adaAlone()
  const later = new Browser({ ...config, providers: [accountsAt('two')] })
  for (const [name, value] of ada.jar) later.jar.set(name, value)
  await comeBack(later, 'two', await startAdding(later, 'two'), 'x')
  expect(reasons()).toEqual(['The provider of a session is not configured any more.'])
  expect([await read(`person\n${sub}`), await read(`way\n${x}`)]).toEqual([null, null])
})

it.each([
  ['their own', true, (sub: string) => ({ owner: sub, first: true })],
  ['another person’s', false, () => ({ owner: 'grace' })],
] as const)('the first way is listed if it is %s: %j', async (_, isListed, content) => {
  for (const when of ['before', 'at that moment']) {
    const { ada, sub, x, add, read, write, inner, faults } = await adaAlone()
    const key = `way\n${sub}`
    if (when === 'before') await write(key, content(sub))
    else {
      faults.set('changeDocument', async (...given) => {
        if (given[0] === key) await write(key, content(sub))
        return (inner.ledger.changeDocument as (...given: unknown[]) => Promise<boolean>)(...given)
      })
    }
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
    expect(await read(key)).toEqual(content(sub))
    const { ways } = await read(`person\n${sub}`)
    expect(ways.map(({ way }: { way: string }) => way)).toEqual(isListed ? [sub, x] : [x])
    if (isListed) {
      const day = Date.UTC(2026, 10, 1) / 1000
      expect(ways[0]).toMatchObject({ provider: 'one', added: null, used: day })
    }
  }
})

it('the log says how many ways a person may have', async () => {
  const { ada, sub, add, write, reasons } = await adaAlone()
  const ways = Array.from({ length: 20 }, (_, at) => ({ way: `w${at}`, provider: 'two' }))
  await write(`person\n${sub}`, { ways })
  expect(errorOf(await add(ada, 'two', 'x'))).toBe('/auth/error AccessDenied too_many_ways')
  expect(reasons()).toEqual([
    'A person has at most 20 ways to sign in, fewer if their names are long.',
  ])
})

const asker = { sub: 'ada', sid: 'the-sid', auth_time: NOW, amr: ['passkey'], session: {} }

it.each([
  ['the first passkey’s', {}, { passkey: { handle: 'h' } }, 'h'],
  [
    'as before, whatever a further passkey has',
    { handle: 'own' },
    { passkey: { handle: 'h' } },
    'own',
  ],
  [
    'none by a passkey that comes with a merge',
    {},
    { passkey: { handle: 'h' }, from: 'eve' },
    null,
  ],
  ['none by another way', {}, {}, null],
])('the name of a person in their authenticators is %s', async (_, before, more, expected) => {
  const first = { way: 'x', provider: 'one', added: NOW, used: null }
  const { request, read } = await withDocuments({ 'person\nada': { ways: [first], ...before } })
  const entries = ['p', 'q'].map((way) => ({ ...first, way, ...(way === 'q' ? more : {}) }))
  await announce(request, asker as never, entries as never)
  const person = await read('person\nada')
  expect(person.ways).toHaveLength(3)
  expect(person.ways[0]).toEqual(first)
  expect(person.handle ?? null).toBe(expected)
})

it('a user of a passkey without a list no longer exists: nothing is added to them', async () => {
  const { request, read } = await withDocuments(
    {},
    { providers: [passkey({ rpName: 'Example' }), accountsAt('one')] },
  )
  const entry = { way: 'x', provider: 'one', added: NOW, used: null }
  await expect(announce(request, asker as never, [entry])).rejects.toThrow(
    'The person of a way no longer exists.',
  )
  expect([await read('person\nada'), await read('way\nada')]).toEqual([null, null])
})

it('a person with a second factor adds no way, a passkey or another, in a session that has not shown it', async () => {
  const first = { way: 'x', provider: 'one', added: NOW, used: null }
  const factor = { key: 'sealed', since: NOW }
  const { request, read } = await withDocuments({ 'person\nada': { ways: [first], factor } })
  const byPassword = { ...asker, amr: ['pwd'] } as never
  const key = { ...first, way: 'p', passkey: { handle: 'h' } } as never
  for (const entry of [{ ...first, way: 'y' }, key]) {
    await expect(announce(request, byPassword, [entry])).rejects.toThrow(
      'A way is added by a person who has proved all that they are asked for.',
    )
  }
  expect((await read('person\nada')).ways).toEqual([first])
  await announce(request, { ...asker, amr: ['pwd', 'otp', 'mfa'] } as never, [key])
  const { ways } = await read('person\nada')
  expect(ways.map(({ way }: { way: string }) => way)).toEqual(['x', 'p'])
})
