import {
  type AuthenticatorFault,
  faultOfAuthenticator,
  readAuthenticatorData,
  signedData,
} from './authenticator-data.js'
import { type ClientDataFault, type Expected, faultOfClientData } from './client-data.js'
import type { PublicKey } from './cose-key.js'
import { bytesOf, type PostedCredential } from './credential.js'
import { isSignedBy } from './signature.js'

/** The stored data of a passkey that decide whether a sign-in with it is good. */
export interface StoredPasskey extends PublicKey {
  readonly id: string
  readonly counter: number
  readonly be: boolean
  /** The user handle that it was made with, in base64url: the person's. */
  readonly handle: string
}

/** A sign-in with a passkey. */
export interface Asserted {
  /** To be kept in place of the one before. */
  readonly counter: number
  /** Whether the passkey is on other devices now. */
  readonly bs: boolean
  /** Did the counter not go up? The key may have been copied (section 6.1.1). */
  readonly isRegressed: boolean
}

/** Why an assertion is refused. */
export type AssertionFault =
  | ClientDataFault
  | AuthenticatorFault
  | 'credential-id'
  | 'user-handle'
  | 'signature'

/** Bytes: of the signature of an RSA key of 4,096 bits, of unrequested extensions, of a handle. */
const LIMIT = { signature: 512, authenticatorData: 8 * 1024, handle: 64 }

/**
 * Verifies a sign-in (WebAuthn Level 3, section 7.2, from step 6 on). Steps 1 to 5 are the
 * browser's and the options', 8 and 9 are `readCredential`.
 *
 * @param passkey the passkey that the credential's id names
 * @returns the reason, a string, when it is refused
 */
export async function verifyAssertion(
  credential: PostedCredential,
  passkey: StoredPasskey,
  expected: Expected,
): Promise<Asserted | AssertionFault> {
  const { id, clientData, clientDataJson, response } = credential
  // Step 6: no person was identified before, so that the answer must name the person.
  if (id !== passkey.id) return 'credential-id'
  if (!bytesOf(response.userHandle, LIMIT.handle)) return 'user-handle'
  if (response.userHandle !== passkey.handle) return 'user-handle'
  // Steps 10 to 14.
  const clientFault = faultOfClientData(clientData, 'get', expected)
  if (clientFault) return clientFault
  // Step 7.
  const bytes = bytesOf(response.authenticatorData, LIMIT.authenticatorData)
  const data = bytes && readAuthenticatorData(bytes)
  if (!data) return 'authenticator-data'
  // Steps 15 to 18.
  const fault = await faultOfAuthenticator(data, expected)
  if (fault) return fault
  // Step 19.
  if (data.be !== passkey.be) return 'backup-eligibility'
  // Steps 20 and 21.
  const signature = bytesOf(response.signature, LIMIT.signature)
  const signed = await signedData(bytes, clientDataJson)
  if (!signature || !(await isSignedBy(passkey, signature, signed))) return 'signature'
  // Step 22. An authenticator without a counter always says zero.
  const { counter, bs } = data
  const counts = counter !== 0 || passkey.counter !== 0
  return { counter, bs, isRegressed: counts && counter <= passkey.counter }
}
