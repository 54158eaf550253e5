import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { withDocuments } from '../../test-support/documents.js'
import { type ConnectedWay, openTokens, sealTokens } from '../connections/connection.js'
import { finishMerge, finishRemoving, markAdded, settled } from './changes.js'

// Shortly before the end of a second, for which an ending waits.
clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const NOW = Date.UTC(2026, 10, 1, 10) / 1000

/** A way of a list. */
const listed = (way: string, more = {}) => ({ way, provider: 'two', added: 1, used: null, ...more })
const adding = (way: string, more = {}) => listed(way, { state: 'adding', since: NOW, ...more })
const removing = (way: string, more = {}) => listed(way, { state: 'removing', since: NOW, ...more })

const ADA = 'person\nada'
const EVE = 'person\neve'

describe('a change that failed halfway', () => {
  it('is nothing: it costs one read', async () => {
    const { request, count } = await withDocuments({ [ADA]: { ways: [listed('x')] } })
    expect(await settled(request, 'ada')).toEqual({ ways: [listed('x')] })
    expect([count('document'), count('changeDocument')]).toEqual([1, 0])
    expect(await settled(request, 'nobody')).toBeUndefined()
  })

  it('is finished if the way says that it is theirs, and announced once', async () => {
    const { request, read, events } = await withDocuments({
      [ADA]: { ways: [listed('x'), adding('y', { from: 'eve' })], removed: ['y', 'z'] },
      'way\ny': { owner: 'ada' },
    })
    const person = { ways: [listed('x'), listed('y')], removed: ['z'] }
    expect(await settled(request, 'ada')).toEqual(person)
    expect(await read(ADA)).toEqual(person)
    await settled(request, 'ada')
    expect(events()).toEqual(['way-added'])
  })

  it.each([
    ['another request’s for a quarter of an hour', { since: NOW - 900 }, 1],
    ['given up a second later', { since: NOW - 901 }, 0],
    ['given up if its start is unknown', { since: undefined }, 0],
  ])('and with a way that is not theirs is %s', async (_, more, left) => {
    const { request, read, events } = await withDocuments({
      [ADA]: { ways: [listed('x'), adding('y', more)] },
      'way\ny': { owner: 'eve' },
    })
    expect((await settled(request, 'ada'))?.ways).toHaveLength(1 + left)
    expect([await read('way\ny'), events()]).toEqual([{ owner: 'eve' }, []])
  })

  it.each([
    ['has become theirs', [adding('z'), listed('y')]],
    ['is no longer listed', [adding('z')]],
    ['belongs to a person who is erased', undefined],
  ])('and meanwhile %s is not taken out', async (_, ways) => {
    const { request, read, write, faults, inner, count } = await withDocuments({
      [ADA]: { ways: [adding('z'), adding('y', { since: NOW - 901 })] },
    })
    faults.set('document', async (key) => {
      const found = await inner.ledger.document(key as string)
      if (key === 'way\ny') await write(ADA, ways ? { ways } : null)
      return found
    })
    await settled(request, 'ada')
    expect(await read(ADA)).toEqual(ways ? { ways } : null)
    expect(count('changeDocument')).toBe(0)
  })

  it('is a merge if the other one is this person by now, and else no merge', async () => {
    for (const mergedInto of ['ada', 'grace', undefined]) {
      const { request, read, events } = await withDocuments({
        [ADA]: { ways: [listed('x'), adding('eve', { from: 'eve' })] },
        [EVE]: { ways: [listed('eve')], mergedInto },
        'way\neve': { owner: 'eve' },
      })
      const isTaken = mergedInto === 'ada'
      const { ways } = (await settled(request, 'ada')) ?? {}
      expect(ways?.at(-1)?.state).toBe(isTaken ? undefined : 'adding')
      expect(await read(ADA)).toEqual({ ways })
      expect(await read('way\neve')).toEqual({ owner: isTaken ? 'ada' : 'eve' })
      expect(events()).toEqual(isTaken ? ['people-merged'] : [])
    }
  })

  it('is a removal too, which goes on', async () => {
    const { request, read, events } = await withDocuments({
      [ADA]: { ways: [listed('x'), removing('y')] },
      'way\ny': { owner: 'ada' },
    })
    expect(await settled(request, 'ada')).toEqual({
      ways: [listed('x')],
      deleted: [{ key: 'way\ny', at: expect.any(Number) }],
    })
    expect([await read('way\ny'), events()]).toEqual([null, ['way-removed']])
  })
})

