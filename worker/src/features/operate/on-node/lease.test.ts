import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStore } from '../../../stores/memory.js'
import { type Receiver, startReceiver } from '../../../test-support/receivers.js'
import { SECRET } from '../../../test-support/webhooks.js'
import { AuditLog } from '../log/audit-log.js'
import { Upkeep } from '../upkeep.js'
import { LogWebhooks } from '../webhooks/log-webhooks.js'
import { readWebhook } from '../webhooks/settings.js'
import { change, Documents, KEYS } from './documents.js'
import { Keeper } from './keeper.js'
import { LEASE, Lease } from './lease.js'
import { StoreClock } from './store-clock.js'
import { StoredQueue } from './stored-queue.js'
import { StoredRows } from './stored-rows.js'

const DAY = 24 * 60 * 60 * 1000

let time: number
let rows: ReturnType<typeof memoryStore>['rows']
beforeEach(() => {
  time = Date.now()
  rows = memoryStore(() => time).rows
})

const lease = () => new Lease(new Documents(rows))

describe('the lease', () => {
  test('has one holder, who keeps one term while it renews', async () => {
    const [first, second] = [lease(), lease()]
    const fence = await first.hold()
    expect(fence).toBeDefined()
    for (let seconds = 0; seconds < 60; seconds += 2) {
      expect(await second.hold()).toBeUndefined()
      expect(await first.hold()).toBe(fence)
      time += 2_000
    }
  })

  test('is taken over when its holder is away, and the former one learns of it', async () => {
    const [first, second] = [lease(), lease()]
    const old = await first.hold()
    time += LEASE + 1
    const next = await second.hold()
    expect(next).toBeDefined()
    expect(next).not.toEqual(old)
    expect(await first.hold()).toBeUndefined()
  })

  test('one of several processes that ask at once has it', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => lease().hold()))
    expect(all.filter((fence) => fence !== undefined)).toHaveLength(1)
  })

  test('attack: a row that somebody has made unreadable, or that ends in a year, holds nobody off', async () => {
    for (const content of ['{', JSON.stringify({ holder: 'eve', until: time + 365 * DAY })]) {
      await new Documents(rows).commit([change(KEYS.lease, undefined, content)])
      expect(await lease().hold()).toBeDefined()
    }
  })

  test('attack: a process that stood still writes nothing with its old term', async () => {
    const [first, second] = [lease(), lease()]
    const old = await first.hold()
    const stale = new StoredRows(new Documents(rows, () => old as NonNullable<typeof old>))
    await stale.append({ seq: 1, at: time, content: '{}' }, null)
    await stale.set('sent', 1)
    time += LEASE + 1
    await second.hold()
    await expect(stale.set('sent', 0)).rejects.toThrow('Another process')
    await expect(stale.retain({ seq: 1, hash: null, time: null })).rejects.toThrow(
      'Another process',
    )
    expect(await new StoredRows(new Documents(rows)).get('sent')).toBe(1)
  })
})

