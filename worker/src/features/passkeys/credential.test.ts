import { expect, test } from 'vitest'
import { base64Url, honest } from '../../test-support/passkeys/forge.js'
import { bytesOf, readCredential } from './credential.js'

const read = (changes: object, more: object = {}) => {
  const clientDataJSON = base64Url(JSON.stringify({ ...honest('get'), ...more }))
  const id = 'AAAA'
  return readCredential({
    ...{ id, rawId: id, type: 'public-key', response: { clientDataJSON } },
    ...changes,
  })
}

test('bytes are read up to their limit', () => {
  for (const max of [1, 2, 3, 4, 64, 1_023]) {
    const most = new Uint8Array(max).fill(255)
    expect(bytesOf(base64Url(most), max)).toEqual(most)
    expect(bytesOf(base64Url(new Uint8Array(max + 1)), max)).toBeUndefined()
  }
})

test.each([
  ['its last bits are set', 'AB'],
  ['it is padded', 'AA=='],
  ['it is base64', '+/+/'],
  ['it has a blank', 'AA AA'],
  ['it is empty', ''],
  ['it is not text', ['AA']],
  ['it is a number', 7],
  ['it is missing', undefined],
])('one passkey has no second name: %s', (_, id) => {
  expect(bytesOf(id, 64)).toBeUndefined()
  expect(read({ id, rawId: id })).toBeUndefined()
})

test.each<[string, object, object?]>([
  ['its ids are two', { rawId: 'AAAB' }],
  ['its raw id is missing', { rawId: undefined }],
  ['it has another type', { type: 'password' }],
  ['it has no answer', { response: undefined }],
  ['its id is too long', { id: 'A'.repeat(1_366), rawId: 'A'.repeat(1_366) }],
  ['its client data are too long', {}, { x: 'x'.repeat(8 * 1_024) }],
  ['its client data are missing', { response: {} }],
])('a credential is refused if %s', (_, changes, more) => {
  expect(read({})).toMatchObject({ id: 'AAAA', clientData: honest('get') })
  expect(read(changes, more)).toBeUndefined()
})
