import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { betterAuthApp, OLD_SECRET } from '../../../../test/support/old-cookies.js'
import { BetterAuthCookies } from './better-auth-cookies.js'

clock()

const cookies = new BetterAuthCookies(['a-newer-secret-0123456789-abcdefgh', OLD_SECRET])
const NEWER = 'a-newer-secret-0123456789-abcdefgh'
const now = () => Date.now()

function mac(text: string, encoding: 'base64' | 'base64url', secret = OLD_SECRET): string {
  return createHmac('sha256', secret).update(text).digest(encoding)
}

const signed = (token: string, secret?: string) => `${token}.${mac(token, 'base64', secret)}`

/** A copy as better-auth writes it without encryption. */
function compact(session: unknown, expiresAt: unknown, secret?: string): string {
  const text = JSON.stringify({ ...(session as object), expiresAt })
  const signature = mac(text, 'base64url', secret)
  return Buffer.from(JSON.stringify({ session, expiresAt, signature })).toString('base64url')
}

function jwt(claims: object, alg = 'HS256', secret = OLD_SECRET): Promise<string> {
  const key = new TextEncoder().encode(secret)
  return new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(key)
}

describe('the token of a signed cookie', () => {
  test('is read as it is and encoded, with every character that base64 has, by each secret', async () => {
    for (let at = 0; at < 40; at++) {
      for (const cookie of [signed(`token-${at}`), signed(`token-${at}`, NEWER)]) {
        expect(await cookies.tokenIn(cookie)).toBe(`token-${at}`)
        expect(await cookies.tokenIn(encodeURIComponent(cookie))).toBe(`token-${at}`)
      }
    }
  })

  test.each(['x', '100%', 'a.b.c', '!~', 'x'.repeat(256)])('may be %s', async (token) => {
    expect(await cookies.tokenIn(signed(token))).toBe(token)
  })

  test.each([
    ['without a signature', 'token'],
    ['of another secret', signed('token', 'another')],
    ['without a text', signed('')],
    ['that is too long', signed('x'.repeat(257))],
    ['that is too long as it is encoded', signed('!'.repeat(250)).replaceAll('!', '%21')],
    ['with a blank', signed('a b')],
    ['with a line before it', `\n${signed('token')}`],
    ['with a letter after it', `${signed('token')}x`],
    [
      'with a letter in the signature that base64 does not have',
      signed('token').replace(/(.)=$/, '~='),
    ],
    ['with bits in the signature that nothing reads', signed('token-0').replace(/.=$/, 'B=')],
    ['with a signature that is cut', signed('token').slice(0, -5)],
    ['with a signature that has no end', signed('token').slice(0, -1)],
    ['that is a percent sign', '%'],
    ['of nothing', ''],
  ])('does not count: one %s', async (_, cookie) => {
    expect(await cookies.tokenIn(cookie)).toBeUndefined()
  })
})

describe('the copy of a session in a cookie', () => {
  test.each(['compact', 'jwt', 'jwe'] as const)('as better-auth makes it: %s', async (strategy) => {
    const jar = await betterAuthApp({ strategy }).signUp('ada@example.com')
    const copy = await cookies.copyIn(jar.get('better-auth.session_data') ?? '', now())
    expect(copy).toMatchObject({ user: { email: 'ada@example.com' } })
  })

  test('counts until its end, and not at it', async () => {
    const exp = now() / 1000 + 60
    const all = [compact({ user: 'ada' }, exp * 1000), await jwt({ user: 'ada', exp })]
    for (const copy of all) {
      expect(await cookies.copyIn(copy, exp * 1000 - 1)).toMatchObject({ user: 'ada' })
      expect(await cookies.copyIn(copy, exp * 1000)).toBeUndefined()
    }
  })

  test('is read by each secret, encoded or not', async () => {
    const later = now() + 60_000
    const exp = later / 1000
    for (const secret of [NEWER, OLD_SECRET]) {
      const copy = compact({ user: 'ada' }, later, secret)
      expect(await cookies.copyIn(copy, now())).toEqual({ user: 'ada' })
      expect(await cookies.copyIn(copy.replace(/^./, '%65'), now())).toEqual({ user: 'ada' })
      expect(await cookies.copyIn(await jwt({ exp }, 'HS256', secret), now())).toEqual({ exp })
    }
  })

  test('does not count if a holder of the secret has not signed it', async () => {
    const later = now() + 60_000
    const exp = later / 1000
    const good = JSON.parse(Buffer.from(compact({ user: 'ada' }, later), 'base64url').toString())
    const changed = (change: object) =>
      Buffer.from(JSON.stringify({ ...good, ...change })).toString('base64url')
    expect(await cookies.copyIn(changed({}), now())).toEqual({ user: 'ada' })
    const none = [
      changed({ session: { user: 'eve' } }),
      changed({ expiresAt: later + 1 }),
      changed({ signature: undefined }),
      changed({ signature: '' }),
      changed({ signature: mac('', 'base64url') }),
      changed({ signature: good.signature.slice(0, -1) }),
      changed({ signature: mac('{}', 'base64url') }),
      compact({ user: 'ada' }, later, 'another'),
      compact({ user: 'ada' }, String(later)),
      compact({ user: 'ada' }, undefined),
      compact(null, later),
      compact([], later),
      compact('ada', later),
      compact({ note: 'x'.repeat(40_000) }, later),
      await jwt({ exp }, 'HS256', 'another'),
      await jwt({ exp }, 'HS512'),
      await jwt({ exp: undefined }),
      `${await jwt({ exp })}.`,
      `${await jwt({ exp })}..`,
      '.',
      '....',
      '%',
      '',
      'x',
    ]
    for (const copy of none) expect(await cookies.copyIn(copy, now())).toBeUndefined()
  })

  test('with almost the longest cookie is read', async () => {
    const note = 'x'.repeat(24_000)
    const copy = compact({ note }, now() + 60_000)
    expect(copy.length).toBeGreaterThan(32_000)
    expect(await cookies.copyIn(copy, now())).toEqual({ note })
  })
})
