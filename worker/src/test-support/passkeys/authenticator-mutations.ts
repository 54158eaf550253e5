import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { encode, head, type Item, map, raw } from './cbor.js'
import type { Mutations } from './client-data-mutations.js'
import { type Changes, FLAGS, type Genuine, RP_ID, sha256 } from './forge.js'

const bytes = (length: number, fill = 7) => new Uint8Array(length).fill(fill)
const upTo = (length: number) => Array.from({ length }, (_, at) => at)

/** What an authenticator says in both ceremonies. @param present its flags if all is well */
export function authenticatorMutations(present: number, length: number): Mutations {
  const hashes = ['', 'app.example.com', 'EXAMPLE.COM', 'https://example.com', `${RP_ID}.`, 'com']
  const withExtensions = (...extensions: number[]): Changes => ({
    flags: present | FLAGS.extensions,
    extensions,
  })
  const extended = (...items: Item[]) => withExtensions(...items.flatMap(encode))
  const nested = (depth: number): Item => (depth === 0 ? 1 : map(['a', nested(depth - 1)]))
  return {
    'every byte of flags': upTo(256).map((flags) => ({ flags })),
    counters: [0, 1, 2, 127, 128, 255, 256, 65_535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1].map(
      (counter) => ({ counter }),
    ),
    'for another relying party': [
      ...hashes.map((text) => ({ rpIdHash: sha256(text) })),
      ...upTo(32).map((at) => ({
        rpIdHash: sha256(RP_ID).map((byte, index) => (index === at ? byte ^ 1 : byte)),
      })),
      { rpIdHash: bytes(32, 0) },
    ],
    extensions: [
      map(),
      map(['credProtect', 2]),
      map(['hmac-secret', true], ['minPinLength', 4]),
      map(['uvm', [[2, 4, 2]]]),
      map(['hmac-secret', bytes(80)]),
      map(['a', -1], ['b', null], ['c', false], ['d', 2 ** 32]),
      map(['thirdPartyPayment', true], ['a', map(['b', map(['c', 1])])]),
    ].map((item) => extended(item)),
    'extensions with keys of both kinds': [extended(map([1, 1], ['1', 2], [-1, 3]))],
    'extensions that are too deep': [4, 5, 6, 20, 200].map((depth) => extended(nested(depth))),
    'extensions in which a member comes twice': [
      extended(map(['credProtect', 1], ['credProtect', 2])),
      extended(map(['a', map(['b', 1], ['b', 1])])),
    ],
    'extensions that are not a map': [[], [1], 1, -1, 'text', '', null, true, bytes(3)].map(
      (item) => extended(item),
    ),
    'extensions that are missing': [withExtensions(), { extensions: [0xa0], flags: present }],
    'more than the extensions': [
      extended(map(), map()),
      extended(map(['a', 1]), 0),
      { extensions: [0], flags: present },
      { extensions: upTo(64), flags: present },
    ],
    'extensions with a number of many bytes': [
      extended(map(['a', raw(...head(0, 2, 1))])),
      extended(map(['a', raw(...head(0, 2, 8))])),
      withExtensions(...head(5, 1, 1), ...encode('a'), 1),
      withExtensions(...head(5, 0, 4)),
      withExtensions(...encode(map()).slice(0, 0), 0xa1, ...head(3, 1, 2), 0x61, 1),
    ],
    'extensions with a floating-point number': [
      extended(map(['a', raw(0xf9, 0x7c, 0x00)])),
      extended(map(['a', raw(0xfa, 0x40, 0x49, 0x0f, 0xdb)])),
      extended(map(['a', raw(0xfb, 0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18)])),
    ],
    'extensions with what CBOR calls undefined': [extended(map(['a', raw(0xf7)]))],
    'extensions with a tag': [
      extended(map(['a', raw(0xc1, 0x01)])),
      withExtensions(0xd9, 0xd9, 0xf7, 0xa0),
    ],
    'extensions of indefinite length': [
      withExtensions(0xbf, 0xff),
      withExtensions(0xbf, 0x61, 0x61, 0x01, 0xff),
      extended(map(['a', raw(0x9f, 0x01, 0xff)])),
      extended(map(['a', raw(0x7f, 0x61, 0x61, 0xff)])),
    ],
    'extensions with a number that is not exact': [
      extended(map(['a', raw(0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)])),
      extended(map(['a', raw(0x1b, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00)])),
      extended(map(['a', raw(0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)])),
    ],
    'extensions with other keys': [bytes(2), true, null, [1], map()].map((key) =>
      extended(map([key, 1])),
    ),
    'extensions with a text that is not UTF-8': [extended(map(['a', raw(0x62, 0xc3, 0x28)]))],
    'extensions with reserved heads': [0x1c, 0x1d, 0x1e, 0x1f, 0xf8, 0xfc, 0xff, 0xf0].map((byte) =>
      extended(map(['a', raw(byte)])),
    ),
    'extensions whose length lies': [
      ...[0xb7, 0xb8, 0xb9, 0xba, 0xbb].map((first) => withExtensions(first, 255, 255, 255, 255)),
      withExtensions(0xa1, 0x61),
      withExtensions(0xa1, 0x61, 0x61),
      withExtensions(0xa1, 0x61, 0x61, 0x9b, 0, 0, 0, 0, 255, 255, 255, 255),
    ],
    'extensions whose bytes end early': [
      withExtensions(0xa1, 0x61, 0x61, 0x58, 0xff),
      withExtensions(0xa1, 0x61, 0x61, 0x43, 1),
      withExtensions(0xa1, 0x61, 0x61, 0x63, 0x61),
      withExtensions(0xa1, 0x61, 0x61, 0x5a, 0xff, 0xff, 0xff, 0xff),
    ],
    'cut data': upTo(length).map((end) => ({ authData: (data) => data.slice(0, end) })),
    'data with more at its end': [1, 2, 3, 37, 1000].map((more) => ({
      authData: (data) => Buffer.concat([data, bytes(more)]),
    })),
  }
}

