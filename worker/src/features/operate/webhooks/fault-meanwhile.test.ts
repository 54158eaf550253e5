import { expect, test } from 'vitest'
import { memoryStore } from '../../../stores/memory.js'
import { SECRET } from '../../../test-support/webhooks.js'
import { AuditLog } from '../log/audit-log.js'
import { Documents } from '../on-node/documents.js'
import { StoredQueue } from '../on-node/stored-queue.js'
import { StoredRows } from '../on-node/stored-rows.js'
import { WebhookSender } from './sender.js'
import { readWebhook, type WebhookSettings } from './settings.js'

const MINUTE = 60_000

/** A store whose queue fails once, while the sender asks for the next record. */
function failing() {
  const documents = new Documents(memoryStore().rows)
  const rows = new StoredRows(documents)
  const queue = new StoredQueue(documents)
  let fail = () => {}
  const failed = new Promise<void>((resolve) => {
    fail = resolve
  })
  const settle = queue.settle.bind(queue)
  queue.settle = async (seq, before, after) => {
    if (seq !== 1 || before) return settle(seq, before, after)
    // The sender hears of the fault first.
    setTimeout(fail, 10)
    queue.settle = settle
    throw new Error('The store is away.')
  }
  const from = rows.from.bind(rows)
  rows.from = async (seq, limit) => {
    const found = await from(seq, limit)
    if (seq === 2) await failed
    return found
  }
  return { rows, queue }
}

test('attack: a receiver refuses a message while the store fails: it is sent again, and not passed over', async () => {
  let time = Date.now()
  const now = () => time
  const { rows, queue } = failing()
  const received: string[] = []
  let isRefused = true
  const fetch = async (_: unknown, init: { headers: Record<string, string> }) => {
    const id = init.headers['webhook-id'] ?? ''
    const status = isRefused ? 500 : 204
    isRefused = false
    if (status === 204) received.push(id)
    return new Response(null, { status })
  }
  const settings = readWebhook({
    AUTH_WEBHOOK_URL: 'https://receiver.example/',
    AUTH_WEBHOOK_SECRET: SECRET,
  }) as WebhookSettings
  const ports = { fetch: fetch as never, now, random: () => 0.5, patience: MINUTE, hold: MINUTE }
  const sender = await WebhookSender.open(settings, rows, queue, ports)
  const log = new AuditLog({ rows, days: 30, now, wait: async () => {} })
  for (const event of ['sign-in', 'sign-out']) {
    await log.record('store', { time: new Date(time).toISOString(), event }, event)
  }
  await sender.run()
  time += MINUTE
  await sender.run()
  expect(new Set(received)).toEqual(new Set(['store_1', 'store_2']))
})
