import { encodeBase64Url } from '../../lib/base64url.js'
import { toHex } from '../../lib/hex.js'
import {
  type AuthenticatorFault,
  faultOfAuthenticator,
  readAuthenticatorData,
  signedData,
} from './authenticator-data.js'
import { type CborValue, readCbor } from './cbor.js'
import { type ClientDataFault, type Expected, faultOfClientData } from './client-data.js'
import { type PublicKey, readCoseKey } from './cose-key.js'
import { bytesOf, type PostedCredential } from './credential.js'
import { isSignedBy } from './signature.js'

/** A passkey that was made just now. */
export interface Registered extends PublicKey {
  /** The id of the credential, in base64url. */
  readonly id: string
  readonly counter: number
  readonly be: boolean
  readonly bs: boolean
  /** Which authenticator made it, as a UUID; all zeros if it does not say. It is not verified. */
  readonly aaguid: string
  /** How browsers reach the authenticator, for the options of later ceremonies. */
  readonly transports?: readonly string[] | undefined
}

/** Why a registration is refused. */
export type RegistrationFault =
  | ClientDataFault
  | AuthenticatorFault
  | 'attestation-object'
  | 'credential-id'
  | 'public-key'
  | 'attestation'
  | 'copy'

/** Bytes. With a key of 4,096 bits, its signature, an id and room for extensions. */
const MAX_ATTESTATION = 16 * 1024

/** How many transports are kept; there are six kinds. */
const MAX_TRANSPORTS = 8

/**
 * Verifies a new credential (WebAuthn Level 3, section 7.1, from step 7 on). Steps 1 to 4 are the
 * browser's, 5 and 6 are `readCredential`; the caller that keeps it checks that it is new (26).
 *
 * @returns the reason, a string, when it is refused
 */
export async function verifyRegistration(
  credential: PostedCredential,
  expected: Expected,
): Promise<Registered | RegistrationFault> {
  const { id, clientData, clientDataJson, response } = credential
  const clientFault = faultOfClientData(clientData, 'create', expected)
  if (clientFault) return clientFault
  // Step 13.
  const object = readAttestationObject(response.attestationObject)
  if (!object) return 'attestation-object'
  const { authData, fmt, attStmt } = object
  const data = readAuthenticatorData(authData)
  if (!data?.attested) return 'authenticator-data'
  // Steps 14 to 17.
  const fault = await faultOfAuthenticator(data, expected)
  if (fault) return fault
  // Step 25: its length was looked at with the rest of the authenticator data.
  const { attested } = data
  if (encodeBase64Url(attested.id) !== id) return 'credential-id'
  // Step 20.
  const key = await readCoseKey(attested.key)
  if (!key) return 'public-key'
  // Steps 21 to 24. The signature is over the data and the hash of step 12.
  const aaguid = uuid(attested.aaguid)
  if (fmt === 'packed') {
    const signature = selfAttestation(attStmt, key, aaguid)
    const signed = await signedData(authData, clientDataJson)
    if (!signature || !(await isSignedBy(key, signature, signed))) return 'attestation'
  } else if (fmt !== 'none' || !(attStmt instanceof Map) || attStmt.size > 0) {
    return 'attestation'
  }
  if (!agrees(response, encodeBase64Url(authData), key)) return 'copy'
  // Step 27.
  const { counter, be, bs } = data
  return { id, ...key, counter, be, bs, aaguid, transports: transportsOf(response) }
}

/** Section 6.5.4. Members that are not known are ignored. */
function readAttestationObject(value: unknown) {
  const bytes = bytesOf(value, MAX_ATTESTATION)
  const read = bytes && readCbor(bytes)
  if (!(read?.value instanceof Map) || read.end !== bytes?.length) return undefined
  const authData: unknown = read.value.get('authData')
  if (!(authData instanceof Uint8Array)) return undefined
  return {
    authData: new Uint8Array(authData),
    fmt: read.value.get('fmt') as CborValue | undefined,
    attStmt: read.value.get('attStmt') as CborValue | undefined,
  }
}

/**
 * The signature of a packed self attestation (section 8.2), which is by the new key itself. One by
 * the authenticator's maker is refused: it was not asked for, and nothing here would vouch for it.
 */
function selfAttestation(statement: CborValue | undefined, { alg }: PublicKey, aaguid: string) {
  if (!(statement instanceof Map) || statement.size !== 2 || aaguid !== NOBODY) return undefined
  const signature: unknown = statement.get('sig')
  if (statement.get('alg') !== alg || !(signature instanceof Uint8Array)) return undefined
  return new Uint8Array(signature)
}

/** The AAGUID of an authenticator that does not tell its model. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

function uuid(bytes: Uint8Array): string {
  const hex = toHex(bytes)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Browsers copy out of the attestation object what pages cannot read there (section 5.2.1.1). The
 * copies are not used, and a registration with a different copy is refused.
 */
function agrees(response: PostedCredential['response'], data: string, { key, alg }: PublicKey) {
  const { authenticatorData = data, publicKey = key, publicKeyAlgorithm = alg } = response
  return authenticatorData === data && publicKey === key && publicKeyAlgorithm === alg
}

function transportsOf({ transports }: PostedCredential['response']): string[] | undefined {
  if (!Array.isArray(transports)) return undefined
  return transports
    .slice(0, MAX_TRANSPORTS)
    .filter((name) => typeof name === 'string' && /^[a-z0-9-]{1,32}$/.test(name))
}
