import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { withDocuments } from '../../test-support/documents.js'
import { addWay } from './add.js'

clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const NOW = Date.UTC(2026, 10, 1, 10) / 1000

const ADA = 'person\nada'
const asker = { sub: 'ada', sid: 'the-sid', auth_time: NOW, amr: ['one'], session: {} }
const x = { way: 'x', provider: 'one', added: 1, used: null }

/** Ada with a way, and the ledger's other documents; adds a way that she has just proved. */
async function adding(
  way: string,
  documents: Readonly<Record<string, object>> = {},
  changes = {},
  more = {},
) {
  const set = await withDocuments({ [ADA]: { ways: [x] }, ...documents }, changes)
  const { ledger } = set.inner
  const account = { provider: 'two', type: 'oauth', providerAccountId: 'a', userId: way }
  const signedIn = { account, user: { id: way }, ...more }
  const add = async () => {
    const document = await ledger.document(`way\n${way}`)
    return addWay(set.request, asker as never, signedIn as never, { way, document })
  }
  const listed = async () => (await set.read(ADA)).ways.map((one: typeof x) => one.way)
  return { ...set, add, listed }
}

const NOT_LINKED = 'The way to add belongs to another person.'

it.each([
  ['has a list', { 'person\neve': { ways: [] } }],
  ['has a connection by it', { 'connection\neve\neve': { sealed: 'x', proved: 1 } }],
  ['took it over', { 'way\neve': { owner: 'grace' } }],
  ['has removed it', { 'way\neve': { removed: 'grace' } }],
  [
    'is one of two people merged in a circle',
    {
      'way\neve': { owner: 'b' },
      'person\nb': { ways: [], mergedInto: 'c' },
      'person\nc': { ways: [], mergedInto: 'b' },
    },
  ],
])('a way of another person who %s is not added', async (_, documents: Record<string, object>) => {
  const { add, read, listed } = await adding('eve', documents)
  await expect(add()).rejects.toThrow(NOT_LINKED)
  expect(await read('way\neve')).toEqual(documents['way\neve'] ?? null)
  expect(await listed()).toEqual(['x'])
})

it('a way of nobody, whose connection has ended, is added', async () => {
  const { add, read, write, listed } = await adding('eve', {
    'connection\neve\neve': { sealed: 'x', proved: 1 },
  })
  await write('connection\neve\neve', null)
  await add()
  expect([await read('way\neve'), await listed()]).toEqual([{ owner: 'ada' }, ['x', 'eve']])
})

it.each([
  [{ 'way\ny': { owner: 'b' }, 'person\nb': { ways: [], mergedInto: 'ada' } }, { owner: 'b' }],
  [{ 'way\ny': { owner: 'ada' } }, { owner: 'ada' }],
])('a way that is the person’s already stays as it is: %j', async (documents, after) => {
  const { add, read, events } = await adding('y', documents as Record<string, object>)
  await add()
  expect([await read('way\ny'), events()]).toEqual([after, []])
})

it('the first way of a person whose list has it no more is added as their first', async () => {
  const { add, read, listed } = await adding('ada')
  await add()
  expect(await read('way\nada')).toEqual({ owner: 'ada', first: true })
  expect(await listed()).toEqual(['x', 'ada'])
})

it('the first way of a person whose list has it is as it was', async () => {
  const person = { ways: [{ ...x, way: 'ada' }, x] }
  const { add, read } = await adding('ada', { [ADA]: person })
  await add()
  expect([await read('way\nada'), await read(ADA)]).toEqual([null, person])
})

it('a session that has ended adds nothing, and nothing is announced', async () => {
  const { add, inner, listed, count } = await adding('y')
  await inner.ledger.revoke('the-sid', NOW + 900)
  await expect(add()).rejects.toThrow('The session has ended meanwhile.')
  expect([await listed(), count('changeDocument')]).toEqual([['x'], 0])
})

it.each([
  ['the others as they are', [x]],
  ['none at all', []],
])('a session that ends at the last moment leaves no way behind, and %s', async (_, ways) => {
  const { add, afterChange, inner, listed, read } = await adding('y', { [ADA]: { ways } })
  afterChange('way\ny', () => inner.ledger.revoke('the-sid', NOW + 900))
  await expect(add()).rejects.toThrow('The session has ended meanwhile.')
  expect([await read('way\ny'), await listed()]).toEqual([null, ways.map(({ way }) => way)])
})

it('a session that ends at the last moment leaves no first way that signs in without a second factor', async () => {
  const { add, afterChange, inner, read } = await adding('ada')
  afterChange('way\nada', () => inner.ledger.revoke('the-sid', NOW + 900))
  await expect(add()).rejects.toThrow('The session has ended meanwhile.')
  expect(await read('way\nada')).toEqual({ owner: 'ada', first: true })
})

it('a person who is erased at the last moment is not brought back', async () => {
  const { add, afterChange, inner, read, write } = await adding('y')
  afterChange('way\ny', async () => {
    await inner.ledger.revoke('the-sid', NOW + 900)
    await write(ADA, null)
  })
  await expect(add()).rejects.toThrow('The session has ended meanwhile.')
  expect([await read('way\ny'), await read(ADA)]).toEqual([null, null])
})

it('a passkey without an owner is added, with its key', async () => {
  const passkey = { key: 'the-key', alg: -7, counter: 0, be: false, handle: 'the-handle' }
  const { add, read } = await adding('passkey:the-id', {}, {}, { passkey })
  await add()
  expect(await read('way\npasskey:the-id')).toEqual({ owner: 'ada' })
  expect((await read(ADA)).ways[1]).toMatchObject({ way: 'passkey:the-id', passkey })
})

it('a way that changes all the time is tried twenty times', async () => {
  const { add, faults, inner } = await adding('y')
  let tries = 0
  faults.set('changeDocument', async (...given) => {
    if (given[0] === 'way\ny') return ++tries > 40
    return inner.ledger.changeDocument(...(given as [string, number, string]))
  })
  await expect(add()).rejects.toThrow('A way is being changed all the time.')
  expect(tries).toBe(20)
})
