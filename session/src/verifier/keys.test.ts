import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { encode, forge, header, ISSUER, keys, SECRET } from '../test-support/keys.js'
import { atOnce, fate, NAME, settle, silence, useWorker, worker } from '../test-support/worker.js'
import { deriveSessionKeys, exportJwks } from '../token/keys.js'

useWorker()
beforeEach(() => {
  worker.window = DAY
})
afterEach(() => {
  vi.restoreAllMocks()
})

const NEW_SECRET = 'another-secret-0123456789abcdef-0123'
const rotated = await deriveSessionKeys([NEW_SECRET, SECRET])
const withdrawn = await deriveSessionKeys([NEW_SECRET])
const DAY = 86_400
/** The longest life that a token can have: it was issued a second before now. */
const long = { exp: 1_800_000_000 + DAY - 1, sexp: 1_800_000_000 + 3 * DAY }

/** A well-formed token with a kid that the attacker has made up. */
const forged = (n: number) =>
  forge({ header: { ...header, kid: String(n).padStart(43, 'A') } }).then(
    (token) => `${NAME}=${token}`,
  )

describe('an unknown key', () => {
  test('is fetched at once, and its token is read', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    worker.clock.now += 60
    worker.keys = rotated
    const cookies = await Promise.all([1, 2, 3, 4].map((n) => worker.cookie({ sub: `user-${n}` })))
    const fates = await Promise.all(cookies.map((cookie) => fate(verifier, cookie)))
    expect(fates).toEqual(['live', 'live', 'live', 'live'])
    expect(worker.count('jwks.json')).toBe(2)
  })

  test('that an attacker makes up causes one fetch in half a minute, however many tokens come', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    worker.clock.now += 60
    for (let second = 0; second < 60; second++) {
      const flood = Array.from({ length: 20 }, async (_, n) =>
        fate(verifier, await forged(100 * second + n)),
      )
      expect(new Set(await Promise.all(flood))).toEqual(new Set(['nobody']))
      worker.clock.now++
    }
    expect(worker.count('jwks.json')).toBe(3)
    expect(worker.count('session')).toBe(0)
  })

  test('that an attacker makes up does not drop the known keys', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    worker.clock.now += 60
    await verifier.read(cookie)
    await fate(verifier, await forged(1))
    expect(worker.count('jwks.json')).toBe(2)
    expect(atOnce(verifier, cookie)).toBe('live')
  })

  test.each(['__proto__', 'constructor', header.kid.toLowerCase(), '../jwks', 'x'.repeat(2_000)])(
    'with an odd name finds nothing: %s',
    async (kid) => {
      const token = await forge({ header: { ...header, kid } })
      expect(await fate(worker.verifier(), `${NAME}=${token}`)).toBe('nobody')
      expect(worker.requests.map(({ path }) => path)).toEqual(['jwks.json', 'revocations?pages=1'])
    },
  )

  test('beside a good cookie does not hide it, also when the keys cannot be fetched', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    worker.clock.now += 60
    worker.replaced.set('jwks.json', () => new Response('', { status: 500 }))
    expect(await fate(verifier, `${await forged(1)}; ${cookie}`)).toBe('live')
  })

  test('that cannot be fetched signs no user in or out', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    worker.clock.now += 60
    worker.keys = rotated
    worker.replaced.set('jwks.json', () => new Response('', { status: 500 }))
    const cookie = await worker.cookie()
    expect(await fate(verifier, cookie)).toBe('503')
    expect(await fate(verifier, cookie)).toBe('503')
    expect(worker.count('jwks.json')).toBe(2)
    worker.clock.now += 30
    worker.replaced.clear()
    expect(await fate(verifier, cookie)).toBe('live')
  })

  test('does not sign in at an app with the secret alone', async () => {
    const verifier = worker.verifier({ worker: undefined, secret: SECRET, issuer: ISSUER })
    worker.keys = withdrawn
    expect(await fate(verifier, await worker.cookie())).toBe('nobody')
    expect(worker.requests).toEqual([])
  })

  test('is fetched when the feed is signed with it', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ exp: worker.clock.now + 3_000 })
    await verifier.read(cookie)
    worker.clock.now += 31
    worker.keys = rotated
    worker.signOut('AAECAwQFBgcICQoLDA0ODw')
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(worker.errors).toEqual([])
  })
})

describe('a key that was withdrawn', () => {
  test('is dropped within minutes, and with it every token that it signed', async () => {
    const verifier = worker.verifier()
    const stolen = await worker.cookie(long)
    await verifier.read(stolen)
    worker.keys = withdrawn
    const other = await worker.cookie(long)
    // Requests come all the time, and none waits.
    let minutes = 0
    while (atOnce(verifier, stolen) === 'live' && minutes < 60) {
      minutes += 0.5
      worker.clock.now += 30
      await settle()
      verifier.read(stolen)
      await settle()
    }
    expect(minutes).toBeLessThanOrEqual(5.5)
    expect(await fate(verifier, stolen)).toBe('nobody')
    expect(await fate(verifier, other)).toBe('live')
  })

  test('is dropped at the first request after an hour without requests, and stays dropped', async () => {
    const verifier = worker.verifier()
    const stolen = await worker.cookie(long)
    await verifier.read(stolen)
    worker.keys = withdrawn
    worker.clock.now += 3_600
    const fates = [fate(verifier, stolen), fate(verifier, stolen)]
    expect(await Promise.all(fates)).toEqual(['nobody', 'nobody'])
  })

  test('during the verification of its token leaves no cached result', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    const stolen = await worker.cookie({ ...long, sub: 'user-2' })
    worker.clock.now += 300
    worker.keys = withdrawn
    let release = () => {}
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    vi.spyOn(crypto.subtle, 'verify').mockImplementationOnce(async (...args) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return verify(...args)
    })
    // This read starts the fetch of the keys, which ends while the token is verified.
    const first = fate(verifier, stolen)
    await settle()
    expect(await fate(verifier, await worker.cookie())).toBe('live')
    release()
    await first
    expect(await fate(verifier, stolen)).toBe('nobody')
  })
})