describe('the regular work', () => {
  let receiver: Receiver
  /** A process with its keeper. @param ahead how far its clock is ahead of that of the store, in milliseconds */
  const process = (days = 1, variables = {}, { ahead = 0, stored = rows } = {}) => {
    const clock = new StoreClock(() => time + ahead)
    clock.tell(time)
    const { now } = clock
    const open = (documents: Documents) => {
      const own = new StoredRows(documents)
      const log = new AuditLog({ rows: own, days, now, wait: async () => {} })
      const ports = { fetch, now, random: Math.random, patience: 1_000, hold: 1_000 }
      const queue = () => new StoredQueue(documents)
      const webhooks = new LogWebhooks(() => readWebhook(variables), own, queue, ports)
      return { log, webhooks, upkeep: new Upkeep(log, webhooks, now) }
    }
    const own = open(new Documents(stored))
    const keeper = new Keeper(
      new Lease(new Documents(stored), (told) => clock.tell(told)),
      (fence) => open(new Documents(stored, () => fence)),
      now,
    )
    return {
      tick: () => keeper.tick(),
      state: () => open(new Documents(rows)).webhooks.state(),
      resend: (seq: number) => open(new Documents(rows)).webhooks.resend(seq),
      records: () => own.log.records({ limit: 100 }),
      async record(event = 'sign-in') {
        await own.webhooks.begin()
        const entry = { time: new Date(time).toISOString(), event }
        await own.log.record('store', entry, randomUUID())
      },
    }
  }

  test('deletes old records, an hour late at most, whichever process has the lease', async () => {
    const [first, second] = [process(), process()]
    await first.record()
    await first.tick()
    time += DAY + 60 * 60 * 1000
    await second.record('sign-out')
    // The first process is gone.
    await second.tick()
    expect((await second.records()).records).toMatchObject([{ seq: 2, event: 'sign-out' }])
  })

  test('records the events that another process left out of a minute', async () => {
    const [first, second] = [process(), process()]
    for (let count = 0; count < 70; count++) await first.record('sign-in-refused')
    await second.tick()
    time += 60_000
    await second.tick()
    expect((await second.records()).records[0]).toMatchObject({
      event: 'events-omitted',
      error: 'sign-in-refused',
      count: 10,
    })
  })

  test('sends each message once while one process has the lease, and again what the operator asks for', async () => {
    receiver = await startReceiver(500)
    const variables = { AUTH_WEBHOOK_URL: receiver.url, AUTH_WEBHOOK_SECRET: SECRET }
    const [first, second] = [process(1, variables), process(1, variables)]
    const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'])
    try {
      await first.tick()
      await second.record()
      await first.record('sign-out')
      await Promise.all([first.tick(), second.tick()])
      expect(ids().toSorted()).toEqual(['store_1', 'store_2'])
      expect(await second.state()).toMatchObject({
        waiting: 0,
        failed: [
          { id: 'store_2', tries: 1, last: 'status 500' },
          { id: 'store_1', tries: 1, last: 'status 500' },
        ],
      })
      receiver.behavior = 204
      expect(await second.resend(1)).toBe(true)
      expect(await second.resend(9)).toBe(false)
      await first.tick()
      expect(ids().filter((id) => id === 'store_1')).toHaveLength(2)
      time += 10_000
      await first.tick()
      expect(await second.state()).toEqual({ waiting: 0, failed: [] })
    } finally {
      await receiver.stop()
    }
  })

  test('attack: a process whose clock is forty days ahead deletes nothing that is young', async () => {
    const [right, wrong] = [process(30), process(30, {}, { ahead: 40 * DAY })]
    for (let count = 0; count < 5; count++) await right.record()
    await wrong.tick()
    expect((await right.records()).records).toHaveLength(5)
  })

  test('attack: a record of a process whose clock is years ahead keeps no other one from being deleted', async () => {
    const [wrong, right] = [process(1, {}, { ahead: 4_000 * DAY }), process()]
    await wrong.record()
    await right.record()
    time += 2 * DAY
    await right.record('sign-out')
    await right.tick()
    expect((await right.records()).records).toMatchObject([{ seq: 3, event: 'sign-out' }])
  })

  test('a process whose clock was set back, or whose store answers late, keeps its time', () => {
    const clock = new StoreClock(() => time)
    clock.tell(time - 3_000)
    expect(clock.now()).toBe(time)
    const right = time
    time += DAY
    clock.tell(right)
    expect(clock.now()).toBe(right)
    time -= DAY
    clock.tell(right)
    expect(clock.now()).toBe(right)
  })

  test('attack: two processes that start at once, of which one is slow, lose no message', async () => {
    receiver = await startReceiver(204)
    const variables = { AUTH_WEBHOOK_URL: receiver.url, AUTH_WEBHOOK_SECRET: SECRET }
    let [goOn, arrive] = [() => {}, () => {}]
    const waits = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const read: typeof rows.read = async (questions) => {
      const answer = await rows.read(questions)
      const isOfPlace = questions.some((one) => 'key' in one && one.key === `${KEYS.state}sent`)
      if (isOfPlace) {
        arrive()
        await waits
      }
      return answer
    }
    const [quick, slow] = [
      process(1, variables),
      process(1, variables, { stored: { ...rows, read } }),
    ]
    try {
      const late = slow.record('sign-out')
      await arrived
      await quick.record()
      goOn()
      await late
      await quick.tick()
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(ids.toSorted()).toEqual(['store_1', 'store_2'])
    } finally {
      await receiver.stop()
    }
  })

  test('attack: the place of messages is put behind the end of the log: the next one is sent all the same', async () => {
    receiver = await startReceiver(204)
    const variables = { AUTH_WEBHOOK_URL: receiver.url, AUTH_WEBHOOK_SECRET: SECRET }
    try {
      await process(1, variables).record()
      await new Documents(rows).commit([change(`${KEYS.state}sent`, undefined, '1000000')])
      const next = process(1, variables)
      await next.tick()
      await next.record('sign-out')
      await next.tick()
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(ids).toEqual(['store_2'])
    } finally {
      await receiver.stop()
    }
  })
})
