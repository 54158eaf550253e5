import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { CompactEncrypt, EncryptJWT, SignJWT } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import {
  authjsCookies,
  authjsToken,
  betterAuthApp,
  headerOf,
  type Jar,
  OLD_SECRET,
} from '../../../../test/support/old-cookies.js'
import { authjs, betterAuth } from '../../migrate.js'
import { until, withOldSessions } from '../../test-support/old-sessions.js'

const { pass } = clock()
afterEach(() => vi.restoreAllMocks())

const NAME = 'authjs.session-token'
const utf8 = (text: string) => new TextEncoder().encode(text)

/** Auth.js's key of a secret, for a content encryption whose key has so many bytes. */
async function keyOf(length: number, secret = OLD_SECRET, salt = NAME): Promise<Uint8Array> {
  const material = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveBits'])
  const info = utf8(`Auth.js Generated Encryption Key (${salt})`)
  const how = { name: 'HKDF', hash: 'SHA-256', salt: utf8(salt), info }
  return new Uint8Array(await crypto.subtle.deriveBits(how, material, length * 8))
}

const now = () => Math.floor(Date.now() / 1000)
const claims = () => ({ sub: '7', name: 'Ada', jti: 'the-id', iat: now(), exp: now() + 3_600 })

async function encrypted(
  payload: object = claims(),
  header: object = {},
  key?: Uint8Array,
): Promise<string> {
  return new CompactEncrypt(utf8(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', ...header })
    .encrypt(key ?? (await keyOf(64)))
}

/** What a service makes of a cookie: nothing, and with status 200. */
async function isNobody(jar: Jar, service = withOldSessions()) {
  const answer = await service.get(jar)
  expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
    200,
    null,
    [],
  ])
}

const of = (token: string): Jar => new Map([[NAME, token]])

test('both encryptions are accepted, with and without kid', async () => {
  const { session } = withOldSessions()
  expect(await session(of(await encrypted()))).not.toBeNull()
  const gcm = { enc: 'A256GCM' }
  const other = { ...claims(), jti: 'another-id' }
  expect(await session(of(await encrypted(other, gcm, await keyOf(32))))).not.toBeNull()
})

describe('values at the last bounds are accepted:', () => {
  test.each([
    ['an id of 256 characters', () => ({ jti: 'x'.repeat(256) })],
    ['an iat a minute ahead', () => ({ iat: now() + 60 })],
    ['an nbf a minute ahead', () => ({ nbf: now() + 60 })],
    ['an end in the far future', () => ({ exp: Number.MAX_SAFE_INTEGER })],
  ])('%s', async (_, changed) => {
    expect(
      await withOldSessions().session(of(await encrypted({ ...claims(), ...changed() }))),
    ).not.toBeNull()
  })

  test('the last four cookies of a name, behind those that a longer path has', async () => {
    const genuine = `${NAME}=${await encrypted()}`
    const tossed = Array.from({ length: 4 }, (_, at) => `${NAME}=${at}`)
    const get = (...cookies: string[]) => {
      const headers = { cookie: cookies.join('; ') }
      return withOldSessions().auth.request('/auth/session', { headers }, {})
    }
    expect(await (await get(...tossed.slice(1), genuine)).json()).not.toBeNull()
    expect(await (await get(genuine, ...tossed.slice(1))).json()).not.toBeNull()
    expect(await (await get(genuine, ...tossed)).json()).toBeNull()
  })

  test('a token of 32,768 characters, and none that is longer', async () => {
    const gcm = { enc: 'A256GCM' }
    const key = await keyOf(32)
    const ofLength = async (length: number) => {
      const short = (await encrypted({ ...claims(), note: '' }, gcm, key)).length
      let note = Math.floor(((length - short) * 3) / 4) - 3
      let token = ''
      while (token.length < length) {
        token = await encrypted({ ...claims(), note: 'x'.repeat(++note) }, gcm, key)
      }
      expect(token).toHaveLength(length)
      return token
    }
    expect(await withOldSessions().session(of(await ofLength(32_768)))).not.toBeNull()
    await isNobody(of(await ofLength(32_769)))
  })

  test('its id counts as used up until no browser can bring it', async () => {
    const service = withOldSessions()
    await service.session(of(await encrypted({ ...claims(), exp: now() + 3_600.5 })))
    const [use] = service.calls.filter(({ name }) => name === 'consume')
    expect(use?.args[1]).toBe(now() + 3_601 + 60)
  })
})

