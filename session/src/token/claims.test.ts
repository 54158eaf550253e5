import { describe, expect, test } from 'vitest'
import { claims, fate, forge, ISSUER, NOW, stateOf, verifierAt } from '../test-support/keys.js'
import type { SessionReading } from '../verifier/reading.js'
import {
  beganAt,
  CLOCK_SKEW,
  isFrom,
  isLive,
  isNearEnd,
  MAX_TOKEN_LIFE,
  parseClaims,
  standing,
} from './claims.js'

const text = (max: number) => ['', 1, true, null, ['x'], {}, 'x'.repeat(max + 1)]
const time = [String(NOW), -1, 1.5, true, null, [NOW], {}, 8_640_000_000_001, 2 ** 53, 1e300]

const wrong = {
  iss: text(2048),
  sub: text(2048),
  sid: [...text(64), ['x'.repeat(22)], 'x'.repeat(21), `${'x'.repeat(22)}:`, `${'x'.repeat(22)}\n`],
  iat: time,
  exp: time,
  auth_time: time,
  sexp: time,
  amr: ['', 'videoapp', 1, null, {}, [], [1], [''], ['videoapp', null], { 0: 'a', length: 1 }],
  session: ['', 'x', 1, true, null, [], [{}]],
} satisfies Record<Exclude<keyof typeof claims, 'pid' | 'began' | 'cnf' | 'company'>, unknown[]>

describe.each(Object.entries(wrong))('%s', (name, values) => {
  test('is required', async () => {
    const { [name as keyof typeof claims]: _, ...rest } = claims
    expect(await fate(await forge({ payload: rest }))).toBe('claims')
  })

  test('is not read from a prototype', async () => {
    const { [name as keyof typeof claims]: value, ...rest } = claims
    const payload = JSON.stringify(rest).replace(
      '{',
      `{"__proto__":${JSON.stringify({ [name]: value })},`,
    )
    expect(await fate(await forge({ payload }))).toBe('claims')
  })

  test.each(values)('another type or range is refused: %j', async (value) => {
    expect(await fate(await forge({ payload: { ...claims, [name]: value } }))).toBe('claims')
  })
})

describe('the name of the user in the feed', () => {
  test('may be there or not', async () => {
    for (const pid of [{}, { pid: 'AAECAwQFBgcI' }]) {
      const found = await verifierAt().verify(await forge({ payload: { ...claims, ...pid } }))
      expect(found).toMatchObject({ claims: { ...claims, ...pid } })
      expect(Object.keys((found as SessionReading).claims)).toHaveLength(
        9 + Object.keys(pid).length,
      )
    }
  })

  test.each([
    123_456_789_012,
    ...text(64),
    'x'.repeat(11),
    `${'x'.repeat(11)}=`,
    `${'x'.repeat(12)}\n`,
  ])('has the right form if it is there: %j', async (pid) => {
    expect(await fate(await forge({ payload: { ...claims, pid } }))).toBe('claims')
  })
})

const jkt = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'

