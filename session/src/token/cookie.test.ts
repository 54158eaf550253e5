import { describe, expect, test } from 'vitest'
import { claims, fate, keys, seeded } from '../test-support/keys.js'
import {
  cookieName,
  cookieNames,
  cookieValues,
  isCookieName,
  ownCookieNames,
  SESSION_COOKIE,
  sessionTokens,
  splitCookie,
} from './cookie.js'
import { signSessionToken } from './signed.js'

const name = SESSION_COOKIE

test.each([
  [{ secure: true }, `__Host-${name}`],
  [{ secure: true, domain: 'example.com' }, `__Secure-${name}`],
  [{ secure: false }, name],
  [{ secure: false, domain: 'example.com' }, name],
])('a name for %j', (given, expected) => {
  expect(cookieName(name, given)).toBe(expected)
})

describe('a cookie is found by its exact name', () => {
  test.each([
    [`${name}=a`, ['a']],
    [`x=1; ${name}=a; y=2`, ['a']],
    [`x=1;${name}=a`, ['a']],
    [`\t${name} =\t a \t`, ['a']],
    [`${name}=a; ${name}=b; ${name}=a`, ['a', 'b', 'a']],
    [`${name}=a=b=`, ['a=b=']],
    [`${name}=`, ['']],
    [`${name}="a"`, ['a']],
    [`${name}="a`, ['"a']],
    [`${name}="`, ['"']],
    [`${name}=""`, ['']],
    [`${name}`, []],
    [`=${name}=a`, []],
    [`x=${name}=a`, []],
    [`${name}x=a; x${name}=a; x-${name}=a; ${name}.0=a`, []],
    [`${name.toUpperCase()}=a`, []],
    [`__Host-${name}=a`, []],
    [`${encodeURIComponent(name).replace('.', '%2E')}=a`, []],
    ['', []],
    [';;; ; =; ==', []],
  ])('%j', (header, expected) => {
    expect(cookieValues(header, name)).toEqual(expected)
  })

  test.each([null, undefined])('no header: %j', (header) => {
    expect(cookieValues(header, name)).toEqual([])
    expect(cookieNames(header)).toEqual([])
    expect(sessionTokens(header, name)).toEqual([])
  })

  test('names are listed once each, without nameless cookies', () => {
    expect(cookieNames('a=1; b=2;a=3; =4; nameless;  c =5')).toEqual(['a', 'b', 'c'])
  })
})

describe('a name with Unicode spaces is another name', () => {
  // To browsers these are other names, without a prefix to enforce, so a sibling domain may
  // set them. A server that trims them would read the protected name.
  const spaces = '\u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\v\f\r\n\u0085\0'
  const host = `__Host-${name}`

  test.each([...spaces])('%j before or behind the name', (space) => {
    for (const stray of [`${space}${host}`, `${host}${space}`, ` ${space}${host}`]) {
      expect(cookieValues(`${stray}=evil`, host)).toEqual([])
      expect(sessionTokens(`${stray}=evil; ${host}=good`, host)).toEqual(['good'])
      expect(ownCookieNames(`${stray}=evil`, host)).toEqual([])
    }
    expect(sessionTokens(`${space}${host}.0=evil`, host)).toEqual([])
  })
})

