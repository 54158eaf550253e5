import * as jose from 'jose'
import { describe, expect, test } from 'vitest'
import {
  AUDIENCE,
  accessClaims,
  accessHeader,
  accessJwks,
  eddsa,
  es256,
  forgeAccess,
  rs256,
} from '../test-support/access.js'
import { claims, encode, forge, header, ISSUER, keys, NOW } from '../test-support/keys.js'
import { signRevocationFeed } from '../verifier/revocations.js'
import { importTokenKeys } from '../verifier/token-keys.js'
import {
  type AccessClaims,
  accessTokenStanding,
  isLikeAccessToken,
  namedAlg,
  readIdToken,
  signAccessToken,
  signIdToken,
  verifyAccessToken,
} from './access-token.js'
import { verifyToken } from './verify.js'

const all = await importTokenKeys(accessJwks)
const good = await forgeAccess()

/** `live`, or the reason of a refusal. */
async function verdict(token: string, now = NOW): Promise<string> {
  const found = await verifyAccessToken(token, all)
  if (typeof found === 'string') return found
  return accessTokenStanding(found.claims, { issuer: ISSUER, audience: AUDIENCE, now })
}

/** The same token by ES256 with `n - s` in the place of `s`. */
function withOtherS(token: string): string {
  const at = token.lastIndexOf('.') + 1
  const bytes = Buffer.from(token.slice(at), 'base64url')
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const other = (order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16)
  const s = Buffer.from(other.padStart(64, '0'), 'hex')
  return token.slice(0, at) + Buffer.concat([bytes.subarray(0, 32), s]).toString('base64url')
}

const without = (name: string, from: object = accessClaims) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))

describe('a token of our own', () => {
  test.each([
    ['EdDSA', eddsa],
    ['ES256', es256],
    ['RS256', rs256],
  ])('that %s signs is read, here and by jose', async (alg, key) => {
    const token = await signAccessToken(accessClaims, key)
    expect(await verifyAccessToken(token, all)).toEqual({ claims: accessClaims, notBefore: 0 })
    expect(await verdict(token)).toBe('live')
    const set = jose.createLocalJWKSet(accessJwks as jose.JSONWebKeySet)
    const { payload, protectedHeader } = await jose.jwtVerify(token, set, {
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: 'at+jwt',
      algorithms: [alg],
      currentDate: new Date(NOW * 1000),
    })
    expect(payload).toEqual(accessClaims)
    expect(protectedHeader).toEqual({ alg, typ: 'at+jwt', kid: key.kid })
  })

  test.each(['scope', 'pid', 'sid'])('may have no %s', async (name) => {
    expect(await verdict(await forgeAccess({ payload: without(name) }))).toBe('live')
  })

  test.each(['notes:read', 'a b c', '!', '~'])('may have the scope %j', async (scope) => {
    expect(await verdict(await forgeAccess({ payload: { ...accessClaims, scope } }))).toBe('live')
  })

  test.each<[string, object]>([
    ['a sign-in a minute after it, by another clock', { auth_time: accessClaims.iat + 60 }],
    ['a beginning a minute after it, by another clock', { began: accessClaims.iat + 60 }],
    ['the level of two factors', { acr: '2' }],
    ['a claim that is not known', { x: [{ y: 1 }] }],
  ])('may have %s', async (_, changes) => {
    const token = await forgeAccess({ payload: { ...accessClaims, ...changes } })
    expect(await verdict(token)).toBe('live')
  })

  test('is known by its form, and names its alg', async () => {
    expect([good, `${good} `, `${'A'.repeat(8_200)}${good}`].map(isLikeAccessToken)).toEqual([
      true,
      false,
      false,
    ])
    // Characters 62 and 63 of base64url are others than those of base64.
    const odd = encode({ alg: 'ES256', x: '~~~???>>>' })
    expect(odd).toMatch(/[-_]/)
    expect([`${odd}.x.y`, '!.x.y', 'x'].map(namedAlg)).toEqual(['ES256', undefined, undefined])
  })

  test('is frozen', async () => {
    const found = await verifyAccessToken(good, all)
    expect(typeof found === 'object' && Object.isFrozen(found.claims)).toBe(true)
  })
})

