import { describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { type Place, placeOfName } from './placement.js'
import { Resharding } from './reshard.js'
import { DOCUMENTS_RESHARD, homeOfDocument } from './rows.js'
import { decide } from './rules.js'
import { type SqliteRows, sqliteRows } from './sqlite-rows.js'
import type { LedgerDocument } from './types.js'

const START = 1_800_000_000
const DAY = 24 * 60 * 60
/** What a step returns. Milliseconds. */
const AT_ONCE = 0
const SOON = 10_000
const IN_AN_HOUR = 60 * 60 * 1000

/** One object with this many documents, and others that obey. */
function object({ documents = 0 } = {}) {
  const kept = sqliteRows(emptyDatabase())
  const reads: string[] = []
  const writes: string[] = []
  const rows: SqliteRows = {
    ...kept,
    get: (table, key) => {
      reads.push(table)
      return kept.get(table, key)
    },
    put: (table, key, row) => {
      writes.push(table)
      kept.put(table, key, row)
    },
  }
  const followed: { count: number; name: string; key: string; document: LedgerDocument }[] = []
  const told: string[] = []
  const announced: string[] = []
  const others = {
    follow: (_key: string, _document: LedgerDocument): Promise<unknown> => Promise.resolve(true),
    /** @returns is anything left there? */
    reshard: (_name: string): Promise<boolean> => Promise.resolve(false),
    announce: (_name: string): Promise<unknown> => Promise.resolve(),
  }
  const calls = (count: number) => ({
    follow: (place: Place, key: string, { version, content }: LedgerDocument) => {
      followed.push({ count, name: place.name, key, document: { version, content } })
      return others.follow(key, { version, content })
    },
    reshard: ({ name }: Place) => {
      told.push(name)
      return others.reshard(name)
    },
    announce: ({ name }: Place, from: number) => {
      announced.push(`${name} from ${from}`)
      return others.announce(name)
    },
  })
  const write = (key: string, version = 1) =>
    kept.put('documents', key, { version, content: key, expires: null })
  for (const key of keys(documents)) write(key)
  return {
    rows: kept,
    reads,
    writes,
    others,
    handover: new Resharding(rows, calls),
    /** As the object has it after it was evicted. */
    woken: () => new Resharding(rows, calls),
    write,
    /** A document that was changed, as the ledger notes it. */
    change: (key: string, version = 2) => {
      write(key, version)
      kept.put('unhanded', key, { expires: null })
    },
    state: () => kept.get('handovers', DOCUMENTS_RESHARD),
    unhanded: () => kept.after('unhanded', '', 1_000),
    left: () => kept.after('documents', '', 1_000),
    /** The calls since it was asked last. */
    followed: () => followed.splice(0),
    told: () => told.splice(0),
    announced: () => announced.splice(0),
  }
}

const keys = (many: number) =>
  Array.from({ length: many }, (_, at) => `way\n${String(at).padStart(4, '0')}`)

const keysOf = (calls: readonly { key: string }[]) => calls.map(({ key }) => key)
const named = (count: number, ...indexes: number[]) =>
  indexes.map((index) => `ledger-${count}-${index}`)
const downFrom = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => from - at)
const overloaded = () => Promise.reject(new Error('overloaded'))

