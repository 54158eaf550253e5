import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BrowserKey, keyIn } from './browser-key.js'
import { faultOf, readProof } from './proof.js'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

let own: Keys
let other: Keys
let rsa: Keys
beforeAll(async () => {
  own = await generateKeyPair('ES256')
  other = await generateKeyPair('ES256')
  rsa = await generateKeyPair('RS256')
})

const proofBy = (
  { privateKey }: Keys,
  header: object = {},
  claims: object = { jti: 'challenge' },
) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dbsc+jwt', ...header } as JWTHeaderParameters)
    .sign(privateKey)

const keyOf = async ({ publicKey }: Keys) => keyIn(await exportJWK(publicKey)) as BrowserKey

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a proof', () => {
  it('is read with its challenge and the key that it brings', async () => {
    const jwk = await exportJWK(own.publicKey)
    const text = await proofBy(own, { jwk })
    const proof = { text, alg: 'ES256', jwk, jti: 'challenge', fault: undefined }
    expect(readProof(text)).toEqual(proof)
    expect(await faultOf(readProof(text), await keyOf(own))).toBeUndefined()
    const byRsa = await proofBy(rsa, { alg: 'RS256' })
    expect(await faultOf(readProof(byRsa), await keyOf(rsa))).toBeUndefined()
  })

  it('attack: has another form: a part too many, too few or beside it', async () => {
    const good = await proofBy(own)
    const [head = '', body = '', signature = ''] = good.split('.')
    for (const text of [
      ...[`x.${good}`, `${good}.x`, `!${good}`, `${good}!`, ` ${good}`, `${good}\n`],
      ...[`${head}.${body}.`, `.${body}.${signature}`, `${head}..${signature}`, `${head}.${body}`],
      ...['', 'x', `${part([])}.${body}.${signature}`, `${part(null)}.${body}.${signature}`],
    ]) {
      const { fault } = readProof(text)
      expect([text, fault]).toEqual([text, 'form'])
      expect(await faultOf(readProof(text), await keyOf(own))).toBe('form')
    }
  })

  it.each<[string, object, object]>([
    ['another type', { typ: 'jwt' }, { jti: 'challenge' }],
    ['a type in other letters', { typ: 'DBSC+JWT' }, { jti: 'challenge' }],
    ['no type', { typ: undefined }, { jti: 'challenge' }],
    ['no challenge', {}, {}],
    ['a number as its challenge', {}, { jti: 7 }],
    ['a list as its challenge', {}, { jti: ['challenge'] }],
  ])('attack: has %s, and a good signature', async (_, header, claims) => {
    const proof = readProof(await proofBy(own, header, claims))
    expect(proof.fault).toBe('form')
    expect([undefined, 'challenge']).toContain(proof.jti)
    expect(await faultOf(proof, await keyOf(own))).toBe('form')
  })

  it.each([[null], [[]], [['exp']], ['exp']])(
    'attack: asks for an extension that nobody here understands: %j',
    async (crit) => {
      const [, body, signature] = (await proofBy(own)).split('.')
      const head = part({ alg: 'ES256', typ: 'dbsc+jwt', crit })
      expect(readProof(`${head}.${body}.${signature}`).fault).toBe('form')
    },
  )

  it.each(['none', 'HS256', 'ES384', 'PS256', 'es256', '', undefined, null, ['ES256'], 7])(
    'attack: is signed by another algorithm, or by none: %j',
    async (alg) => {
      const [, body, signature] = (await proofBy(own)).split('.')
      const text = `${part({ alg, typ: 'dbsc+jwt' })}.${body}.${signature}`
      expect(readProof(text)).toMatchObject({ alg: undefined, fault: 'algorithm' })
      expect(await faultOf(readProof(text), await keyOf(own))).toBe('algorithm')
    },
  )

  it('attack: is signed by another key, or for a key of another kind', async () => {
    const proof = readProof(await proofBy(own))
    expect(await faultOf(proof, await keyOf(other))).toBe('signature')
    expect(await faultOf(proof, await keyOf(rsa))).toBe('algorithm')
    const byRsa = readProof(await proofBy(rsa, { alg: 'RS256' }))
    expect(await faultOf(byRsa, await keyOf(own))).toBe('algorithm')
    const { kty, crv, x } = (await keyOf(own)) as BrowserKey & { kty: 'EC' }
    expect(await faultOf(proof, { kty, crv, x, y: x })).toBe('key')
  })
})
