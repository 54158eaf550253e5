import { constants, generateKeyPairSync, sign } from 'node:crypto'
import { type Genuine, sha256, signWith } from './forge.js'

const bytes = (length: number, fill = 7) => new Uint8Array(length).fill(fill)
const upTo = (length: number) => Array.from({ length }, (_, at) => at)

type SignatureChange = (signature: Uint8Array) => Uint8Array

/** Signatures that are invalid, or in another form. */
export function signatureChanges(genuine: Genuine): SignatureChange[] {
  const length = signWith(genuine, bytes(1)).length
  // RSA has many bytes, so only some of them.
  const places = upTo(length).filter((at) => length < 100 || at % 16 === 0)
  const flips = places.map((at): SignatureChange => {
    return (signature) => signature.map((byte, index) => (index === at ? byte ^ 1 : byte))
  })
  return [
    ...flips,
    ...upTo(length).map(
      (end): SignatureChange =>
        (signature) =>
          signature.slice(0, end),
    ),
    ...[1, 2, 64].map(
      (more): SignatureChange =>
        (signature) =>
          Buffer.concat([signature, bytes(more)]),
    ),
    (signature) => Buffer.concat([bytes(1, 0), signature]),
    () => bytes(length, 0),
    () => bytes(length, 255),
    () => bytes(600),
    (signature) => signature.toReversed(),
  ]
}

/** Signatures over other bytes, or by another key. */
export function otherSignatures(genuine: Genuine): ((data: Uint8Array) => Uint8Array)[] {
  const { alg, privateKey } = genuine
  const hash = alg === -8 ? null : 'sha256'
  const strangers = {
    [-7]: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    [-8]: () => generateKeyPairSync('ed25519'),
    [-257]: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }
  const stranger = strangers[alg as keyof typeof strangers]().privateKey
  return [
    (data) => sign(hash, data, stranger),
    (data) => sign(hash, data.slice(0, 37), privateKey),
    (data) => sign(hash, data.slice(37), privateKey),
    (data) => sign(hash, sha256(data), privateKey),
    (data) => sign(hash, Buffer.concat([data.slice(37), data.slice(0, 37)]), privateKey),
    ...(alg === -8
      ? []
      : [
          (data: Uint8Array) => sign('sha384', data, privateKey),
          (data: Uint8Array) => sign('sha1', data, privateKey),
        ]),
    ...(alg === -257 ? [(data: Uint8Array) => pss(data, genuine)] : []),
  ]
}

function pss(data: Uint8Array, { privateKey }: Genuine): Uint8Array {
  return sign('sha256', data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING })
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The two numbers of a signature of ES256. */
function numbersOf(der: Uint8Array): [r: Uint8Array, s: Uint8Array] {
  const end = 4 + (der[3] ?? 0)
  return [der.slice(4, end), der.slice(end + 2)]
}

/** Other encodings of a signature of ES256 in DER. */
export function derChanges(): Readonly<Record<string, SignatureChange[]>> {
  const from = (write: (r: Uint8Array, s: Uint8Array) => number[]): SignatureChange => {
    return (der) => Uint8Array.from(write(...numbersOf(der)))
  }
  const integer = (...digits: number[]) => [0x02, digits.length, ...digits]
  const sequence = (...content: number[]) => [0x30, content.length, ...content]
  // Another number than the one that it was, whose first bit is set too.
  const negative = (number: Uint8Array) => [(number.at(-32) ?? 0) ^ 0x40, ...number.slice(-31)]
  const pad = (number: Uint8Array) => [
    ...bytes(Math.max(0, 32 - number.length), 0),
    ...number.slice(-32),
  ]
  const value = (number: Uint8Array) => BigInt(`0x${Buffer.from(number).toString('hex')}`)
  const digits = (number: bigint) => {
    const hex = number.toString(16)
    const list = [...Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')]
    return (list[0] ?? 0) > 0x7f ? [0, ...list] : list
  }
  return {
    'the other of the two signatures': [
      from((r, s) => sequence(...integer(...r), ...integer(...digits(ORDER - value(s))))),
    ],
    'a signature without DER': [from((r, s) => [...pad(r), ...pad(s)])],
    'a signature with a long length': [
      from((r, s) => [0x30, 0x81, r.length + s.length + 4, ...integer(...r), ...integer(...s)]),
      from((r, s) => [0x30, 0x82, 0, r.length + s.length + 4, ...integer(...r), ...integer(...s)]),
      from((r, s) => sequence(0x02, 0x81, r.length, ...r, ...integer(...s))),
    ],
    'a signature of indefinite length': [
      from((r, s) => [0x30, 0x80, ...integer(...r), ...integer(...s), 0, 0]),
    ],
    'a signature with zeros before its numbers': [
      from((r, s) => sequence(...integer(0, ...r), ...integer(...s))),
      from((r, s) => sequence(...integer(...r), ...integer(0, ...s))),
      from((r, s) => sequence(...integer(0, 0, ...r), ...integer(...s))),
    ],
    'a signature with a negative number': [
      from((r, s) => sequence(...integer(...negative(r)), ...integer(...s))),
      from((r, s) => sequence(...integer(...r), ...integer(...negative(s)))),
    ],
    'a signature without its sign': [
      from((r, s) => sequence(...integer(...pad(r)), ...integer(...pad(s)))),
    ],
    'a signature with a third number': [
      from((r, s) => sequence(...integer(...r), ...integer(...s), ...integer(1))),
    ],
    'a signature with one number': [from((r) => sequence(...integer(...r)))],
    'a signature in another container': [
      from((r, s) => [0x31, r.length + s.length + 4, ...integer(...r), ...integer(...s)]),
      from((r, s) => [0x04, r.length + s.length + 4, ...integer(...r), ...integer(...s)]),
      from((r, s) => sequence(0x03, r.length, ...r, ...integer(...s))),
    ],
    'a signature with invalid numbers': [
      from((_, s) => sequence(...integer(0), ...integer(...s))),
      from((r) => sequence(...integer(...r), ...integer(0))),
      from(() => sequence(...integer(0), ...integer(0))),
      from((r) => sequence(...integer(...r), ...integer(...digits(ORDER)))),
      from((r, s) => sequence(...integer(...r), ...integer(...digits(ORDER + value(s))))),
      from((r) => sequence(...integer(...r), ...integer())),
      from((r) => sequence(...integer(...r), ...integer(...bytes(33, 1)))),
    ],
    'a signature with more at its end': [
      from((r, s) => [...sequence(...integer(...r), ...integer(...s)), 0]),
      from((r, s) => sequence(...integer(...r), ...integer(...s), 0)),
      from((r, s) => sequence(...integer(...r), ...integer(...s), 5, 0)),
    ],
  }
}

/** A signature of Ed25519 with the order added to its second number (RFC 8032, section 8.4). */
export function shiftedSignature(signature: Uint8Array): Uint8Array {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const number = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`)
  const hex = (number + order).toString(16).padStart(64, '0')
  return Buffer.concat([signature.slice(0, 32), Buffer.from(hex, 'hex').reverse()])
}