describe('a way that has got an owner', () => {
  it.each([
    ['is listed already', listed('y')],
    ['is being removed', removing('y')],
    ['is another one', adding('z')],
  ])('and %s changes nothing, and no notice is sent', async (_, entry) => {
    const person = { ways: [entry], removed: ['y'] }
    const { request, read, events } = await withDocuments({ [ADA]: person })
    await markAdded(request, 'ada', 'y')
    await markAdded(request, 'nobody', 'y')
    expect([await read(ADA), events()]).toEqual([person, []])
  })

  it('is no longer a removed one, and the list has the same entries', async () => {
    const { request, read } = await withDocuments({ [ADA]: { ways: [adding('y')] } })
    await markAdded(request, 'ada', 'y')
    expect(await read(ADA)).toEqual({ ways: [listed('y')] })
  })
})

describe('a way that is removed', () => {
  it.each([
    ['further one, free afterwards', 'y', { owner: 'ada' }, null, {}],
    ['first one, which signs no user in', 'ada', undefined, { removed: 'ada' }, {}],
    ['first one from an older version', 'y', { owner: 'ada', first: true }, { removed: 'ada' }, {}],
    ['if unlinked ways are refused', 'y', { owner: 'ada' }, { removed: 'ada' }, { refuse: true }],
    ['that failed before, refused still', 'y', { removed: 'ada' }, { removed: 'ada' }, {}],
    ['that is another’s by now', 'y', { owner: 'eve' }, { owner: 'eve' }, {}],
    ['that another one has removed', 'y', { removed: 'eve' }, { removed: 'eve' }, {}],
    ['that had no owner', 'y', undefined, null, {}],
    ['first one that is another’s by now', 'ada', { owner: 'eve' }, { owner: 'eve' }, {}],
  ])('is a %s', async (_, way, before, after, { refuse = false }: { refuse?: boolean }) => {
    const { request, read, events } = await withDocuments(
      {
        [ADA]: { ways: [listed('x'), removing(way)], removed: ['old'] },
        ...(before ? { [`way\n${way}`]: before } : {}),
      },
      refuse ? { ways: { unlinked: 'refuse' } } : {},
    )
    await finishRemoving(request, 'ada', way)
    expect(await read(`way\n${way}`)).toEqual(after)
    const isKept = after !== null && 'removed' in after && after.removed === 'ada'
    const removed = isKept ? ['old', way] : ['old']
    const isDeleted = before !== undefined && after === null
    const deleted = [{ key: `way\n${way}`, at: expect.any(Number) }]
    const rest = isDeleted ? { deleted } : {}
    expect(await read(ADA)).toEqual({ ways: [listed('x')], removed, ...rest })
    expect(events()).toEqual(['way-removed'])
  })

  it.each([
    ['is listed', listed('y')],
    ['is being added again', adding('y')],
    ['is no longer listed', listed('z')],
  ])('and %s is left alone, and its connection too', async (_, entry) => {
    const documents = {
      [ADA]: { ways: [removing('other'), entry] },
      'way\ny': { owner: 'ada' },
      'connection\nada\ny': { sealed: 'x', proved: 1 },
    }
    const { request, read, events } = await withDocuments(documents)
    await finishRemoving(request, 'ada', 'y')
    for (const [key, content] of Object.entries(documents)) expect(await read(key)).toEqual(content)
    expect(events()).toEqual([])
  })

  it.each([
    ['is added again', [removing('z'), listed('y')]],
    ['is no longer listed', [removing('z')]],
    ['belongs to a person who is erased', undefined],
  ])('and meanwhile %s: its list stays, and no notice is sent', async (_, ways) => {
    const { request, read, write, afterChange, events } = await withDocuments({
      [ADA]: { ways: [removing('z'), removing('y')] },
      'way\ny': { owner: 'ada' },
    })
    afterChange('way\ny', () => write(ADA, ways ? { ways } : null))
    await finishRemoving(request, 'ada', 'y')
    expect(await read(ADA)).toEqual(ways ? { ways } : null)
    expect(events()).toEqual([])
  })

  it('is named once among the removed ways, the last one', async () => {
    const { request, read } = await withDocuments({
      [ADA]: { ways: [listed('x'), removing('ada')], removed: ['ada', 'old'] },
    })
    await finishRemoving(request, 'ada', 'ada')
    expect((await read(ADA)).removed).toEqual(['old', 'ada'])
  })

  it('for an unknown person does nothing', async () => {
    const { request, read, events } = await withDocuments({ 'way\ny': { owner: 'ada' } })
    await finishRemoving(request, 'ada', 'y')
    expect([await read('way\ny'), events()]).toEqual([{ owner: 'ada' }, []])
  })

  it('ends its connection, and no other one', async () => {
    const connection = { sealed: 'x', proved: 1 }
    const { request, read, work } = await withDocuments({
      [ADA]: { ways: [listed('x'), removing('y')] },
      'way\ny': { owner: 'ada' },
      'connection\nada\nx': connection,
      'connection\nada\ny': connection,
    })
    await finishRemoving(request, 'ada', 'y')
    expect(await read('connection\nada\ny')).toBeNull()
    expect(await read('connection\nada\nx')).toEqual(connection)
    // The provider hears of it after the answer.
    expect(work).toHaveLength(1)
  })

  it.each([
    ['frees its person', { ways: [], mergedInto: 'ada' }, null],
    ['leaves whose ways have not all moved', { ways: [listed('z')], mergedInto: 'ada' }, 1],
    ['leaves a person who was not taken in', { ways: [] }, 1],
  ])('%s', async (_, person, left) => {
    const { request, read } = await withDocuments({
      [ADA]: { ways: [listed('x'), removing('eve')] },
      [EVE]: person,
      'way\neve': { owner: 'ada' },
    })
    await finishRemoving(request, 'ada', 'eve')
    expect(await read(EVE)).toEqual(left === null ? null : JSON.parse(JSON.stringify(person)))
  })

  it('that was their own first frees not themselves: their list stays', async () => {
    const { request, read } = await withDocuments({
      [ADA]: { ways: [removing('ada')], mergedInto: 'eve' },
    })
    await finishRemoving(request, 'ada', 'ada')
    expect(await read(ADA)).toEqual({ ways: [], mergedInto: 'eve', removed: ['ada'] })
  })

  it('while its document changes all the time is tried twenty times', async () => {
    const { request, faults, count } = await withDocuments({
      [ADA]: { ways: [removing('y')] },
      'way\ny': { owner: 'ada' },
    })
    const changed: string[] = []
    faults.set('changeDocument', async (key) => {
      changed.push(key as string)
      if (changed.length > 40) faults.delete('changeDocument')
      return false
    })
    await finishRemoving(request, 'ada', 'y').catch(() => {})
    expect(changed.filter((key) => key === 'way\ny')).toHaveLength(20)
    expect(count('document')).toBeGreaterThan(0)
  })
})

