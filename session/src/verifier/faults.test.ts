import { describe, expect, test } from 'vitest'
import { claims } from '../test-support/keys.js'
import { fate, NAME, settle, silence, useWorker, worker } from '../test-support/worker.js'
import { sessionTokens } from '../token/cookie.js'
import { WorkerUnavailable } from './worker-client.js'

useWorker()

describe('a token that was signed in the future', () => {
  const future = () =>
    worker.cookie({ iat: worker.clock.now + 3_600, exp: worker.clock.now + 3_900 })

  test('is refused by a process that has read the feed, which says the time too', async () => {
    expect(await fate(worker.verifier(), await future())).toBe('nobody')
  })

  test('is in doubt while the feed fails: the clock that is wrong may be the own one', async () => {
    const { now } = worker.clock
    const feedAt = (next: number) => async () => new Response(await worker.feed({ next }))
    worker.replaced.set('revocations', feedAt(now + 3_600))
    const verifier = worker.verifier()
    expect(await fate(verifier, await future())).toBe('503')
    // Nobody else than the service can sign such a token.
    expect(await fate(verifier, `${await future()}x`)).not.toBe('503')
  })
})

describe('a service that fails', () => {
  const failures = [
    ['refuses', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'throws at once',
      () => {
        throw new Error('boom')
      },
    ],
    ['answers 500', () => new Response('{}', { status: 500 })],
    ['answers 404', () => new Response('null', { status: 404 })],
    ['answers 204', () => new Response(null, { status: 204 })],
    ['answers with a page', () => new Response('<!doctype html>')],
    ['answers with nothing', () => new Response('')],
    ['answers with half of it', () => new Response('{"user":')],
    ['redirects', () => Response.redirect('https://attacker.example/session', 307)],
    ['answers with very much', () => new Response(`"${'x'.repeat(300_000)}"`)],
    [
      'breaks off',
      () => new Response(new ReadableStream({ start: (it) => it.error(new Error('x')) })),
    ],
  ] as const

  test.each(failures)('(it %s) signs no user in or out', async (_, answer) => {
    const verifier = worker.verifier()
    const [live, expired] = [await worker.cookie(), await worker.expiredCookie()]
    await verifier.read(live)
    worker.replaced.set('session', answer)
    expect(await fate(verifier, expired)).toBe('503')
    expect(await fate(verifier, live)).toBe('live')
    expect(await fate(verifier, live, { online: true })).toBe('503')
    worker.replaced.clear()
    await worker.pass(2)
    expect(await fate(verifier, expired)).toBe('live')
    expect(await fate(verifier, live, { online: true })).toBe('live')
  })

  test.each(failures)('(it %s) gets no second call for a moment', async (_, answer) => {
    const verifier = worker.verifier()
    const cookie = await worker.expiredCookie()
    worker.replaced.set('session', answer)
    for (let n = 0; n < 20; n++) expect(await fate(verifier, cookie)).toBe('503')
    expect(worker.count('session')).toBe(1)
  })

  test('without an answer delays the first requests by five seconds, and the others not at all', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    for (const path of ['session', 'revocations', 'jwks.json']) worker.replaced.set(path, silence)
    const cookies = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        worker.expiredCookie({ sid: `session-${n}`.padEnd(22, 'x') }),
      ),
    )
    const first = Promise.all(cookies.slice(0, 20).map((cookie) => fate(verifier, cookie)))
    await settle()
    await worker.pass(5)
    expect(new Set(await first)).toEqual(new Set(['503']))
    expect(worker.count('session')).toBe(20)
    // The clock stands still here: a request that had to wait would wait forever.
    for (const cookie of cookies.slice(20)) expect(await fate(verifier, cookie)).toBe('503')
    expect(worker.count('session')).toBe(20)
    await worker.pass(5)
    const probes = cookies.slice(20, 40).map((cookie) => fate(verifier, cookie))
    await settle()
    expect(worker.count('session')).toBe(21)
    await worker.pass(5)
    expect(new Set(await Promise.all(probes))).toEqual(new Set(['503']))
    worker.replaced.clear()
    await worker.pass(5)
    expect(await fate(verifier, cookies[60] ?? '')).toBe('live')
    expect(await fate(verifier, cookies[61] ?? '')).toBe('live')
  })

  test('without an answer for one session delays no other session', async () => {
    const verifier = worker.verifier()
    const poisoned = await worker.expiredCookie()
    const good = await worker.expiredCookie({ sid: 'g'.repeat(22) })
    const { fetch } = worker
    await verifier.read(good)
    worker.replaced.set('session', async (url, init) => {
      if (new Headers(init.headers).get('cookie') === poisoned) return silence()
      worker.replaced.delete('session')
      return fetch(String(url), init)
    })
    const reading = fate(verifier, poisoned)
    await settle()
    await worker.pass(5)
    expect(await reading).toBe('503')
    expect(await fate(verifier, good)).toBe('live')
  })

  test('leads to an error that does not quote the token', async () => {
    const cookie = await worker.expiredCookie()
    const [token = ''] = sessionTokens(cookie, NAME)
    const leaky = Object.assign(new Error(`GET failed with ${cookie}`), {
      name: token.slice(0, 30),
      code: cookie,
      config: { headers: { cookie } },
    })
    const answers = [
      () => Promise.reject(leaky),
      () => Promise.reject(Object.assign(new TypeError(cookie), { cause: leaky })),
      () => new Response(cookie),
      () => new Response(cookie, { status: 500, statusText: 'x' }),
    ]
    for (const answer of answers) {
      worker.replaced.set('session', answer)
      const error = await Promise.resolve(worker.verifier().read(cookie)).catch((error) => error)
      expect(error).toBeInstanceOf(WorkerUnavailable)
      expect(error).toMatchObject({ name: 'WorkerUnavailable', status: 503 })
      const text = JSON.stringify([error.message, error.stack, error.cause, { ...error }])
      for (const part of token.split('.')) expect(text).not.toContain(part)
    }
  })

  test('leads to an error with the code of the failure, if there is one', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    worker.replaced.set('session', () => Promise.reject(new TypeError('fetch failed', { cause })))
    const reading = worker.verifier().read(await worker.expiredCookie())
    await expect(reading).rejects.toThrow('The auth service cannot be reached (ECONNREFUSED).')
  })
})

describe('a feed that answers 500, though the service renews', () => {
  const broken = () => new Response('{}', { status: 500 })
  const said = () => worker.errors.filter(({ message }) => message.includes('revocation.maxDelay'))

  test('attack: an ended session of a token that is in use counts to the end of the token, and no longer', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    expect(await fate(verifier, cookie)).toBe('live')
    worker.replaced.set('revocations', broken)
    worker.signOut(claims.sid)
    await worker.pass(290)
    expect(await fate(verifier, cookie)).toBe('live')
    await worker.pass(20)
    expect(await fate(verifier, cookie)).not.toBe('live')
  })

  test('is said after the bound, once a minute, and not again when it works', async () => {
    const verifier = worker.verifier({ revocation: { maxDelay: 15 } })
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    worker.replaced.set('revocations', broken)
    await worker.pass(14)
    expect(said()).toEqual([])
    await worker.pass(16)
    expect(said()).toHaveLength(1)
    await worker.pass(60)
    expect(said()).toHaveLength(2)
    worker.replaced.clear()
    await worker.pass(120)
    expect(said()).toHaveLength(2)
  })
})
