import { notBeforeOf, parseClaims, type RefusalReason, type SessionClaims } from './claims.js'
import type { VerifyKeys } from './keys.js'
import { type Session, toSession } from './session.js'
import { readSigned, SESSION_TYP } from './signed.js'

/** Longer tokens are refused before anything is decoded. In characters. */
const MAX_TOKEN_LENGTH = 65_536

export interface VerifiedToken {
  readonly claims: SessionClaims
  readonly session: Session
  readonly notBefore: number
}

/**
 * The claims of a token that one of the keys has signed (exactly `EdDSA`, exactly `session+jwt`),
 * frozen, since every later reader of the token gets the same value; or the reason for a refusal.
 * Neither the issuer nor any time is compared, nor `notBefore`, seconds since the epoch. Never
 * throws on bad input.
 */
export async function verifyToken(
  token: string,
  keys: VerifyKeys,
): Promise<VerifiedToken | RefusalReason> {
  const maxLength = MAX_TOKEN_LENGTH
  const content = await readSigned(token, { typ: SESSION_TYP, keys, maxLength })
  if (typeof content === 'string') return content
  return contentOf(content)
}

/** The same of a token that the caller has signed just now, from the claims that were signed. */
export function signedToken(claims: SessionClaims): VerifiedToken | RefusalReason {
  // A reader of the token would get this: a value of its own, with the members that JSON has.
  return contentOf(JSON.parse(JSON.stringify(claims)))
}

function contentOf(content: object): VerifiedToken | RefusalReason {
  const claims = parseClaims(content)
  const notBefore = notBeforeOf(content)
  if (!claims || notBefore === undefined) return 'claims'
  const session = toSession(claims)
  Object.freeze(Object.freeze(claims).amr)
  Object.freeze(claims.cnf)
  Object.freeze(claims.session)
  return { claims, session, notBefore }
}
