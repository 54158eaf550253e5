import { describe, expect, it, vi } from 'vitest'
import { AccessDenied, DamagedRecord, MissingBinding, StoreUnavailable } from '../errors.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { fails, faulty, hangs, type StoreMethod } from '../test-support/faulty.js'
import { durableLedger } from './durable-ledger.js'
import { guardedStores } from './guarded-stores.js'
import { memoryStore } from './memory.js'
import type { RevocationSource, SessionRecord } from './ports.js'

const record: SessionRecord = {
  sub: 'the-sub',
  sid: 'the-sid',
  provider: 'fake',
  created: 1,
  updated: 1,
  expires: 2,
  sealed: 'sealed',
}

describe('guarded stores', () => {
  const all = (behave: () => Promise<never>) => {
    const { store, inner, faults } = faulty()
    const names = Object.keys({ ...inner.sessions, ...inner.ledger }) as StoreMethod[]
    for (const name of names) faults.set(name, behave)
    return guardedStores(store, 10)
  }
  const steps = ({ sessions, ledger }: ReturnType<typeof all>) => [
    () => sessions.get('a', 'b'),
    () => sessions.put(record),
    () => sessions.delete('a', 'b'),
    () => sessions.list('a'),
    () => ledger.consume('a', 1),
    () => ledger.revoke('a', 1),
    () => ledger.isRevoked('a'),
    () => ledger.cutOff({ sub: 'a', until: 1 }, 1),
    () => ledger.repeatCutOff('a'),
    () => ledger.revokedSince(1),
    () => ledger.refreshedTokens('a'),
    () => ledger.claimRefresh('a', 0, 1),
    () => ledger.settleRefresh('a', 0, 'sealed'),
    () => ledger.admit('a', []),
    () => ledger.forgive('a', []),
    () => ledger.startVerification('a', { link: 'l', code: 'c', sealed: 's', expires: 1 }),
    () => ledger.findVerification('a', 'l'),
    () => ledger.redeemVerification('a', { code: 'c' }),
    () => ledger.withdrawVerification('a', 'l'),
  ]

  it.each<[string, () => Promise<never>]>([
    ['hangs', hangs],
    ['rejects', fails],
    ['rejects with no error', () => Promise.reject('x')],
    [
      'throws at once',
      () => {
        throw new TypeError('x')
      },
    ],
  ])('a store that %s is unavailable, at every step', async (_, behave) => {
    for (const step of steps(all(behave))) await expect(step()).rejects.toThrow(StoreUnavailable)
  })

  it('the error says what could not be done', async () => {
    const { sessions, ledger } = all(fails)
    await expect(sessions.get('a', 'b')).rejects.toThrow('Could not read a session record.')
    const said = new Map<() => Promise<unknown>, string>([
      [() => ledger.isRevoked('a'), 'read'],
      [() => ledger.revokedSince(1), 'read'],
      [() => ledger.refreshedTokens('a'), 'read'],
      [() => ledger.findVerification('a', 'l'), 'read'],
      [async () => ledger.document('way\na'), 'read'],
      [async () => ledger.isConsumed('a'), 'read'],
      [async () => ledger.enter('a', 1, 'way\na'), 'use'],
      [async () => ledger.changeDocument('way\na', 0, 'x'), 'write'],
      [async () => ledger.insertDocuments([]), 'write'],
      [async () => ledger.erase({ sub: 'a', until: 1 }, [], 1), 'write'],
      [async () => ledger.forget('a'), 'write'],
      [() => ledger.consume('a', 1), 'use'],
      [async () => ledger.giveBack('a'), 'write'],
      [() => ledger.claimRefresh('a', 0, 1), 'use'],
      [() => ledger.admit('a', []), 'use'],
      [() => ledger.redeemVerification('a', { code: 'c' }), 'use'],
      [() => ledger.revoke('a', 1), 'write'],
      [() => ledger.cutOff({ sub: 'a', until: 1 }, 1), 'write'],
      [async () => ledger.repeatCutOff('a'), 'write'],
      [() => ledger.settleRefresh('a', 0, 'sealed'), 'write'],
      [() => ledger.forgive('a', []), 'write'],
      [() => ledger.withdrawVerification('a', 'l'), 'write'],
      [
        () => ledger.startVerification('a', { link: 'l', code: 'c', sealed: 's', expires: 1 }),
        'write',
      ],
    ])
    for (const [call, does] of said) {
      await expect(call()).rejects.toThrow(`Could not ${does} the ledger.`)
    }
  })

  it('our own errors pass unchanged', async () => {
    const { sessions } = all(() => Promise.reject(new AccessDenied()))
    await expect(sessions.get('a', 'b')).rejects.toThrow(AccessDenied)
  })

  it('answers and all arguments pass unchanged', async () => {
    const { sessions, ledger } = memoryStore()
    const guarded = guardedStores({ sessions, ledger })
    const consume = vi.spyOn(ledger, 'consume')
    expect(await guarded.ledger.consume('x', 5)).toBe(true)
    expect(consume).toHaveBeenCalledWith('x', 5)
    const cutOff = vi.spyOn(ledger, 'cutOff')
    const cutoff = { sub: 'ada', until: 1, except: 'sid' }
    expect(await guarded.ledger.cutOff(cutoff, 5, 1)).toBe(true)
    expect(cutOff).toHaveBeenCalledWith(cutoff, 5, 1)
  })

  it.each([null, {}, '', 'true', 0, 1, true])(
    'rubbish is not a list of records: %j',
    async (answer) => {
      const { store, faults } = faulty()
      faults.set('list', async () => answer)
      await expect(guardedStores(store).sessions.list('a')).rejects.toThrow(StoreUnavailable)
    },
  )

  it('an invalid record is damaged, and null means no record', async () => {
    const { store, faults } = faulty()
    const { sessions } = guardedStores(store)
    const { sub, sid } = record
    const answers = [{}, [], 'x', 1, true, { ...record, sid: 'other' }, { ...record, expires: '2' }]
    for (const answer of answers) {
      faults.set('get', async () => answer)
      await expect(sessions.get(sub, sid), JSON.stringify(answer)).rejects.toThrow(DamagedRecord)
    }
    for (const answer of [undefined, null]) {
      faults.set('get', async () => answer)
      expect(await sessions.get(sub, sid)).toBeUndefined()
    }
    faults.set('get', async () => record)
    expect(await sessions.get(sub, sid)).toEqual(record)
  })

  it('one object’s rubbish is not taken for the answer of all', async () => {
    const ledgers = new FakeLedgers()
    const four = durableLedger(ledgers.binding, [1, 4])
    const object = (name: string) => ledgers.objects.get(name) as unknown as Record<string, unknown>
    await four.revokedSince(0)
    object('ledger').isRevoked = async () => null
    await expect(four.isRevoked('a')).rejects.toThrow(
      new TypeError('The ledger\'s answer to "isRevoked" is invalid.'),
    )
    object('ledger').revokedSince = async () => ({})
    await expect(four.revokedSince(0)).rejects.toThrow(TypeError)
  })

  it('a service without stores fails at every step, with what is missing', async () => {
    const missing = new MissingBinding('The Worker has no binding LEDGER.')
    for (const step of steps(guardedStores(missing))) await expect(step()).rejects.toBe(missing)
  })

  it('a store’s answer to a write or a removal does not matter, and a list is a list', async () => {
    const { store, faults } = faulty()
    const { sessions } = guardedStores(store)
    for (const answer of [undefined, 'OK', 1, [record]]) {
      for (const name of ['put', 'delete'] as const) faults.set(name, async () => answer)
      expect(await sessions.put(record)).toBeUndefined()
      expect(await sessions.delete('a', 'b')).toBeUndefined()
    }
    faults.set('list', async () => [record])
    expect(await sessions.list('the-sub')).toEqual([record])
  })

  it('a failure of the sessions says what could not be done, and why', async () => {
    const { store, faults } = faulty()
    const { sessions } = guardedStores(store)
    const why = new Error('The store is down.')
    const said = {
      get: [() => sessions.get('a', 'b'), 'Could not read a session record.'],
      put: [() => sessions.put(record), 'Could not write a session record.'],
      delete: [() => sessions.delete('a', 'b'), 'Could not delete a session record.'],
      list: [() => sessions.list('a'), 'Could not list session records.'],
    } as const
    for (const [name, [call, message]] of Object.entries(said)) {
      faults.set(name as StoreMethod, () => Promise.reject(why))
      await expect(call()).rejects.toMatchObject({ message, cause: { err: why } })
    }
    faults.set('list', async () => 'none')
    await expect(sessions.list('a')).rejects.toThrow('Could not list session records.')
  })
})

