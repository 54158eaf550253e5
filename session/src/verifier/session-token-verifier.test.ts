import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import { claims, forge, ISSUER, keys, NOW, stateOf, verifierAt } from '../test-support/keys.js'
import { sessionTokens } from '../token/cookie.js'
import { signSessionToken } from '../token/signed.js'
import { SessionTokenVerifier } from './session-token-verifier.js'

const good = await forge()

describe('a token that was seen before', () => {
  test('is answered without waiting, another is not', async () => {
    const verifier = verifierAt()
    expect(verifier.recall(good, ISSUER)).toBeUndefined()
    const verdict = await verifier.verify(good, ISSUER)
    expect(verifier.recall(good, ISSUER)).toBe(verdict)
  })

  test('costs one signature, however often it is verified', async () => {
    const verifier = verifierAt()
    const verify = vi.spyOn(crypto.subtle, 'verify')
    for (let count = 0; count < 5; count++) await verifier.verify(good, ISSUER)
    expect(verify).toHaveBeenCalledOnce()
    verify.mockRestore()
  })

  test('is forgotten when its session has ended', async () => {
    const clock = { now: NOW }
    const verifier = verifierAt(clock)
    await verifier.verify(good, ISSUER)
    clock.now = claims.sexp
    expect(verifier.recall(good, ISSUER)).toBe('session-ended')
    expect(verifier.recall(good, ISSUER)).toBeUndefined()
  })

  test('ends in time', async () => {
    const clock = { now: NOW }
    const verifier = verifierAt(clock)
    expect(stateOf(await verifier.verify(good, ISSUER))).toBe('live')
    clock.now = claims.exp
    expect(stateOf(await verifier.verify(good, ISSUER), clock.now)).toBe('expired')
    clock.now = claims.sexp
    expect(verifier.recall(good, ISSUER)).toBe('session-ended')
    expect(await verifier.verify(good, ISSUER)).toBe('session-ended')
  })

  test('is refused when the clock is set back before it', async () => {
    const clock = { now: NOW }
    const verifier = verifierAt(clock)
    await verifier.verify(good, ISSUER)
    clock.now = claims.iat - 61
    expect(await verifier.verify(good, ISSUER)).toBe('issued-in-the-future')
  })

  test('is refused for another issuer, and stays in the cache', async () => {
    const verifier = verifierAt()
    await verifier.verify(good, ISSUER)
    expect(verifier.recall(good, 'https://other.example/auth')).toBe('issuer')
    expect(await verifier.verify(good, 'https://other.example/auth')).toBe('issuer')
    expect(stateOf(verifier.recall(good, ISSUER))).toBe('live')
  })

  test('is not cached when it was refused', async () => {
    const verifier = verifierAt()
    await verifier.verify(good, 'https://other.example/auth')
    await verifier.verify(`${good.slice(0, -2)}AA`, ISSUER)
    expect(verifier.recall(good, ISSUER)).toBeUndefined()
    expect(verifier.recall(`${good.slice(0, -2)}AA`, ISSUER)).toBeUndefined()
  })

  test('a token of a verifier with other keys is unknown', async () => {
    await verifierAt().verify(good, ISSUER)
    const stranger = new SessionTokenVerifier({ keys: new Map(), now: () => NOW * 1000 })
    expect(stranger.recall(good, ISSUER)).toBeUndefined()
    expect(await stranger.verify(good, ISSUER)).toBe('unknown-key')
  })
})