describe('a step of a handover', () => {
  it('does nothing in an object that has heard of no other number', async () => {
    const { handover, followed, told } = object({ documents: 3 })
    expect(await handover.step(START)).toBeUndefined()
    handover.noteCall(START)
    expect(await handover.step(START)).toBeUndefined()
    expect([followed(), told()]).toEqual([[], []])
  })

  it('gives 20 documents at most, each once, to the object if the new number has it', async () => {
    const { handover, followed } = object({ documents: 45 })
    expect(handover.start(1, 4, START)).toBe(true)
    const given: ReturnType<typeof followed> = []
    for (const many of [20, 20, 5]) {
      expect(await handover.step(START)).toBe(AT_ONCE)
      const calls = followed()
      expect(calls).toHaveLength(many)
      given.push(...calls)
    }
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(followed()).toEqual([])
    expect(keysOf(given)).toEqual(keys(45))
    for (const { count, name, key, document } of given) {
      const place = placeOfName({ count: 4, regions: [] }, homeOfDocument(key))
      expect([count, name, document]).toEqual([4, place.name, { version: 1, content: key }])
    }
    expect(handover.start(1, 4, START)).toBe(false)
  })

  it('begins with the very first document, whatever it is called', async () => {
    const { handover, write, followed } = object()
    const early = ['\u0002\nhome', '0\nhome', 'A\nhome', 'z\nhome']
    for (const key of early) write(key)
    handover.start(1, 4, START)
    await handover.step(START)
    expect(keysOf(followed())).toEqual(early)
  })

  it('gives 20 at most if others were changed meanwhile: those have their turn afterwards', async () => {
    const { handover, change, followed, unhanded } = object({ documents: 25 })
    handover.start(1, 4, START)
    for (const at of [30, 31]) change(`way\n00${at}`)
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(keysOf(followed())).toEqual(keys(20))
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(keysOf(followed())).toEqual([...keys(25).slice(20), 'way\n0030', 'way\n0031'])
    expect(unhanded()).toEqual([])
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(followed()).toEqual([])
  })

  it('hands over later changes after all had their turn, in any order, 20 at most', async () => {
    const { handover, change, followed, unhanded, writes } = object()
    handover.start(1, 4, START)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    const changed = ['A\nhome', ...keys(29)]
    for (const key of changed) change(key)
    expect(handover.start(1, 4, START)).toBe(true)
    writes.length = 0
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(keysOf(followed())).toEqual(changed.slice(0, 20))
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(keysOf(followed())).toEqual(changed.slice(20))
    // How far all is has not changed, and a row that is written is paid for.
    expect(writes).toEqual([])
    change('A\nhome', 3)
    expect(handover.start(1, 4, START)).toBe(true)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect([followed(), unhanded()]).toMatchObject([[{ document: { version: 3 } }], []])
  })

  it('gives no document that no longer exists, and none that was deleted more than a day ago', async () => {
    const { handover, rows, followed, unhanded } = object()
    handover.start(1, 4, START)
    await handover.step(START)
    for (const key of keys(21)) rows.put('unhanded', key, { expires: null })
    const deleted = { version: 2, content: null }
    rows.put('documents', 'way\n0000', { ...deleted, expires: START })
    rows.put('documents', 'way\n0020', { ...deleted, expires: START + 1 })
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([followed(), unhanded()]).toEqual([[], ['way\n0020']])
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(followed()).toMatchObject([{ key: 'way\n0020', document: deleted }])
  })

  it('waits ten seconds after one of twenty calls has failed, and gives that one again', async () => {
    const { handover, others, followed, unhanded } = object({ documents: 30 })
    handover.start(1, 4, START)
    const [, failing = ''] = keys(2)
    others.follow = (key) => (key === failing ? overloaded() : Promise.resolve(true))
    expect(await handover.step(START)).toBe(SOON)
    expect([followed().length, unhanded()]).toEqual([20, [failing]])
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([followed().length, unhanded()]).toEqual([10, [failing]])
    expect(await handover.step(START)).toBe(SOON)
    expect(await handover.step(START)).toBe(SOON)
    expect([keysOf(followed()), unhanded()]).toEqual([[failing, failing], [failing]])
    others.follow = () => Promise.resolve(false)
    expect(handover.start(1, 4, START)).toBe(true)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect([keysOf(followed()), unhanded()]).toEqual([[failing], []])
  })

  it('hands a document over again that was changed on its way', async () => {
    const { handover, others, change, followed, unhanded } = object({ documents: 1 })
    const [key = ''] = keys(1)
    handover.start(1, 4, START)
    others.follow = async () => {
      others.follow = async () => true
      change(key)
    }
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([followed(), unhanded()]).toMatchObject([[{ document: { version: 1 } }], [key]])
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect([followed(), unhanded()]).toMatchObject([[{ document: { version: 2 } }], []])
  })
})

