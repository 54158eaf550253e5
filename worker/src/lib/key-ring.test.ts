import { createHmac, hkdfSync } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { secret } from '../test-support/browser.js'
import { deriveKeyRing } from './key-ring.js'
import { createSealer } from './seal.js'

const now = () => Date.UTC(2026, 10, 1)
const later = now() / 1000 + 60
const purposes = ['flow', 'posted', 'record', 'verification', 'device'] as const
const ring = await deriveKeyRing([secret], now)
const sealers = { ...ring, device: await ring.sealer('device') }

it.each(purposes)(
  'a value sealed as %s opens as that alone, after an upgrade too',
  async (purpose) => {
    const alike = await createSealer([secret], purpose, now)
    const sealed = await alike.seal({ a: 1 }, later)
    for (const other of purposes) {
      const expected = other === purpose ? { a: 1 } : undefined
      expect(await sealers[other].open(sealed)).toEqual(expected)
    }
  },
)

it('the key of csrf tokens is the same forever: open forms go on after an upgrade', async () => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'latchkey/csrf/hmac-sha256/v1', 32))
  const mac = createHmac('sha256', key).update('the token').digest()
  const [own] = ring.csrf
  const text = new TextEncoder().encode('the token')
  expect(await crypto.subtle.verify('HMAC', own as CryptoKey, mac, text)).toBe(true)
})

it('a sealer that few deployments have is made once', async () => {
  expect(await ring.sealer('device')).toBe(sealers.device)
})

it('a key of a feature’s own derivation is derived once, from every secret', async () => {
  const secrets = [secret, 'an-older-secret-of-the-tests-0123456789']
  const { derived } = await deriveKeyRing(secrets, now)
  const derive = vi.fn(async (given: readonly string[]) => ({ given }))
  const first = await derived('toy', derive)
  expect(first.given).toEqual(secrets)
  expect(await derived('toy', derive)).toBe(first)
  expect(await derived('another', derive)).not.toBe(first)
  expect(derive).toHaveBeenCalledTimes(2)
})

/** Sealed by this version with {@link OLD}, to open forever. */
const SEALED = {
  device:
    '9afKB8Et.GyHNAvIKef-fq2EBh570xBw0BgHsoPP_w1y-MTTW4aq872-WG4QVQeAPXIqtSChBQB9D5baKItMvclIW8rual8u8UmZupznE_-fIKw',
  connection:
    '2MarqgWj.bGRSGNV-vJG8GUqnVqIJFqfYxedeWoOsTNra2HRyDUSGBhwV6W2ETKRUGufch6bubqf4rzF47y-SnGQr_N90I5lFH3Pl82XDLVcEMGnhDyg',
  way: '6k02dcQV.0Rv1R5MzHLlvvKF-_Tsp8s10lzaAvKqkVYofgHEtMcji0U5Qhmjm9RDsUDQIZBtIY2qilqsEvjjieHB3ffQPNPvyUG-0N8l3IA',
  factor:
    't_LFarvI.4BzQ3PL-9OZR220V6ubeM2H8-L1vszUP9zxttuyytIZluTzuXRAuK16j_aBIsWqaYkLpsKCiLG-gtOB_QlwBC3s12IgEX8RWggIMvQ',
} as const
const OLD = 'the-secret-of-the-tests-0123456789-abcdef'
const rare = ['device', 'connection', 'way', 'factor'] as const

it.each(rare)(
  'a value sealed as %s by an older version opens forever, as that alone',
  async (purpose) => {
    const old = await deriveKeyRing([OLD], now)
    for (const other of rare) {
      const sealer = await old.sealer(other)
      expect(await sealer.open(SEALED[purpose])).toEqual(
        other === purpose ? { is: purpose } : undefined,
      )
      expect(await old.sealer(other)).toBe(sealer)
    }
  },
)

it('apps and imports prove themselves by keys that are the same forever, one for each secret', async () => {
  const old = await deriveKeyRing([OLD, secret], now)
  const said = async (name: 'proof' | 'import') => {
    const purpose = name === 'import' ? name : undefined
    const keys = await old.proofKeys(purpose)
    expect(keys).toHaveLength(2)
    expect(await old.proofKeys(purpose)).toBe(keys)
    const [first] = keys
    if (!first) throw new Error('There is no key.')
    const mac = await crypto.subtle.sign('HMAC', first.key, new TextEncoder().encode('ada'))
    return [first.id, Buffer.from(mac).toString('base64url')]
  }
  expect(await said('proof')).toEqual(['S_iC_gZt', 'erKYIfamnoe340S1hcq6BCgd3bZjxSbxGnEKWIjZpmc'])
  expect(await said('import')).toEqual(['236TqROt', 'AMmwMjTJDSs2VZABWHP9N0VElWx1XKsFm-tHD6aqfeU'])
})

it('a user handle of a passkey is the same forever, 256 bits that need the secret', async () => {
  const old = await deriveKeyRing([OLD], now)
  expect(await old.nameFor('passkey-handle', 'ada', 32)).toBe(
    'p7zeMcRPki7ISTsPlJB5bC2JfepfD9d58ODVSgzd-zg',
  )
  expect(await ring.nameFor('passkey-handle', 'ada', 32)).not.toBe(
    await old.nameFor('passkey-handle', 'ada', 32),
  )
})

it('the log calls a person the same forever, by 128 bits that need the secret', async () => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'latchkey/log/hmac-sha256/v1', 32))
  const mac = createHmac('sha256', key).update('ada').digest()
  const name = mac.subarray(0, 16).toString('base64url')
  expect([await ring.logName('ada'), await ring.logName('ada')]).toEqual([name, name])
  expect(await ring.logName('grace')).not.toBe(name)
})

it('no key that is used can be read out of its ring', async () => {
  const importing = vi.spyOn(crypto.subtle, 'importKey')
  onTestFinished(() => importing.mockRestore())
  await deriveKeyRing([secret], now)
  const readable = importing.mock.calls.filter(([, , , isExtractable]) => isExtractable)
  // The session key once, for its public half, and that half.
  expect(readable.map(([format]) => format)).toEqual(['pkcs8', 'jwk'])
})
