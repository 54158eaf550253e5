import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holds } from '../../../test/support/holds.ts'
import { claims, encode, forge, header, keys } from '../test-support/keys.js'
import { CLOCK_SKEW, MAX_TOKEN_LIFE, type SessionClaims } from './claims.js'
import { hasDuplicateMembers } from './duplicate-members.js'
import { signSessionToken } from './signed.js'
import { verifyToken } from './verify.js'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })

/** JSON as `JSON.parse` would make it again: it has no -0. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))
const record = fc
  .dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    json,
  )
  .map((found): Record<string, unknown> => JSON.parse(JSON.stringify(found)))

const claimName = fc.constantFrom(...Object.keys(claims), 'aud', 'nbf')

/** Claims that may be signed. */
const anyClaims: fc.Arbitrary<SessionClaims> = fc
  .record({
    iss: text,
    sub: text,
    sid: fc.stringMatching(/^[A-Za-z0-9_-]{22,64}$/),
    iat: fc.integer({ min: CLOCK_SKEW, max: 4_000_000_000 }),
    life: fc.integer({ min: 1, max: MAX_TOKEN_LIFE }),
    rest: fc.integer({ min: 0, max: 40_000_000 }),
    before: fc.integer({ min: -CLOCK_SKEW, max: CLOCK_SKEW }),
    amr: fc.array(text, { minLength: 1, maxLength: 3 }),
    session: record,
  })
  .map(({ life, rest, before, ...kept }) => {
    const exp = kept.iat + life
    return { ...kept, exp, sexp: exp + rest, auth_time: kept.iat - before }
  })

test('a signed token is read as it was written, and has one spelling', () =>
  holds(
    60,
    fc.asyncProperty(anyClaims, async (given) => {
      const token = await signSessionToken(given, keys.signing)
      const found = await verifyToken(token, keys.verify)
      expect(found).toMatchObject({ claims: given, notBefore: 0 })
      expect(await signSessionToken(given, keys.signing)).toBe(token)
    }),
  ))

test('a signed token with any bit flipped is refused', () =>
  holds(
    100,
    fc.asyncProperty(anyClaims, fc.nat(), fc.nat(7), async (given, place, bit) => {
      const bytes = Buffer.from(await signSessionToken(given, keys.signing), 'latin1')
      const at = place % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      expect(await verifyToken(bytes.toString('latin1'), keys.verify)).toBeTypeOf('string')
    }),
  ))

test('a signed token that is cut, lengthened or mixed with another one is refused', () =>
  holds(
    60,
    fc.asyncProperty(anyClaims, anyClaims, fc.nat(), async (one, other, place) => {
      const token = await signSessionToken(one, keys.signing)
      const [head = '', payload = '', signature = ''] = token.split('.')
      const [, foreign = '', signed = ''] = (await signSessionToken(other, keys.signing)).split('.')
      fc.pre(payload !== foreign)
      const cut = token.slice(0, place % token.length)
      for (const changed of [cut, `${token}.${cut}`, `${head}.${foreign}.${signature}`]) {
        expect(await verifyToken(changed, keys.verify)).toBeTypeOf('string')
      }
      expect(await verifyToken(`${head}.${payload}.${signed}`, keys.verify)).toBe('bad-signature')
    }),
  ))

test('any text is refused as a token, and none makes a reader throw', () =>
  holds(
    300,
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(fc.base64String(), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('.')),
        json.map((value) => `${encode(header)}.${encode(value)}.${'A'.repeat(86)}`),
      ),
      async (given) => {
        expect(await verifyToken(given, keys.verify)).toBeTypeOf('string')
      },
    ),
  ))

test('any JSON that a genuine key signs is read as it stands there or refused, and none makes a reader throw', () =>
  holds(
    150,
    fc.asyncProperty(
      fc.oneof(
        json,
        fc.tuple(claimName, json).map(([name, value]) => ({ ...claims, [name]: value })),
      ),
      json,
      async (payload, head) => {
        const found = await verifyToken(
          await forge({ payload: JSON.stringify(payload) }),
          keys.verify,
        )
        expect(typeof found === 'string' ? found : { ...found.claims }).toEqual(
          found === 'claims' ? found : payload,
        )
        expect(await verifyToken(await forge({ header: JSON.stringify(head) }), keys.verify)).toBe(
          'header',
        )
      },
    ),
  ))

test('JSON text has a member twice only if one is added, in whatever spelling and depth', () =>
  holds(
    200,
    fc.property(record, json, fc.array(fc.string(), { maxLength: 3 }), (found, value, path) => {
      const [name] = Object.keys(found)
      fc.pre(name !== undefined)
      const around = (inner: string) =>
        path.reduce(
          (text, step) => `[{${JSON.stringify(step)} : ${text}}, ${JSON.stringify(value)}]`,
          inner,
        )
      const once = around(JSON.stringify(found))
      expect(hasDuplicateMembers(once, JSON.parse(once))).toBe(false)
      for (const spelling of [JSON.stringify(name), `"${escaped(name ?? '')}"`]) {
        const twice = around(
          `{${spelling}:${JSON.stringify(value)},${JSON.stringify(found).slice(1)}`,
        )
        expect(hasDuplicateMembers(twice, JSON.parse(twice))).toBe(true)
      }
    }),
  ))

/** Every character as an escape, such as `\u0061`. */
function escaped(name: string): string {
  const units = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
