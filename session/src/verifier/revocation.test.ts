import { afterEach, describe, expect, test, vi } from 'vitest'
import { claims, SECRET } from '../test-support/keys.js'
import { atOnce, fate, settle, silence, useWorker, worker } from '../test-support/worker.js'

useWorker()
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a session that ended at the service', () => {
  test('is refused within fifteen seconds, and no request waits for that', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    await worker.pass(60)
    worker.signOut(claims.sid)
    // The greatest delay of an isolate of the service with a cache before it.
    const late = worker.feed({ sids: [], next: worker.clock.now })
    worker.replaced.set('revocations', async () => new Response(await late))
    const fates: unknown[] = []
    for (let second = 1; second <= 15; second++) {
      await worker.pass(1)
      if (second === 7) worker.replaced.clear()
      fates.push(atOnce(verifier, cookie))
    }
    expect(fates[0]).toBe('live')
    expect(fates.slice(0, -1)).not.toContain('it waits')
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(worker.count('session')).toBe(0)
  })

  test('is refused at the first request', async () => {
    worker.signOut(claims.sid)
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    // The second request must not pass while the first one waits.
    const readings = await Promise.all([1, 2, 3].map(() => fate(verifier, cookie)))
    expect(readings).toEqual(['nobody', 'nobody', 'nobody'])
    expect(worker.count('revocations')).toBe(1)
  })

  test('with all sessions of its user is refused, and the session that ended them goes on', async () => {
    const verifier = worker.verifier()
    const { now: until } = worker.clock
    const sid = 'the-session-that-ended-them'
    worker.replaced.set(
      'revocations',
      async () =>
        new Response(await worker.feed({ users: [{ sub: claims.sub, until, except: sid }] })),
    )
    expect(await fate(verifier, await worker.cookie())).toBe('nobody')
    expect(await fate(verifier, await worker.cookie({ sid }))).toBe('live')
    expect(await fate(verifier, await worker.cookie({ sub: 'user-2' }))).toBe('live')
    const later = { auth_time: until + 1, iat: until + 1 }
    expect(await fate(verifier, await worker.cookie(later))).toBe('live')
  })

  test('leaves the list when its last token has ended, and then is not renewed either', async () => {
    const verifier = worker.verifier()
    worker.signOut(claims.sid)
    const cookie = await worker.cookie()
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(worker.count('session')).toBe(0)
    await worker.pass(500)
    expect(await fate(verifier, cookie)).toBe('over')
    expect(worker.count('session')).toBe(1)
  })

  test('is refused also if the app has the secret', async () => {
    worker.signOut(claims.sid)
    const verifier = worker.verifier({ secret: SECRET })
    expect(await fate(verifier, await worker.cookie())).toBe('nobody')
    expect(worker.requests.map(({ path }) => path)).toEqual(['revocations?pages=1'])
  })
})

describe('the feed', () => {
  test('is fetched by a timer, and only for new endings', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    const { now: start } = worker.clock
    await worker.pass(60)
    const paths = worker.requests.flatMap(({ path }) => (/revocations/.test(path) ? path : []))
    expect(paths).toHaveLength(16)
    expect(paths[0]).toBe('revocations?pages=1')
    // The fetch goes a minute back, since clocks differ.
    expect(paths[1]).toBe(`revocations?since=${start - 60}&pages=1`)
    expect(paths.at(-1)).toBe(`revocations?since=${start - 4}&pages=1`)
  })

  test('is fetched by requests if there are no timers, beside or before their answers', async () => {
    vi.stubGlobal('setInterval', () => {
      throw new Error('not here')
    })
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    expect(atOnce(verifier, cookie)).toBe('live')
    expect(worker.count('revocations')).toBe(1)
    worker.clock.now += 4
    worker.signOut(claims.sid)
    expect(atOnce(verifier, cookie)).toBe('live')
    await settle()
    expect(worker.count('revocations')).toBe(2)
    expect(await fate(verifier, cookie)).toBe('nobody')
    worker.clock.now += 8
    expect(atOnce(verifier, await worker.cookie({ sid: 'another-session-0123456' }))).toBe(
      'it waits',
    )
  })

  test('is not fetched without reads, and is fetched first at the next read', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ exp: worker.clock.now + 4_000 })
    await verifier.read(cookie)
    await worker.pass(310)
    const asked = worker.requests.length
    await worker.pass(600)
    expect(worker.requests).toHaveLength(asked)
    expect(vi.getTimerCount()).toBe(0)
    worker.signOut(claims.sid)
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(vi.getTimerCount()).toBe(1)
  })

  test('a process that slept reads it before its next answer', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ exp: worker.clock.now + 4_000 })
    await verifier.read(cookie)
    await worker.pass(20)
    worker.signOut(claims.sid)
    worker.clock.now += 60
    // The timer runs before the request.
    vi.advanceTimersByTime(4_000)
    const fates = [fate(verifier, cookie), fate(verifier, cookie)]
    expect(await Promise.all(fates)).toEqual(['nobody', 'nobody'])
  })

  test('is fetched by requests and no longer by a timer after close()', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    verifier.close()
    expect(vi.getTimerCount()).toBe(0)
    worker.clock.now += 10
    worker.signOut(claims.sid)
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('without an answer delays the first request by two seconds, and no other', async () => {
    worker.replaced.set('revocations', silence)
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    const first = fate(verifier, cookie)
    await settle()
    await worker.pass(2)
    expect(await first).toBe('live')
    await worker.pass(1)
    for (let second = 0; second < 120; second++) {
      await worker.pass(1)
      expect(atOnce(verifier, cookie)).toBe('live')
    }
    expect(worker.errors.map(({ message }) => message)).toContain(
      'The auth service did not answer within 3 s.',
    )
  })

  test.each([
    ['500', () => new Response('{}', { status: 500 })],
    ['a page', () => new Response('<!doctype html>')],
    ['a redirect', () => Response.redirect('https://attacker.example/revocations', 302)],
    ['a broken connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['a very long body', () => new Response(new Uint8Array(5 * 1024 * 1024))],
  ])('that answers with %s leaves the list unchanged, and is fetched again', async (_, answer) => {
    const verifier = worker.verifier()
    const [ended, other] = [await worker.cookie(), await worker.cookie({ sid: 's'.repeat(22) })]
    worker.signOut(claims.sid)
    await verifier.read(ended)
    worker.replaced.set('revocations', answer)
    await worker.pass(40)
    expect(await fate(verifier, ended)).toBe('nobody')
    expect(await fate(verifier, other)).toBe('live')
    worker.replaced.clear()
    worker.signOut('s'.repeat(22))
    await worker.pass(5)
    expect(await fate(verifier, other)).toBe('nobody')
    expect(worker.errors.length).toBeGreaterThan(0)
  })

  test('without an answer is fetched again after the deadline, and not before', async () => {
    worker.replaced.set('revocations', silence)
    const verifier = worker.verifier({ revocation: { maxDelay: 10 } })
    const reading = verifier.read(await worker.cookie())
    await settle()
    await worker.pass(30)
    await reading
    // A fetch every second and a half would begin before the last one ends.
    expect(worker.count('revocations')).toBeGreaterThanOrEqual(9)
    expect(worker.count('revocations')).toBeLessThanOrEqual(11)
  })

  test('is fetched at intervals, however many requests come', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    for (let n = 0; n < 1_000; n++) verifier.read(cookie)
    await settle()
    expect(worker.count('revocations')).toBe(1)
  })
})