describe('chunks', () => {
  test.each([
    ['joined in the order of their numbers', `${name}.1=b; ${name}.2=c; ${name}.0=a`, ['abc']],
    ['eleven chunks, 10 behind 9', chunksInHeader('abcdefghijk', [10, 2, 1]), ['abcdefghijk']],
    ['the first of two with one number', `${name}.0=a; ${name}.0=x; ${name}.1=b`, ['ab']],
    ['quoted ones', `${name}.0="a"; ${name}.1="b"`, ['ab']],
    ['behind the whole', `${name}.0=a; ${name}=whole`, ['whole', 'a']],
    ['end at a gap', `${name}.0=a; ${name}.1=b; ${name}.3=d`, ['ab']],
    ['need the first', `${name}.1=b; ${name}.2=c`, []],
    ['end at a gap before 10', `${name}.0=a; ${name}.10=x`, ['a']],
    ['nothing in them', `${name}.0=; ${name}.1=`, []],
  ])('%s', (_, header, expected) => {
    expect(sessionTokens(header, name)).toEqual(expected)
  })

  test.each(['.x', '-foo', '.00', '.01', '.0x', '.x0', '.0.1', '. 0', '.-1', '.1e0', '.٠', '.100'])(
    'a stray cookie %j is never part of a value, nor listed for removal',
    (suffix) => {
      const stray = `${name}${suffix}=evil`
      expect(sessionTokens(`${stray}; ${name}=good`, name)).toEqual(['good'])
      expect(sessionTokens(`${stray}; ${name}.0=a; ${name}.1=b`, name)).toEqual(['ab'])
      expect(sessionTokens(stray, name)).toEqual([])
      expect(ownCookieNames(`${stray}; ${name}=good; ${name}.0=a`, name)).toEqual([
        name,
        `${name}.0`,
      ])
    },
  )

  test('a dot in the name is a dot', () => {
    expect(sessionTokens('authXsession-token=evil; authXsession-token.0=evil', name)).toEqual([])
  })

  test('another cookie with a name of the same length owns its own names', () => {
    expect(ownCookieNames('authXsession-token.0=a; xuth.session-token.1=b', name)).toEqual([])
  })

  test('are found beside tossed ones, and before one that was left over', () => {
    const token = `${'h'.repeat(20)}.${'p'.repeat(5_000)}.${'s'.repeat(86)}`
    const own = splitCookie(name, token).map((cookie) => cookie.join('='))
    const tossed = `${name}.0=tossed`
    const header = [...own, `${name}.${own.length}=left-over`, tossed].join('; ')
    expect(sessionTokens(header, name)).toContain(token)
  })

  test('left over from a longer session are listed for removal', () => {
    const header = `${name}.0=a; x=1; ${name}=b; ${name}.12=c`
    expect(ownCookieNames(header, name)).toEqual([`${name}.0`, name, `${name}.12`])
  })
})

describe('duplicates', () => {
  test('each value is a candidate once, in order; empty values are not', () => {
    expect(sessionTokens(`${name}=a; ${name}=; ${name}=b; ${name}=a`, name)).toEqual(['a', 'b'])
  })

  test('many tokens cause few signature checks', () => {
    const forged = Array.from({ length: 6_000 }, (_, n) => `${name}=${n}`)
    expect(sessionTokens(`${forged.join('; ')}; ${name}.0=chunk`, name)).toHaveLength(8)
    expect(sessionTokens(`${forged.join('; ')}; ${name}.0=chunk`, name).at(-1)).toBe('chunk')
  })

  // A search in quadratic time of the header's length would take minutes.
  test('many tokens cause no long search', () => {
    const forged = Array.from({ length: 100_000 }, (_, n) => `${name}=${n}`).join('; ')
    expect(sessionTokens(forged, name)).toHaveLength(7)
    const chunks = Array.from({ length: 100_000 }, (_, n) => `${name}.${n}=x`).join('; ')
    expect(sessionTokens(chunks, name)).toEqual(['x'.repeat(100)])
    expect(cookieValues(`${name}=a${' '.repeat(500_000)}b`, name)).toHaveLength(1)
  })
})

