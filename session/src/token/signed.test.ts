import { afterEach, expect, test, vi } from 'vitest'
import { keys } from '../test-support/keys.js'
import { readSigned, signJson } from './signed.js'

const typ = 'known+jwt'
const content = { sub: 'ada', note: 'é >>>>>> ??????' }
const text = await signJson(content, typ, keys.signing)

afterEach(() => void vi.restoreAllMocks())

test('letters of base64url that base64 lacks are read', async () => {
  expect(text.split('.')[1]).toMatch(/-.*_/)
  const found = await readSigned(text, { typ, keys: keys.verify, maxLength: 2_000 })
  expect(found).toEqual(content)
})

test('a text of the greatest length is read, and one character more is not', async () => {
  const read = (maxLength: number) => readSigned(text, { typ, keys: keys.verify, maxLength })
  expect(await read(text.length)).toEqual(content)
  expect(await read(text.length - 1)).toBe('not-a-jws')
})

test('a text that the platform fails to verify is not genuine', async () => {
  vi.spyOn(crypto.subtle, 'verify').mockRejectedValue(new DOMException('', 'OperationError'))
  const found = await readSigned(text, { typ, keys: keys.verify, maxLength: 2_000 })
  expect(found).toBe('bad-signature')
})
