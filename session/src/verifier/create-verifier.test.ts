import { describe, expect, test, vi } from 'vitest'
import { claims, ISSUER, keys, SECRET } from '../test-support/keys.js'
import { NAME, settle, useWorker, worker } from '../test-support/worker.js'
import { exportJwks } from '../token/keys.js'
import { createVerifier } from './create-verifier.js'
import type { VerifierOptions } from './options.js'

useWorker()

const name = (reading: { session: unknown } | Promise<unknown>) =>
  reading instanceof Promise ? 'a promise' : reading.session && 'a session'

describe('the source of the keys', () => {
  test.each([
    ['the secret', { secret: SECRET, issuer: ISSUER }],
    [
      'several secrets',
      { secret: ['another-secret-0123456789abcdef-0123', SECRET], issuer: ISSUER },
    ],
    ['public keys', { publicKeys: exportJwks(keys.verify), issuer: ISSUER }],
    [
      'public keys as text',
      { publicKeys: JSON.stringify(exportJwks(keys.verify)), issuer: ISSUER },
    ],
  ])('%s alone: no request leaves', async (_, options) => {
    const verifier = worker.verifier({ worker: undefined, ...options })
    const reading = await verifier.read(await worker.cookie())
    expect(reading.session).toMatchObject({ user: claims.session.user })
    expect(reading.claims).toMatchObject({ sub: claims.sub })
    expect([reading.setCookie, reading.isExpired]).toEqual([[], false])
    expect(worker.requests).toEqual([])
  })

  test('the address of the service alone', async () => {
    const reading = await worker.verifier().read(await worker.cookie())
    expect(reading.session?.user?.id).toBe(claims.sub)
    expect(worker.requests.map(({ path }) => path).sort()).toEqual([
      'jwks.json',
      'revocations?pages=1',
    ])
  })

  test('a service binding, which is asked as the issuer', async () => {
    const fetch = vi.fn(worker.fetch)
    const verifier = worker.verifier({ worker: { fetch }, issuer: ISSUER })
    expect((await verifier.read(await worker.cookie())).session).not.toBeNull()
    expect(fetch.mock.calls.map(([url]) => url).sort()).toEqual([
      `${ISSUER}/jwks.json`,
      `${ISSUER}/revocations?pages=1`,
    ])
  })
})

describe('a request', () => {
  test('with a token that was seen before is answered at once, with the same object', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    const first = await verifier.read(`theme=dark; ${cookie}; lang=en`)
    const asked = worker.requests.length
    for (let n = 0; n < 100; n++) expect(verifier.read(`n=${n}; ${cookie}`)).toBe(first)
    expect(worker.requests).toHaveLength(asked)
    expect(Object.isFrozen(first)).toBe(true)
  })

  test.each([undefined, null, '', 'theme=dark', `${NAME}=`])(
    'without a session cookie has no session, at once and without a call: %j',
    (header) => {
      expect(name(worker.verifier().read(header))).toBeNull()
      expect(worker.requests).toEqual([])
    },
  )

  test.each([
    ['a short text', `${NAME}=x`],
    ['three parts', `${NAME}=a.b.c`],
    ['a long text', `${NAME}=${'a'.repeat(100_000)}`],
    ['a quote', `${NAME}="; ${NAME}=`],
    ['a cookie with a longer name', `x${NAME}=y`],
  ])('with an invalid session cookie has no session: %s', async (_, header) => {
    const reading = await worker.verifier().read(header)
    expect([reading.session, reading.setCookie]).toEqual([null, []])
    expect(worker.count('session')).toBe(0)
  })

  test('with another issuer’s cookie has no session, also when the token was seen before', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    await verifier.read(cookie)
    const other = { issuer: 'https://other.example/auth' }
    expect((await verifier.read(cookie, other)).session).toBeNull()
    expect(name(verifier.read(cookie))).toBe('a session')
  })

  test('with several origins: is read for the issuer that the call names', async () => {
    const verifier = worker.verifier()
    const issuer = 'https://other.example/auth'
    const cookie = await worker.cookie({ iss: issuer })
    expect((await verifier.read(cookie)).session).toBeNull()
    expect((await verifier.read(cookie, { issuer })).session).not.toBeNull()
    expect(name(verifier.read(cookie, { issuer }))).toBe('a session')
    expect((await verifier.read(cookie)).session).toBeNull()
  })

  test('without the path of its service: is read for any path', async () => {
    const verifier = worker.verifier()
    const options = { issuer: 'https://example.com/*' }
    const cookie = await worker.cookie()
    expect((await verifier.read(cookie, options)).session).not.toBeNull()
    expect(name(verifier.read(cookie, options))).toBe('a session')
    const renewed = await verifier.read(await worker.expiredCookie(), options)
    expect([renewed.session !== null, renewed.setCookie.length]).toEqual([true, 1])
    for (const host of [
      'https://example.com.evil.example',
      'http://example.com',
      'https://x.com',
    ]) {
      const foreign = await worker.cookie({ iss: `${host}/auth`, sub: host })
      expect((await verifier.read(foreign, options)).session).toBeNull()
    }
  })

  test('with several cookies of that name is read by the first valid one', async () => {
    const verifier = worker.verifier()
    const header = `${NAME}=tossed; ${await worker.expiredCookie()}; ${await worker.cookie()}`
    expect((await verifier.read(header)).session).not.toBeNull()
    expect(worker.count('session')).toBe(0)
  })

  test('with a large session in several cookies is read', async () => {
    const token = await worker.token({ session: { note: 'x'.repeat(6_000) } })
    const parts = [token.slice(0, 3_800), token.slice(3_800, 7_600), token.slice(7_600)]
    const header = parts.map((part, index) => `${NAME}.${index}=${part}`).join('; ')
    expect((await worker.verifier().read(header)).session).not.toBeNull()
  })

  test('has no session once that has ended', async () => {
    const verifier = worker.verifier({ worker: undefined, secret: SECRET, issuer: ISSUER })
    const { now } = worker.clock
    const cookie = await worker.cookie({ exp: now + 60, sexp: now + 90 })
    await verifier.read(cookie)
    worker.clock.now = now + 59
    expect(name(verifier.read(cookie))).toBe('a session')
    worker.clock.now = now + 60
    expect(await verifier.read(cookie)).toMatchObject({ session: null, isExpired: true })
    worker.clock.now = now + 90
    expect(await verifier.read(cookie)).toMatchObject({ session: null, isExpired: false })
  })
})

