import { afterEach, expect, test, vi } from 'vitest'
import { keys } from '../test-support/keys.js'
import { readSigned, signJson } from './signed.js'

const typ = 'known+jwt'
const text = await signJson({ sub: 'ada', note: 'é' }, typ, keys.signing)

afterEach(() => void vi.restoreAllMocks())

test('a text of the greatest length is read, and one character more is not', async () => {
  const read = (maxLength: number) => readSigned(text, { typ, keys: keys.verify, maxLength })
  expect(await read(text.length)).toEqual({ sub: 'ada', note: 'é' })
  expect(await read(text.length - 1)).toBe('not-a-jws')
})

test('a text that the platform fails to verify is not genuine', async () => {
  vi.spyOn(crypto.subtle, 'verify').mockRejectedValue(new DOMException('', 'OperationError'))
  const found = await readSigned(text, { typ, keys: keys.verify, maxLength: 2_000 })
  expect(found).toBe('bad-signature')
})