describe('a header is refused', () => {
  test.each(['alg', 'typ', 'kid'])('without %s', async (name) => {
    expect(await verdict(await forgeAccess({ header: without(name, accessHeader) }))).toBe('header')
  })

  // RFC 8725, 3.1 and 3.2: an `alg` is never chosen by the token alone.
  test.each([
    'none',
    'None',
    'HS256',
    'RS256',
    'ES256',
    'PS256',
    'Ed25519',
    'eddsa',
    '',
    '__proto__',
    'constructor',
    1,
    null,
    ['EdDSA'],
  ])('with the alg %j', async (alg) => {
    expect(await verdict(await forgeAccess({ header: { ...accessHeader, alg } }))).toBe('header')
  })

  // RFC 8725, 3.11: a type of its own for each kind of token.
  test.each(['JWT', 'at+JWT', 'application/at+jwt', 'session+jwt', 'revocations+jwt', '', 1, null])(
    'with the typ %j',
    async (typ) => {
      expect(await verdict(await forgeAccess({ header: { ...accessHeader, typ } }))).toBe('header')
    },
  )

  // RFC 8725, 3.5 and 3.10: no key, and no address of one, comes from a token.
  test.each([
    ['crit', ['exp']],
    ['b64', false],
    ['jwk', eddsa.jwk],
    ['jku', 'https://attacker.example/jwks.json'],
    ['x5u', 'https://attacker.example/'],
    ['x5c', []],
    ['zip', 'DEF'],
    ['cty', 'JWT'],
    ['__proto__', {}],
  ])('with the member %s', async (name, value) => {
    const text = JSON.stringify(accessHeader).replace(
      '{',
      `{${JSON.stringify(name)}:${JSON.stringify(value)},`,
    )
    expect(await verdict(await forgeAccess({ header: text }))).toBe('header')
  })

  test('with a member twice', async () => {
    const text = JSON.stringify(accessHeader).replace('{', `{"alg":"EdDSA",`)
    expect(await verdict(await forgeAccess({ header: text }))).toBe('header')
  })

  test.each(['', 'null', '[]', '{', '"text"', '1'])('that is %j', async (text) => {
    expect(await verdict(await forgeAccess({ header: text }))).toMatch(/^(header|not-canonical)$/)
  })

  test.each([header.kid, keys.signing.kid.toLowerCase(), '../jwks', '', 'A'.repeat(43)])(
    'with the unknown kid %j',
    async (kid) => {
      const token = await forgeAccess({ header: { ...accessHeader, kid } })
      expect(await verdict(token)).toBe('unknown-key')
    },
  )

  test.each([1, null, ['x'], {}])('with the kid %j', async (kid) => {
    expect(await verdict(await forgeAccess({ header: { ...accessHeader, kid } }))).toBe('header')
  })
})