describe('a person who is erased while a document of theirs is on its way', () => {
  const gone = { version: 2, content: null }
  const [key = ''] = keys(1)
  const forget = (rows: SqliteRows) => decide('forget', rows, START, [homeOfDocument(key)])

  it('is forgotten at the new object next, and a day later here', async () => {
    const { handover, rows, others, followed, left, unhanded } = object({ documents: 1 })
    handover.start(1, 4, START)
    others.follow = async () => forget(rows)
    expect(await handover.step(START)).toBe(AT_ONCE)
    others.follow = async () => true
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(followed().map(({ document }) => document)).toEqual([{ version: 1, content: key }, gone])
    expect([left(), unhanded()]).toEqual([[key], []])
    rows.sweep(START + DAY, 10)
    expect(left()).toEqual([])
  })

  it('is forgotten there later if the answer is lost: their document does not stay forever', async () => {
    const { handover, rows, others, followed, unhanded } = object({ documents: 1 })
    handover.start(1, 4, START)
    others.follow = async () => {
      forget(rows)
      throw new Error('overloaded')
    }
    expect(await handover.step(START)).toBe(SOON)
    expect(followed()).toHaveLength(1)
    expect(handover.start(1, 4, START)).toBe(true)
    others.follow = async () => true
    await handover.step(START)
    expect(followed().map(({ document }) => document)).toEqual([gone])
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(unhanded()).toEqual([])
  })
})

describe('the objects of the new number', () => {
  it('know of the old one before they are given anything, eight at a time', async () => {
    const { handover, announced, followed } = object({ documents: 1 })
    handover.start(4, 20, START)
    const names = named(20, ...Array(20).keys()).map((name) => `${name} from 4`)
    for (const [from, to] of [
      [12, 20],
      [4, 12],
    ]) {
      expect(await handover.step(START)).toBe(AT_ONCE)
      expect([announced(), followed()]).toEqual([names.slice(from, to), []])
    }
    await handover.step(START)
    expect(announced()).toEqual(names.slice(0, 4))
    expect(followed()).toHaveLength(1)
  })

  it('are given nothing while one of them does not answer', async () => {
    const { handover, others, followed } = object({ documents: 1 })
    handover.start(1, 4, START)
    others.announce = overloaded
    expect(await handover.step(START)).toBe(SOON)
    expect(followed()).toEqual([])
    others.announce = async () => {}
    await handover.step(START)
    expect(followed()).toHaveLength(1)
  })

  it('in the previous version, which cannot be announced to, get deletions all the same, and hear later', async () => {
    const { handover, others, followed, announced } = object({ documents: 1 })
    handover.start(1, 4, START)
    others.announce = () =>
      Promise.reject(new TypeError('The RPC receiver does not implement "handedFrom".'))
    await handover.step(START)
    expect(followed()).toHaveLength(1)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(handover.start(1, 4, START)).toBe(false)
    announced()
    others.announce = async () => {}
    await handover.step(START + 3600)
    expect(announced()).toHaveLength(4)
    await handover.step(START + 7200)
    expect(announced()).toEqual([])
  })

  it('hear from the first object alone, and again each month that the old number is in use', async () => {
    const { handover, announced } = object()
    handover.start(0, 4, START)
    await handover.step(START)
    expect(announced()).toEqual([])
    handover.start(2, 4, START)
    await handover.step(START)
    expect(announced()).toHaveLength(4)
    for (const [day, many] of [
      [29, 0],
      [30, 4],
      [31, 0],
      [60, 4],
    ] as const) {
      handover.noteCall(START + day * DAY)
      await handover.step(START + day * DAY)
      expect([day, announced().length]).toEqual([day, many])
    }
  })
})

