import { createHmac, hkdfSync } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { secret } from '../test-support/browser.js'
import { deriveKeyRing } from './key-ring.js'
import { createSealer } from './seal.js'

const now = () => Date.UTC(2026, 10, 1)
const later = now() / 1000 + 60
const purposes = ['flow', 'posted', 'record', 'verification', 'device'] as const
const ring = await deriveKeyRing([secret], now)
const sealers = { ...ring, device: await ring.device() }

it.each(purposes)(
  'what is sealed as %s opens as that alone, after an upgrade too',
  async (purpose) => {
    const alike = await createSealer([secret], purpose, now)
    const sealed = await alike.seal({ a: 1 }, later)
    for (const other of purposes) {
      const expected = other === purpose ? { a: 1 } : undefined
      expect(await sealers[other].open(sealed)).toEqual(expected)
    }
  },
)

it('the key of csrf tokens is the same for ever: open forms go on after an upgrade', async () => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'latchkey/csrf/hmac-sha256/v1', 32))
  const mac = createHmac('sha256', key).update('the token').digest()
  const [own] = ring.csrf
  const text = new TextEncoder().encode('the token')
  expect(await crypto.subtle.verify('HMAC', own as CryptoKey, mac, text)).toBe(true)
})

it('a sealer that few deployments have is made once', async () => {
  expect(await ring.device()).toBe(sealers.device)
})

it('the log calls a person the same for ever, by 128 bits that need the secret', async () => {
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
