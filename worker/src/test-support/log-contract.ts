import { beforeEach, describe, expect, test } from 'vitest'
import { AuditLog } from '../features/operate/log/audit-log.js'
import { type LogRows, type LogState, recordOf } from '../features/operate/log/rows.js'
import { verifyAudit } from '../features/operate/log/verify.js'
import type { QueueRow, WebhookQueue } from '../features/operate/webhooks/queue.js'
import type { AuditHeads, AuditRecord } from '../types/audit.js'

/** A driver of the log under test, with an attacker who writes its storage. */
export interface DriverUnderTest {
  readonly chain: string
  /** The same rows, as another process has them, or the object after a restart. */
  open(): { readonly rows: LogRows; readonly queue: WebhookQueue }
  /** Somebody who can write the storage deletes a row, or puts one there. */
  delete(seq: number): Promise<void>
  put(seq: number, at: number, content: string): Promise<void>
  /** … changes a value beside the rows. @param text JSON, or what is unreadable */
  spoil(name: keyof LogState, text: string): Promise<void>
  /** May several processes write it? */
  readonly isShared: boolean
}

const START = Date.parse('2026-11-28T12:00:00.000Z')
const DAY = 24 * 60 * 60 * 1000
const ALL = Number.MAX_SAFE_INTEGER

const seqs = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq)

