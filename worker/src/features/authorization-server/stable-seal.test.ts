import { createCipheriv, createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { secret } from '../../test-support/browser.js'
import { createStableSealer } from './stable-seal.js'

const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
const sealer = (secrets: readonly string[] = [secret], purpose = 'refresh') =>
  createStableSealer(secrets, purpose)

describe('a text that is always sealed to the same letters', () => {
  it('opens with what it is bound to, and is the same for every isolate', async () => {
    const [one, other] = await Promise.all([sealer(), sealer()])
    const text = '["ada","é 🔑\\u0000",3]'
    const sealed = await one.seal(text, ['https://example.com/auth', 'app'])
    expect(await other.seal(text, ['https://example.com/auth', 'app'])).toBe(sealed)
    const opened = await other.open(String(sealed), ['https://example.com/auth', 'app'])
    expect(opened).toEqual({ text, id: one.ids[0] })
  })

  it('opens with no other bounds, purpose or secret', async () => {
    const own = await sealer()
    const sealed = String(await own.seal('text', ['a', 'b']))
    for (const bound of [[], ['a'], ['ab'], ['a', 'c'], ['a', 'b', ''], ['b', 'a']]) {
      expect(await own.open(sealed, bound)).toBeUndefined()
    }
    expect(await (await sealer([secret], 'key')).open(sealed, ['a', 'b'])).toBeUndefined()
    const foreign = await sealer([newer])
    expect(await foreign.open(sealed, ['a', 'b'])).toBeUndefined()
    const renamed = sealed.replace(/^[^.]*/, foreign.ids[0])
    expect(await foreign.open(renamed, ['a', 'b'])).toBeUndefined()
  })

  it('opens with every key, and is sealed with the one that is named, or the first', async () => {
    const before = await sealer([older])
    const during = await sealer([newer, older])
    const after = await sealer([newer])
    expect(await during.open(String(await before.seal('text', [])), [])).toEqual({
      text: 'text',
      id: before.ids[0],
    })
    expect(await during.seal('text', [])).toBe(await after.seal('text', []))
    expect(await during.seal('text', [], before.ids[0])).toBe(await before.seal('text', []))
    expect(await after.seal('text', [], before.ids[0])).toBeUndefined()
    expect(await after.open(String(await before.seal('text', [])), [])).toBeUndefined()
  })

  it('opens no text in which any bit was changed, and none that is cut, longer or spelled otherwise', async () => {
    const own = await sealer()
    const sealed = String(await own.seal('text', []))
    const [id = '', encoded = ''] = sealed.split('.')
    const bytes = Buffer.from(encoded, 'base64url')
    const changed = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return copy
    })
    const cut = Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length))
    const longer = [Buffer.concat([bytes, Buffer.from([0])])]
    const others = [...changed, ...cut, ...longer].map(
      (one) => `${id}.${one.toString('base64url')}`,
    )
    const spelled = [`${sealed}.`, `${sealed}=`, `${sealed}.x`, ` ${sealed}`, '', '.', `${id}.`]
    const opened = await Promise.all([...others, ...spelled].map((one) => own.open(one, [])))
    expect(opened.filter(Boolean)).toHaveLength(0)
  })

  it('is the construction of RFC 5297 over HMAC-SHA-256 and AES-256-CTR, after an upgrade too', async () => {
    const bytes = (what: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, '', `latchkey/refresh/siv-${what}/v1`, length))
    const input = JSON.stringify([['a', 'b'], 'text'])
    const mac = createHmac('sha256', bytes('hmac-sha256', 32)).update(input).digest()
    const code = mac.subarray(0, 16)
    const cipher = createCipheriv('aes-256-ctr', bytes('a256ctr', 32), code)
    const sealed = Buffer.concat([code, cipher.update('text'), cipher.final()])
    const id = bytes('key-id', 6).toString('base64url')
    expect(await (await sealer()).seal('text', ['a', 'b'])).toBe(
      `${id}.${sealed.toString('base64url')}`,
    )
  })

  it('needs a secret', async () => {
    await expect(sealer([])).rejects.toThrow(TypeError)
  })
})