describe('the key of a bound session', () => {
  test('is its thumbprint, if there is one', async () => {
    const found = await verifierAt().verify(await forge({ payload: { ...claims, cnf: { jkt } } }))
    expect(found).toMatchObject({ claims: { ...claims, cnf: { jkt } }, session: { bound: true } })
    expect(() => Object.assign((found as SessionReading).claims.cnf ?? {}, { jkt: 'x' })).toThrow()
    const plain = (await verifierAt().verify(await forge())) as SessionReading
    expect(Object.keys(plain.claims)).not.toContain('cnf')
    expect(Object.keys(plain.session)).not.toContain('bound')
  })

  test.each([
    ['nothing', null],
    ['true', true],
    ['a text', jkt],
    ['a list', [{ jkt }]],
    ['an empty object', {}],
    ['a thumbprint that is null', { jkt: null }],
    ['a list of thumbprints', { jkt: [jkt] }],
    ['an empty thumbprint', { jkt: '' }],
    ['a thumbprint that is too short', { jkt: jkt.slice(1) }],
    ['a thumbprint that is too long', { jkt: `${jkt}A` }],
    ['padding', { jkt: `${jkt}=` }],
    ['a new line', { jkt: `${jkt}\n` }],
    ['another spelling of the same bytes', { jkt: `${jkt.slice(0, -1)}t` }],
    ['the characters of base64', { jkt: jkt.replace('-', '+') }],
    ['a hash of a certificate', { 'x5t#S256': jkt }],
    ['a hash of a certificate as well', { jkt, 'x5t#S256': jkt }],
    ['a whole key', { jwk: { kty: 'EC' } }],
    ['a whole key as well', { jkt, jwk: { kty: 'EC' } }],
    ['the name of a key', { kid: jkt }],
  ])(
    'is refused in another form, since an app renews a token without a key: %s',
    async (_, cnf) => {
      expect(await fate(await forge({ payload: { ...claims, cnf } }))).toBe('claims')
    },
  )

  test('is not read from a prototype', async () => {
    const hidden = { cnf: { jkt } }
    const payload = JSON.stringify(claims).replace('{', `{"__proto__":${JSON.stringify(hidden)},`)
    const found = (await verifierAt().verify(await forge({ payload }))) as SessionReading
    expect(found.claims?.cnf).toBeUndefined()
    const within = `{"__proto__":${JSON.stringify({ jkt })}}`
    const other = JSON.stringify(claims).replace('{', `{"cnf":${within},`)
    expect(await fate(await forge({ payload: other }))).toBe('claims')
  })
})

describe('the start of a session after a step-up', () => {
  test('may be there or not', async () => {
    for (const began of [0, claims.auth_time - 1, claims.auth_time]) {
      const found = await verifierAt().verify(await forge({ payload: { ...claims, began } }))
      expect(found).toMatchObject({ claims: { ...claims, began } })
    }
    expect(beganAt({ ...claims, began: 5 })).toBe(5)
    expect(beganAt(claims)).toBe(claims.auth_time)
  })

  test.each([...time, claims.auth_time + 1])(
    'is a time, and not after the proof: %j',
    async (began) => {
      expect(await fate(await forge({ payload: { ...claims, began } }))).toBe('claims')
    },
  )
})

test.each([null, undefined, 'text', 1, true, [claims]])('%j is not a set of claims', (payload) => {
  expect(parseClaims(payload)).toBeUndefined()
})

test('the longest texts and the earliest time are accepted', async () => {
  const longest = { iss: 'x'.repeat(2048), sub: 'x'.repeat(2048), sid: 'x'.repeat(64) }
  expect(parseClaims({ ...claims, ...longest, amr: ['x'.repeat(2048)] })).toBeDefined()
  expect(parseClaims({ ...claims, iat: 0, exp: 1, auth_time: 0 })).toBeDefined()
})