describe('the first object of a number', () => {
  it('tells the others, 20 of them in a step, itself never, and says meanwhile that something is left', async () => {
    const { handover, told } = object()
    expect(handover.start(30, 4, START)).toBe(true)
    expect(told()).toEqual([])
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(told().toSorted()).toEqual(named(30, ...downFrom(29, 10)).toSorted())
    expect(handover.start(30, 4, START)).toBe(true)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(told().toSorted()).toEqual(named(30, ...downFrom(9, 1)).toSorted())
    expect(handover.start(30, 4, START)).toBe(false)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(told()).toEqual([])
  })

  it('gives its own documents beside that, and without haste if there is none to tell', async () => {
    const { handover, told, followed } = object({ documents: 21 })
    handover.start(3, 4, START)
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([told(), followed().length]).toEqual([named(3, 1, 2), 20])
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([told(), followed().length]).toEqual([[], 1])
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
  })

  it.each([
    ['says that something is left there', () => Promise.resolve(true)],
    ['does not answer', overloaded],
  ])('asks all again after ten seconds if one %s, until none is behind', async (_, behind) => {
    const { handover, others, told } = object()
    handover.start(3, 4, START)
    others.reshard = (name) => (name === 'ledger-3-2' ? behind() : Promise.resolve(false))
    for (let round = 0; round < 3; round++) {
      expect(await handover.step(START)).toBe(SOON)
      expect(told()).toEqual(named(3, 1, 2))
      expect(handover.start(3, 4, START)).toBe(true)
    }
    others.reshard = () => Promise.resolve(false)
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
    expect(told()).toEqual(named(3, 1, 2))
    expect(handover.start(3, 4, START)).toBe(false)
  })

  it('tells all others first if one of the first twenty is behind', async () => {
    const { handover, others, told } = object()
    handover.start(30, 4, START)
    others.reshard = (name) => Promise.resolve(name === 'ledger-30-29')
    // An object that is behind is not asked again at once.
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(told()).toHaveLength(20)
    expect(await handover.step(START)).toBe(SOON)
    expect(told().toSorted()).toEqual(named(30, ...downFrom(9, 1)).toSorted())
    others.reshard = () => Promise.resolve(false)
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect(told()).toContain('ledger-30-29')
    expect(await handover.step(START)).toBe(IN_AN_HOUR)
  })

  it('waits ten seconds if a document fails, also while others wait for the announcement', async () => {
    const { handover, others, told } = object({ documents: 1 })
    handover.start(30, 4, START)
    others.follow = overloaded
    expect(await handover.step(START)).toBe(SOON)
    expect(told()).toHaveLength(20)
  })
})

describe('an object that hears again', () => {
  const progress = async (from: number) => {
    const made = object({ documents: 25 })
    made.handover.start(from, 4, START)
    await made.handover.step(START)
    made.followed()
    made.told()
    return made
  }

  it('about the same number goes on where it was', async () => {
    const { handover, followed, told, state } = await progress(3)
    const before = state()
    expect(handover.start(3, 4, START + 60)).toBe(true)
    expect(state()).toEqual(before)
    await handover.step(START)
    expect([keysOf(followed()), told()]).toEqual([keys(25).slice(20), []])
  })

  it('about the same number as one of several is still the first one, which announces it to the others', async () => {
    const { handover, state } = await progress(30)
    const before = state()
    expect(before).toMatchObject({ others: 29, next: 9 })
    expect(handover.start(1, 4, START + 60)).toBe(true)
    expect(state()).toEqual(before)
  })

  it('as the first one, after it heard as one of several, announces it to the others', async () => {
    const { handover, told } = await progress(1)
    handover.start(3, 4, START)
    await handover.step(START)
    expect(told()).toEqual(named(3, 1, 2))
  })

  it('about another number begins again', async () => {
    const { handover, followed, told } = await progress(3)
    handover.start(3, 7, START)
    await handover.step(START)
    const calls = followed()
    expect([keysOf(calls), told()]).toEqual([keys(20), named(3, 1, 2)])
    expect(new Set(calls.map(({ count }) => count))).toEqual(new Set([7]))
  })

  it.each([
    ['of another number', 3, 7],
    ['for more others', 5, 4],
  ])('%s while its calls are on their way begins again, and skips nothing', async (_, from, to) => {
    const { handover, others, followed, told } = object({ documents: 25 })
    handover.start(3, 4, START)
    others.follow = async (key) => {
      if (key === keys(1)[0]) handover.start(from, to, START)
    }
    expect(await handover.step(START)).toBe(AT_ONCE)
    expect([keysOf(followed()), told()]).toEqual([keys(20), named(3, 1, 2)])
    others.follow = async () => true
    await handover.step(START)
    const others1 = named(from, ...downFrom(from - 1, 1)).toSorted()
    expect([keysOf(followed()), told().toSorted()]).toEqual([keys(20), others1])
  })
})

