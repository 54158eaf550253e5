import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CborValue } from './cbor.js'
import { readCoseKey } from './cose-key.js'

const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))
const point = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const edwards = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
const modulus = (length: number, first = 0x80) => new Uint8Array(length).fill(255).fill(first, 0, 1)

type Members = Record<number, CborValue>
const ES256: Members = { 1: 2, 3: -7, [-1]: 1, [-2]: bytes(point.x), [-3]: bytes(point.y) }
const EDDSA: Members = { 1: 1, 3: -8, [-1]: 6, [-2]: bytes(edwards.x) }
const RS256: Members = { 1: 3, 3: -257, [-1]: modulus(256), [-2]: bytes('AQAB') }

const read = (members: Members) =>
  readCoseKey(new Map(Object.entries(members).map(([name, value]) => [Number(name), value])))

test.each<[string, Members]>([
  ['ES256', ES256],
  ['EdDSA', EDDSA],
  ['RS256 of 2,048 bits', RS256],
  ['RS256 of 4,096 bits', { ...RS256, [-1]: modulus(512) }],
])('a key of %s is read', async (_, members) => {
  expect(await read(members)).toMatchObject({ alg: members[3] })
})

test.each<[string, Members]>([
  ['of another algorithm', { ...ES256, 3: -35 }],
  ['for ES256 that says it is EdDSA', { ...ES256, 3: -8 }],
  ['for EdDSA that says it is ES256', { ...EDDSA, 3: -7 }],
  ['for ES256 with another type', { ...ES256, 1: 1 }],
  ['for ES256 on another curve', { ...ES256, [-1]: 8 }],
  ['for ES256 with one more member, such as a private one', { ...ES256, [-4]: bytes(point.x) }],
  ['for ES256 with a short coordinate', { ...ES256, [-2]: bytes(point.x).slice(1) }],
  ['for ES256 with a long coordinate', { ...ES256, [-2]: new Uint8Array([0, ...bytes(point.x)]) }],
  ['for ES256 with a short second one', { ...ES256, [-3]: bytes(point.y).slice(1) }],
  ['for ES256 with a long second one', { ...ES256, [-3]: new Uint8Array([0, ...bytes(point.y)]) }],
  ['for ES256 with only the sign of its point', { ...ES256, [-3]: true }],
  ['for ES256 that is not a point of the curve', { ...ES256, [-3]: modulus(32) }],
  ['for EdDSA with another type', { ...EDDSA, 1: 2 }],
  ['for EdDSA on another curve', { ...EDDSA, [-1]: 7 }],
  ['for EdDSA with one more member', { ...EDDSA, [-4]: bytes(edwards.x) }],
  ['for EdDSA that is short', { ...EDDSA, [-2]: bytes(edwards.x).slice(1) }],
  ['for EdDSA that is not bytes', { ...EDDSA, [-2]: edwards.x ?? '' }],
  ['for RS256 with another type', { ...RS256, 1: 2 }],
  ['for RS256 with one more member', { ...RS256, [-3]: bytes('AQAB') }],
  ['for RS256 that is short, and can be factored', { ...RS256, [-1]: modulus(255) }],
  ['for RS256 that is long, and takes time', { ...RS256, [-1]: modulus(513) }],
  ['for RS256 with fewer bits than it has bytes for', { ...RS256, [-1]: modulus(256, 0x7f) }],
  ['for RS256 with an exponent of 1', { ...RS256, [-2]: new Uint8Array([0, 0, 1]) }],
  ['for RS256 with an exponent of 3', { ...RS256, [-2]: new Uint8Array([3]) }],
  ['for RS256 with a great exponent', { ...RS256, [-2]: new Uint8Array([255, 255, 255]) }],
  ['for RS256 with a longer exponent', { ...RS256, [-2]: new Uint8Array([0, 1, 0, 1]) }],
  ['for RS256 with an exponent that is not bytes', { ...RS256, [-2]: 65_537 }],
])('no passkey is made with a key %s', async (_, members) => {
  expect(await read(members)).toBeUndefined()
})