/** What the rules of the log ask of rows and of a queue, wherever they are. */
export function logContract(fresh: () => Promise<DriverUnderTest>): void {
  let driver: DriverUnderTest
  let rows: LogRows
  let queue: WebhookQueue
  beforeEach(async () => {
    driver = await fresh()
    const opened = driver.open()
    rows = opened.rows
    queue = opened.queue
  })

  const row = (seq: number, event = 'sign-in', at = START + seq) => ({
    seq,
    at,
    content: JSON.stringify({ event, seq }),
  })
  async function filled(count: number) {
    await rows.create(driver.chain)
    for (let seq = 1; seq <= count; seq++) {
      const event = seq % 3 ? 'sign-in' : 'sign-out'
      expect(await rows.append(row(seq, event), seq % 2 ? `nonce-${seq}` : null)).toBe(true)
    }
  }

  describe('rows', () => {
    test('there is no log before the first record', async () => {
      expect(await rows.isThere()).toBe(false)
      await filled(1)
      expect(await driver.open().rows.isThere()).toBe(true)
      expect(await driver.open().rows.chain()).toBe(driver.chain)
    })

    test('are read from any place, in both directions', async () => {
      await filled(12)
      expect(seqs(await rows.before(ALL, 3))).toEqual([12, 11, 10])
      expect(seqs(await rows.before(5, 9))).toEqual([4, 3, 2, 1])
      expect(await rows.before(1, 5)).toEqual([])
      expect(seqs(await rows.from(0, 2))).toEqual([1, 2])
      expect(seqs(await rows.from(11, 9))).toEqual([11, 12])
      expect(await rows.from(13, 5)).toEqual([])
      expect(await rows.from(4, 1)).toEqual([row(4)])
    })

    test('a place that is taken is not written again', async () => {
      await filled(3)
      const other = driver.open().rows
      await other.create(driver.chain)
      expect(await other.append(row(3, 'key-created'), 'late')).toBe(false)
      expect(await other.append(row(4), 'late')).toBe(true)
      expect(await rows.append(row(4), 'later')).toBe(false)
      expect(seqs(await rows.before(ALL, 9))).toEqual([4, 3, 2, 1])
      expect(await rows.nonces(2)).toContain('late')
    })

    test('are found by what they contain, counted, and known by their nonces', async () => {
      await filled(12)
      expect(seqs(await rows.containing(['"sign-out"'], ALL, 100, 3))).toEqual([12, 9, 6])
      expect(seqs(await rows.containing(['"sign-out"'], 9, 4, 9))).toEqual([6])
      expect(await rows.containing([], ALL, 100, 3)).toEqual([])
      expect(await rows.lowest(ALL, 5)).toBe(8)
      expect(await rows.lowest(4, 5)).toBe(1)
      expect(await rows.lowest(1, 5)).toBeUndefined()
      expect(await rows.nonces(4)).toEqual(expect.arrayContaining(['nonce-11', 'nonce-9']))
      expect(await rows.count('sign-out', START + 7, ALL, 100)).toBe(2)
      expect(await rows.count('sign-out', START, ALL, 4)).toBe(2)
    })

    test('the oldest are deleted, and the log begins after them', async () => {
      await filled(9)
      expect(await rows.lastBefore(START + 4, 100)).toEqual(row(3, 'sign-out'))
      expect(await rows.lastBefore(START, 100)).toBeUndefined()
      expect((await rows.lastBefore(START + 100, 4))?.seq).toBe(4)
      const floor = { seq: 3, hash: 'h', time: new Date(START).toISOString() }
      await rows.retain(floor)
      expect(await driver.open().rows.get('floor')).toEqual(floor)
      expect(seqs(await rows.from(0, 3))).toEqual([4, 5, 6])
      expect(await rows.before(4, 3)).toEqual([])
      await rows.retain({ ...floor, seq: 9 })
      expect(await rows.before(ALL, 1)).toEqual([])
      expect(await rows.isThere()).toBe(true)
    })

    test('omitted events are added up, and go with the record of them', async () => {
      await filled(1)
      expect(await rows.omit(7, new Map([['a', 2]]))).toBe(7)
      expect(await driver.open().rows.omit(8, new Map([['a', 1]]))).toBe(7)
      const again = driver.open().rows
      expect(await again.get('omitted')).toEqual({ minute: 7, counts: { a: 3 } })
      await again.create(driver.chain)
      expect(await again.append(row(2), null, { minute: 7, counts: { b: 1 } })).toBe(true)
      await again.get('omitted')
      expect(await again.append(row(3), null, null)).toBe(true)
      expect(await driver.open().rows.get('omitted')).toBeUndefined()
    })

    test('values are kept, replaced and deleted', async () => {
      await filled(1)
      await rows.set('sent', 4)
      expect(await driver.open().rows.get('sent')).toBe(4)
      await rows.set('sent', undefined)
      expect(await rows.get('sent')).toBeUndefined()
      expect(await rows.get('floor')).toBeUndefined()
    })

    test('a value that somebody has made unreadable is as if it were not there', async () => {
      await filled(3)
      await rows.retain({ seq: 1, hash: null, time: null })
      await driver.spoil('floor', '{')
      const again = driver.open().rows
      expect(await again.get('floor')).toBeUndefined()
      expect(seqs(await again.before(ALL, 9))).toEqual([3, 2])
      expect(await again.append(row(4), null)).toBe(true)
    })

    test('a first value stays if another process sets one at the same time', async () => {
      await filled(1)
      const others = [rows, driver.isShared ? driver.open().rows : rows]
      const [one, other] = await Promise.all(others.map((some, at) => some.setFirst('sent', at)))
      expect(one).toBe(other)
      expect(await driver.open().rows.get('sent')).toBe(one)
      expect(await rows.setFirst('sent', 9)).toBe(one)
    })

    test.each<[keyof LogState, unknown]>([
      ['omitted', { minute: 1 }],
      ['omitted', { minute: 1, counts: null }],
      ['omitted', { minute: 'x', counts: { 'sign-in': 1 } }],
      ['omitted', { minute: 1e300, counts: { 'sign-in': 1 } }],
      ['omitted', { minute: 1, counts: { 'two\nlines': 1 } }],
      ['omitted', { minute: 1, counts: { 'sign-in': 'many' } }],
      ['omitted', 7],
      ['floor', { seq: Number.MAX_SAFE_INTEGER, hash: null, time: null }],
      ['floor', { seq: -5, hash: {}, time: [] }],
      ['floor', 7],
      ['sent', 'x'],
      ['sent', 1e300],
      ['sent', -4],
      ['days', -1],
    ])('attack: the value %s is made %j: it is as if it were not there', async (name, value) => {
      await filled(1)
      await driver.spoil(name, JSON.stringify(value))
      const again = driver.open().rows
      expect(await again.get(name)).toBeUndefined()
      await again.create(driver.chain)
      expect(await again.omit(3, new Map([['sign-in', 1]]))).toBe(3)
      const log = new AuditLog({ rows: again, days: 1, now: () => START, wait: async () => {} })
      const entry = { time: new Date(START).toISOString(), event: 'sign-out' }
      await log.record(driver.chain, entry, 'late')
      const { records } = await log.records({ limit: 9 })
      expect(records).toContainEqual(expect.objectContaining({ event: 'sign-out' }))
    })

    test('attack: rows are deleted by the thousand, or one is put far away: reading still comes to an end', async () => {
      await filled(6)
      for (const seq of [2, 3, 6]) await driver.delete(seq)
      const far = 9_000_000_000_000
      await driver.put(far, START, 'x')
      const again = driver.open().rows
      expect(seqs(await again.before(ALL, 9))).toEqual([far, 5, 4, 1])
      expect(seqs(await again.from(2, 9))).toEqual([4, 5, far])
      expect(seqs(await again.from(6, 1))).toEqual([far])
      expect(await again.lowest(far, 100)).toBe(1)
      const log = new AuditLog({ rows: again, days: 1, now: () => START, wait: async () => {} })
      const found: number[] = []
      for (let before: number | null = ALL; before !== null; ) {
        const page = await log.records({ before, event: 'sign-in', limit: 2 })
        found.push(...seqs(page.records))
        before = page.next
      }
      expect(found).toEqual([])
    })
  })

  describe('the chain over them', () => {
    let time = START
    const open = (days = 30) =>
      new AuditLog({
        rows: driver.open().rows,
        days,
        now: () => time,
        wait: () => new Promise((done) => setTimeout(done, 20)),
      })
    const entry = (event: string) => ({ time: new Date(time).toISOString(), event })
    const heads = async (log: AuditLog): Promise<AuditHeads> => {
      const ends = await log.auditHead()
      return { days: 30, chains: ends ? [{ chain: driver.chain, ...ends }] : [] }
    }
    const check = async () => {
      const log = open()
      const { records } = await log.records({ limit: 1_000 })
      const { faults } = await verifyAudit(records.toReversed(), await heads(log), undefined, time)
      return faults.map(({ fault, seq }) => `${fault} ${seq}`)
    }
    const written = async () => {
      time = START
      const log = open()
      for (let count = 0; count < 6; count++)
        await log.record(driver.chain, entry('sign-in'), `${count}`)
      return log
    }

    test('has no hole and no fork if two write it at once', async () => {
      time = START
      const one = open()
      // An object alone writes its rows.
      const all = [one, driver.isShared ? open() : one]
      const calls = Array.from({ length: 40 }, (_, at) =>
        all[at % 2]?.record(driver.chain, entry('sign-in'), `${at}`),
      )
      await Promise.all(calls)
      expect((await open().records({ limit: 100 })).records).toHaveLength(40)
      expect(await check()).toEqual([])
    })

    test('has no event twice, whichever of two is called again', async () => {
      const log = await written()
      await log.record(driver.chain, entry('sign-in'), '5')
      await open().record(driver.chain, entry('sign-in'), '3')
      expect((await log.records({ limit: 100 })).records).toHaveLength(6)
    })

    test('attack: rows that somebody edits, deletes, or swaps are found', async () => {
      await written()
      const found = (await driver.open().rows.from(1, 6)).map(
        (one) => recordOf(one, driver.chain) as AuditRecord,
      )
      const put = (seq: number, record: object) =>
        driver.put(seq, START, JSON.stringify({ ...record, seq, id: `${driver.chain}_${seq}` }))
      expect(await check()).toEqual([])
      await put(3, { ...found[2], event: 'sign-out' })
      expect(await check()).toEqual(['edited 3'])
      await put(3, found[2] as AuditRecord)
      await driver.put(4, START, '{')
      expect(await check()).toEqual(['edited 4'])
      await put(4, found[4] as AuditRecord)
      await put(5, found[3] as AuditRecord)
      expect(await check()).toEqual(expect.arrayContaining(['edited 4', 'edited 5']))
      await put(4, found[3] as AuditRecord)
      await put(5, found[4] as AuditRecord)
      expect(await check()).toEqual([])
      await driver.delete(2)
      expect(await check()).toEqual(['missing 2'])
    })

    test('attack: a process that stood still while its end of the chain was deleted makes no fork', async ({
      skip,
    }) => {
      skip(!driver.isShared, 'An object alone writes its rows.')
      const old = await written()
      const log = open(1)
      await log.record(driver.chain, entry('sign-in'), 'another')
      time += 3 * DAY
      await log.sweep()
      await old.record(driver.chain, entry('sign-out'), 'late')
      const { records } = await log.records({ limit: 100 })
      expect(records).toMatchObject([{ seq: 8, event: 'sign-out' }])
      expect(records[0]).toHaveProperty('prev', (await log.auditHead())?.floor.hash)
    })

    test('attack: a count of omitted events that a wrong clock has put into a later year is recorded', async () => {
      await written()
      const minute = Math.floor((START + 400 * DAY) / 60_000)
      const counts = { 'sign-in-refused': 10 }
      await driver.spoil('omitted', JSON.stringify({ minute, counts }))
      time += 60_000
      const log = open()
      await log.recordOmitted()
      const { records } = await log.records({ limit: 100 })
      expect(records[0]).toMatchObject({ event: 'events-omitted', count: 10 })
      expect(Date.parse((records[0] as AuditRecord).time)).toBeLessThanOrEqual(time)
      expect(await check()).toEqual([])
    })

    test('attack: a flood through two processes has sixty records a minute, and the rest is counted', async () => {
      time = START
      const one = open()
      // An object alone writes its rows.
      const all = [one, driver.isShared ? open() : one]
      const calls = Array.from({ length: 100 }, (_, at) =>
        all[at % 2]?.record(driver.chain, entry('sign-in-refused'), `${at}`),
      )
      await Promise.all(calls)
      time += 60_000
      await all[0]?.recordOmitted()
      await all[1]?.recordOmitted()
      const { records } = await open().records({ limit: 1_000 })
      const counts = records.flatMap((record) =>
        'event' in record && record.event === 'events-omitted' ? Number(record.count) : [],
      )
      const left = counts.reduce((sum, count) => sum + count, 0)
      const recorded = records.length - counts.length
      expect(recorded + left).toBe(100)
      expect(recorded).toBe(60)
      // Each process records what it has counted, if it is late for the row of the other.
      expect(counts.length).toBeLessThanOrEqual(all.length)
      expect(await check()).toEqual([])
    })
  })

  describe('messages', () => {
    const message = (seq: number, next: number | null, tries = 1): QueueRow => ({
      seq,
      tries,
      last: 'timeout',
      next,
    })
    async function taken(now = ALL) {
      const all: number[] = []
      for (let one = await queue.take(now); one; one = await queue.take(now)) all.push(one.seq)
      return all
    }

    test('are taken in the order of their next tries, each once, and dead ones never', async () => {
      await filled(4)
      for (const [seq, next] of [30, 10, 20, null].entries())
        await queue.put(message(seq + 1, next))
      expect(await queue.next()).toBe(10)
      expect(await taken(20)).toEqual([2, 3])
      expect(await queue.next()).toBe(30)
      await queue.settle(2, message(2, 10), message(2, 25, 2))
      await queue.settle(3, message(3, 20), undefined)
      expect(await taken()).toEqual([2, 1])
      expect(seqs(await queue.failed(9))).toEqual([4, 2, 1])
      expect(await queue.next()).toBeUndefined()
    })

    test('a process that takes over gets the messages that were under way', async () => {
      await filled(1)
      await queue.put(message(1, 10))
      expect(await taken()).toEqual([1])
      expect(await driver.open().queue.take(10)).toEqual(message(1, 10))
    })

    test('a message that the operator sends again stays planned, whatever the result of an earlier try', async () => {
      await filled(2)
      await queue.put(message(1, 10))
      await queue.take(10)
      await queue.put({ seq: 1, tries: 0, last: null, next: 15 })
      await queue.settle(1, message(1, 10), undefined)
      await queue.settle(2, undefined, message(2, 40))
      expect(await queue.get(1)).toEqual({ seq: 1, tries: 0, last: null, next: 15 })
      expect(await queue.get(2)).toEqual(message(2, 40))
    })

    test('the messages without a try are counted', async () => {
      await filled(9)
      await queue.put(message(8, 10))
      await queue.put({ seq: 2, tries: 0, last: null, next: 10 })
      expect(await queue.countUntried(5, undefined)).toBe(4)
      expect(await queue.countUntried(5, new Set(['sign-out']))).toBe(3)
    })

    test('go with their records', async () => {
      await filled(3)
      for (const seq of [1, 2, 3]) await queue.put(message(seq, 10 * seq))
      await rows.retain({ seq: 2, hash: null, time: null })
      const again = driver.open().queue
      expect(seqs(await again.failed(9))).toEqual([3])
      expect(await again.get(1)).toBeUndefined()
      expect((await again.take(ALL))?.seq).toBe(3)
      expect(await again.take(ALL)).toBeUndefined()
    })
  })
}