describe('a call to an object that hands over', () => {
  const seenAfter = (...calls: number[]) => {
    const { handover, state } = object()
    handover.start(1, 4, START)
    for (const after of calls) handover.noteCall(START + after)
    return Number(state()?.seen) - START
  }

  it('is noted once a day, by a write of a row', () => {
    expect(seenAfter(1)).toBe(0)
    expect(seenAfter(DAY - 1)).toBe(0)
    expect(seenAfter(DAY)).toBe(DAY)
    expect(seenAfter(0, DAY)).toBe(DAY)
    expect(seenAfter(DAY, DAY + 1, 2 * DAY - 1)).toBe(DAY)
    expect(seenAfter(DAY, 2 * DAY)).toBe(2 * DAY)
  })

  it('reads no row but once a day', () => {
    const { handover, reads } = object()
    handover.start(1, 4, START)
    reads.length = 0
    for (let second = 0; second < 100; second++) handover.noteCall(START + second)
    expect(reads).toEqual(['handovers'])
    handover.noteCall(START + DAY)
    expect(reads).toHaveLength(2)
  })

  it('changes nothing else of how far it is', async () => {
    const { handover, state } = object({ documents: 25 })
    handover.start(30, 4, START)
    await handover.step(START)
    const before = state()
    handover.noteCall(START + 2 * DAY)
    expect(state()).toEqual({ ...before, seen: START + 2 * DAY })
  })
})

describe('an object that has handed all over', () => {
  const done = async (documents: number) => {
    const made = object({ documents })
    made.handover.start(1, 4, START)
    for (let steps = 0; (await made.handover.step(START)) !== IN_AN_HOUR; steps++) {
      expect(steps).toBeLessThan(100)
    }
    made.followed()
    return made
  }
  const LATE = START + 30 * DAY + 1

  it('keeps its documents until 30 days after the last call are over', async () => {
    const { handover, followed, left } = await done(3)
    for (const at of [START + 1, START + 29 * DAY, START + 30 * DAY]) {
      expect(await handover.step(at)).toBe(IN_AN_HOUR)
    }
    expect([followed(), left()]).toEqual([[], keys(3)])
    expect(await handover.step(LATE)).toBe(AT_ONCE)
    expect(left()).toEqual([])
  })

  it('deletes 20 in a step and gives none, and is done for good', async () => {
    const { handover, followed, left, state, rows } = await done(25)
    expect(await handover.step(LATE)).toBe(AT_ONCE)
    expect(left()).toEqual(keys(25).slice(20))
    expect(await handover.step(LATE)).toBe(AT_ONCE)
    expect(left()).toEqual([])
    expect(state()).toBeDefined()
    expect(await handover.step(LATE)).toBeUndefined()
    expect([state(), followed()]).toEqual([undefined, []])
    expect(rows.after('handovers', '', 10)).toEqual([])
    expect(await handover.step(LATE)).toBeUndefined()
  })

  it('leaves no document behind, whatever it is called', async () => {
    const { handover, write, left } = await done(0)
    write('A\nhome')
    expect(await handover.step(LATE)).toBe(AT_ONCE)
    expect(left()).toEqual([])
  })

  it('goes on handing over if a document is changed after all', async () => {
    const { handover, change, followed, left } = await done(3)
    const [key = ''] = keys(1)
    change(key)
    expect(await handover.step(LATE)).toBe(IN_AN_HOUR)
    expect([keysOf(followed()), left()]).toEqual([[key], keys(3)])
  })

  it('goes on in the same way after it was evicted', async () => {
    const { woken, left } = await done(3)
    expect(await woken().step(START + 30 * DAY)).toBe(IN_AN_HOUR)
    woken().noteCall(START + 30 * DAY)
    expect(await woken().step(LATE)).toBe(IN_AN_HOUR)
    expect(await woken().step(LATE + 30 * DAY)).toBe(AT_ONCE)
    expect(left()).toEqual([])
  })
})