describe('the payload', () => {
  test.each([
    ['null', 'null'],
    ['an array', JSON.stringify([claims])],
    ['text', JSON.stringify(JSON.stringify(claims))],
    ['a number beyond all numbers', JSON.stringify(claims).replace(`${claims.exp}`, '1e999')],
    ['no JSON', '{'],
    ['two values', `${JSON.stringify(claims)}{}`],
    ['a byte order mark', `\ufeff${JSON.stringify(claims)}`],
    ['an ending that is cut off', JSON.stringify(claims).slice(0, -1)],
  ])('is refused when it is %s', async (_, payload) => {
    expect(await fate(await forge({ payload }))).toBe('claims')
  })

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut-off character', [0xe2, 0x82]],
  ])('is refused when it is not UTF-8: %s', async (_, bytes) => {
    const [before = '', after = ''] = JSON.stringify({ ...claims, sub: '@' }).split('@')
    const payload = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    expect(await fate(await forge({ payload }))).toBe('claims')
  })

  // Verifiers differ in which of the two counts (RFC 8725, 2.4 and 3.10).
  test.each([
    ['a claim', '"sub":"user-1"', '"sub":"admin","sub":"user-1"'],
    ['a claim with the same value', '"sub":"user-1"', '"sub":"user-1","sub":"user-1"'],
    ['a claim in another spelling', '"sub":"user-1"', '"s\\u0075b":"admin","sub":"user-1"'],
    ['__proto__', '"sub":', '"__proto__":1,"__proto__":2,"sub":'],
    ['an unknown member', '"sub":', '"x":1,"x":2,"sub":'],
    ['a member of the session', '"name":"Ann"', '"name":"Ann","name":"Eve"'],
    ['a member deep within', '"name":"Ann"', '"a":[[{"b":[{"c":1,"d":2,"c":3}]}]],"name":"Ann"'],
  ])('is refused when it has a duplicate: %s', async (_, once, twice) => {
    const payload = JSON.stringify(claims).replace(once, twice)
    expect(() => JSON.parse(payload)).not.toThrow()
    expect(await fate(await forge({ payload }))).toBe('claims')
  })

  test('may have texts that look like members, and one name in two objects', async () => {
    const session = {
      ':': '":":\\',
      '"a":1,"a":2': [{ a: ':' }, { a: '\\":' }],
      user: { a: '{"a":1}' },
    }
    const found = await verifierAt().verify(await forge({ payload: { ...claims, session } }))
    expect(stateOf(found)).toBe('live')
    expect(found).toMatchObject({ claims: { session } })
  })

  test('may hold unknown claims, which are dropped', async () => {
    const found = await verifierAt().verify(await forge({ payload: { ...claims, admin: true } }))
    expect(stateOf(found)).toBe('live')
    expect(found).not.toHaveProperty('claims.admin')
  })

  test('changes no prototype by __proto__ in the session', async () => {
    const session = '{"__proto__":{"isAdmin":true},"user":{"__proto__":{"isAdmin":true}}}'
    const payload = JSON.stringify({ ...claims, session: '@' }).replace('"@"', session)
    const found = await verifierAt().verify(await forge({ payload }), ISSUER)
    if (typeof found === 'string') throw new Error(found)
    expect(stateOf(found)).toBe('live')
    expect('isAdmin' in found.session).toBe(false)
    expect('isAdmin' in (found.session.user ?? {})).toBe(false)
    expect('isAdmin' in {}).toBe(false)
  })

  test('cannot set when the session ends from within the session', async () => {
    const payload = { ...claims, session: { expires: '2999-01-01T00:00:00.000Z' } }
    const verdict = await verifierAt().verify(await forge({ payload }), ISSUER)
    expect(verdict).toMatchObject({ session: { expires: '2027-01-16T08:00:00.000Z' } })
  })

  test('may be nested deeper than the stack', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const payload = JSON.stringify({ ...claims, session: { a: '@' } }).replace('"@"', deep)
    expect(await fate(await forge({ payload }))).toBe('live')
  })
})

describe('time', () => {
  test.each([
    ['issued now', { iat: NOW }, 'live'],
    ['issued at the edge of the skew', { iat: NOW + CLOCK_SKEW }, 'live'],
    ['issued beyond the skew', { iat: NOW + CLOCK_SKEW + 1 }, 'issued-in-the-future'],
    ['ends as it is issued', { iat: NOW, exp: NOW }, 'claims'],
    ['ends before it is issued', { iat: NOW, exp: NOW - 1 }, 'claims'],
    ['ends after its session', { exp: NOW + 100, sexp: NOW + 99 }, 'claims'],
    ['ends with its session', { exp: NOW + 100, sexp: NOW + 100 }, 'live'],
    ['proved by a clock ahead of the one that issued', { iat: NOW, auth_time: NOW + 60 }, 'live'],
    ['proved after it was issued', { iat: NOW, auth_time: NOW + 61 }, 'claims'],
    ['proved as it was issued', { iat: NOW, auth_time: NOW }, 'live'],
    ['one second left', { exp: NOW + 1 }, 'live'],
    ['over now, without any skew', { exp: NOW }, 'expired'],
    ['session over now', { exp: NOW, sexp: NOW }, 'session-ended'],
    ['session over', { exp: NOW - 2, sexp: NOW - 1 }, 'session-ended'],
    ['the last second that there is', { sexp: 8_640_000_000_000 }, 'live'],
    ['a life of a day', lifeOf(MAX_TOKEN_LIFE), 'live'],
    ['a life of more than a day', lifeOf(MAX_TOKEN_LIFE + 1), 'claims'],
    ['not before a time that has come', { nbf: NOW }, 'live'],
    ['not before the edge of the skew', { nbf: NOW + CLOCK_SKEW }, 'live'],
    ['not before a time to come', { nbf: NOW + CLOCK_SKEW + 1 }, 'not-yet-valid'],
    ['not before a text', { nbf: `${NOW}` }, 'claims'],
    ['not before nothing', { nbf: null }, 'claims'],
    ['not before a time before all times', { nbf: -1 }, 'claims'],
  ])('%s', async (_, times, expected) => {
    expect(await fate(await forge({ payload: { ...claims, ...times } }))).toBe(expected)
  })
})