describe('a merge that goes on', () => {
  const both = {
    [ADA]: { ways: [listed('x'), adding('eve', { from: 'eve' }), adding('e', { from: 'eve' })] },
    [EVE]: { ways: [listed('eve'), listed('e')], mergedInto: 'ada', removed: ['gone', 'not'] },
    'way\neve': { owner: 'eve' },
    'way\ne': { owner: 'eve' },
    'way\ngone': { removed: 'eve' },
    'way\nnot': { removed: 'grace' },
  }

  it('moves ways, connections and removed ways, once, and tells once', async () => {
    const { request, read, write, calls, events } = await withDocuments(both)
    const [from, to] = ['eve', 'ada'].map((sub) => ({ sub, way: 'e', provider: 'two' })) as [
      ConnectedWay,
      ConnectedWay,
    ]
    const tokens = { version: 1, access_token: 'kept' }
    const connection = { sealed: await sealTokens(request, from, tokens), proved: 1 }
    await write('connection\neve\ne', connection)
    await finishMerge(request, 'ada', 'eve')
    calls.length = 0
    await finishMerge(request, 'ada', 'eve')
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['document']))
    expect(await read(ADA)).toEqual({
      ways: [listed('x'), listed('eve'), listed('e')],
      removed: ['gone', 'not'],
    })
    expect(await read(EVE)).toEqual({ mergedInto: 'ada', ways: [] })
    for (const way of ['eve', 'e']) expect(await read(`way\n${way}`)).toEqual({ owner: 'ada' })
    expect(await read('way\ngone')).toEqual({ removed: 'ada' })
    expect(await read('way\nnot')).toEqual({ removed: 'grace' })
    expect(await read('connection\neve\ne')).toBeNull()
    const { sealed } = await read('connection\nada\ne')
    expect(await openTokens(request, to, sealed)).toEqual(tokens)
    expect(events()).toEqual(['people-merged'])
  })

  it('into a person who belongs to another one does nothing: nothing moves', async () => {
    const { request, read, write } = await withDocuments(both)
    await write(EVE, { ...both[EVE], mergedInto: 'grace' })
    await finishMerge(request, 'ada', 'eve')
    for (const way of ['eve', 'e']) expect(await read(`way\n${way}`)).toEqual({ owner: 'eve' })
    expect(await read(ADA)).toEqual(both[ADA])
  })

  it('moves no way that is another’s, or that the person has removed since, and lists neither', async () => {
    const { request, read, write } = await withDocuments(both)
    await write('way\ne', { owner: 'grace' })
    await write('way\neve', { removed: 'ada' })
    await finishMerge(request, 'ada', 'eve')
    expect(await read('way\ne')).toEqual({ owner: 'grace' })
    expect(await read('way\neve')).toEqual({ removed: 'ada' })
    expect((await read(ADA)).ways).toEqual([listed('x')])
  })

  it('leaves alone a way that is added for itself, or taken from another person', async () => {
    const { request, read, write } = await withDocuments(both)
    const others = [adding('p'), adding('q', { from: 'grace' }), removing('r', { from: 'eve' })]
    await write(ADA, { ways: [...both[ADA].ways, ...others] })
    await finishMerge(request, 'ada', 'eve')
    expect((await read(ADA)).ways).toEqual([
      ...['x', 'eve', 'e'].map((way) => listed(way)),
      ...others,
    ])
  })

  it('from an unknown person, or into one who no longer exists, announces nothing, and makes no person', async () => {
    const { request, read, write, events } = await withDocuments(both)
    await finishMerge(request, 'ada', 'nobody')
    await write(ADA, null)
    await finishMerge(request, 'ada', 'eve')
    expect(await read(ADA)).toBeNull()
    expect(await read(EVE)).toEqual({ mergedInto: 'ada', ways: [] })
    expect(events()).toEqual([])
  })

  it.each([
    ['is erased', null],
    ['is another one’s', { ways: [listed('k')], mergedInto: 'grace' }],
  ])('while the other one %s leaves them as they are now, and sends no mail', async (_, person) => {
    const { request, read, write, afterChange, events } = await withDocuments(both)
    afterChange('way\ne', () => write(EVE, person))
    await finishMerge(request, 'ada', 'eve')
    expect(await read(EVE)).toEqual(person)
    expect(events()).toEqual([])
  })

  it('leaves alone a way that another request takes from the same person meanwhile', async () => {
    const { request, read, write, afterChange } = await withDocuments(both)
    const late = adding('late', { from: 'eve' })
    afterChange(EVE, async () => {
      const { ways } = await read(ADA)
      await write(ADA, { ways: [...ways, late] })
    })
    await finishMerge(request, 'ada', 'eve')
    const after = (await read(ADA)).ways
    expect(after).toEqual([listed('x'), listed('eve'), listed('e'), late])
  })

  it('tries twenty times to move a way that changes all the time', async () => {
    const { request, faults, inner } = await withDocuments(both)
    let tries = 0
    faults.set('changeDocument', async (...given) => {
      if (given[0] === 'way\neve') return ++tries > 40
      return inner.ledger.changeDocument(...(given as [string, number, string]))
    })
    const merged = finishMerge(request, 'ada', 'eve')
    await expect(merged).rejects.toThrow('A way is being changed all the time.')
    expect(tries).toBe(20)
  })

  it('brings a hundred removed ways, the last ones, and keeps the earlier ones', async () => {
    const { request, read, write } = await withDocuments(both)
    const many = Array.from({ length: 101 }, (_, at) => `removed-${at}`)
    await write(EVE, { ...both[EVE], removed: many })
    await write(ADA, { ...both[ADA], removed: ['own', 'removed-100'] })
    await finishMerge(request, 'ada', 'eve')
    const { removed } = await read(ADA)
    expect(removed).toEqual(['own', 'removed-100', ...many.slice(1, 100)])
  })
})