const ZERO = bytes(16, 0)
const IDENTIFIERS = [-8, -7, -9, -19, -35, -36, -37, -38, -39, -47, -48, -257, -258, -259, -65_535]

/** What an authenticator says of a new credential. */
export function credentialMutations({ key, alg }: Genuine): Mutations {
  const without = (member: Item) => map(...key.filter(([name]) => name !== member))
  const withItem = (member: Item, value: Item) =>
    map(...key.map(([name, old]) => [name, name === member ? value : old] as const))
  const keys = (...items: Item[]): Changes[] => items.map((item) => ({ key: item }))
  const withId = (length: number): Changes => ({ id: bytes(length) })
  const [[, kty] = [1, 0]] = key
  return {
    AAGUIDs: [ZERO, bytes(16, 255), bytes(16, 1), randomBytes(16)].map((aaguid) => ({ aaguid })),
    'ids as long as they may be': [1, 2, 16, 64, 255, 256, 1022, 1023].map(withId),
    'ids that are too long': [1024, 1025, 2000, 4096].map(withId),
    'no id': [withId(0)],
    'an id whose length lies': [0, 1, 31, 33, 64, 1023, 1024, 65_535].map((idLength) => ({
      idLength,
    })),
    'a key of another algorithm': [...IDENTIFIERS, 0, 7, 257]
      .filter((other) => other !== alg)
      .map((other) => ({ key: withItem(3, other) })),
    'a key whose algorithm is not a number': keys(
      ...['ES256', '-7', null, bytes(1), [-7], true].map((value) => withItem(3, value)),
    ),
    'a key of another kind': keys(
      ...[0, 1, 2, 3, 4, 5, 7, -1]
        .filter((other) => other !== kty)
        .map((other) => withItem(1, other)),
    ),
    'a key whose kind is not a number': keys(
      ...['OKP', 'EC2', 'RSA', null, bytes(1)].map((value) => withItem(1, value)),
    ),
    'a key without a member': keys(...key.map(([member]) => without(member))),
    'a key with a member twice': keys(
      ...key.map((member) => map(...key, member)),
      ...key.map((member) => map(member, ...key)),
    ),
    'a key with a member more': keys(
      map(...key, [2, bytes(4)]),
      map(...key, [4, [2]]),
      map(...key, [5, bytes(2)]),
      map(...key, [-4, bytes(32)]),
      map(...key, [-70_000, 1]),
      map(...key, ['alg', -7]),
    ),
    'a key in another order': keys(
      map(...[...key].reverse()),
      map(...key.slice(1), ...key.slice(0, 1)),
    ),
    'a key that is not a map': keys(1, 'text', [], bytes(65), null, map(), key.flat(), true),
    'a key with needless bytes': keys(
      raw(...head(5, key.length, 1), ...key.flatMap((pair) => pair.flatMap(encode))),
      raw(...head(5, key.length, 8), ...key.flatMap((pair) => pair.flatMap(encode))),
      map([raw(...head(0, 1, 1)), kty ?? 0], ...key.slice(1)),
      map(key[0] ?? [1, 1], [3, raw(...head(1, -1 - alg, alg < -255 ? 4 : 1))], ...key.slice(2)),
    ),
    'a key of indefinite length': keys(
      raw(0xbf, ...key.flatMap((pair) => pair.flatMap(encode)), 0xff),
    ),
    'a key with a tag': keys(raw(0xd9, 0xd9, 0xf7, ...encode(map(...key)))),
    ...(alg === -257 ? modulusMutations(withItem) : coordinateMutations(alg, key, withItem)),
  }
}

