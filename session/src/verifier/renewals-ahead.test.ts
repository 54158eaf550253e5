import { describe, expect, test } from 'vitest'
import { NAME, settle, useWorker, worker } from '../test-support/worker.js'

useWorker()

/** A token with some of its 300 seconds left. */
const cookieWith = (left: number, changes = {}) => {
  const { now } = worker.clock
  return worker.cookie({ iat: now + left - 300, exp: now + left, auth_time: now - 900, ...changes })
}

const afterRenewal = async () => {
  await settle()
  return worker.count('session')
}

describe('a token in the last fifth of its life', () => {
  test('is renewed beside the request, and the next one gets the new cookie', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(50)
    const first = await verifier.read(cookie)
    expect([first.session === null, first.setCookie]).toEqual([false, []])
    expect(await afterRenewal()).toBe(1)
    // Without a promise: no request waits.
    const second = verifier.read(cookie)
    expect(second).toMatchObject({ claims: { exp: worker.clock.now + 300 }, isExpired: false })
    const { setCookie } = await second
    expect(setCookie).toHaveLength(1)
    const [renewed = ''] = setCookie[0]?.split(';', 1) ?? []
    expect(await verifier.read(renewed)).toMatchObject({
      setCookie: [],
      claims: first.claims && {},
    })
    expect(await afterRenewal()).toBe(1)
  })

  test('that was seen before is renewed without a promise', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(100)
    await verifier.read(cookie)
    await worker.pass(50)
    expect(verifier.read(cookie)).not.toBeInstanceOf(Promise)
    expect(await afterRenewal()).toBe(1)
    expect(verifier.read(cookie)).toMatchObject({ setCookie: [expect.stringContaining(NAME)] })
  })

  test('before that fifth it is not', async () => {
    const verifier = worker.verifier()
    await verifier.read(await cookieWith(61))
    expect(await afterRenewal()).toBe(0)
  })

  test('a browser that comes back after its end does not wait either', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(50)
    await verifier.read(cookie)
    await afterRenewal()
    await worker.pass(200)
    const reading = await verifier.read(cookie)
    expect([reading.session === null, reading.setCookie.length]).toEqual([false, 1])
    expect(worker.count('session')).toBe(1)
  })

  test('causes one call, however many requests bring it', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(50)
    await Promise.all(Array.from({ length: 50 }, () => verifier.read(cookie)))
    for (let count = 0; count < 50; count++) verifier.read(cookie)
    expect(await afterRenewal()).toBe(1)
  })

  test('lives on while the service does not answer, and asks it again 15 seconds later', async () => {
    const verifier = worker.verifier()
    worker.replaced.set('session', () => new Response('overloaded', { status: 503 }))
    const cookie = await cookieWith(50)
    for (let second = 0; second < 30; second++) {
      expect(await verifier.read(cookie)).toMatchObject({ setCookie: [], isExpired: false })
      await worker.pass(1)
    }
    expect(worker.count('session')).toBe(2)
    worker.replaced.delete('session')
    await verifier.read(cookie)
    await settle()
    expect((await verifier.read(cookie)).setCookie).toHaveLength(1)
  })

  test('keeps on what the request need not wait for', async () => {
    const kept: Promise<unknown>[] = []
    const verifier = worker.verifier()
    await verifier.read(await cookieWith(50), { waitUntil: (work) => void kept.push(work) })
    await Promise.all(kept)
    expect(kept.length).toBeGreaterThan(0)
    expect(worker.count('session')).toBe(1)
  })

  test('at most a hundred are renewed at the same time', async () => {
    const verifier = worker.verifier()
    let open = 0
    worker.replaced.set('session', () => {
      open++
      return new Promise(() => {})
    })
    const sids = Array.from({ length: 150 }, (_, at) => `sid-${at}`.padEnd(22, '_'))
    const cookies = await Promise.all(sids.map((sid) => cookieWith(50, { sid })))
    const readings = await Promise.all(cookies.map((cookie) => verifier.read(cookie)))
    expect(readings.every(({ session }) => session !== null)).toBe(true)
    await settle()
    expect(open).toBe(100)
  })

  test('a hundred that never end, since their requests were aborted, do not end this for good', async () => {
    const verifier = worker.verifier()
    worker.replaced.set('session', () => new Promise(() => {}))
    const sids = Array.from({ length: 100 }, (_, at) => `sid-${at}`.padEnd(22, '_'))
    const cookies = await Promise.all(sids.map((sid) => cookieWith(50, { sid })))
    await Promise.all(cookies.map((cookie) => verifier.read(cookie)))
    expect(await afterRenewal()).toBe(100)
    // Timers of an aborted request never come.
    worker.clock.now += 20
    worker.replaced.delete('session')
    const cookie = await cookieWith(50, { sid: 'another'.padEnd(22, '_') })
    await verifier.read(cookie)
    expect(await afterRenewal()).toBe(101)
    expect(verifier.read(cookie)).toMatchObject({ setCookie: [expect.stringContaining(NAME)] })
  })
})

describe('a renewed token that is kept', () => {
  test('is over as soon as its session is: a sign-out between renewal and use', async () => {
    const verifier = worker.verifier({ revocation: { maxDelay: 15 } })
    const cookie = await cookieWith(50, { sid: 'k'.repeat(22) })
    await verifier.read(cookie)
    await afterRenewal()
    worker.signOut('k'.repeat(22))
    await worker.pass(15)
    expect(await verifier.read(cookie)).toMatchObject({ session: null })
    await worker.pass(60)
    expect((await verifier.read(cookie)).session).toBeNull()
  })

  test('is for the very token that it was made from: an altered one does not sign in', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(50)
    await verifier.read(cookie)
    await afterRenewal()
    const middle = Math.floor(cookie.length / 2)
    const other = cookie[middle] === 'A' ? 'B' : 'A'
    const altered = cookie.slice(0, middle) + other + cookie.slice(middle + 1)
    expect((await verifier.read(altered)).session).toBeNull()
  })

  test('never answers a question that is asked online', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(50)
    await verifier.read(cookie)
    const before = await afterRenewal()
    worker.replaced.set('session', () => Response.json(null))
    expect((await verifier.read(cookie, { online: true })).session).toBeNull()
    expect(worker.count('session')).toBe(before + 1)
  })
})
