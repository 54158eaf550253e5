import { setTimeout as inReality } from 'node:timers/promises'
import { answerWithin } from '@latchkey/session/internal'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.js'
import { stopTimers } from '../support/timers-of-file.js'

/** Node's own call: an RSA key is made in a thread, in many turns of the loop. */
const inThread = () =>
  crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    true,
    ['sign'],
  )

const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

describe('a clock whose waits pass', () => {
  const START = Date.UTC(2026, 10, 1)
  clock({ start: START, waits: true })

  test('passes a wait at once, after its time by Date', async () => {
    await wait(1000)
    expect(Date.now()).toBe(START + 1000)
  })

  test('passes no deadline, however long a thread works', async () => {
    await expect(answerWithin(1000, inThread())).resolves.toBeDefined()
    expect(Date.now()).toBe(START)
  })

  test('stands still for a wait that is given up', async () => {
    clearTimeout(setTimeout(() => {}, 1000))
    await inThread()
    expect(Date.now()).toBe(START)
  })

  test('passes a wait when the threads have done their work, and not before', async () => {
    const order: string[] = []
    const work = inThread().then(() => order.push('work'))
    await Promise.all([work, wait(1000).then(() => order.push('wait'))])
    expect(order).toEqual(['work', 'wait'])
  })
})

// As the poll of a verifier that a test leaves open.
test('timers that a file leaves running stop at its end', async () => {
  const left = vi.fn()
  setInterval(left, 1)
  setTimeout(left, 1)
  stopTimers()
  await inReality(50)
  expect(left).not.toHaveBeenCalled()
})