describe('all records of a person', () => {
  const without = () => {
    const { sessions, ledger } = memoryStore(() => 1000)
    const { deleteAll: _, ...older } = sessions
    return { sessions: older, ledger }
  }
  const sids = ['one', 'two', 'three', 'four', 'five']

  it('are deleted one by one if the store has no method for it, however few it lists at once', async () => {
    const { sessions, ledger } = without()
    for (const sid of sids) await sessions.put({ ...record, sid })
    await sessions.put({ ...record, sub: 'another' })
    const list = vi.fn(async (sub: string) => (await sessions.list(sub)).slice(0, 2))
    const guarded = guardedStores({ sessions: { ...sessions, list }, ledger }).sessions
    expect(await guarded.deleteAll?.('the-sub')).toBeUndefined()
    expect(await sessions.list('the-sub')).toEqual([])
    expect(await guarded.get('another', 'the-sid')).toMatchObject({ sub: 'another' })
    expect(list).toHaveBeenCalledTimes(4)
  })

  it('are deleted once each, if the store goes on to list them for a while', async () => {
    const { sessions, ledger } = without()
    const deleted: string[] = []
    const late = {
      ...sessions,
      list: async () => sids.map((sid) => ({ ...record, sid })),
      delete: async (_: string, sid: string) => void deleted.push(sid),
    }
    await guardedStores({ sessions: late, ledger }).sessions.deleteAll?.('the-sub')
    expect(deleted).toEqual(sids)
  })

  it('are deleted by the store’s own method if it has one', async () => {
    const { store, calls, faults } = faulty()
    const { sessions } = guardedStores(store)
    await sessions.deleteAll?.('the-sub')
    expect(calls).toEqual([{ name: 'deleteAll', args: ['the-sub'] }])
    faults.set('deleteAll', fails)
    await expect(sessions.deleteAll?.('the-sub')).rejects.toThrow(
      'Could not delete session records.',
    )
  })
})

