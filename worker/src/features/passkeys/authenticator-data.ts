import { type CborMap, readCbor } from './cbor.js'
import type { Expected } from './client-data.js'

/** The data that an authenticator reports and signs (WebAuthn Level 3, section 6.1). */
export interface AuthenticatorData {
  /** SHA-256 of the relying party's id. */
  readonly rpIdHash: Uint8Array
  /** A person was present. */
  readonly up: boolean
  /** The authenticator has verified the person: by PIN, finger or face. */
  readonly uv: boolean
  /** The passkey may be copied to other devices. */
  readonly be: boolean
  /** It has been. */
  readonly bs: boolean
  readonly counter: number
  /** The data of a new credential (section 6.5.2). */
  readonly attested?:
    | {
        readonly aaguid: Uint8Array
        readonly id: Uint8Array
        readonly key: CborMap
      }
    | undefined
}

/** Why the data of an authenticator is refused in both ceremonies. */
export type AuthenticatorFault =
  | 'authenticator-data'
  | 'rp-id'
  | 'user-presence'
  | 'user-verification'
  | 'backup-state'
  | 'backup-eligibility'

/** Lengths in bytes (section 6.1). */
const LENGTH = { hash: 32, head: 37, aaguid: 16 }

/** Bytes (section 6.5.2). */
const MAX_ID = 1023

/** Bits of the flags; the others are reserved, and readers ignore them. */
const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, attested: 0x40, extensions: 0x80 }

/** @returns `undefined` for anything that is not authenticator data from its first byte to its last */
export function readAuthenticatorData(
  bytes: Uint8Array<ArrayBuffer>,
): AuthenticatorData | undefined {
  if (bytes.length < LENGTH.head) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const flags = view.getUint8(LENGTH.hash)
  const has = (flag: number) => (flags & flag) !== 0
  let at = LENGTH.head
  let attested: AuthenticatorData['attested']
  if (has(FLAGS.attested)) {
    const id = at + LENGTH.aaguid + 2
    if (bytes.length < id) return undefined
    const length = view.getUint16(id - 2)
    if (length < 1 || length > MAX_ID) return undefined
    const key = readMap(bytes, id + length)
    if (!key) return undefined
    attested = {
      aaguid: bytes.slice(at, at + LENGTH.aaguid),
      id: bytes.slice(id, id + length),
      key: key.map,
    }
    at = key.end
  }
  // One map of unrequested extensions: it is read to find its end.
  if (has(FLAGS.extensions)) at = readMap(bytes, at)?.end ?? -1
  if (at !== bytes.length) return undefined
  return {
    rpIdHash: bytes.slice(0, LENGTH.hash),
    up: has(FLAGS.up),
    uv: has(FLAGS.uv),
    be: has(FLAGS.be),
    bs: has(FLAGS.bs),
    counter: view.getUint32(LENGTH.hash + 1),
    attested,
  }
}

function readMap(bytes: Uint8Array<ArrayBuffer>, from: number) {
  const read = readCbor(bytes, from)
  return read?.value instanceof Map ? { map: read.value as CborMap, end: read.end } : undefined
}

/** The steps 14 to 17 of section 7.1, and 15 to 18 of section 7.2. */
export async function faultOfAuthenticator(
  { rpIdHash, up, uv, be, bs }: AuthenticatorData,
  { rpId, isConditional = false }: Expected,
): Promise<AuthenticatorFault | undefined> {
  const hash = await sha256(new Uint8Array(new TextEncoder().encode(rpId)))
  if (!hash.every((byte, index) => byte === rpIdHash[index])) return 'rp-id'
  if (!up && !isConditional) return 'user-presence'
  if (!uv && !isConditional) return 'user-verification'
  return bs && !be ? 'backup-state' : undefined
}

/**
 * The bytes that an authenticator signs: its data and the hash of the client data (section 6.3.3).
 */
export async function signedData(
  authenticatorData: Uint8Array,
  clientDataJson: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array([...authenticatorData, ...(await sha256(clientDataJson))])
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
