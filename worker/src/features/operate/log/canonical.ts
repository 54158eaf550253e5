import { encodeBase64Url } from '../../../lib/base64url.js'

/** What a member of a record may be. */
export type Member = string | number | null

/**
 * JSON by RFC 8785 (JCS) of an object whose members are texts, whole numbers and null. The RFC then asks two things:
 * members are in the order of their names' UTF-16 units (§3.2.3), as `sort` has it, and texts and numbers are written as
 * `JSON.stringify` writes them (§3.2.2). A library would add floating-point numbers and nested objects, which no record has.
 */
function canonicalJson(members: Readonly<Record<string, Member>>): string {
  return JSON.stringify(members, Object.keys(members).sort())
}

/** The `hash` of a record: base64url of the SHA-256 of all its other members. */
export async function hashOf(record: object): Promise<string> {
  const { hash: _, ...members } = record as Record<string, Member>
  const text = new TextEncoder().encode(canonicalJson(members))
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
}