describe('while the service cannot be reached', () => {
  const failures = [
    ['refuses', () => Promise.reject(new TypeError('fetch failed'))],
    ['answers 503', () => new Response('', { status: 503 })],
    ['answers with a page', () => new Response('<!doctype html>')],
    ['answers with a redirect', () => Response.redirect('https://attacker.example/jwks.json')],
    ['publishes no keys', () => Response.json({ keys: [] })],
    ['publishes a private key', () => Response.json({ keys: [{ kty: 'OKP', d: 'x' }] })],
    ['publishes something long', () => new Response('x'.repeat(70_000))],
  ] as const

  test.each(failures)('(it %s) the last keys are used, for a day', async (_, answer) => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie(long)
    await verifier.read(cookie)
    worker.replaced.set('jwks.json', answer)
    const fresh = await worker.cookie({ ...long, sub: 'user-2' })
    for (const hour of [1, 2, 23.9]) {
      worker.clock.now = 1_800_000_000 + hour * 3_600
      expect(await fate(verifier, cookie)).toBe('live')
      expect(await fate(verifier, fresh)).toBe('live')
    }
    // A fetch that a read has not waited for ends before the next one begins.
    await settle()
    worker.clock.now = 1_800_000_000 + DAY
    expect(await fate(verifier, cookie)).toBe('503')
    worker.clock.now += 3
    worker.replaced.clear()
    expect(await fate(verifier, cookie)).toBe('live')
  })

  test.each(failures)('(it %s) no user is signed in without keys', async (_, answer) => {
    worker.replaced.set('jwks.json', answer)
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    expect(await fate(verifier, cookie)).toBe('503')
    worker.replaced.clear()
    worker.clock.now += 2
    expect(await fate(verifier, cookie)).toBe('live')
  })

  test('the last keys are used for the time that an option sets', async () => {
    const verifier = worker.verifier({ maxKeyAge: 120 })
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    worker.replaced.set('jwks.json', () => new Response('', { status: 500 }))
    worker.clock.now += 119
    expect(await fate(verifier, cookie)).toBe('live')
    worker.clock.now += 1
    expect(await fate(verifier, cookie)).toBe('503')
  })

  test('a hundred requests without keys make one call, and another one after a pause', async () => {
    worker.replaced.set('jwks.json', () => new Response('', { status: 500 }))
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    const fates = await Promise.all(Array.from({ length: 100 }, () => fate(verifier, cookie)))
    expect(new Set(fates)).toEqual(new Set(['503']))
    expect(await fate(verifier, cookie)).toBe('503')
    expect(worker.count('jwks.json')).toBe(1)
    worker.clock.now += 2
    await fate(verifier, cookie)
    expect(worker.count('jwks.json')).toBe(2)
  })

  test('a silent service delays no request if keys are known', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie(long)
    await verifier.read(cookie)
    worker.replaced.set('jwks.json', silence)
    for (let second = 0; second < 900; second++) {
      await worker.pass(1)
      expect(atOnce(verifier, cookie)).toBe('live')
    }
  })

  test('a clock that is set back does not make keys unusable', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    worker.replaced.set('jwks.json', () => new Response('', { status: 500 }))
    worker.clock.now -= 30
    expect(await fate(verifier, cookie)).toBe('live')
  })
})

describe('published keys', () => {
  test('are fetched once by a hundred first requests', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await Promise.all(Array.from({ length: 100 }, () => verifier.read(cookie)))
    expect(worker.count('jwks.json')).toBe(1)
    expect(worker.count('revocations')).toBe(1)
  })

  test('that are the same as before keep the cached results', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie(long)
    await verifier.read(cookie)
    for (const seconds of [300, 300, 300]) {
      worker.clock.now += seconds
      verifier.read(cookie)
      await settle()
      const verify = vi.spyOn(crypto.subtle, 'verify')
      await verifier.read(cookie)
      expect(verify).not.toHaveBeenCalled()
      verify.mockRestore()
    }
    expect(worker.count('jwks.json')).toBe(4)
  })

  test('with a wrong kid are known by their thumbprint', async () => {
    const [jwk] = exportJwks(keys.verify).keys
    const attacker = [...withdrawn.verify.values()][0]?.jwk
    worker.replaced.set('jwks.json', () =>
      Response.json({ keys: [{ ...attacker, kid: header.kid }, jwk] }),
    )
    expect(await fate(worker.verifier(), await worker.cookie())).toBe('live')
    const input = `${encode(header)}.${encode({ sub: 'admin' })}`
    expect(await fate(worker.verifier(), `${NAME}=${input}.${'A'.repeat(86)}`)).toBe('nobody')
  })
})
