import type { SessionClaims } from '@latchkey/session'
import {
  ownCookieNames,
  sessionClaim,
  signSessionToken,
  splitCookie,
} from '@latchkey/session/issue'
import { AccessDenied } from '../errors.js'
import { addCookie, MAX_REMOVED, ownCookieName } from '../http/cookies.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { randomToken } from '../lib/base64url.js'
import { companyOf } from '../lib/company-id.js'
import { wayOf } from '../person/way-document.js'
import type { SessionRecord } from '../stores/ports.js'
import { defaultSession, runJwt, runSession } from './callbacks.js'
import { deviceOf } from './device.js'
import { nearestRegion } from './nearest-region.js'
import { sealValues, sessionEnd, snapshotOf } from './record.js'
import type { SignedIn } from './signed-in.js'
import type { StandingSession } from './stored-values.js'

declare const approved: unique symbol

/** A person, after every feature has let them in: `approve` (sign-in/approve.ts) alone makes one. */
export type Approved = SignedIn & { readonly [approved]: true }

/**
 * Starts a session for a person who has proved their identity: one record, one signed token.
 *
 * @param since when they have, if that was in a session that this one takes the place of. Seconds since the epoch
 * @returns the token's claims; the caller sets the cookie
 * @throws {AccessDenied} when a callback returns `null`: then nothing is written
 * @throws {StoreUnavailable} when the record cannot be stored: then nobody is signed in
 */
export async function startSession(
  request: AuthRequest,
  approved: Approved,
  since?: number,
): Promise<SessionClaims> {
  const { user, account, profile, way, isAlone, amr, isNewUser } = approved
  const { authTime: now = request.came } = approved
  const sub = account.userId
  const { tokens: providerTokens } = request.features.ports
  // The owner of the way was read after that: an ending of the person's sessions since then ends
  // this one too.
  const created = since ?? now
  const expires = sessionEnd(request, now, created)
  const { drawSid } = request.stores
  const sid = drawSid?.(sub, nearestRegion(request.original)) ?? randomToken(16)
  const started = { sub, sid, provider: account.provider, created, updated: now, expires }
  const vouched = user.emailVerified === true ? (user.email ?? undefined) : undefined
  // A token is as old as its callbacks' answers, however long they take.
  const issued = nowInSeconds(request)
  const standing: StandingSession = {
    record: { ...started, sealed: '' },
    issued,
    token: {},
    vouched,
    tokens: providerTokens.toStore(account),
  }
  const getAccessToken = () => providerTokens.accessToken(request, standing)
  const token = await runJwt(request, {
    token: { sub, name: user.name ?? null, email: user.email ?? null, picture: user.image ?? null },
    user: { ...user },
    account: { ...account },
    ...(profile ? { profile } : {}),
    trigger: isNewUser ? 'signUp' : 'signIn',
    getAccessToken,
  })
  if (token === null) throw new AccessDenied('The jwt callback refused.')
  const snapshot = snapshotOf(token)
  const session = await runSession(request, {
    session: defaultSession({ ...token, sub }, expires, vouched),
    token,
    getAccessToken,
  })
  if (session === null) throw new AccessDenied('The session callback refused.')
  const device = deviceOf(request.original)
  const { provider } = account
  // A person with several ways keeps the tokens of each beyond the session.
  const tokens =
    way && !isAlone
      ? await providerTokens.connect(request, { sub, way, provider }, standing.tokens)
      : standing.tokens
  const extra = way === wayOf(account) ? undefined : way
  const { absoluteMaxAge } = request.config.session
  const named = { sub, sid, auth_time: created, sexp: created + absoluteMaxAge }
  const kept = await request.features.starting(request, approved, named)
  const values = { token: snapshot, vouched, tokens, way: extra, device, kept }
  const record = { ...started, sealed: await sealValues(request, sid, values, expires) }
  await request.stores.sessions.put(record)
  return claimsOf(request, record, session, { auth_time: created, amr: amr ?? [provider] }, issued)
}

/** How a person last proved who they are, and when; and the key of their browser, if the session is bound to one. */
export interface Proof extends Pick<SessionClaims, 'auth_time' | 'amr'> {
  readonly cnf?: SessionClaims['cnf']
  /** The end of a bound session's token that brought no proof of its key. Left out: there was one. */
  readonly exp?: number
}

/**
 * The claims of a fresh token for a session, but for its `pid`, which is made where it is signed.
 *
 * @param proof of the token that it takes the place of, or a new one. It is in no record, so that no token
 *   but the one that was signed for it, and those that follow, is fresh by it
 * @param issued when the callbacks were asked. Seconds since the epoch
 */
export function claimsOf(
  request: AuthRequest,
  record: Pick<SessionRecord, 'sub' | 'sid' | 'created' | 'expires'>,
  session: Record<string, unknown>,
  proof: Proof,
  issued: number,
): SessionClaims {
  const auth_time = Math.max(proof.auth_time, record.created)
  // An isolate's clock may lag behind the one that signed the person in.
  const now = Math.max(issued, auth_time)
  const { cnf, exp: last } = proof
  const end = cnf && last !== undefined ? last : now + request.config.session.tokenMaxAge
  return {
    iss: request.issuer,
    sub: record.sub,
    sid: record.sid,
    iat: now,
    exp: Math.min(end, record.expires),
    auth_time,
    ...(auth_time === record.created ? {} : { began: record.created }),
    sexp: record.expires,
    amr: proof.amr,
    ...companyOf(proof.amr),
    ...(cnf ? { cnf } : {}),
    session: sessionClaim(session, record.sub),
  }
}

/**
 * The cookie of a bound session goes so long before its token ends, so that the browser proves its key instead of sending a token that
 * ends on the way. Seconds.
 */
const BEFORE_END = 10

/** Signs the token and sets its cookie, in chunks if it must be; old chunks are removed. */
export async function setSessionCookie(request: AuthRequest, claims: SessionClaims): Promise<void> {
  const name = ownCookieName(request, 'sessionToken')
  const { domain } = request.config.cookies
  const { pseudonyms, session, verifier } = request.keys
  const signed = { ...claims, pid: await pseudonyms.of(claims.sub) }
  const token = await signSessionToken(signed, session.signing)
  verifier.signed(token, signed)
  const cookies = splitCookie(name, token)
  removeParts(request, name, new Set(cookies.map(([part]) => part)))
  const { cnf, exp, sexp } = claims
  const now = nowInSeconds(request)
  const maxAge = cnf ? Math.max(1, exp - BEFORE_END - now) : sexp - now
  for (const [part, value] of cookies) addCookie(request, part, value, { maxAge, domain })
}

/** Removes the session cookie and the chunks that the browser has. */
export function clearSessionCookie(request: AuthRequest): void {
  const name = ownCookieName(request, 'sessionToken')
  addCookie(request, name, '', { maxAge: 0, domain: request.config.cookies.domain })
  removeParts(request, name, new Set([name]))
}

/**
 * Removes parts of the session cookie, but not the ones with the lowest numbers, without which the
 * others do not form a token. A sibling host may toss a hundred.
 */
function removeParts(request: AuthRequest, name: string, but: ReadonlySet<string>): void {
  const { domain } = request.config.cookies
  const parts = ownCookieNames(request.cookieHeader, name).filter((part) => !but.has(part))
  const numberOf = (part: string) => Number(part.slice(name.length + 1))
  parts.sort((one, other) => numberOf(one) - numberOf(other))
  for (const part of parts.slice(0, MAX_REMOVED))
    addCookie(request, part, '', { maxAge: 0, domain })
}
