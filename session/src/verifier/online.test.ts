import { describe, expect, test } from 'vitest'
import { claims, keys } from '../test-support/keys.js'
import { fate, NAME, sessionAnswer, useWorker, worker } from '../test-support/worker.js'
import { sessionTokens } from '../token/cookie.js'
import { exportJwks } from '../token/keys.js'

useWorker()

describe('a read with `online`', () => {
  const online = { online: true }

  test('asks the service each time, and sees an end at once', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    expect(await fate(verifier, cookie, online)).toBe('live')
    expect(await fate(verifier, cookie, online)).toBe('live')
    expect(worker.requests.filter(({ path }) => path === 'session?online=1')).toHaveLength(2)
    worker.signOut(claims.sid)
    expect(await fate(verifier, cookie)).toBe('live')
    expect(await fate(verifier, cookie, online)).toBe('over')
  })

  test('gets its own answer beside parallel requests', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    await Promise.all([1, 2, 3].map(() => verifier.read(cookie, online)))
    expect(worker.count('session')).toBe(3)
  })

  test('renews a token that has ended', async () => {
    const reading = await worker.verifier().read(await worker.expiredCookie(), online)
    expect([reading.session !== null, reading.setCookie.length]).toEqual([true, 1])
  })

  test.each(['', 'x=y', `${NAME}=x.y.z`])(
    'without a session token makes no call: %j',
    async (header) => {
      const verifier = worker.verifier()
      expect(await fate(verifier, header, online)).toBe('nobody')
      const [token] = sessionTokens(await worker.cookie(), NAME)
      expect(await fate(verifier, `${NAME}=${token?.slice(0, -4)}AAAA`, online)).toBe('nobody')
      expect(worker.count('session')).toBe(0)
    },
  )

  test('takes an answer about one cookie for that cookie alone', async () => {
    const verifier = worker.verifier()
    const stolen = await worker.cookie({ sid: 's'.repeat(22), sub: 'victim' })
    const own = await worker.cookie()
    await verifier.read(own)
    worker.signOut('s'.repeat(22))
    const reading = await verifier.read(`${stolen}; ${own}`, online)
    expect(reading.claims?.sub).toBe('user-1')
    expect(reading.setCookie).toEqual([])
  })

  test.each([
    ['another person’s answer', () => sessionAnswer({ expires: '2099-01-01T00:00:00.000Z' })],
    ['an error with status 200', () => Response.json({ message: 'ok' })],
  ])('refuses an invalid answer: %s', async (_, answer) => {
    worker.replaced.set('session', answer)
    expect(await fate(worker.verifier(), await worker.cookie(), online)).toBe('503')
  })

  test('works with public keys beside a service', async () => {
    const verifier = worker.verifier({ publicKeys: exportJwks(keys.verify) })
    expect(await fate(verifier, await worker.cookie(), online)).toBe('live')
    expect(worker.count('jwks.json')).toBe(0)
  })
})
