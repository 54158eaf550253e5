import { createHash, type KeyObject, sign } from 'node:crypto'
import { encode, type Item, map } from './cbor.js'

/**
 * Answers of an authenticator that deviate if a test says so, and are whole and genuinely
 * signed everywhere else: each deviation is judged for itself.
 */
export interface Genuine {
  readonly alg: number
  readonly privateKey: KeyObject
  readonly id: Uint8Array
  /** The members of the public key in COSE. */
  readonly key: readonly (readonly [Item, Item])[]
  /** In base64url. */
  readonly spki: string
  readonly handle: string
}

export const ORIGIN = 'https://app.example.com'
export const RP_ID = 'example.com'
export const CHALLENGE = 'Y2hhbGxlbmdlLW9mLXRoZS10ZXN0cw'
export const EXPECTED = {
  challenge: CHALLENGE,
  origins: [ORIGIN, 'https://www.example.com'],
  rpId: RP_ID,
}

/** Members that come in another order, twice or not at all. */
export type Members = readonly (readonly [string, Item])[]

export interface Changes {
  /** The text of the client data, or its members. */
  readonly clientData?: string | Uint8Array | Record<string, unknown>
  readonly rpIdHash?: Uint8Array
  readonly flags?: number
  readonly counter?: number
  readonly aaguid?: Uint8Array
  readonly id?: Uint8Array
  /** The length of the id, as the authenticator data state it. */
  readonly idLength?: number
  readonly key?: Item
  /** The bytes after the flags, the counter and, if there is one, the new credential. */
  readonly extensions?: readonly number[]
  readonly authData?: (bytes: Uint8Array) => Uint8Array
  readonly fmt?: Item
  readonly statement?: (signed: { readonly signature: Uint8Array }) => Item
  readonly object?: (members: Members) => Item
  readonly objectBytes?: (bytes: Uint8Array) => Uint8Array
  readonly signature?: (genuine: Uint8Array, data: Uint8Array) => Uint8Array
  /** The values that replace these members of the response. */
  readonly response?: Record<string, unknown>
  /** The values that replace these members of the credential. */
  readonly credential?: Record<string, unknown>
}

export const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, attested: 0x40, extensions: 0x80 }

export function base64Url(bytes: Uint8Array | string): string {
  return Buffer.from(bytes).toString('base64url')
}

export function sha256(bytes: Uint8Array | string): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}

/** The members of an honest browser's client data. */
export function honest(type: 'create' | 'get'): Record<string, unknown> {
  return {
    type: `webauthn.${type}`,
    challenge: CHALLENGE,
    origin: ORIGIN,
    crossOrigin: false,
  }
}

function clientDataOf(type: 'create' | 'get', { clientData = {} }: Changes): Uint8Array {
  if (typeof clientData === 'string') return new TextEncoder().encode(clientData)
  if (clientData instanceof Uint8Array) return clientData
  return new TextEncoder().encode(JSON.stringify({ ...honest(type), ...clientData }))
}

function uint(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, at) => (value / 256 ** (bytes - 1 - at)) & 255)
}

function authDataOf(attested: readonly number[], flags: number, changes: Changes): Uint8Array {
  const { rpIdHash = sha256(RP_ID), counter = 7, extensions = [] } = changes
  const bytes = new Uint8Array([
    ...rpIdHash,
    changes.flags ?? flags,
    ...uint(counter, 4),
    ...attested,
    ...extensions,
  ])
  return changes.authData?.(bytes) ?? bytes
}

/**
 * ES256 signatures are always as long, with a sign before both of their numbers: no test depends on
 * chance.
 */
export function signWith(genuine: Genuine, data: Uint8Array): Uint8Array {
  const { alg, privateKey } = genuine
  const signature = sign(alg === -8 ? null : 'sha256', data, privateKey)
  return alg === -7 && signature.length !== 72 ? signWith(genuine, data) : signature
}

/** The JSON of a registration. */
export function registration(genuine: Genuine, changes: Changes = {}): unknown {
  const { id = genuine.id, aaguid = new Uint8Array(16), idLength = id.length } = changes
  const key = encode(either(changes.key, map(...genuine.key)))
  const attested = [...aaguid, ...uint(idLength, 2), ...id, ...key]
  const flags = FLAGS.up | FLAGS.uv | FLAGS.attested
  const authData = authDataOf(attested, flags, changes)
  const clientData = clientDataOf('create', changes)
  const data = Buffer.concat([authData, sha256(clientData)])
  const members: Members = [
    ['fmt', either(changes.fmt, 'none')],
    ['attStmt', either(changes.statement?.({ signature: signWith(genuine, data) }), map())],
    ['authData', authData],
  ]
  const bytes = new Uint8Array(encode(either(changes.object?.(members), map(...members))))
  return posted(base64Url(id), changes, {
    clientDataJSON: base64Url(clientData),
    attestationObject: base64Url(changes.objectBytes?.(bytes) ?? bytes),
    authenticatorData: base64Url(authData),
    // A browser copies what it reads of the key; of another key it would be another copy.
    ...(changes.key === undefined
      ? { publicKey: genuine.spki, publicKeyAlgorithm: genuine.alg }
      : {}),
    transports: ['internal'],
  })
}

/** The JSON of an assertion. */
export function assertion(genuine: Genuine, changes: Changes = {}): unknown {
  const authData = authDataOf([], FLAGS.up | FLAGS.uv, changes)
  const clientData = clientDataOf('get', changes)
  const data = Buffer.concat([authData, sha256(clientData)])
  const signature = signWith(genuine, data)
  return posted(base64Url(genuine.id), changes, {
    clientDataJSON: base64Url(clientData),
    authenticatorData: base64Url(authData),
    signature: base64Url(changes.signature?.(signature, data) ?? signature),
    userHandle: genuine.handle,
  })
}

/** The value that a test gives, which may be `null`. */
function either(own: Item | undefined, genuine: Item): Item {
  return own === undefined ? genuine : own
}

function posted(id: string, changes: Changes, response: Record<string, unknown>): unknown {
  const credential = {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response: { ...response, ...changes.response },
    ...changes.credential,
  }
  // Members that are `undefined` are not posted.
  return JSON.parse(JSON.stringify(credential))
}