type WithMember = (member: Item, value: Item) => Item

/** Mutations of a key on a curve. */
function coordinateMutations(alg: number, key: Genuine['key'], withMember: WithMember): Mutations {
  const keys = (...items: Item[]): Changes[] => items.map((item) => ({ key: item }))
  const x = key.find(([name]) => name === -2)?.[1] as Uint8Array
  const lengths = [0, 1, 31, 33, 64, 65].map((length) => withMember(-2, bytes(length)))
  const noBytes = ['x', 7, null, true, [], map()].map((value) => withMember(-2, value))
  const onCurve: Mutations = {
    'a curve of another kind': keys(
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, -1]
        .filter((curve) => curve !== (alg === -7 ? 1 : 6))
        .map((curve) => withMember(-1, curve)),
    ),
    'a curve that is not a number': keys(
      ...['P-256', 'Ed25519', null, bytes(1)].map((value) => withMember(-1, value)),
    ),
    'a coordinate of another length': keys(...lengths, withMember(-2, new Uint8Array([...x, 0]))),
    'a coordinate that is not bytes': keys(...noBytes),
  }
  if (alg === -8) return onCurve
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const flipped = upTo(32).map((at) =>
    withMember(
      -2,
      x.map((byte, index) => (index === at ? byte ^ 1 : byte)),
    ),
  )
  return {
    ...onCurve,
    'a point that is not on its curve': keys(
      ...flipped,
      withMember(-3, x),
      withMember(-2, bytes(32, 255)),
      withMember(-3, bytes(32, 255)),
      map([1, 2], [3, -7], [-1, 1], [-2, bytes(32, 0)], [-3, bytes(32, 0)]),
    ),
    'a point in its short form': keys(withMember(-3, true), withMember(-3, false)),
    'another point, which is on the curve': keys(
      map(
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, ecdh.getPublicKey().subarray(1, 33)],
        [-3, ecdh.getPublicKey().subarray(33)],
      ),
    ),
  }
}

/** Mutations of an RSA key. */
function modulusMutations(withMember: WithMember): Mutations {
  const keys = (...items: Item[]): Changes[] => items.map((item) => ({ key: item }))
  const modulus = (bits: number) => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
    return new Uint8Array(Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url'))
  }
  const odd = (length: number) => bytes(length, 255)
  return {
    'another modulus': keys(
      withMember(-1, modulus(2048)),
      withMember(-1, odd(256)),
      withMember(-1, odd(512)),
    ),
    'a modulus that is too short': keys(
      withMember(-1, modulus(1024)),
      ...[0, 1, 64, 128, 255].map((length) => withMember(-1, odd(length))),
      withMember(
        -1,
        odd(256).map((byte, at) => (at === 0 ? 0x7f : byte)),
      ),
    ),
    'a modulus that is too long': keys(
      ...[513, 1024, 2048].map((length) => withMember(-1, odd(length))),
    ),
    'a modulus with a zero before it': keys(withMember(-1, new Uint8Array([0, ...odd(256)]))),
    'an even modulus': keys(
      withMember(
        -1,
        odd(256).map((byte, at) => (at === 255 ? 254 : byte)),
      ),
    ),
    'another exponent': keys(
      ...[[3], [17], [255, 255, 255, 255]].map((list) => withMember(-2, new Uint8Array(list))),
    ),
    'an exponent that is invalid': keys(
      ...[[], [0], [1], [2], [1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0, 1], [0]].map((list) =>
        withMember(-2, new Uint8Array(list)),
      ),
      withMember(-2, odd(256)),
      withMember(-2, 65_537),
      withMember(-2, 'AQAB'),
    ),
    'a modulus that is not bytes': keys(
      withMember(-1, 7),
      withMember(-1, 'n'),
      withMember(-1, null),
    ),
  }
}
