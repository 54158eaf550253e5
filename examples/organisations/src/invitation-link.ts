import { deriveBytes, readSecrets } from '@latchkey/session/issue'
import { EncryptJWT, jwtDecrypt } from 'jose'

/** A key for another purpose does not open an invitation. */
const PURPOSE = 'organisations/invitation/v1'
/** Longer texts are refused before anything is decoded. */
const MAX_LENGTH = 500

type Secrets = Readonly<Record<string, unknown>>

const keyOf = (secret: string) => deriveBytes(secret, PURPOSE, 32)

/**
 * Seals the id of an invitation, so that nobody who reads the table can make a link.
 *
 * @param env has `AUTH_SECRET`, which the auth service uses too
 * @param expires seconds since the epoch
 */
export async function sealInvitation(env: Secrets, id: string, expires: number): Promise<string> {
  const [newest = ''] = readSecrets(env)
  const sealed = new EncryptJWT({ jti: id }).setExpirationTime(expires)
  const header = { alg: 'dir', enc: 'A256GCM' }
  return sealed.setProtectedHeader(header).encrypt(await keyOf(newest))
}

/** @returns `undefined`: it is not ours, or its time is over */
export async function openInvitation(env: Secrets, sealed: string): Promise<string | undefined> {
  if (sealed.length > MAX_LENGTH) return undefined
  const only = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
  for (const secret of readSecrets(env)) {
    const opened = await jwtDecrypt(sealed, await keyOf(secret), only).catch(() => undefined)
    if (opened?.payload.jti) return opened.payload.jti
  }
  return undefined
}
