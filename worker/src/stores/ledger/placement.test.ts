import { describe, expect, it } from 'vitest'
import { FakeLedgers } from '../../test-support/deployment.js'
import { durableLedger } from '../durable-ledger.js'
import {
  drawSid,
  followers,
  isAstray,
  type Layout,
  layoutOf,
  placeOfName,
  placeOfPerson,
  placeOfSession,
  placesOf,
  REGIONS,
} from './placement.js'

const people = Array.from({ length: 100 }, (_, at) => `person-${at}`)
const now = 1_800_000_000
const end = now + 3600

const plain = (count: number): Layout => ({ count, regions: [] })
const europe: Layout = { count: 4, regions: ['weur', 'eeur'] }

describe('the id of a new session', () => {
  it.each([2, 3, 4, 5, 16, 64, 65, 1000, 4096])(
    'is kept in its person’s object, of %i',
    (count) => {
      for (const sub of people) {
        const sid = drawSid([plain(count)], sub)
        expect(placeOfSession(plain(count), sid)).toEqual(placeOfPerson(plain(count), sub))
        expect(sid).toMatch(/^[\w-]{25}$/)
      }
    },
  )

  it('is the previous one with one object', () => {
    expect(drawSid([plain(1)], 'ada', 'weur')).toMatch(/^[\w-]{22}$/)
  })

  it('has 128 random bits besides the letters that place it', () => {
    const drawn = Array.from({ length: 2000 }, () => drawSid([plain(64)], 'ada').slice(0, 22))
    expect(new Set(drawn)).toHaveLength(2000)
    // The last of 22 letters has two bits.
    for (let at = 0; at < 21; at++) {
      expect(new Set(drawn.map((sid) => sid[at])).size).toBeGreaterThan(60)
    }
  })

  it('is kept in each number of objects of which one divides the next', () => {
    for (const sub of people) {
      const sid = drawSid([4, 16, 64], sub)
      for (const count of [4, 16, 64]) {
        expect(placeOfSession(plain(count), sid)).toEqual(placeOfPerson(plain(count), sub))
      }
    }
  })
})

it('a number of objects is that number without regions', () => {
  expect(layoutOf(4)).toEqual(plain(4))
  expect(layoutOf(europe)).toBe(europe)
})

describe('rows that another version wrote', () => {
  // A change here loses every row of a service with several objects.
  it.each([
    ['ada', 3515],
    ['grace', 2667],
    ['email:ada@example.com', 3700],
    ['', 3525],
  ])('are found where they are: %j', (name, index) => {
    for (const placeOf of [placeOfName, placeOfPerson, placeOfSession]) {
      expect(placeOf(plain(4096), name)).toEqual({ name: `ledger-4096-${index}` })
      expect(placeOf(plain(1), name)).toEqual({ name: 'ledger' })
    }
  })

  it('are in an object without a region where the session’s own is no longer listed', () => {
    const sid = drawSid([{ count: 4, regions: ['oc'] }], 'ada', 'oc')
    for (const layout of [plain(4), europe]) {
      expect(placeOfSession(layout, sid)).toEqual(placeOfPerson(layout, 'ada'))
    }
  })

  it('are in no region where an id only looks like one with a region', () => {
    const sid = drawSid([europe], 'ada', 'weur')
    expect(placeOfSession(europe, sid).region).toBe('weur')
    for (const other of [`x${sid}`, `${sid}d`, sid.slice(1), `${sid.slice(0, -1)}j`]) {
      expect(placeOfSession(europe, other).region).toBeUndefined()
    }
  })
})

describe('the objects with a person’s cut-offs', () => {
  it('is every object, of 64 without regions', () => {
    for (const count of [4, 64]) {
      expect(followers(plain(count), 'ada')).toEqual(placesOf(plain(count)))
      expect(people.some((sub) => isAstray(plain(count), 'sid', sub))).toBe(false)
    }
  })

  it.each([
    ['of 65', plain(65), 0],
    ['with 4 in each of two regions', europe, 2],
  ])('is the person’s own alone, and that of each region: %s', (_, layout, count) => {
    for (const sub of people) {
      const own = placeOfPerson(layout, sub).name
      const near = followers(layout, sub)
      expect(near).toHaveLength(count)
      expect(near.map(({ name, region }) => name.replace(`-${region}`, ''))).toEqual(
        near.map(() => own),
      )
      const isElsewhere = placeOfSession(layout, 'sid').name !== own
      expect(isAstray(layout, 'sid', sub)).toBe(isElsewhere)
    }
    expect(people.some((sub) => isAstray(layout, 'sid', sub))).toBe(true)
  })
})

