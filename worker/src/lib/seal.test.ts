import { createCipheriv, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { secret } from '../test-support/browser.js'
import { createSealer } from './seal.js'

const start = Date.UTC(2026, 10, 1)
const inAnHour = start / 1000 + 3600
const clock = { now: start }
const sealer = (purpose: 'flow' | 'record', secrets: string[] = [secret]) =>
  createSealer(secrets, purpose, () => clock.now)

describe('a sealed value', () => {
  it('opens to the value that was sealed', async () => {
    const flow = await sealer('flow')
    expect(await flow.open(await flow.seal({ a: [1, null, 'é'] }, inAnHour))).toEqual({
      a: [1, null, 'é'],
    })
  })

  it('with another purpose does not open', async () => {
    const [flow, record] = await Promise.all([sealer('flow'), sealer('record')])
    expect(await record.open(await flow.seal({ a: 1 }, inAnHour))).toBeUndefined()
    expect(await flow.open(await record.seal({ a: 1 }, inAnHour))).toBeUndefined()
  })

  it('with another secret does not open', async () => {
    const foreign = await sealer('flow', ['another-secret-'.repeat(3)])
    expect(await (await sealer('flow')).open(await foreign.seal({}, inAnHour))).toBeUndefined()
  })

  it('has one spelling: other bits at its end, or more behind it, do not open', async () => {
    const flow = await sealer('flow')
    const lengths = [1, 2, 3].map((length) => ({ a: 'x'.repeat(length) }))
    const all = await Promise.all(lengths.map((content) => flow.seal(content, inAnHour)))
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const sealed of all) {
      const others = [...alphabet].map((last) => sealed.slice(0, -1) + last)
      const spelt = [...others, `${sealed}.`, `${sealed}.x`, `${sealed}=`]
      const opened = await Promise.all(spelt.map((text) => flow.open(text)))
      expect(opened.filter(Boolean)).toHaveLength(1)
    }
  })

  it('does not open after its end', async () => {
    const flow = await sealer('flow')
    const sealed = await flow.seal({}, inAnHour)
    clock.now = inAnHour * 1000 - 1
    expect(await flow.open(sealed)).toBeDefined()
    clock.now = inAnHour * 1000
    expect(await flow.open(sealed)).toBeUndefined()
    clock.now = start
  })

  it('opens with every key, and is sealed with the first', async () => {
    const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
    const before = await sealer('flow', [older])
    const during = await sealer('flow', [newer, older])
    const after = await sealer('flow', [newer])
    expect(await during.open(await before.seal({ a: 1 }, inAnHour))).toEqual({ a: 1 })
    expect(await after.open(await during.seal({ a: 1 }, inAnHour))).toEqual({ a: 1 })
    expect(await after.open(await before.seal({ a: 1 }, inAnHour))).toBeUndefined()
  })

  it('never shows what it holds, and is never the same twice', async () => {
    const flow = await sealer('flow')
    const [one, two] = [
      await flow.seal({ a: 'x' }, inAnHour),
      await flow.seal({ a: 'x' }, inAnHour),
    ]
    expect(one).not.toBe(two)
  })

  it('changed in any byte, cut or lengthened does not open', async () => {
    const flow = await sealer('flow')
    const sealed = await flow.seal({ a: 1 }, inAnHour)
    const [id = '', encoded = ''] = sealed.split('.')
    const bytes = Buffer.from(encoded, 'base64url')
    const joined = (content: Buffer) => `${id}.${content.toString('base64url')}`
    expect(await flow.open(joined(bytes))).toEqual({ a: 1 })
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(await flow.open(joined(changed))).toBeUndefined()
      expect(await flow.open(joined(bytes.subarray(0, index)))).toBeUndefined()
    }
    expect(await flow.open(`${sealed}AAAA`)).toBeUndefined()
    for (const other of ['', 'AAAAAAAA', id.slice(1), '__proto__']) {
      expect(await flow.open(`${other}.${encoded}`)).toBeUndefined()
    }
  })

  it('under the id of another key in use does not open: the id is only a hint', async () => {
    const both = await sealer('flow', [secret, 'another-secret-'.repeat(3)])
    const own = await both.seal({ a: 1 }, inAnHour)
    const foreign = await (await sealer('flow', ['another-secret-'.repeat(3)])).seal({}, inAnHour)
    const swapped = `${foreign.split('.')[0]}.${own.split('.')[1]}`
    expect(await both.open(own)).toEqual({ a: 1 })
    expect(await both.open(swapped)).toBeUndefined()
  })

  it('is retired only when it is well-formed and its secret is no longer in use', async () => {
    const [before, after] = [await sealer('record', ['old-'.repeat(10)]), await sealer('record')]
    const sealed = await before.seal({ a: 1 }, inAnHour)
    expect([before.isRetired(sealed), after.isRetired(sealed)]).toEqual([false, true])
    const damages = [
      '',
      sealed.slice(1),
      sealed.slice(0, 40),
      `${sealed}.`,
      `${sealed}=`,
      `x${sealed}`,
    ]
    for (const damaged of damages) {
      expect(after.isRetired(damaged)).toBe(false)
    }
  })

  it.each(['', '.', '....', 'a.b.c', 'e30..a.b.c', '\u0000', 'x'.repeat(10_000)])(
    'garbage %j causes no crash',
    async (garbage) => {
      expect(await (await sealer('flow')).open(garbage)).toBeUndefined()
    },
  )

  it('from another program in this form opens: an upgrade reads older sealed values', async () => {
    const derived = (use: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, '', `latchkey/record/${use}/v1`, length))
    const nonce = Buffer.alloc(12, 7)
    const cipher = createCipheriv('aes-256-gcm', derived('a256gcm', 32), nonce)
    cipher.setAAD(Buffer.from('record'))
    const plain = Buffer.from(JSON.stringify({ expires: inAnHour, content: { a: 1 } }))
    const parts = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
    const id = derived('key-id', 6).toString('base64url')
    const sealed = `${id}.${Buffer.concat(parts).toString('base64url')}`
    expect(await (await sealer('record')).open(sealed)).toEqual({ a: 1 })
  })

  it('needs a secret', async () => {
    await expect(sealer('flow', [])).rejects.toThrow('at least one secret')
  })
})
