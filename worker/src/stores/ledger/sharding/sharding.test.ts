import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { durableLedger } from '../../durable-ledger.js'
import { placeOfPerson } from '../placement.js'
import type { Ledger } from '../rules.js'

const now = Date.UTC(2026, 10, 1) / 1000
const end = now + 3600
clock({ start: now * 1000 })

const names = Array.from({ length: 20 }, (_, at) => `name-${at}`)
const key = 'way\nada'

function seenBy(...shards: number[]) {
  const ledgers = new FakeLedgers()
  const ledger = durableLedger(ledgers.binding, shards) as Ledger
  const calls = (method: string) => ledgers.calls.filter((call) => call.endsWith(` ${method}`))
  /** The calls that something takes. */
  const during = async (work: () => Promise<unknown>) => {
    ledgers.calls.length = 0
    await work()
    return ledgers.calls.map((call) => call.split(' ')[1])
  }
  return { ledgers, ledger, calls, during }
}

/** An object that takes no change, until the returned function is called. */
function refusing(ledgers: FakeLedgers, name: string): () => void {
  ledgers.binding.get(name as never)
  const object = ledgers.objects.get(name) as Ledger
  const { changeDocument } = object
  object.changeDocument = async () => false
  return () => {
    object.changeDocument = changeDocument
  }
}

describe('an erased person', () => {
  it.each([
    [[1], 1],
    [[4], 4],
    [[1, 4], 5],
    [[100], 1],
  ])('is over in each object of %s that could let them in', async (shards, count) => {
    const { ledger, calls } = seenBy(...shards)
    await ledger.erase({ sub: 'ada', until: now }, ['pid-of-ada'], end)
    expect(new Set(calls('erase')).size).toBe(count)
    expect(calls('erase')).toHaveLength(count)
    const owner = { sub: 'ada', pid: 'pid-of-ada', auth_time: now }
    if (count > 1) for (const sid of names) expect(await ledger.isRevoked(sid, owner)).toBe(true)
  })

  it('is forgotten where their name is, in the objects of every number', async () => {
    const { ledger, calls } = seenBy(1, 4)
    await ledger.forget('ada')
    expect(calls('forget')).toHaveLength(2)
  })
})

describe('a claim to refresh a session’s tokens', () => {
  const claim = (ledger: Ledger) => ledger.claimRefresh('sid', 0, end)

  it('costs one call if one object keeps the session, also if another caller has it', async () => {
    const { ledger, during } = seenBy(1)
    expect(await during(() => claim(ledger))).toEqual(['claimRefresh'])
    expect(await during(() => claim(ledger))).toEqual(['claimRefresh'])
  })

  it('asks of several objects only for another caller’s claim whether the session is over', async () => {
    const { ledger, during } = seenBy(1, 4)
    expect(await during(() => claim(ledger))).toEqual(['claimRefresh', 'claimRefresh'])
    expect(await during(() => claim(ledger))).toEqual(['claimRefresh', 'isRevoked', 'isRevoked'])
    await ledger.revoke('sid', end)
    expect(await during(() => claim(ledger))).toEqual(['claimRefresh'])
  })
})

describe('a name that may have been used up in any object', () => {
  it.each([[[4]], [[1, 4]], [[64]]])('is looked for in each object of %s', async (shards) => {
    const { ledger, calls } = seenBy(...shards)
    expect(await ledger.isConsumed('flow')).toBe(false)
    expect(new Set(calls('isConsumed')).size).toBe(shards.reduce((sum, count) => sum + count))
    await ledger.consume('flow', end)
    expect(await ledger.isConsumed('flow')).toBe(true)
    expect(await ledger.isConsumed('another')).toBe(false)
  })

  it.each([[[4]], [[1, 4]], [[64]]])(
    'is given back where it was used up, of %s',
    async (shards) => {
      const { ledger } = seenBy(...shards)
      for (const document of [undefined, 'way\nada']) {
        const use = async () =>
          document === undefined
            ? ledger.consume('flow', end)
            : (await ledger.enter('flow', end, document)).isFirst
        expect([await use(), await use()]).toEqual([true, false])
        await ledger.giveBack('flow', document)
        expect([await use(), await use()]).toEqual([true, false])
        await ledger.giveBack('flow', document)
      }
    },
  )

  it('is looked for in none of more than 64: that would be a call of each', async () => {
    const { ledger, calls } = seenBy(65)
    await ledger.consume('flow', end)
    expect(await ledger.isConsumed('flow')).toBe(false)
    expect(calls('isConsumed')).toEqual([])
  })
})

