import { createHmac, createPublicKey, hkdfSync } from 'node:crypto'
import { base64url, CompactEncrypt } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  claims,
  encode,
  fate,
  forge,
  header,
  ISSUER,
  keys,
  SECRET,
  seeded,
  stateOf,
  verifierAt,
} from '../test-support/keys.js'
import { deriveSessionKeys, importVerifyKeys, type SigningKey } from './keys.js'
import { signSessionToken } from './signed.js'
import { verifyToken } from './verify.js'

/** The good header with something before its members. */
const doubled = (more: string) => JSON.stringify(header).replace('{', `{${more}`)

/** A refusal for any reason, neither `live` nor `expired`. */
const REFUSED =
  /^(?:not-a-jws|not-canonical|header|unknown-key|bad-signature|claims|issuer|not-yet-valid|issued-in-the-future)$/

const good = await signSessionToken(claims, keys.signing)
const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.')
const other = await deriveSessionKeys(['another-secret-0123456789abcdef-0123'])

test('a genuine token is live and carries the session', async () => {
  const found = await verifierAt().verify(good, ISSUER)
  expect(stateOf(found)).toBe('live')
  expect(found).toEqual({
    claims,
    session: { ...claims.session, expires: '2027-01-16T08:00:00.000Z' },
    setCookie: [],
    isExpired: false,
  })
})

test('a reader cannot change a token’s claims for the next reader', async () => {
  const found = await verifyToken(good, keys.verify)
  if (typeof found === 'string') throw new Error(found)
  const { amr, session } = found.claims
  expect(() => Object.assign(found.claims, { sub: 'admin' })).toThrow(TypeError)
  expect(() => Object.assign(amr, ['mfa'])).toThrow(TypeError)
  expect(() => Object.assign(session, { user: { role: 'admin' } })).toThrow(TypeError)
})

test('the published keys alone suffice to verify it', async () => {
  const published = await importVerifyKeys({ keys: [[...keys.verify.values()][0]?.jwk] })
  const found = await verifierAt(undefined, published).verify(good, ISSUER)
  expect(stateOf(found)).toBe('live')
})

describe('algorithm confusion (RFC 8725, 2.1)', () => {
  const input = (alg: string) => `${encode({ ...header, alg })}.${goodPayload}`
  const jwk = [...keys.verify.values()][0]?.jwk ?? { x: '' }
  const spki = createPublicKey({ key: { ...jwk }, format: 'jwk' })

  test.each(['none', 'None', 'NONE', ''])('alg %j without a signature', async (alg) => {
    expect(await fate(`${input(alg)}.`)).toBe('not-canonical')
  })

  test('alg none with the signature of a genuine token', async () => {
    expect(await fate(`${input('none')}.${goodSignature}`)).toBe('header')
  })

  test.each([
    ['the raw bytes', Buffer.from(jwk.x, 'base64url')],
    ['the base64url text', jwk.x],
    ['the PEM text', spki.export({ format: 'pem', type: 'spki' })],
    ['the DER bytes', spki.export({ format: 'der', type: 'spki' })],
    ['the JWK text', JSON.stringify(jwk)],
  ])('an HMAC with %s of the public key as its secret', async (_, secret) => {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS512', 'sha512'],
      ['EdDSA', 'sha512'],
    ] as const) {
      const mac = createHmac(hash, secret).update(input(alg)).digest('base64url')
      expect(await fate(`${input(alg)}.${mac}`)).toMatch(/^(not-canonical|header|bad-signature)$/)
    }
  })

  test('ES256, signed by a key of the attacker', async () => {
    const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const { privateKey } = await crypto.subtle.generateKey(ecdsa, false, ['sign', 'verify'])
    const mac = await crypto.subtle.sign(ecdsa, privateKey, Buffer.from(input('ES256')))
    const signature = Buffer.from(mac).toString('base64url')
    expect(await fate(`${input('ES256')}.${signature}`)).toBe('header')
  })

  test.each(['Ed25519', 'eddsa', 'EdDSA ', 'Ed448', 'RS256', 0, null, ['EdDSA'], undefined])(
    'alg %j under a good signature',
    async (alg) => {
      expect(await fate(await forge({ header: { ...header, alg } }))).toBe('header')
    },
  )
})