describe('additions of several objects to the stores', () => {
  const found = { sessions: [], users: [], next: 1, hasMore: false }
  const withEndings = (revokedSince: RevocationSource['revokedSince']) =>
    guardedStores({ ...memoryStore(), revocations: { age: 1_000, revokedSince } }, 10).revocations

  it('is the draw of ids, unchanged, and nothing if there is one object', () => {
    const drawSid = () => 'sid'
    expect(guardedStores({ ...memoryStore(), drawSid }).drawSid).toBe(drawSid)
    expect(Object.keys(guardedStores(memoryStore()))).toEqual(['sessions', 'ledger'])
  })

  it('is the endings from collectors, whose answers and questions pass', async () => {
    const revokedSince = vi.fn(async () => found)
    const endings = withEndings(revokedSince)
    expect(endings?.age).toBe(1_000)
    expect(await endings?.revokedSince(5, true)).toBe(found)
    expect(revokedSince).toHaveBeenCalledWith(5, true)
  })

  it.each([
    ['hang', hangs],
    ['fail', fails],
  ])('collectors that %s are a ledger that cannot be read', async (_, behave) => {
    const endings = withEndings(behave)
    await expect(endings?.revokedSince(5)).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'Could not read the ledger.',
    })
  })
})

describe('isEmpty', () => {
  it.each<[string, unknown, boolean]>([
    ['true', true, true],
    ['false', false, false],
    ['undefined, which is not an answer', undefined, false],
    ['a text', 'true', false],
    ['1', 1, false],
  ])('for a store that answers %s', async (_, answer, expected) => {
    const { sessions, ledger } = memoryStore()
    const isEmpty = async () => answer as boolean
    const guarded = guardedStores({ sessions: { ...sessions, isEmpty }, ledger }).sessions
    expect(await guarded.isEmpty?.()).toBe(expected)
  })

  it('is unknown for a store without it', async () => {
    const { sessions, ledger } = memoryStore()
    const { isEmpty: _, ...older } = sessions
    expect(await guardedStores({ sessions: older, ledger }).sessions.isEmpty?.()).toBe(false)
  })

  it('fails for a store that fails, and says what could not be done', async () => {
    const { sessions, ledger } = memoryStore()
    const isEmpty = () => Promise.reject(new Error('down'))
    const guarded = guardedStores({ sessions: { ...sessions, isEmpty }, ledger }).sessions
    await expect(guarded.isEmpty?.()).rejects.toThrow('Could not list session records.')
  })
})

it('a store without deleteAll that lists new records without end is asked a hundred times', async () => {
  const { sessions, ledger } = memoryStore()
  const { deleteAll: _, ...older } = sessions
  let lists = 0
  const list = async () => [{ ...record, sid: `sid-${lists++}` }]
  const guarded = guardedStores({ sessions: { ...older, list }, ledger }).sessions
  await guarded.deleteAll?.('the-sub')
  expect(lists).toBe(100)
})