describe('a document', () => {
  it('is where its person decides, whatever its kind', async () => {
    for (const sub of names) {
      for (const each of [`person\n${sub}`, `way\n${sub}`, `connection\n${sub}\none`]) {
        const { ledger, calls } = seenBy(16)
        await ledger.changeDocument(each, 0, 'x')
        const { name } = placeOfPerson({ count: 16, regions: [] }, sub)
        expect(calls('changeDocument')).toEqual([`${name} changeDocument`])
      }
    }
  })

  it('costs one call to change, to enter with, to forgive with and to redeem with', async () => {
    for (const shards of [1, 4]) {
      const { ledger, during } = seenBy(shards)
      expect(await during(() => ledger.changeDocument(key, 0, 'x'))).toEqual(['changeDocument'])
      expect(await during(() => ledger.enter('flow', end, key))).toEqual(['enter'])
      expect(await during(() => ledger.forgive('ada', ['hourly'], 'ada'))).toEqual(['forgive'])
      const mailed = { link: 'link', code: 'code', sealed: 's', expires: end }
      await ledger.startVerification('ada', mailed)
      expect(await during(() => ledger.redeemVerification('ada', { link: 'link' }))).toEqual([
        'redeemVerification',
      ])
    }
  })

  it('for a way it returns the document that another object forgives', async () => {
    const { ledger } = seenBy(4)
    for (const way of names) {
      await ledger.changeDocument(`way\n${way}`, 0, way)
      const told = await ledger.forgive('a key elsewhere', ['hourly'], way)
      expect(told).toEqual({ version: 1, content: way })
    }
    expect(await ledger.forgive('a key elsewhere', ['hourly'], 'nobody')).toBeUndefined()
  })

  it('that another isolate hands to the next number of objects meanwhile is changed all the same', async () => {
    const { ledgers, ledger } = seenBy(1, 4)
    const other = durableLedger(ledgers.binding, [1, 4]) as Ledger
    await ledger.changeDocument(key, 0, 'one')
    let isTold = false
    ledgers.before.set('changeDocument', async (name) => {
      if (name === 'ledger' || isTold) return
      isTold = true
      expect(await other.document(key)).toEqual({ version: 2, content: 'two' })
    })
    expect(await ledger.changeDocument(key, 1, 'two')).toBe(true)
    expect(isTold).toBe(true)
  })

  it('is not known to be changed before the objects of every number have it', async () => {
    const { ledgers, ledger } = seenBy(1, 4, 16)
    await ledger.changeDocument(key, 0, 'one')
    const allow = refusing(ledgers, placeOfPerson({ count: 16, regions: [] }, 'ada').name)
    expect(await ledger.changeDocument(key, 1, 'two')).toBe(false)
    allow()
    expect(await ledger.document(key)).toEqual({ version: 2, content: 'two' })
  })

  it('that is deleted makes no call to an object that has never had it', async () => {
    const { ledgers, ledger, during } = seenBy(1, 4)
    const before = durableLedger(ledgers.binding, [1]) as Ledger
    await before.changeDocument(key, 0, 'one')
    await before.changeDocument(key, 1, null)
    expect(await during(() => ledger.document(key))).toEqual(['document', 'document'])
    expect(await ledger.document(key)).toEqual({ version: 2, content: null })
  })

  it('that an object does not take is an error, and not repeated without end', async () => {
    const { ledgers, ledger, calls } = seenBy(1, 4)
    const before = durableLedger(ledgers.binding, [1]) as Ledger
    await before.changeDocument(key, 0, 'one')
    refusing(ledgers, placeOfPerson({ count: 4, regions: [] }, 'ada').name)
    await expect(ledger.document(key)).rejects.toThrow(
      new Error('A document changes faster than it can be read.'),
    )
    // Five times both.
    expect(calls('document')).toHaveLength(10)
  })
})
