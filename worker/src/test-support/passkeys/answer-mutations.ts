import { encode, head, type Item, map, raw } from './cbor.js'
import type { Mutations } from './client-data-mutations.js'
import { base64Url, type Changes, type Genuine, type Members } from './forge.js'
import { signatureChanges } from './signature-mutations.js'

const bytes = (length: number, fill = 7) => new Uint8Array(length).fill(fill)
const upTo = (length: number) => Array.from({ length }, (_, at) => at)

/** The object around the authenticator data of a registration. */
export function objectMutations(genuine: Genuine, length: number): Mutations {
  const { alg } = genuine
  const fmt = (...values: Item[]): Changes[] => values.map((value) => ({ fmt: value }))
  const none = (...values: Item[]): Changes[] => values.map((value) => ({ statement: () => value }))
  /** Packed self attestation, with a statement of its own. */
  const packed = (statement: (signature: Uint8Array) => Item): Changes => ({
    fmt: 'packed',
    statement: ({ signature }) => statement(signature),
  })
  const withItem = (name: string, ...values: Item[]): Changes[] =>
    values.map((value) => ({
      object: (list) =>
        map(...list.map(([key, old]) => [key, key === name ? value : old] as const)),
    }))
  const members = (change: (members: Members) => Members): Changes => ({
    object: (list) => map(...change(list)),
  })
  const item = (change: (members: Members) => Item): Changes => ({ object: change })
  const written = (change: (bytes: Uint8Array) => ArrayLike<number>): Changes => ({
    objectBytes: (whole) => Uint8Array.from(change(whole)),
  })
  const flat = (list: Members) => list.flatMap((pair) => pair.flatMap(encode))
  const others = ['fido-u2f', 'tpm', 'apple', 'android-key', 'android-safetynet', 'compound', 'x']
  const self = (signature: Uint8Array) => map(['alg', alg], ['sig', signature])
  return {
    'other formats': fmt(...others, 'None', 'NONE', 'none ', 'none\0', ''),
    'a format that is not text': fmt(1, null, bytes(4), ['none'], map(), true),
    'packed without a statement': fmt('packed'),
    'a statement with none': none(
      map(['alg', alg], ['sig', bytes(64)]),
      map(['x', 1]),
      map(['x5c', [bytes(16)]]),
      map([1, 1]),
    ),
    'a statement that is not a map': none(
      ...[null, [], [1], 1, 0, '', 'x', bytes(0), bytes(2), false],
    ),
    'packed by the passkey itself': [packed(self)],
    'packed by the passkey itself, in another order': [
      packed((signature) => map(['sig', signature], ['alg', alg])),
    ],
    'packed by the passkey itself, with an AAGUID': [1, 255].map((fill) => ({
      ...packed(self),
      aaguid: bytes(16, fill),
    })),
    'packed by the passkey itself, with a member more': [
      packed((signature) => map(['alg', alg], ['sig', signature], ['ver', '2.0'])),
      packed((signature) => map(['alg', alg], ['sig', signature], ['ecdaaKeyId', bytes(8)])),
    ],
    'packed by a certificate': [
      packed((signature) => map(['alg', alg], ['sig', signature], ['x5c', [bytes(64)]])),
      packed((signature) => map(['alg', alg], ['sig', signature], ['x5c', []])),
      packed((signature) => map(['alg', alg], ['sig', signature], ['x5c', bytes(64)])),
    ],
    'packed by a certificate that is nothing': [null, 0, '', false].map((value) =>
      packed((signature) => map(['alg', alg], ['sig', signature], ['x5c', value])),
    ),
    'packed with another algorithm': [-7, -8, -257, -37, -65_535, -35, -36, -258]
      .filter((other) => other !== alg)
      .map((other) => packed((signature) => map(['alg', other], ['sig', signature]))),
    'packed with no algorithm': [
      packed((signature) => map(['sig', signature])),
      ...[null, 'ES256', 0, 1, bytes(1)].map((value) =>
        packed((signature) => map(['alg', value], ['sig', signature])),
      ),
    ],
    'packed with no signature': [
      packed(() => map(['alg', alg])),
      ...[null, 'x', 0, bytes(0), []].map((value) =>
        packed(() => map(['alg', alg], ['sig', value])),
      ),
    ],
    'packed with another signature': signatureChanges(genuine).map((change) =>
      packed((signature) => map(['alg', alg], ['sig', change(signature)])),
    ),
    'packed with a member twice': [
      packed((signature) => map(['alg', alg], ['sig', signature], ['sig', signature])),
    ],
    'an object without a member': ['fmt', 'attStmt', 'authData'].map((name) =>
      members((list) => list.filter(([key]) => key !== name)),
    ),
    'an object with a member twice': ['fmt', 'attStmt', 'authData'].map((name) =>
      members((list) => [...list, ...list.filter(([key]) => key === name)]),
    ),
    'an object with a member more': [
      members((list) => [...list, ['epAtt', true]]),
      members((list) => [['largeBlobKey', bytes(32)], ...list]),
      item((list) => map([1, 'none'], ...list)),
    ],
    'an object in another order': [members((list) => [...list].reverse())],
    'an object that is not a map': [1, 'x', [], bytes(37), null, map(), [map()]].map((other) =>
      item(() => other),
    ),
    'authenticator data that is not bytes': withItem('authData', 'x', 1, null, [], map(), [
      bytes(37),
    ]),
    'authenticator data of no length': withItem('authData', bytes(0), bytes(36), bytes(37, 0)),
    'an object with needless bytes': [
      item((list) => raw(...head(5, 3, 1), ...flat(list))),
      item((list) => raw(...head(5, 3, 2), ...flat(list))),
      item((list) => raw(...head(5, 3, 8), ...flat(list))),
      item(([first, ...rest]) =>
        map([raw(...head(3, 3, 2), ...encode('fmt').slice(1)), first?.[1] ?? 0], ...rest),
      ),
      members((list) =>
        list.map(([key, value]) =>
          key === 'authData' && value instanceof Uint8Array
            ? [key, raw(...head(2, value.length, 4), ...value)]
            : [key, value],
        ),
      ),
    ],
    'an object of indefinite length': [
      item((list) => raw(0xbf, ...flat(list), 0xff)),
      members((list) =>
        list.map(([key, value]) =>
          value instanceof Uint8Array ? [key, raw(0x5f, ...encode(value), 0xff)] : [key, value],
        ),
      ),
    ],
    'an object with a tag': [
      item((list) => raw(0xd9, 0xd9, 0xf7, ...encode(map(...list)))),
      members((list) =>
        list.map(([key, value]) =>
          key === 'authData' ? [key, raw(0xd8, 0x18, ...encode(value))] : [key, value],
        ),
      ),
    ],
    'more than the object': [1, 2, 64].flatMap((more) => [
      written((whole) => [...whole, ...bytes(more)]),
      written((whole) => [...whole, ...whole]),
    ]),
    'a cut object': upTo(length).map((end) => written((whole) => whole.slice(0, end))),
    'an object of very many bytes': [members((list) => [...list, ['padding', bytes(20_000)]])],
  }
}