describe('a region', () => {
  it('keeps the session that began near it, and any other is where it was without regions', () => {
    for (const sub of people) {
      const { name } = placeOfPerson(europe, sub)
      const [near, far, nowhere] = (['eeur', 'oc', undefined] as const).map((region) =>
        placeOfSession(europe, drawSid([europe], sub, region)),
      )
      expect(near).toEqual({ name: name.replace('ledger-', 'ledger-eeur-'), region: 'eeur' })
      expect([far, nowhere]).toEqual([{ name }, { name }])
    }
  })

  it('is read from the id alone, so that isolates with other settings agree', () => {
    for (const region of REGIONS) {
      const all: Layout = { count: 4, regions: REGIONS }
      const sid = drawSid([{ count: 4, regions: [region] }], 'ada', region)
      expect(placeOfSession(all, sid).region).toBe(region)
    }
  })

  it('has as many objects as there are without', () => {
    expect(placesOf(europe)).toHaveLength(12)
    const one = placesOf({ count: 1, regions: ['me'] }).map(({ name }) => name)
    expect(one).toEqual(['ledger', 'ledger-me-1-0'])
  })

  it('is asked for where the object is made', async () => {
    const hints: unknown[] = []
    const binding = {
      idFromName: (name: string) => name,
      get: (name: string, options: unknown) => {
        hints.push([name, options])
        return { isRevoked: async () => false }
      },
    }
    const sid = drawSid([europe], 'ada', 'weur')
    await durableLedger(binding as never, [europe]).isRevoked(sid)
    expect(hints).toEqual([[placeOfSession(europe, sid).name, { locationHint: 'weur' }]])
  })
})

describe('more objects than 64, and regions', () => {
  const shapes: [string, Layout][] = [
    ['1,000 objects', plain(1000)],
    ['4 objects in each of three regions', { count: 4, regions: ['wnam', 'enam', 'apac'] }],
  ]

  it.each(shapes)('%s: everything about a session is one call', async (_, layout) => {
    const ledgers = new FakeLedgers()
    const ledger = durableLedger(ledgers.binding, [layout])
    const sid = drawSid([layout], 'ada', 'apac')
    const owner = { sub: 'ada', auth_time: now }
    await ledger.isRevoked(sid, owner)
    await ledger.revoke(sid, end)
    await ledger.claimRefresh(sid, 0, end)
    await ledger.settleRefresh(sid, 0, 'sealed')
    await ledger.refreshedTokens(sid)
    expect(ledgers.calls).toHaveLength(5)
    expect(ledgers.objects.size).toBe(1)
  })

  it.each(shapes)('%s: a cut-off ends the sessions of all places', async (_, layout) => {
    const ledgers = new FakeLedgers()
    const ledger = durableLedger(ledgers.binding, [layout])
    const near = [undefined, ...layout.regions].map((region) => drawSid([layout], 'ada', region))
    await ledger.cutOff({ sub: 'ada', until: now, except: near[1] ?? 'none' }, end, now - 60)
    expect(ledgers.calls).toHaveLength(1 + layout.regions.length)
    const over = near.map((sid) => ledger.isRevoked(sid, { sub: 'ada', auth_time: now }))
    expect(await Promise.all(over)).toEqual(near.map((_sid, at) => at !== 1))
    const other = drawSid([layout], 'grace', 'apac')
    expect(await ledger.isRevoked(other, { sub: 'grace', auth_time: now })).toBe(false)
  })

  it.each(shapes)('%s: an earlier session is over as well', async (_, layout) => {
    const ledgers = new FakeLedgers()
    const ledger = durableLedger(ledgers.binding, [layout])
    await ledger.cutOff({ sub: 'ada', until: now }, end)
    for (const sid of people) {
      expect(await ledger.isRevoked(sid, { sub: 'ada', auth_time: now })).toBe(true)
      expect(await ledger.isRevoked(sid, { sub: 'grace', auth_time: now })).toBe(false)
    }
  })

  it('a region that missed a cut-off gets it when it is asked for again', async () => {
    const [, [, layout]] = shapes as [unknown, [string, Layout]]
    const ledgers = new FakeLedgers()
    const ledger = durableLedger(ledgers.binding, [layout])
    const sid = drawSid([layout], 'ada', 'apac')
    ledgers.before.set('cutOff', async (name) => {
      if (name.includes('apac')) throw new Error('overloaded')
    })
    const cutoff = { sub: 'ada', until: now }
    await expect(ledger.cutOff(cutoff, end)).rejects.toThrow('overloaded')
    ledgers.before.clear()
    expect(await ledger.isRevoked(sid, { sub: 'ada', auth_time: now })).toBe(false)
    await ledger.repeatCutOff('ada')
    expect(await ledger.isRevoked(sid, { sub: 'ada', auth_time: now })).toBe(true)
  })
})