describe('alg and key are confused in vain', () => {
  test.each([
    ['the RSA key', rs256],
    ['the P-256 key', es256],
  ])('a signature by Ed25519 under the kid of %s', async (_, { kid, alg }) => {
    for (const name of ['EdDSA', alg]) {
      const token = await forgeAccess({ header: { ...accessHeader, kid, alg: name } })
      expect(await verdict(token)).toMatch(/^(header|bad-signature)$/)
    }
  })

  // RFC 8725, 2.1: the public key, which everyone has, taken for the secret of an HMAC.
  test.each(Object.entries({ eddsa, es256, rs256 }))(
    'an HMAC with the public key %s',
    async (_, key) => {
      const secret = new TextEncoder().encode(JSON.stringify(key.jwk))
      for (const alg of ['HS256', key.alg]) {
        const input = `${encode({ alg, typ: 'at+jwt', kid: key.kid })}.${encode(accessClaims)}`
        const hmac = await crypto.subtle.importKey(
          'raw',
          secret,
          { name: 'HMAC', hash: 'SHA-256' },
          false,
          ['sign'],
        )
        const mac = await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(input))
        const token = `${input}.${encode(new Uint8Array([...new Uint8Array(mac), ...new Uint8Array(mac)]))}`
        expect(await verdict(token)).toMatch(/^(header|bad-signature)$/)
      }
    },
  )

  test('an empty signature, and none', async () => {
    const [head = '', payload = ''] = good.split('.')
    expect(await verdict(`${head}.${payload}.`)).toBe('not-canonical')
    expect(await verdict(`${head}.${payload}`)).toBe('not-a-jws')
  })

  // CVE-2022-21449: zeros are no signature by ECDSA.
  test('a signature of zeros by ECDSA', async () => {
    const input = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: es256.kid })}.${encode(accessClaims)}`
    expect(await verdict(`${input}.${encode(new Uint8Array(64))}`)).toBe('bad-signature')
  })
})

describe('a signature has one spelling', () => {
  test.each([
    ['a space behind', `${good} `],
    ['a line break behind', `${good}\n`],
    ['a space before', ` ${good}`],
    ['padding', `${good}==`],
    ['a part more', `${good}.x`],
    ['a dot less', good.replace('.', '')],
  ])('with %s it is refused', async (_, token) => {
    expect(await verdict(token)).toMatch(/^not-/)
  })

  test.each([
    ['EdDSA', eddsa],
    ['ES256', es256],
    ['RS256', rs256],
  ])(
    'another last character of %s, which decodes to the same bytes, is refused',
    async (_, key) => {
      const token = await signAccessToken(accessClaims, key)
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const last = alphabet.indexOf(token.at(-1) ?? '')
      for (const other of [1, 7, 15]) {
        expect(await verdict(token.slice(0, -1) + alphabet[last + other])).toBe('not-canonical')
      }
    },
  )

  test('attack: the other `s` of ES256, which is a good signature too, is refused', async () => {
    for (let tries = 0; tries < 8; tries++) {
      const token = await signAccessToken({ ...accessClaims, jti: `jti-${tries}` }, es256)
      const other = withOtherS(token)
      expect(await verdict(token)).toBe('live')
      expect(await verdict(other)).toBe('not-canonical')
      // It is one: another library takes it.
      const set = jose.createLocalJWKSet(accessJwks as jose.JSONWebKeySet)
      const currentDate = new Date(NOW * 1000)
      await expect(jose.jwtVerify(other, set, { currentDate })).resolves.toBeDefined()
    }
  })

  test('an ID token of an earlier version, with the other `s`, is still a hint', async () => {
    const token = await signIdToken({ iss: ISSUER, sub: 'user-1' }, es256)
    expect(await readIdToken(token, all)).toEqual({ iss: ISSUER, sub: 'user-1' })
    expect(await readIdToken(withOtherS(token), all)).toEqual({ iss: ISSUER, sub: 'user-1' })
  })

  test('any one character of it, replaced, is refused', async () => {
    for (let at = 0; at < good.length; at += 3) {
      const other = good[at] === 'A' ? 'B' : 'A'
      expect(await verdict(good.slice(0, at) + other + good.slice(at + 1))).not.toBe('live')
    }
  })
})

describe('claims are refused', () => {
  const required = Object.keys(accessClaims).filter(
    (name) => !['scope', 'pid', 'sid'].includes(name),
  )

  test.each(required)('without %s', async (name) => {
    expect(await verdict(await forgeAccess({ payload: without(name) }))).toBe('claims')
  })

  test.each(
    Object.keys(accessClaims).flatMap((name) =>
      [null, true, -1, 1.5, '', [], {}, [accessClaims[name as keyof AccessClaims]]].map(
        (value) => [name, value] as const,
      ),
    ),
  )('with the %s %j', async (name, value) => {
    const token = await forgeAccess({ payload: { ...accessClaims, [name]: value } })
    expect(await verdict(token)).toBe('claims')
  })

  test.each<[string, object]>([
    ['a life of more than 300 seconds', { exp: accessClaims.iat + 301 }],
    ['an end before the beginning', { exp: accessClaims.iat - 1 }],
    ['an end at the beginning', { exp: accessClaims.iat }],
    ['a sign-in after the token', { auth_time: accessClaims.iat + 61 }],
    ['a grant after the token', { began: accessClaims.iat + 61 }],
    ['a time as text', { exp: String(accessClaims.exp) }],
    ['a time that no date can hold', { exp: 8_640_000_000_001, iat: 8_640_000_000_000 }],
    ['another level', { acr: '3' }],
    ['a level as a number', { acr: 2 }],
    ['a grant that is too short', { grant: 'A'.repeat(21) }],
    ['a grant that is too long', { grant: 'A'.repeat(65) }],
    ['a grant of other characters', { grant: `${'A'.repeat(21)}+` }],
    ['a sid that is too short', { sid: 'A'.repeat(21) }],
    ['a pid that is too short', { pid: 'A'.repeat(11) }],
    ['a pid that is too long', { pid: 'A'.repeat(65) }],
    ['a pid with another character before', { pid: `+${'A'.repeat(12)}` }],
    ['a pid with another character behind', { pid: `${'A'.repeat(12)}+` }],
    ['two spaces between scopes', { scope: 'a  b' }],
    ['a space before a scope', { scope: ' a' }],
    ['a quote in a scope', { scope: 'a"b' }],
    ['a backslash in a scope', { scope: 'a\\b' }],
    ['a line break in a scope', { scope: 'a\nb' }],
    ['two audiences', { aud: [AUDIENCE, 'https://other.example/'] }],
    ['one audience as a list', { aud: [AUDIENCE] }],
    ['a beginning that is not a time', { nbf: 'now' }],
  ])('with %s', async (_, changes) => {
    const token = await forgeAccess({ payload: { ...accessClaims, ...changes } })
    expect(await verdict(token)).toBe('claims')
  })

  // RFC 8725, 2.4 and 3.10: readers differ in which of two members counts.
  test.each(['"sub":"user-2",', '"s\\u0075b":"user-2",', '"x":{"y":1,"y":2},'])(
    'with a member twice: %s',
    async (member) => {
      const text = JSON.stringify(accessClaims).replace('{', `{${member}`)
      expect(await verdict(await forgeAccess({ payload: text }))).toBe('claims')
    },
  )

  test.each(['null', '[]', '"text"', '1', '{', new Uint8Array([0x7b, 0xff, 0x7d])])(
    'that are %j',
    async (payload) => {
      expect(await verdict(await forgeAccess({ payload }))).toBe('claims')
    },
  )
})

describe('a token counts in its time', () => {
  test.each([
    ['at its end', { now: accessClaims.exp }, 'expired'],
    ['a second before its end', { now: accessClaims.exp - 1 }, 'live'],
    ['60 seconds before it was issued', { now: accessClaims.iat - 60 }, 'live'],
    ['61 seconds before it was issued', { now: accessClaims.iat - 61 }, 'issued-in-the-future'],
  ])('%s', async (_, { now }, expected) => {
    expect(await verdict(good, now)).toBe(expected)
  })

  test.each([
    ['from another issuer', { iss: 'https://example.com/other' }, 'issuer'],
    ['from an issuer with a slash more', { iss: `${ISSUER}/` }, 'issuer'],
    ['for another audience', { aud: 'https://api.example.com/other' }, 'audience'],
    ['for an audience with a slash more', { aud: `${AUDIENCE}/` }, 'audience'],
    ['for the app itself', { aud: accessClaims.client_id }, 'audience'],
  ])('%s', async (_, changes, expected) => {
    const token = await forgeAccess({ payload: { ...accessClaims, ...changes } })
    expect(await verdict(token)).toBe(expected)
  })
})

describe('a text that is too long is refused unread', () => {
  test('at 8,193 characters, and not at 8,192', async () => {
    const length = async (pad: number) =>
      forgeAccess({ payload: { ...accessClaims, pad: 'x'.repeat(pad) } })
    const base = (await length(0)).length
    let pad = Math.floor(((8_192 - base) * 3) / 4)
    while ((await length(pad)).length > 8_192) pad--
    expect(await verdict(await length(pad))).toBe('live')
    expect(await verdict(await length(pad + 4))).toBe('not-a-jws')
  })
})

// RFC 8725, 3.12: no token counts where another kind is expected.
describe('a token of one kind does not count as another kind', () => {
  test('a session token is not an access token', async () => {
    expect(await verdict(await forge())).toBe('header')
    expect(await verdict(await forge({ header: { ...header, typ: 'at+jwt' } }))).toBe('unknown-key')
  })

  test('an ID token is not an access token', async () => {
    expect(await verdict(await signIdToken(accessClaims, eddsa))).toBe('header')
    expect(await verdict(await signIdToken(accessClaims, es256))).toBe('header')
  })

  test('a feed of endings is not an access token', async () => {
    const feed = { iss: ISSUER, sids: [], users: [], since: 0, next: NOW, window: 300 }
    expect(await verdict(await signRevocationFeed(feed, keys.signing))).toBe('header')
  })

  test('an access token is neither a session nor an ID token', async () => {
    expect(await verifyToken(good, keys.verify)).toBe('header')
    expect(await readIdToken(good, all)).toBe('header')
    const session = { ...accessClaims, ...claims }
    const token = await forgeAccess({
      header: { ...accessHeader, typ: 'session+jwt' },
      payload: session,
    })
    expect(await verifyToken(token, keys.verify)).toBe('unknown-key')
  })

  test('an ID token is read as one, however old', async () => {
    const content = { iss: ISSUER, sub: 'user-1', aud: 'notes-app', iat: 1, exp: 2 }
    const token = await signIdToken(content, es256)
    expect(await readIdToken(token, all)).toEqual(content)
    expect(await readIdToken(await signIdToken([1], es256), all)).toBe('claims')
    expect(jose.decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT', kid: es256.kid })
  })
})

test('a key that says another alg than the three signs nothing', () => {
  expect(() => signAccessToken(accessClaims, { ...eddsa, alg: 'none' as 'EdDSA' })).toThrow(
    'EdDSA, ES256 or RS256',
  )
})