describe('cross-JWT confusion (RFC 8725, 2.8)', () => {
  test.each(['JWT', 'at+jwt', 'Session+JWT', 'application/session+jwt', '', null, undefined])(
    'typ %j',
    async (typ) => {
      expect(await fate(await forge({ header: { ...header, typ } }))).toBe('header')
    },
  )

  test('an encrypted token, with any of our secrets', async () => {
    const secret = new Uint8Array(hkdfSync('sha256', SECRET, '', 'latchkey/flow', 32))
    const jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'session+jwt', kid: header.kid })
      .encrypt(secret)
    expect(await fate(jwe)).toBe('not-a-jws')
  })

  test('a key that is derived from the same secret for another purpose', async () => {
    const key = await keyFor('latchkey/revocations/ed25519/v1')
    expect(await fate(await forge({ key }))).toBe('bad-signature')
    expect(await fate(await forge({ key, header: { ...header, kid: key.kid } }))).toBe(
      'unknown-key',
    )
  })

  async function keyFor(info: string): Promise<SigningKey> {
    const seed = new Uint8Array(hkdfSync('sha256', SECRET, '', info, 32))
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
    const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    return { kid: 'B'.repeat(43), privateKey } as unknown as SigningKey
  }
})

describe('the header', () => {
  test.each([
    ['jwk: a key that comes with the token (CVE-2018-0114)', { jwk: { kty: 'OKP' } }],
    ['jku: an address to fetch keys from', { jku: 'https://attacker.example/jwks.json' }],
    ['x5c: a certificate that comes with the token', { x5c: ['MIIB'] }],
    ['x5u: an address of a certificate', { x5u: 'https://attacker.example/cert.pem' }],
    ['crit: an unknown extension (CVE-2025-59420)', { crit: ['x'], x: true }],
    ['crit: empty', { crit: [] }],
    ['b64: another signing input (RFC 7797)', { b64: false, crit: ['b64'] }],
    ['b64 without crit', { b64: false }],
    ['zip', { zip: 'DEF' }],
    ['cty: a token in the token', { cty: 'JWT' }],
    ['a member of no meaning', { hello: 1 }],
  ])('refuses %s', async (_, extra) => {
    expect(await fate(await forge({ header: { ...header, ...extra } }))).toBe('header')
  })

  test.each([
    ['__proto__', JSON.stringify(header).replace('{', '{"__proto__":{"a":1},')],
    ['a prototype that brings alg, typ and kid', `{"__proto__":${JSON.stringify(header)}}`],
    ['a duplicate alg, of which the last counts', '{"alg":"EdDSA","alg":"none"}'],
    ['a duplicate alg, of which the first counts', doubled('"alg":"none",')],
    ['a duplicate alg with the same value', doubled('"alg":"EdDSA",')],
    ['a duplicate kid in another spelling', doubled('"k\\u0069d":"A",')],
    ['an array', '[]'],
    ['null', 'null'],
    ['text', '"EdDSA"'],
    ['a byte order mark', `\ufeff${JSON.stringify(header)}`],
    ['no JSON', '{'],
    ['JSON with something behind it', `${JSON.stringify(header)}{}`],
  ])('refuses %s', async (_, text) => {
    expect(await fate(await forge({ header: text }))).toBe('header')
  })

  test.each(['A'.repeat(43), '', '__proto__', 'constructor', 'size'])(
    'an unknown kid: %j',
    async (kid) => {
      expect(await fate(await forge({ header: { ...header, kid } }))).toBe('unknown-key')
    },
  )

  test.each([1, null, undefined, [header.kid], { kid: header.kid }])(
    'a kid that is not text: %j',
    async (kid) => {
      expect(await fate(await forge({ header: { ...header, kid } }))).toBe('header')
    },
  )

  test('the kid of another known key', async () => {
    const both = new Map([...keys.verify, ...other.verify])
    const token = await forge({ header: { ...header, kid: other.signing.kid } })
    const found = await verifierAt(undefined, both).verify(token, ISSUER)
    expect(found).toBe('bad-signature')
  })

  test('may have its members in any order, as other issuers write them', async () => {
    const { alg, typ, kid } = header
    expect(await fate(await forge({ header: { kid, typ, alg } }))).toBe('live')
  })
})