describe('a service that lets tokens count for 100 seconds', () => {
  const { iat } = claims

  test.each([
    [99, 'live'],
    [100, 'expired'],
    [101, 'expired'],
  ])('after %i seconds the token is %s, though it names a later end', (after, expected) => {
    expect(standing(claims, iat + after, 100)).toBe(expected)
    expect(isLive(claims, (iat + after) * 1000 + 999, 100)).toBe(expected === 'live')
  })

  test('a token is over at the end that it names, which may be earlier', () => {
    expect(isLive(claims, claims.exp * 1000 - 1, MAX_TOKEN_LIFE)).toBe(true)
    expect(isLive(claims, claims.exp * 1000, MAX_TOKEN_LIFE)).toBe(false)
    expect(isLive(claims, claims.exp * 1000)).toBe(false)
  })
})

describe('the last part of a life, in which a token is renewed', () => {
  const { iat } = claims

  test.each([
    ['300 seconds long', 300, undefined, 240],
    ['300 seconds long, of which a service lets 100 count', 300, 100, 80],
    ['100 seconds long, while a service allows 300', 100, 300, 80],
  ])('begins after four fifths of one that is %s', (_, life, maxLife, begin) => {
    const token = { ...claims, exp: iat + life }
    const nearAt = (second: number) => isNearEnd(token, second * 1000, maxLife)
    expect([nearAt(iat), nearAt(iat + begin), nearAt(iat + begin + 1)]).toEqual([
      false,
      false,
      true,
    ])
    expect(nearAt(iat + life)).toBe(true)
  })

  test('is counted from the longest life at most', () => {
    const token = { ...claims, exp: iat + 2 * MAX_TOKEN_LIFE }
    expect(isNearEnd(token, (iat + MAX_TOKEN_LIFE * 0.79) * 1000)).toBe(false)
    expect(isNearEnd(token, (iat + MAX_TOKEN_LIFE * 0.81) * 1000)).toBe(true)
  })
})

test('a token for later is good once its time has come, and from then on', async () => {
  const clock = { now: NOW }
  const verifier = verifierAt(clock)
  const token = await forge({ payload: { ...claims, nbf: NOW + 200 } })
  const fates: string[] = []
  for (const after of [0, 139, 140, 141]) {
    clock.now = NOW + after
    fates.push(stateOf(await verifier.verify(token, ISSUER), clock.now))
  }
  expect(fates).toEqual(['not-yet-valid', 'not-yet-valid', 'live', 'live'])
})

describe('audience', () => {
  test.each(['https://other.example', ISSUER, '', [ISSUER], [], null, 0])(
    'a token for %j is for another recipient: a verifier of sessions has no name',
    async (aud) => {
      expect(await fate(await forge({ payload: { ...claims, aud } }))).toBe('claims')
    },
  )
})

describe('issuer', () => {
  test.each([
    'https://example.com',
    'https://example.com/auth/',
    'https://example.com/Auth',
    'http://example.com/auth',
    'https://example.com.attacker.example/auth',
    'https://example.com:443/auth',
    '',
  ])('%j is another', async (iss) => {
    expect(await fate(await forge(), iss)).toBe('issuer')
  })

  test.each([
    ['https://example.com/auth', true],
    ['https://example.com/*', true],
    ['https://example.com/auth/*', false],
    ['https://example.org/*', false],
    ['https://example.co/*', false],
    ['https://example.com*', false],
    ['/*', false],
    ['*', false],
  ])('%j is asked for: %s', (issuer, isExpected) => {
    expect(isFrom(claims, issuer)).toBe(isExpected)
  })

  test('without an expected issuer any issuer with a known key is accepted', async () => {
    expect(stateOf(await verifierAt().verify(await forge()))).toBe('live')
  })
})

function lifeOf(seconds: number) {
  return { iat: NOW, exp: NOW + seconds, sexp: NOW + 2 * MAX_TOKEN_LIFE }
}
