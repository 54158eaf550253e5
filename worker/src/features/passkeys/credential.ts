import { isRecord } from '@latchkey/session/internal'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import { type ClientData, readClientData } from './client-data.js'

/** A credential as its `toJSON()` gives it, read as far as both kinds of them are alike. */
export interface PostedCredential {
  /** Base64url of 1 to 1,023 bytes. */
  readonly id: string
  /** As the browser wrote it: the authenticator signs the hash of this text. */
  readonly clientDataJson: Uint8Array<ArrayBuffer>
  readonly clientData: ClientData
  /** The members that only one of the kinds has. */
  readonly response: Readonly<Record<string, unknown>>
}

/** Bytes. */
const LIMIT = { id: 1023, clientData: 8 * 1024 }

/**
 * Reads what a page posts: a `RegistrationResponseJSON` or an `AuthenticationResponseJSON`
 * (WebAuthn Level 3, section 5.1). No part of it is verified yet; its challenge names the flow that
 * it may belong to.
 *
 * @returns `undefined` for anything else
 */
export function readCredential(value: unknown): PostedCredential | undefined {
  if (!isRecord(value) || !isRecord(value.response)) return undefined
  const { id, rawId, type, response } = value
  if (type !== 'public-key' || rawId !== id || !bytesOf(id, LIMIT.id)) return undefined
  const clientDataJson = bytesOf(response.clientDataJSON, LIMIT.clientData)
  const clientData = clientDataJson && readClientData(clientDataJson)
  return clientData && { id: id as string, clientDataJson, clientData, response }
}

/**
 * The bytes of a text in base64url as `toJSON()` writes it: at least one, no padding, and the one
 * spelling of its last character.
 *
 * @param max how many bytes at most
 */
export function bytesOf(value: unknown, max: number): Uint8Array<ArrayBuffer> | undefined {
  if (typeof value !== 'string' || value.length > Math.ceil((max * 4) / 3)) return undefined
  const bytes = decodeBase64Url(value)
  return bytes && encodeBase64Url(bytes) === value ? bytes : undefined
}

/** A posted credential: JSON, or its text in the field of a form. */
export function postedIn(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The challenge of any credential, also of an invalid one. */
export function challengeIn(posted: unknown): string | undefined {
  const response = isRecord(posted) && isRecord(posted.response) ? posted.response : {}
  const bytes = bytesOf(response.clientDataJSON, LIMIT.clientData)
  return bytes && readClientData(bytes)?.challenge
}

/** The id of any credential, also of an invalid one; empty if it has none. */
export function idIn(posted: unknown): string {
  return isRecord(posted) && typeof posted.id === 'string' ? posted.id : ''
}