describe('a token has one accepted encoding', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

  test('the other characters that decode to the same last byte', async () => {
    const last = alphabet.indexOf(good.slice(-1))
    for (let bits = 1; bits < 16; bits++) {
      const respelled = good.slice(0, -1) + alphabet[last + bits]
      const bytes = base64url.decode(respelled.split('.')[2] ?? '')
      expect(bytes).toEqual(base64url.decode(goodSignature))
      expect(await fate(respelled)).toBe('not-canonical')
    }
  })

  test.each([
    ['padding', `${good}==`],
    ['one padding character', `${good}=`],
    ['a space behind it', `${good} `],
    ['a space before it', ` ${good}`],
    ['a line feed behind it', `${good}\n`],
    ['a line feed within the signature', `${good.slice(0, -9)}\n${good.slice(-9)}`],
    ['a space within the signature', `${good.slice(0, -9)} ${good.slice(-9)}`],
    ['a tab within the payload', good.replace(goodPayload, `\t${goodPayload}`)],
    ['a line feed in the header', `${goodHeader}\n.${goodPayload}.${goodSignature}`],
    ['padding in the header', `${goodHeader}=.${goodPayload}.${goodSignature}`],
    ['a NUL behind it', `${good}\0`],
    ['look-alike letters beyond ASCII', good.replace('e', '\uff45')],
    ['percent encoding', good.replace('.', '%2E')],
  ])('with %s', async (_, token) => {
    expect(await fate(token)).toMatch(/^not-(canonical|a-jws)$/)
  })

  test('in the alphabet of plain base64', async () => {
    let token = good
    for (let n = 0; !/[-_]/.test(token.split('.')[2] ?? ''); n++) {
      token = await signSessionToken({ ...claims, sub: `user-${n}` }, keys.signing)
    }
    const [head, payload, signature = ''] = token.split('.')
    const plain = signature.replaceAll('-', '+').replaceAll('_', '/')
    expect(await fate(`${head}.${payload}.${plain}`)).toBe('not-canonical')
  })

  test('the same signature plus the order of the group (RFC 8032, 8.4)', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = Buffer.from(goodSignature, 'base64url')
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`)
    const more = Buffer.from((s + order).toString(16).padStart(64, '0'), 'hex').reverse()
    const signature = Buffer.concat([bytes.subarray(0, 32), more]).toString('base64url')
    expect(await fate(`${goodHeader}.${goodPayload}.${signature}`)).toBe('bad-signature')
  })
})

describe('a value that is not a token', () => {
  test.each(['', '.', '..', '...', 'a.b', 'a.b.c', good.slice(0, -1), `${good}.`, `.${good}`])(
    '%j',
    async (token) => {
      expect(await fate(token)).toMatch(/^not-/)
    },
  )

  test.each([undefined, null, 1, {}, [good]])('a value that is not text: %j', async (token) => {
    expect(await fate(token as string)).toBe('not-a-jws')
  })

  test('a very long text is refused before anything is decoded', async () => {
    const token = await forge({ payload: { ...claims, session: { fat: 'x'.repeat(60_000) } } })
    const decode = vi.spyOn(globalThis, 'atob')
    onTestFinished(() => decode.mockRestore())
    expect(await fate(token)).toBe('not-a-jws')
    expect(await fate('.'.repeat(10_000_000))).toBe('not-a-jws')
    expect(decode).not.toHaveBeenCalled()
  })

  // A search in quadratic time would take many minutes.
  test('a text of the greatest length is refused quickly', async () => {
    for (let count = 0; count < 100; count++) {
      expect(await fate(`${'a'.repeat(65_000)}.!`)).toBe('not-a-jws')
      expect(await fate(`a.${'a'.repeat(65_000)}!.`)).toBe('not-canonical')
    }
  })

  test('the parts of two genuine tokens', async () => {
    const token = await signSessionToken({ ...claims, sub: 'user-2' }, keys.signing)
    const [, payload, signature] = token.split('.')
    expect(await fate(`${goodHeader}.${payload}.${goodSignature}`)).toBe('bad-signature')
    expect(await fate(`${goodHeader}.${goodPayload}.${signature}`)).toBe('bad-signature')
  })
})

describe('every change of a good token is refused', () => {
  const letters = 'ABCXYZabcxyz0189-_.=+/ \n\0\u00e9%"{'

  test('any one character, replaced, removed or doubled', async () => {
    const random = seeded(1)
    const verifier = verifierAt()
    await verifier.verify(good, ISSUER)
    for (let at = 0; at < good.length; at++) {
      const [before, char, after] = [good.slice(0, at), good.charAt(at), good.slice(at + 1)]
      const swapped = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()
      const changed = [letters[random(letters.length)], swapped, '', char + char]
      for (const replacement of changed) {
        if (replacement === char) continue
        const token = `${before}${replacement}${after}`
        expect(stateOf(await verifier.verify(token, ISSUER)), token).toMatch(REFUSED)
      }
    }
  })

  test('any one bit of header, payload or signature', async () => {
    const verifier = verifierAt()
    const parts = good.split('.')
    for (const [index, part] of parts.entries()) {
      const bytes = base64url.decode(part)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice()
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const token = parts.with(index, base64url.encode(flipped)).join('.')
        expect(stateOf(await verifier.verify(token, ISSUER)), token).toMatch(REFUSED)
      }
    }
  })

  test('many changes at once', async () => {
    const random = seeded(2)
    const verifier = verifierAt()
    for (let round = 0; round < 1_000; round++) {
      const token = [...good]
      for (let edits = 1 + random(4); edits > 0; edits--) {
        const from = random(token.length)
        const moved = token.splice(from, random(6))
        const kind = random(3)
        if (kind === 0) token.splice(random(token.length), 0, ...moved)
        if (kind === 1) token.splice(from, 0, letters[random(letters.length)] ?? '')
      }
      if (token.join('') === good) continue
      expect(stateOf(await verifier.verify(token.join(''), ISSUER)), token.join('')).toMatch(
        REFUSED,
      )
    }
  })
})