describe('chunks that a sibling host tossed beside those of a large session', () => {
  const signed = (sid: string, length: number) =>
    signSessionToken({ ...claims, sid, session: { note: 'x'.repeat(length) } }, keys.signing)
  const cookiesOf = (token: string) => splitCookie(name, token).map((pair) => pair.join('='))

  test.each([
    ['the first again, before it', `${name}.0=tossed`, ''],
    ['all of another length, before it', `${name}.0=a; ${name}.1=b; ${name}.2=c; ${name}.3=d`, ''],
    ['one more, behind it', '', `${name}.3=tossed`],
    [
      'a hundred, before it',
      Array.from({ length: 100 }, (_, at) => `${name}.${at}=x`).join('; '),
      '',
    ],
  ])('%s: the session is found', async (_, before, behind) => {
    const token = await signed('s'.repeat(22), 7_000)
    expect(cookiesOf(token)).toHaveLength(3)
    const header = [before, ...cookiesOf(token), behind].filter(Boolean).join('; ')
    expect(sessionTokens(header, name)).toContain(token)
    expect(sessionTokens(header, name).length).toBeLessThanOrEqual(3)
  })

  test.each([
    [3_000, 7_000],
    [7_000, 7_000],
    [7_000, 3_000],
  ])(
    'the chunks of a second session, %i and %i long: login CSRF is noticed, in either order',
    async (...lengths) => {
      const [own = '', other = ''] = await Promise.all(
        lengths.map((length, at) => signed(String(at).repeat(22), length)),
      )
      for (const both of [
        [own, other],
        [other, own],
      ]) {
        const found = sessionTokens(both.flatMap(cookiesOf).join('; '), name)
        // If one is longer, the other's is damaged by its rest, and is not the only one that is
        // found.
        expect(found.some((token) => both.includes(token))).toBe(true)
        if (lengths[0] === lengths[1]) expect(found).toEqual(both)
      }
    },
  )

  test('eight at most are looked at, with every way of joining', async () => {
    const forged = Array.from({ length: 50 }, (_, at) => `${name}=${at}`).join('; ')
    const token = await signed('s'.repeat(22), 7_000)
    const header = `${forged}; ${name}.0=tossed; ${cookiesOf(token).join('; ')}`
    expect(sessionTokens(header, name)).toHaveLength(8)
    expect(sessionTokens(header, name).at(-1)).toBe(token)
  })
})

describe('a long value', () => {
  test('3,800 characters make one cookie, one more makes two', () => {
    expect(splitCookie(name, 'x'.repeat(3_800))).toEqual([[name, 'x'.repeat(3_800)]])
    expect(splitCookie(name, 'x'.repeat(3_801))).toEqual([
      [`${name}.0`, 'x'.repeat(3_800)],
      [`${name}.1`, 'x'],
    ])
  })

  test('twice as many characters make two cookies, and none is empty', () => {
    const lengths = splitCookie(name, 'x'.repeat(7_600)).map(([, value]) => value.length)
    expect(lengths).toEqual([3_800, 3_800])
  })

  test('is split and joined again at any length and in any order of its cookies', () => {
    const random = seeded(3)
    for (let round = 0; round < 100; round++) {
      const value = 'abcdefgh'.repeat(8_000).slice(0, 1 + random(60_000))
      const cookies = splitCookie(name, value).map((cookie) => cookie.join('='))
      for (const cookie of cookies) expect(cookie.length).toBeLessThan(3_900)
      const shuffled = cookies.map((cookie) => ({ cookie, at: random(1e6) }))
      const header = shuffled
        .sort((a, b) => a.at - b.at)
        .map(({ cookie }) => cookie)
        .join('; ')
      expect(sessionTokens(header, name)).toEqual([value])
    }
  })

  test('verifies after it was split and joined', async () => {
    const session = { note: 'x'.repeat(9_000) }
    const token = await signSessionToken({ ...claims, session }, keys.signing)
    const cookies = splitCookie(name, token).map((cookie) => cookie.join('='))
    expect(cookies.length).toBeGreaterThan(2)
    const [found = ''] = sessionTokens(cookies.join('; '), name)
    expect(await fate(found)).toBe('live')
  })
})

test.each([
  [name, true],
  ['a', true],
  ["!#$&'*+.^_`|~-", true],
  ['', false],
  ['a b', false],
  [' a', false],
  ['a;', false],
  ['=a', false],
  ['a=', false],
  ['100%', false],
  ['é', false],
  ['a\n', false],
])('%j is a name for a cookie: %s', (given, expected) => {
  expect(isCookieName(given)).toBe(expected)
})

function chunksInHeader(letters: string, first: number[]): string {
  const rest = [...letters].map((_, index) => index).filter((index) => !first.includes(index))
  return [...first, ...rest].map((index) => `${name}.${index}=${letters[index]}`).join('; ')
}
