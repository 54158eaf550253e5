import { describe, expect, it } from 'vitest'

// The synchronous cryptography of these tests (test/support/synchronous-crypto.ts) gives Node's answers. Only Node answers for
// a key that it has generated; a copy of the key, imported again, has synchronous answers.

const { subtle } = crypto
const data = new TextEncoder().encode('The text of a token')

async function copyOf(key: CryptoKey, format: 'raw' | 'pkcs8' | 'jwk'): Promise<CryptoKey> {
  const exported = await subtle.exportKey(format, key)
  return subtle.importKey(format as 'raw', exported as ArrayBuffer, key.algorithm, true, key.usages)
}

it.each(['SHA-256', 'SHA-512'])('signs and checks by HMAC with %s as Node does', async (hash) => {
  const how: HmacKeyGenParams = { name: 'HMAC', hash }
  const node = await subtle.generateKey(how, true, ['sign', 'verify'])
  const copy = await copyOf(node, 'raw')
  const mac = await subtle.sign('HMAC', copy, data)
  expect(mac).toEqual(await subtle.sign('HMAC', node, data))
  expect(await subtle.verify('HMAC', copy, mac, data)).toBe(true)
  expect(await subtle.verify('HMAC', copy, mac.slice(1), data)).toBe(false)
  expect(await subtle.verify('HMAC', copy, mac, data.subarray(1))).toBe(false)
})

it('signs and checks by Ed25519 as Node does', async () => {
  const node = (await subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const [own, other] = [await copyOf(node.privateKey, 'pkcs8'), await copyOf(node.publicKey, 'jwk')]
  const signature = await subtle.sign('Ed25519', own, data)
  expect(signature).toEqual(await subtle.sign('Ed25519', node.privateKey, data))
  expect(await subtle.verify('Ed25519', other, signature, data)).toBe(true)
  expect(await subtle.verify('Ed25519', other, signature, data.subarray(1))).toBe(false)
})

describe('AES-GCM', () => {
  const how = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: new Uint8Array(3) }
  const keys = async () => {
    const node = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, [
      'encrypt',
      'decrypt',
    ])
    return { node, copy: await copyOf(node, 'raw') }
  }

  it('seals and opens as Node does', async () => {
    const { node, copy } = await keys()
    const sealed = await subtle.encrypt(how, copy, data)
    expect(sealed).toEqual(await subtle.encrypt(how, node, data))
    expect(new Uint8Array(await subtle.decrypt(how, copy, sealed))).toEqual(data)
  })

  it.each([
    ['another text', (sealed: Uint8Array) => sealed.with(0, (sealed[0] ?? 0) ^ 1)],
    ['another tag', (sealed: Uint8Array) => sealed.with(-1, (sealed.at(-1) ?? 0) ^ 1)],
    ['a shorter text', (sealed: Uint8Array) => sealed.subarray(1)],
    ['no tag', (sealed: Uint8Array) => sealed.subarray(0, 8)],
  ])('refuses %s as Node does', async (_, bend) => {
    const { node, copy } = await keys()
    const bent = bend(new Uint8Array(await subtle.encrypt(how, node, data))) as BufferSource
    const errorOf = async (key: CryptoKey) =>
      subtle.decrypt(how, key, bent).catch(({ name }) => name)
    expect(await errorOf(node)).toBe('OperationError')
    expect(await errorOf(copy)).toBe('OperationError')
  })
})

it('derives by HKDF the bytes of RFC 5869, A.3', async () => {
  const key = await subtle.importKey('raw', new Uint8Array(22).fill(11), 'HKDF', false, [
    'deriveBits',
  ])
  const [salt, info] = [new Uint8Array(), new Uint8Array()]
  const bits = await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 336)
  expect(Buffer.from(bits).toString('hex')).toBe(
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  )
})

it('refuses a usage that a key does not have, and keeps the key when its bytes are written over', async () => {
  const bytes = new Uint8Array(32).fill(7)
  const how = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', bytes, how, false, ['sign'])
  const before = await subtle.sign('HMAC', key, data)
  bytes.fill(0)
  expect(await subtle.sign('HMAC', key, data)).toEqual(before)
  const error = await subtle.verify('HMAC', key, before, data).catch(({ name }) => name)
  expect(error).toBe('InvalidAccessError')
})

it('refuses a method that is called without its object, as Node does', async () => {
  // Not that of `crypto.subtle`: helpers of other files bind it to count its calls.
  const { digest } = SubtleCrypto.prototype
  const error = await digest('SHA-256', data).catch(({ code }) => code)
  expect(error).toBe('ERR_INVALID_THIS')
})