describe('people with ids of the app, who were taken in', () => {
  const takenIn = { ways: [], mergedInto: 'ada' }

  it('are people of their own again when the way is removed that has such an id, and no others', async () => {
    const { request, read } = await withDocuments({
      [ADA]: { ways: [listed('x'), removing('w')], were: ['p:1', 'p:2', 'p:3'] },
      'way\nw': { owner: 'ada' },
      'subject\np:1': { way: 'w' },
      'subject\np:2': { way: 'other' },
      'person\np:1': takenIn,
      'person\np:2': takenIn,
    })
    await finishRemoving(request, 'ada', 'w')
    const at = expect.any(Number)
    expect(await read(ADA)).toEqual({
      ways: [listed('x')],
      were: ['p:2', 'p:3'],
      deleted: ['person\np:1', 'way\nw'].map((key) => ({ key, at })),
    })
    expect([await read('person\np:1'), await read('person\np:2')]).toEqual([null, takenIn])
  })

  it('are known up to twenty, the last ones', async () => {
    const were = Array.from({ length: 20 }, (_, at) => `p:${at}`)
    const { request, read } = await withDocuments({
      [ADA]: { ways: [listed('x')], were },
      'person\np:new': { ...takenIn, ways: [listed('w')] },
      'way\nw': { owner: 'p:new' },
      'subject\np:new': { way: 'w' },
    })
    await finishMerge(request, 'ada', 'p:new')
    expect((await read(ADA)).were).toEqual([...were.slice(1), 'p:new'])
  })
})
