import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSignedBy } from './signature.js'

const DATA = new TextEncoder().encode('what was signed')
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')

/** A genuine signature whose first number begins with such a byte: its two numbers. */
function numbers(isWanted: (first: number) => boolean): [number[], number[]] {
  for (;;) {
    const raw = sign('sha256', DATA, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    // The second number has a sign before it, so that both kinds are in each signature.
    if (isWanted(raw[0] ?? 0) && (raw[32] ?? 0) > 0x7f) {
      return [[...raw.subarray(0, 32)], [0, ...raw.subarray(32)]]
    }
  }
}

const integer = (digits: readonly number[]) => [0x02, digits.length, ...digits]
const sequence = (content: readonly number[]) => [0x30, content.length, ...content]
const isSigned = (der: readonly number[]) =>
  isSignedBy({ key, alg: -7 }, new Uint8Array(der), new Uint8Array(DATA))

test('a signature is right in the one encoding of its numbers', async () => {
  for (const first of [0x01, 0x7f, 0x80]) {
    const [r, s] = numbers((byte) => byte === first)
    const right = first > 0x7f ? [0, ...r] : r
    expect(await isSigned(sequence([...integer(right), ...integer(s)]))).toBe(true)
    const other = first > 0x7f ? r : [0, ...r]
    expect(await isSigned(sequence([...integer(other), ...integer(s)]))).toBe(false)
  }
})

test('a signature in another encoding of the same numbers is not passed on as another one', async () => {
  const [r, s] = numbers((byte) => byte > 0 && byte < 0x80)
  const [one, two] = [integer(r), integer(s)]
  const content = [...one, ...two]
  expect(await isSigned(sequence(content))).toBe(true)
  for (const der of [
    [0x31, content.length, ...content],
    [0x30, content.length - 1, ...content],
    [0x30, 0x81, content.length, ...content],
    [...sequence(content), 0],
    sequence([...content, 0]),
    sequence([...content, ...integer([1])]),
    sequence([0x03, ...one.slice(1), ...two]),
    sequence([...one, 0x03, ...two.slice(1)]),
    sequence([...integer([0, 0, ...r]), ...two]),
    sequence([...one, ...integer([0, ...s])]),
    sequence([...integer([...r, 1]), ...two]),
    sequence([...one, ...integer([...s, 1])]),
    sequence([...one, 0x02, s.length + 1, ...s]),
    sequence([...integer([]), ...two]),
    sequence([...integer([0]), ...two]),
    sequence(one),
    [...r, ...s.slice(1)],
    [0x30],
    [],
  ]) {
    expect([der, await isSigned(der)]).toEqual([der, false])
  }
})

test('nothing is signed by a key that cannot be read', async () => {
  const raw = sign('sha256', DATA, privateKey)
  for (const none of ['', '!', 'AAAA', key.slice(4)]) {
    const verdict = await isSignedBy({ key: none, alg: -7 }, new Uint8Array(raw), DATA)
    expect([none, verdict]).toEqual([none, false])
  }
})