describe('the cookie', () => {
  test.each([
    ['http', { worker: 'http://localhost:8787/auth' }, 'auth.session-token'],
    ['a shared domain', { cookie: { domain: 'example.com' } }, '__Secure-auth.session-token'],
    ['a name of its own', { cookie: { name: 'sid' } }, 'sid'],
  ])('has another name: %s', async (_, options: VerifierOptions, cookieName) => {
    const verifier = worker.verifier(options)
    const token = await worker.token({ iss: String(options.worker ?? ISSUER) })
    expect((await verifier.read(`${cookieName}=${token}`)).session).not.toBeNull()
    expect((await verifier.read(`${NAME}=${token}`)).session).toBeNull()
  })
})

describe('incomplete or contradictory options are refused at the start', () => {
  const url = ISSUER
  test.each([
    [{}, /needs a secret/],
    [{ issuer: url }, /needs a secret/],
    [{ secret: SECRET, publicKeys: '{}', issuer: url }, /not both/],
    [{ worker: { fetch: async () => new Response() } }, /needs the issuer/],
    [{ worker: { fetch: 'x' as never } }, /"worker" must be a URL/],
    [{ worker: '' }, /"worker" must be a URL/],
    [{ worker: 'example.com/auth' }, /"worker" must be a URL/],
    [{ worker: 'ftp://example.com/auth' }, /"worker" must be a URL/],
    [{ worker: 'https://user:pass@example.com/auth' }, /"worker" must be a URL/],
    [{ worker: 'https://example.com/auth?x=1' }, /"worker" must be a URL/],
    [{ secret: SECRET, issuer: 'auth' }, /"issuer" must be a URL/],
    [{ secret: 'short', issuer: url }, /at least 32 characters/],
    [{ secret: [], issuer: url }, /AUTH_SECRET is not set/],
    [{ worker: url, revocation: { maxDelay: 9 } }, /revocation.maxDelay must be a number from 10/],
    [{ worker: url, revocation: { maxDelay: Number.NaN } }, /revocation.maxDelay/],
    [{ worker: url, revocation: { maxDelay: Number.POSITIVE_INFINITY } }, /revocation.maxDelay/],
    [{ worker: url, maxKeyAge: 0 }, /maxKeyAge/],
    [{ worker: url, cacheSize: Number.NaN }, /cacheSize/],
    [{ worker: url, cookie: { name: 'a=b' } }, /cookie.name/],
  ])('%j', (options, message) => {
    expect(() => createVerifier(options)).toThrow(message)
  })

  test('the message does not repeat a password in a URL', () => {
    const worker = 'https://user:hunter22@example.com/auth'
    expect(() => createVerifier({ worker })).toThrow(/^(?!.*hunter22)/)
  })

  test('a read with contradictory options is refused at once', () => {
    const verifier = createVerifier({ secret: SECRET })
    expect(() => verifier.read('x=y')).toThrow(/does not know its issuer/)
    expect(() => verifier.read('x=y', { issuer: ISSUER, online: true })).toThrow(/takes a worker/)
  })

  test('invalid public keys are an error of every read, and no user is signed in', async () => {
    const verifier = createVerifier({ publicKeys: '{"keys":[]}', issuer: ISSUER })
    await expect(verifier.read(await worker.cookie())).rejects.toThrow(/no Ed25519 signature key/)
  })

  test('slashes at the end of a URL are ignored', async () => {
    const verifier = worker.verifier({ worker: `${ISSUER}//` })
    expect((await verifier.read(await worker.cookie())).session).not.toBeNull()
    await settle()
    expect(worker.errors).toEqual([])
  })
})