describe('a forged cookie of Auth.js signs no user in, and is kept:', () => {
  test.each([
    ['another secret', () => encrypted(claims(), {}, new Uint8Array(64).fill(7))],
    ['another secret, of Auth.js itself', () => authjsToken({ secret: 'x'.repeat(32) })],
    ['another salt', () => authjsToken({ name: 'another.session-token' })],
    ['the salt of the other prefix', () => authjsToken({ secure: true })],
    ['an unknown kid', () => encrypted(claims(), { kid: 'nobody' })],
    ['a kid that is a member of every object', () => encrypted(claims(), { kid: '__proto__' })],
    ['a jti that is missing', () => encrypted({ ...claims(), jti: undefined })],
    ['a jti that is empty', () => encrypted({ ...claims(), jti: '' })],
    ['a jti that is not text', () => encrypted({ ...claims(), jti: { length: 3 } })],
    ['a jti that is too long', () => encrypted({ ...claims(), jti: 'x'.repeat(257) })],
    ['an iat that is missing', () => encrypted({ ...claims(), iat: undefined })],
    ['an iat that is to come', () => encrypted({ ...claims(), iat: now() + 120 })],
    ['an iat that is text', () => encrypted({ ...claims(), iat: String(now()) })],
    ['an iat before the epoch', () => encrypted({ ...claims(), iat: -1 })],
    ['an nbf before the epoch', () => encrypted({ ...claims(), nbf: -1 })],
    ['an end that is no longer a whole number', () => encrypted({ ...claims(), exp: 2 ** 53 })],
    ['no end', () => encrypted({ ...claims(), exp: undefined })],
    ['an end that has come', () => encrypted({ ...claims(), exp: now() })],
    ['a time before which it does not count', () => encrypted({ ...claims(), nbf: now() + 120 })],
    ['claims that are a list', () => encrypted([claims()])],
    [
      'claims that are not JSON',
      async () =>
        new CompactEncrypt(utf8('{"sub":'))
          .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
          .encrypt(await keyOf(64)),
    ],
    [
      'a compression bomb',
      () => encrypted({ ...claims(), note: 'x'.repeat(5_000_000) }, { zip: 'DEF' }),
    ],
    ['any compression', () => encrypted(claims(), { zip: 'DEF' })],
    [
      'a weaker encryption',
      async () => encrypted(claims(), { enc: 'A128CBC-HS256' }, await keyOf(32)),
    ],
    [
      'a key wrapped with the secret’s',
      async () => encrypted(claims(), { alg: 'A256KW' }, await keyOf(32)),
    ],
    [
      'a key by password',
      () => encrypted(claims(), { alg: 'PBES2-HS512+A256KW', p2c: 1_000 }, utf8(OLD_SECRET)),
    ],
    [
      'a JWS by the secret',
      () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(utf8(OLD_SECRET)),
    ],
    [
      'a JWS by the key',
      async () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS512' }).sign(await keyOf(64)),
    ],
    ['alg none', async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims()))}.`],
    ['nothing', async () => ''],
    ['dots', async () => '....'],
    ['a header without an end', async () => `${btoa('{"alg":"dir","enc":')}....`],
    [
      'the name of an encryption that every object has',
      async () => `${btoa('{"alg":"dir","enc":"constructor"}').replace(/=+$/, '')}....`,
    ],
    ['a header that is deep', async () => `${btoa('['.repeat(20_000))}....`],
    ['33,000 characters', async () => 'x'.repeat(33_000)],
  ])('%s', async (_, make) => {
    await isNobody(of(await make()))
  })

  test('one of better-auth, by the same secret', async () => {
    const app = betterAuthApp({ strategy: 'jwe' })
    const jar = await app.signUp('ada@example.com')
    await isNobody(of(jar.get('better-auth.session_data') ?? ''))
  })

  test('one that Auth.js has encrypted for something else: state, PKCE', async () => {
    const token = await new EncryptJWT({ ...claims(), sub: '7' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
      .encrypt(await keyOf(64, OLD_SECRET, 'authjs.pkce.code_verifier'))
    await isNobody(of(token))
  })

  test('an old one: not a second after its end', async () => {
    const jar = await authjsCookies({ maxAge: 3_600 })
    pass(3_600)
    await isNobody(jar)
  })

  test('an entry reads no name but its own', async () => {
    const jar = await authjsCookies({ name: 'app.sid' })
    await isNobody(jar)
    const service = withOldSessions({
      migrateFrom: [authjs({ secret: OLD_SECRET, until, cookie: 'app.sid' })],
    })
    await isNobody(await authjsCookies(), service)
    expect(await service.session(jar)).not.toBeNull()
  })
})

describe('parts of a cookie:', () => {
  const long = { note: 'x'.repeat(9_000) }

  test.each([
    ['without the first', (jar: Jar) => void jar.delete(`${NAME}.0`)],
    ['without the middle one', (jar: Jar) => void jar.delete(`${NAME}.1`)],
    [
      'in another order',
      (jar: Jar) => {
        const [one = '', two = ''] = [jar.get(`${NAME}.0`), jar.get(`${NAME}.1`)]
        jar.set(`${NAME}.0`, two).set(`${NAME}.1`, one)
      },
    ],
    [
      'one that belongs to another session',
      (jar: Jar, other: Jar) => void jar.set(`${NAME}.1`, other.get(`${NAME}.1`) ?? ''),
    ],
    [
      'under numbers that are not quite the same',
      (jar: Jar) => {
        jar.set(`${NAME}.01`, jar.get(`${NAME}.1`) ?? '').delete(`${NAME}.1`)
      },
    ],
  ])('%s', async (_, change) => {
    const jar = await authjsCookies({ claims: long })
    change(jar, await authjsCookies({ claims: long }))
    await isNobody(jar)
  })

  test('left-over ones beside a whole cookie are removed with it', async () => {
    const jar = await authjsCookies()
    jar.set(`${NAME}.1`, 'left over').set(`${NAME}.7`, 'x')
    const answer = await withOldSessions().get(jar)
    expect(await answer.json()).toMatchObject({ user: { id: '7' } })
    const gone = answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))
    expect(gone.map((line) => line.split('=')[0])).toEqual([...jar.keys()])
  })

  test('header bomb: 2,000 forged cookies cost a few decryptions, and a session in their midst is found or not, never a 500', async () => {
    const decrypt = vi.spyOn(crypto.subtle, 'decrypt')
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const forged = await encrypted(claims(), {}, new Uint8Array(64).fill(7))
    const data = 'better-auth.session_data'
    const many = Array.from({ length: 2_000 }, (_, at) => [
      `${NAME}=${forged}`,
      `__Secure-${NAME}.${at % 100}=${forged}`,
      `better-auth.session_token=x.${'A'.repeat(43)}=`,
      `${data}.${at % 100}=${forged}`,
    ]).flat()
    const answer = await withOldSessions().auth.request(
      '/auth/session',
      { headers: { cookie: many.join('; ') } },
      {},
    )
    expect([answer.status, await answer.json(), answer.headers.getSetCookie()]).toEqual([
      200,
      null,
      [],
    ])
    expect(decrypt.mock.calls.length).toBe(0)
    expect(verify.mock.calls.length).toBeLessThanOrEqual(16)
  })

  test('no more than 64 cookies are removed by one answer', async () => {
    const jar = await authjsCookies()
    for (let at = 0; at < 100; at++) jar.set(`${NAME}.${at}`, 'x')
    const answer = await withOldSessions().get(jar)
    expect(answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))).toHaveLength(
      64,
    )
  })
})

describe('a forged cookie of better-auth signs no user in, and is kept:', () => {
  const token = 'better-auth.session_token'
  const data = 'better-auth.session_data'
  const withCopy = () => betterAuthApp({ strategy: 'compact' }).signUp('ada@example.com')

  test.each([
    ['an unsigned token', (jar: Jar) => void jar.set(token, 'a-token')],
    ['an empty signature', (jar: Jar) => void jar.set(token, `${jar.get(token)?.split('.')[0]}.`)],
    [
      'a signature of another token',
      (jar: Jar) => void jar.set(token, `other.${jar.get(token)?.split('.')[1]}`),
    ],
    [
      'a signature that is cut',
      (jar: Jar) => void jar.set(token, jar.get(token)?.slice(0, -3) ?? ''),
    ],
    ['broken percent signs', (jar: Jar) => void jar.set(token, '%E0%A4%A.%')],
    ['no token beside the copy', (jar: Jar) => void jar.delete(token)],
    ['no copy, and no old app to ask', (jar: Jar) => void jar.delete(data)],
    ['a copy that is cut', (jar: Jar) => void jar.set(data, jar.get(data)?.slice(0, -3) ?? '')],
    ['a copy that is not JSON', (jar: Jar) => void jar.set(data, 'e30')],
    ['a copy of depth', (jar: Jar) => void jar.set(data, btoa('['.repeat(20_000)))],
    [
      'a copy with a later end',
      (jar: Jar) => {
        const copy = JSON.parse(atob(jar.get(data) ?? ''))
        jar.set(data, btoa(JSON.stringify({ ...copy, expiresAt: copy.expiresAt + 1 })))
      },
    ],
    [
      'a copy with another user',
      (jar: Jar) => {
        const copy = JSON.parse(atob(jar.get(data) ?? ''))
        copy.session.user.id = copy.session.session.userId = 'eve'
        jar.set(data, btoa(JSON.stringify(copy)))
      },
    ],
    [
      'a genuine copy that does not say of which token it is',
      (jar: Jar) => {
        const { session, expiresAt } = JSON.parse(atob(jar.get(data) ?? ''))
        delete session.session.token
        const text = JSON.stringify({ ...session, expiresAt })
        const signature = createHmac('sha256', OLD_SECRET).update(text).digest('base64url')
        jar.set(data, btoa(JSON.stringify({ session, expiresAt, signature })))
      },
    ],
    [
      'a copy as alg none',
      (jar: Jar) => {
        const { session, expiresAt } = JSON.parse(atob(jar.get(data) ?? ''))
        const claims = btoa(JSON.stringify({ ...session, exp: expiresAt / 1000 }))
        jar.set(data, `${btoa('{"alg":"none"}')}.${claims}.`)
      },
    ],
  ])('%s', async (_, change) => {
    const jar = await withCopy()
    change(jar)
    const service = withOldSessions()
    await isNobody(jar, service)
    expect(service.errors).toEqual([])
  })

  test('another secret, in each form', async () => {
    for (const strategy of ['compact', 'jwt', 'jwe', undefined] as const) {
      const secret = 'another-secret-of-the-old-app-0123456789'
      const app = betterAuthApp({ secret, ...(strategy ? { strategy } : {}) })
      await isNobody(await app.signUp('ada@example.com'))
    }
  })

  test('a copy of another session than the token’s, of the same person and of another one', async () => {
    const app = betterAuthApp({ strategy: 'jwt' })
    const [ada, eve] = [await app.signUp('ada@example.com'), await app.signUp('eve@example.com')]
    const again = await app.signIn('ada@example.com')
    for (const other of [eve, again]) {
      await isNobody(new Map([...other, [token, ada.get(token) ?? '']]))
    }
  })

  test('a JWT that better-auth has signed for something else', async () => {
    const jar = await withCopy()
    const mail = await new SignJWT({ email: 'ada@example.com' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(utf8(OLD_SECRET))
    await isNobody(jar.set(data, mail))
  })

  test.each(['compact', 'jwt', 'jwe'] as const)('a %s copy after its own end', async (strategy) => {
    const jar = await betterAuthApp({ strategy }).signUp('ada@example.com')
    pass(300)
    await isNobody(jar)
  })

  test('an administrator’s session as another user, and a banned user', async () => {
    for (const change of [{ impersonatedBy: 'admin' }, { banned: true }, { banned: 1 }]) {
      const app = betterAuthApp()
      const findSession = async (found: string) => {
        const { session, user } = (await app.findSession(found)) ?? {}
        return { session: { ...session, ...change }, user: { ...user, ...change } } as never
      }
      const migrateFrom = [betterAuth({ secret: OLD_SECRET, until, findSession })]
      await isNobody(await app.signUp('ada@example.com'), withOldSessions({ migrateFrom }))
    }
  })
})

test('no change of a good cookie is accepted: any text, any single character', async () => {
  const { session } = withOldSessions()
  const token = await authjsToken()
  const app = betterAuthApp({ strategy: 'compact' })
  const jar = await app.signUp('ada@example.com')
  await holds(
    300,
    fc.asyncProperty(
      fc.nat({ max: token.length - 1 }),
      fc.constantFrom('A', 'z', '-', '.', '%', '='),
      async (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1)
        // The last characters of a part may have bits that nothing reads: the same session.
        const isLast = [at + 1, at + 2].some((next) => token[next] === '.' || next >= token.length)
        if (changed !== token && !isLast) expect(await session(of(changed))).toBeNull()
      },
    ),
  )
  await holds(
    300,
    fc.asyncProperty(fc.string(), fc.string({ unit: 'binary' }), async (one, two) => {
      const value = encodeURIComponent(two.replace(/\p{Cs}/gu, ''))
      const cookies = new Map([
        [NAME, value],
        ...jar,
        ['better-auth.session_token', encodeURIComponent(one.replace(/\p{Cs}/gu, ''))],
      ])
      expect(await session(cookies)).toBeNull()
    }),
  )
  expect(await session(of(token))).not.toBeNull()
  expect(headerOf(jar)).not.toBe('')
})