describe('a token that its holder has signed just now', () => {
  const sign = async (changes: Partial<typeof claims> = {}) => {
    const signed = { ...claims, ...changes }
    return { signed, token: await signSessionToken(signed, keys.signing) }
  }

  test('costs no signature at its first read, and reads as after one', async () => {
    const { signed, token } = await sign()
    const [verifier, other] = [verifierAt(), verifierAt()]
    const verify = vi.spyOn(crypto.subtle, 'verify')
    verifier.signed(token, signed)
    const found = verifier.recall(token, ISSUER)
    expect(verify).not.toHaveBeenCalled()
    verify.mockRestore()
    expect(found).toEqual(await other.verify(token, ISSUER))
  })

  test('is judged by its times and its issuer as any other', async () => {
    const { signed, token } = await sign()
    const clock = { now: NOW }
    const verifier = verifierAt(clock)
    verifier.signed(token, signed)
    expect(verifier.recall(token, 'https://other.example/auth')).toBe('issuer')
    clock.now = claims.sexp
    expect(verifier.recall(token, ISSUER)).toBe('session-ended')
  })

  test('is not changed by its signer afterwards, nor by its reader', async () => {
    const user = { name: 'Ada' }
    const { signed, token } = await sign({ session: { user } })
    const verifier = verifierAt()
    verifier.signed(token, signed)
    user.name = 'Eve'
    const found = verifier.recall(token, ISSUER)
    expect(found).toMatchObject({ session: { user: { name: 'Ada' } } })
    expect(() => Object.assign((found as { claims: object }).claims, { sub: 'eve' })).toThrow()
  })

  test('with claims that no reader accepts is not kept', async () => {
    const { signed, token } = await sign({ exp: claims.sexp + 1 })
    const verifier = verifierAt()
    verifier.signed(token, signed)
    expect(verifier.recall(token, ISSUER)).toBeUndefined()
    expect(await verifier.verify(token, ISSUER)).toBe('claims')
  })

  test('another signature over the same claims is not taken for it', async () => {
    const { signed, token } = await sign()
    const verifier = verifierAt()
    verifier.signed(token, signed)
    const end = token.endsWith('AA') ? 'BA' : 'AA'
    const forged = `${token.slice(0, token.lastIndexOf('.') + 2)}${token.slice(token.lastIndexOf('.') + 2, -2)}${end}`
    expect(verifier.recall(forged, ISSUER)).toBeUndefined()
    const other = `${token.slice(0, 30)}${token[30] === 'A' ? 'B' : 'A'}${token.slice(31)}`
    expect(verifier.recall(other, ISSUER)).toBeUndefined()
  })
})

describe('one reader cannot change the result of the next one', () => {
  test.each(['live', 'expired'])('%s', async (state) => {
    const clock = { now: state === 'live' ? NOW : claims.exp }
    const reading = await verifierAt(clock).verify(good, ISSUER)
    if (typeof reading === 'string') throw new Error(reading)
    const { claims: held, session } = reading
    expect(stateOf(reading, clock.now)).toBe(state)
    expect(() => Object.assign(reading, { session: null })).toThrow(TypeError)
    expect(() => Object.assign(held, { exp: 9e9 })).toThrow(TypeError)
    expect(() => Object.assign(held.amr, ['other'])).toThrow(TypeError)
    expect(() => Object.assign(held.session, { admin: true })).toThrow(TypeError)
    expect(() => Object.assign(held.session.user as object, { id: 'admin' })).toThrow(TypeError)
    expect(() => Object.assign(session, { expires: '' })).toThrow(TypeError)
    expect(() => Object.assign(session.user ?? {}, { id: 'admin' })).toThrow(TypeError)
  })

  test('at any depth', async () => {
    const payload = { ...claims, session: { a: [{ b: [{ c: 1 }] }] } }
    const reading = await verifierAt().verify(await forge({ payload }), ISSUER)
    expect(stateOf(reading)).toBe('live')
    const frozen = (value: unknown): boolean =>
      Object.isFrozen(value) &&
      (typeof value !== 'object' || value === null || Object.values(value).every(frozen))
    expect(frozen(reading)).toBe(true)
  })
})

describe('the cache of tokens has a bound', () => {
  test('in tokens: the first of many is verified again', async () => {
    const options = { keys: keys.verify, now: () => NOW * 1000, cacheSize: 3 }
    const verifier = new SessionTokenVerifier(options)
    await verifier.verify(good, ISSUER)
    for (let n = 0; n < 7; n++) {
      await verifier.verify(await forge({ payload: { ...claims, sub: `u${n}` } }), ISSUER)
    }
    expect(verifier.recall(good, ISSUER)).toBeUndefined()
    expect(stateOf(await verifier.verify(good, ISSUER))).toBe('live')
  })

  test('in bytes: a long token is verified each time', async () => {
    const verifier = verifierAt()
    const long = await signSessionToken(
      { ...claims, session: { note: 'x'.repeat(4_000) } },
      keys.signing,
    )
    expect(stateOf(await verifier.verify(long, ISSUER))).toBe('live')
    expect(verifier.recall(long, ISSUER)).toBeUndefined()
  })

  test('in bytes: a token does not keep the header alive that it came in', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const used = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const verifier = verifierAt()
    const before = used()
    for (let n = 0; n < 200; n++) {
      const token = await forge({ payload: { ...claims, sub: `u${n}` } })
      const padding = 'x'.repeat(100_000)
      const header = Buffer.from(`s=${token}; padding=${padding}`).toString('latin1')
      const [found = ''] = sessionTokens(header, 's')
      expect(stateOf(await verifier.verify(found, ISSUER))).toBe('live')
    }
    // 200 whole headers would take 20 MB.
    expect(used() - before).toBeLessThan(10_000_000)
    expect(verifier.recall(good, ISSUER)).toBeUndefined()
  })
})
