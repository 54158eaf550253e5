import {
  hashPassword,
  isBreachedPassword,
  needsRehash,
  verifyPassword,
} from '@latchkey/worker/passwords'
import { assert, constantFrom, property, string } from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { argon2id, releaseMemory } from './argon2id.js'
import { pbkdf2 } from './derive.js'
import { readHash } from './read-hash.js'

// The files of functions share their processes, and passwords that were set in one keep the memory.
beforeEach(releaseMemory)

/** Made by the named library, or printed if it is named. */
const VECTORS: readonly (readonly [source: string, password: string, hash: string])[] = [
  [
    'argon2, test.c',
    'password',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ],
  [
    'argon2, test.c',
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'hash-wasm',
    'Gürteltier 🦔 pass',
    '$argon2id$v=19$m=4096,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$GSvUEkfp+mmNUdKB3ZWkj5d3Cqv6RAnIW8t1VbtS3co',
  ],
  [
    '@noble/hashes',
    'Gürteltier 🦔 pass',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$ttRwLv7bPW2K2iB3nQ4SNB3/gmDOnqvuJXU1jqnzrXc',
  ],
  [
    'RFC 7914, 12',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  ],
  [
    'passlib',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  [
    '@noble/hashes',
    'Gürteltier 🦔 pass',
    '$scrypt$ln=10,r=8,p=2$TmFDbE5hQ2w$nNi4tBZ9KqCt9dPnJZG0iQMVC/MCvNf8nJz+BH3m+AE',
  ],
  ['jBCrypt', '', '$2a$08$HqWuK6/Ng6sg9gQzbLrgb.Tl.ZHfXLhvt/SgVyWhQqgqcZ7ZuUtye'],
  ['jBCrypt', 'abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  [
    'jBCrypt',
    'abcdefghijklmnopqrstuvwxyz',
    '$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC',
  ],
  [
    'hash-wasm',
    'Gürteltier 🦔 pass',
    '$2a$06$/uaF/uaF/uaF/uaF/uaF/uZMmTtxZoYi.a7pKTMqGkhxkE3eEYtMq',
  ],
  [
    'hash-wasm, as PHP writes it',
    'Gürteltier 🦔 pass',
    '$2y$06$/uaF/uaF/uaF/uaF/uaF/uZMmTtxZoYi.a7pKTMqGkhxkE3eEYtMq',
  ],
  [
    'passlib',
    'password',
    '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  ],
  [
    'RFC 7914, 11',
    'passwd',
    '$pbkdf2-sha256$i=1,l=64$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw',
  ],
  [
    '@noble/hashes',
    'Gürteltier 🦔 pass',
    '$pbkdf2-sha512$i=1000,l=64$c2FsdHk$VYmb620beq4XtKwgJgI1oQHbHJ0mLat8K0n7/JszdRUlG42+Dxl37v3EH5QnhM6a+o/UFnwc4DoWuf9Iiaqj9w',
  ],
  ['@noble/hashes', 'Gürteltier 🦔 pass', '$pbkdf2$1000$c2FsdHlzYWx0$LpF4iYThGGnc8rLwCOImYPSDsRk'],
  [
    '@noble/hashes, as Django writes it',
    'Gürteltier 🦔 pass',
    'pbkdf2_sha256$1000$saltysalt$IGDo6ZVCqP3Mi2NlA/tJGdTPLKUhaoNOL56+xxewfu4=',
  ],
  [
    'better-auth',
    'Gürteltier 🦔 pass',
    'f663c053603795a74cf4743804e41548:b7920fc53cab530a636f97cade643ff0cf7b9c42870e6a8db36f12ef0d8714559105031f04e33bef012720e493e4dd97bb555a3c63df9d208b0bd23f8332e41d',
  ],
]

const UNKNOWN = new TypeError('The hash of a password is in no format that is known.')

describe('verifyPassword', () => {
  test.each(VECTORS)(
    '%s: the password "%s" is that of %s, and none that is a letter off',
    async (_, password, hash) => {
      expect(await verifyPassword(hash, password)).toBe(true)
      for (const other of [`${password} `, `${password}x`, password.slice(0, -1) || 'x']) {
        expect(await verifyPassword(hash, other)).toBe(false)
      }
    },
  )

  test('more iterations than a Worker computes itself are computed by a library, to the same key', async () => {
    for (const digest of ['SHA-1', 'SHA-256', 'SHA-512'] as const) {
      const [password, salt] = [new Uint8Array([1, 2, 3]), new Uint8Array([4, 5, 6, 7])]
      const read = {
        kind: 'pbkdf2',
        digest,
        iterations: 100_001,
        salt,
        key: new Uint8Array(20),
      } as const
      expect(await pbkdf2(password, read, true)).toEqual(await pbkdf2(password, read, false))
    }
  })

  test('better-auth takes a password that is typed on another keyboard', async () => {
    const [hash = ''] = VECTORS.flatMap(([source, , hash]) =>
      source === 'better-auth' ? [hash] : [],
    )
    expect(await verifyPassword(hash, 'Gürteltier 🦔 pass'.normalize('NFD'))).toBe(true)
  })

  test('the end of a password counts whatever letters stand before it', async () => {
    const hash = await hashPassword('übergrößenträger-1')
    expect(await verifyPassword(hash, 'übergrößenträger-1')).toBe(true)
    expect(await verifyPassword(hash, 'übergrößenträger-2')).toBe(false)
  })

  test('a user without a hash has no password, and their try takes as long as any other', async () => {
    const compiled = vi.spyOn(WebAssembly, 'instantiate')
    for (const hash of [undefined, null, '']) {
      expect(await verifyPassword(hash, 'password')).toBe(false)
      expect(await verifyPassword(hash, '')).toBe(false)
    }
    expect(compiled).toHaveBeenCalledTimes(6)
    compiled.mockRestore()
  })

  test('an unknown address is a wrong password, also if the package for new hashes is missing', async () => {
    const missing = vi.spyOn(WebAssembly, 'instantiate').mockRejectedValue(new Error('missing'))
    const derived = vi.spyOn(crypto.subtle, 'deriveBits')
    expect(await verifyPassword(undefined, 'password')).toBe(false)
    expect(derived).toHaveBeenCalledTimes(1)
    missing.mockRestore()
    derived.mockRestore()
  })

  test('a value that is not text, or longer than a person types, is not a password', async () => {
    const [, , hash] = VECTORS[0] ?? []
    for (const password of [null, undefined, 1, {}, ['password'], 'x'.repeat(5_000)]) {
      expect(await verifyPassword(hash, password as string)).toBe(false)
    }
  })

  test('4,096 bytes are a password, and one more is too many', async () => {
    for (const password of ['x'.repeat(4_096), `${'é'.repeat(2_047)}xy`]) {
      expect(await verifyPassword(await hashPassword(password), password)).toBe(true)
    }
    for (const password of ['x'.repeat(4_097), `${'é'.repeat(2_048)}x`]) {
      const salt = new Uint8Array(8)
      const how = { kind: 'pbkdf2', digest: 'SHA-256', iterations: 1_000, salt } as const
      const key = await pbkdf2(new TextEncoder().encode(password), {
        ...how,
        key: new Uint8Array(32),
      })
      const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
      const hash = `$pbkdf2-sha256$1000$${base64(salt)}$${base64(key)}`
      expect(readHash(hash)).toMatchObject({ ...how, key })
      expect(await verifyPassword(hash, password)).toBe(false)
    }
  })

  test('a package that a hash needs and that is not there is named', async () => {
    vi.doMock('bcryptjs', () => {
      throw new Error('Cannot find package')
    })
    vi.resetModules()
    const { verifyPassword: verify } = await import('@latchkey/worker/passwords')
    const [, password, hash] = VECTORS.find(([, , one]) => one.startsWith('$2a$')) ?? []
    const failure = verify(hash, password ?? '')
    await expect(failure).rejects.toThrow('npm install bcryptjs')
    vi.doUnmock('bcryptjs')
    vi.resetModules()
  })

  test.each([
    'plain-text-1',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
    '$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EA',
    '$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=256,t=4294967295,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$scrypt$ln=24,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI',
    '$scrypt$ln=14,r=0,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI',
    '$2x$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
    '$2a$31$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
    '$pbkdf2-sha256$99999999$c2FsdA$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw',
    'pbkdf2_sha256$1000$$IGDo6ZVCqP3Mi2NlA/tJGdTPLKUhaoNOL56+xxewfu4=',
    `${'0'.repeat(32)}:`,
    '\0',
    '$'.repeat(400),
  ])('a hash that is not known, %s, is an error that does not print it', async (hash) => {
    const failure = verifyPassword(hash, 'password')
    await expect(failure).rejects.toThrow(UNKNOWN)
    await expect(failure).rejects.not.toThrow(hash)
  })

  test.each([[7], [{}], [true], [VECTORS.map(([, , hash]) => hash).slice(0, 1)]])(
    'a hash that is not text is wrong too: %j',
    async (hash) => {
      await expect(verifyPassword(hash as never, 'password')).rejects.toThrow(UNKNOWN)
    },
  )

  test('no text that is taken for a hash lets a user in', () => {
    const beginnings = VECTORS.map(([, , hash]) => hash.slice(0, 34))
    assert(
      property(constantFrom('', ...beginnings), string({ maxLength: 300 }), (beginning, rest) => {
        const read = readHash(beginning + rest)
        expect(read === undefined || 'text' in read || read.key.length >= 16).toBe(true)
      }),
    )
  })
})

describe('a new hash', () => {
  test('is another one each time, and needs no other', async () => {
    const [one, two] = [await hashPassword('password'), await hashPassword('password')]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).not.toBe(two)
    expect(needsRehash(one)).toBe(false)
    expect(await verifyPassword(one, 'password')).toBe(true)
  })

  test('is wanted by every other format, and by less than is recommended', () => {
    const wanted = VECTORS.filter(([, , hash]) => needsRehash(hash))
    const isWeak = ([, , hash]: (typeof VECTORS)[number]) => !hash.includes('m=65536')
    expect(wanted).toEqual(VECTORS.filter(isWeak))
    expect(needsRehash('')).toBe(true)
  })

  test('that there is no memory for is an error, not a key', async () => {
    const cost = { memory: 2 ** 23, passes: 1, lanes: 1 }
    await expect(argon2id(new Uint8Array(8), new Uint8Array(8), cost, 32)).rejects.toThrow(/argon2/)
  })
})

describe('a password that was in a breach', () => {
  // SHA-1 of "password": 5BAA6 1E4C9B93F3F0682250B6CF8331B7EE68FD8.
  const range = (lines: string, status = 200) =>
    vi.fn(async (_url: string, _init?: RequestInit) => new Response(lines, { status }))
  const warned: string[] = []
  const warn = (message: string) => void warned.push(message)

  test('is found by its range: only five digits leave the process', async () => {
    const fetch = range(
      '0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:9545824\r\n',
    )
    expect(await isBreachedPassword('password', { fetch, warn })).toBe(true)
    const [url, init] = fetch.mock.calls[0] ?? []
    expect(url).toBe('https://api.pwnedpasswords.com/range/5BAA6')
    expect(JSON.stringify(init)).not.toContain('1E4C9')
    expect(await isBreachedPassword('another', { fetch, warn })).toBe(false)
    expect(warned).toEqual([])
  })

  test('padding does not match any password', async () => {
    const fetch = range('1E4C9B93F3F0682250B6CF8331B7EE68FD8:0\r\n')
    expect(await isBreachedPassword('password', { fetch, warn })).toBe(false)
  })

  test.each([
    ['an error', range('', 503), /503/],
    ['an endless answer', range('x'.repeat(600_000)), /too long/],
    ['a page of a proxy', range('<html>Please sign in</html>'), /no digests/],
    ['nothing', range(''), /no digests/],
    ['no network', async () => Promise.reject(new Error('offline')), /offline/],
  ])('with %s no user is kept out, and the log says so', async (_, fetch, reason) => {
    warned.splice(0)
    expect(await isBreachedPassword('password', { fetch, warn })).toBe(false)
    expect(warned).toEqual([expect.stringMatching(reason)])
    expect(warned.join()).not.toContain('password,')
  })

  test('a service that does not answer is not waited for', async () => {
    vi.useFakeTimers()
    warned.splice(0)
    const asked = isBreachedPassword('password', { fetch: () => new Promise(() => {}), warn })
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(2_000)
      expect(warned).toHaveLength(1)
    })
    expect(await asked).toBe(false)
    vi.useRealTimers()
  })
})
