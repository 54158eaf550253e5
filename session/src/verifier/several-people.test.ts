import { describe, expect, test } from 'vitest'
import { ISSUER, SECRET } from '../test-support/keys.js'
import { fate, settle, useWorker, worker } from '../test-support/worker.js'

useWorker()

/** Tokens of two people; each has sessions of its own. */
const of = (sub: string, age: 'live' | 'expired' = 'live') => {
  const changes = { sub, sid: `session-of-${sub}`.padEnd(22, 'x') }
  return age === 'live' ? worker.cookie(changes) : worker.expiredCookie(changes)
}

async function whose(cookie: string, options = {}, verifier = worker.verifier()) {
  const { claims } = await verifier.read(cookie, options)
  return claims?.sub ?? null
}

describe('login CSRF: tokens of two people in one request', () => {
  test.each([
    ['live', 'live', 0],
    ['live', 'expired', 1],
    ['expired', 'live', 1],
    ['expired', 'expired', 2],
  ] as const)('(%s and %s) do not sign in, in any order', async (mallory, victim, calls) => {
    const both = [await of('mallory', mallory), await of('victim', victim)]
    expect(await whose(both.join('; '))).toBeNull()
    expect(worker.count('session')).toBe(calls)
    expect(await whose(both.reverse().join('; '))).toBeNull()
  })

  test('do not sign in when the service is asked each time', async () => {
    const both = [await of('mallory'), await of('victim')]
    expect(await whose(both.join('; '), { online: true })).toBeNull()
  })

  test('are one’s if the service has ended the other’s session, and it is asked once', async () => {
    const verifier = worker.verifier()
    const header = `${await of('mallory', 'expired')}; ${await of('victim')}`
    worker.signOut('session-of-mallory'.padEnd(22, 'x'))
    // The feed has forgotten it by now.
    worker.replaced.set('revocations', async () => new Response(await worker.feed({ sids: [] })))
    for (let read = 0; read < 5; read++) {
      expect(await whose(header, {}, verifier)).toBe('victim')
    }
    expect(worker.count('session')).toBe(1)
  })

  test('are one’s if the feed has the end of the other’s', async () => {
    worker.signOut('session-of-mallory'.padEnd(22, 'x'))
    const header = `${await of('mallory')}; ${await of('victim')}`
    expect(await whose(header)).toBe('victim')
    expect(worker.count('session')).toBe(0)
  })

  test('do not sign in while the service does not find the victim’s session: the attacker’s does not count alone', async () => {
    const verifier = worker.verifier()
    const [live, victim] = [await of('mallory'), await of('victim', 'expired')]
    await verifier.read(live)
    // Its store is late with a session that began elsewhere: no session, and no cookie is removed.
    worker.replaced.set('session', () => Response.json(null))
    expect(await whose(`${live}; ${victim}`, {}, verifier)).toBeNull()
    worker.replaced.delete('session')
    expect(await whose(victim, {}, verifier)).toBe('victim')
  })

  test('both over: the cookie is removed', async () => {
    for (const sub of ['mallory', 'victim']) worker.signOut(`session-of-${sub}`.padEnd(22, 'x'))
    worker.replaced.set('revocations', async () => new Response(await worker.feed({ sids: [] })))
    const header = `${await of('mallory', 'expired')}; ${await of('victim', 'expired')}`
    expect(await fate(worker.verifier(), header)).toBe('over')
  })

  test('one of which the service cannot be asked about: 503, and not the other’s', async () => {
    const verifier = worker.verifier()
    await verifier.read(await of('victim'))
    worker.replaced.set('session', () => Promise.reject(new TypeError('fetch failed')))
    const header = `${await of('mallory')}; ${await of('victim', 'expired')}`
    expect(await fate(verifier, header)).toBe('503')
    expect(await fate(verifier, await of('victim'))).toBe('live')
    await settle()
  })

  test('without a service do not sign in while both are live; a live one counts beside an ended one', async () => {
    const options = { worker: undefined, secret: SECRET, issuer: ISSUER }
    const verifier = worker.verifier(options)
    const [live, victim] = [await of('mallory'), await of('victim')]
    expect(await whose(`${live}; ${victim}`, {}, verifier)).toBeNull()
    expect(await whose(`${await of('mallory', 'expired')}; ${victim}`, {}, verifier)).toBe('victim')
    const ended = `${await of('mallory', 'expired')}; ${await of('victim', 'expired')}`
    expect((await verifier.read(ended)).isExpired).toBe(true)
  })
})