/** The JSON around all that. */
export function credentialJsonMutations(genuine: Genuine, type: 'create' | 'get'): Mutations {
  const id = base64Url(genuine.id)
  const posts = (...list: Record<string, unknown>[]): Changes[] =>
    list.map((credential) => ({ credential }))
  const answers = (name: string, ...values: unknown[]): Changes[] =>
    values.map((value) => ({ response: { [name]: value } }))
  const both = (...ids: unknown[]) => posts(...ids.map((value) => ({ id: value, rawId: value })))
  const noText = [undefined, null, '', 7, {}, [], true]
  const own = type === 'create' ? 'attestationObject' : 'authenticatorData'
  return {
    'an id that is not text': posts(...noText.map((value) => ({ id: value }))),
    'a raw id that is not text': posts(...noText.map((value) => ({ rawId: value }))),
    'ids that differ': posts(
      { id: base64Url(bytes(32)) },
      { rawId: base64Url(bytes(32)) },
      { id: `${id}=` },
      { rawId: `${id} ` },
    ),
    'ids that are not texts': both(undefined, null, 7, {}, true),
    'empty ids': both(''),
    'another id': both(
      ...[bytes(32), bytes(1), genuine.id.slice(1), genuine.id.slice(0, -1)].map(base64Url),
    ),
    'another spelling of the id': both(
      ...[`${id}=`, `${id}==`, ` ${id}`, `${id}\n`, id.replaceAll('_', '/').replaceAll('-', '+')],
      ...otherLast(id),
    ).filter(({ credential }) => credential?.id !== id),
    'ids that are not base64url': both('a b', 'ä', '%41', 'a.b', '=', 'A'),
    'ids of very many bytes': both(base64Url(bytes(1024)), 'A'.repeat(100_000)),
    'another type of credential': posts(
      ...['Public-Key', 'password', '', null, undefined, 1].map((value) => ({ type: value })),
    ),
    'no answer': posts(
      ...[undefined, null, '', 'x', 7, [], true].map((response) => ({ response })),
    ),
    'members that count for nothing': posts(
      { clientExtensionResults: undefined },
      { clientExtensionResults: { credProps: { rk: false }, prf: {} } },
      { authenticatorAttachment: undefined },
      { authenticatorAttachment: 'cross-platform' },
      { authenticatorAttachment: 7 },
      { other: { deep: [] } },
    ),
    'client data that is not text': answers('clientDataJSON', ...noText),
    'client data that is not base64url': answers('clientDataJSON', '=', '{}', 'a b', 'ä', '!!!!'),
    'bytes that are not text': answers(own, ...noText),
    'bytes that are not base64url': answers(own, '=', 'a b', 'ä', '!!!!', 'A'),
    ...(type === 'create'
      ? {
          'copies that are missing': [
            { response: { authenticatorData: undefined } },
            { response: { publicKey: undefined } },
            { response: { publicKeyAlgorithm: undefined } },
            {
              response: {
                authenticatorData: undefined,
                publicKey: undefined,
                publicKeyAlgorithm: undefined,
              },
            },
          ],
          'copies that differ': [
            ...answers('authenticatorData', '', 'AAAA', null, 7, base64Url(bytes(164)), {}),
            ...answers('publicKey', '', 'AAAA', null, 7, `${genuine.spki}=`, {}, []),
            ...answers('publicKeyAlgorithm', 0, null, String(genuine.alg), -35, -47, {}),
          ],
          transports: answers(
            'transports',
            ...[undefined, null, [], ['usb', 'nfc'], ['new-kind'], [7], 'usb', {}, [[]]],
            ['x'.repeat(100), 'A B', 'usb'],
            Array(100).fill('usb'),
          ),
        }
      : {
          'no user handle': answers('userHandle', undefined, null, ''),
          'a user handle that is not text': answers('userHandle', 7, {}, [], true),
          'another user handle': answers(
            'userHandle',
            base64Url('somebody else'),
            genuine.handle.slice(0, -4),
            `${genuine.handle}=`,
            `${genuine.handle}AAAA`,
            base64Url(bytes(65)),
            'A'.repeat(100_000),
          ),
          'a signature that is not text': answers('signature', ...noText),
          'a signature that is not base64url': answers('signature', '=', 'a b', 'ä', '!!!!', 'A'),
          'an attestation with a sign-in': answers('attestationObject', 'AAAA', null, 7, {}),
        }),
  }
}

/** The other spellings of a text in base64url, which differ in bits that mean nothing. */
function otherLast(text: string): string[] {
  const bytes = Buffer.from(text, 'base64url')
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => text.slice(0, -1) + last)
    .filter((other) => other !== text && bytes.equals(Buffer.from(other, 'base64url')))
}

/** The bytes of an answer in another spelling. */
export function spellings(text: string): string[] {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  const spelled = [
    `${text}=`,
    `${text}==`,
    ` ${text}`,
    `${text}\n`,
    `${text.slice(0, 8)}\n${text.slice(8)}`,
  ]
  return [...spelled, standard, ...otherLast(text)].filter((other) => other !== text)
}
