import { OTHER_KEY } from '@latchkey/host/shared'
import type { Session, SessionClaims } from '@latchkey/session'
import { isSkipped, within } from '@latchkey/session/internal'
import { isLive, sessionTokens } from '@latchkey/session/issue'
import { SessionUnknown } from '../errors.js'
import { ownCookieName } from '../http/cookies.js'
import type { AuthRequest } from '../http/request.js'
import type { ClaimedStanding } from '../service/session-hooks.js'
import { claimedStanding, isRevoked } from './revoke.js'

/** No read waits longer for the ledger. Milliseconds. */
const MAX_WAIT = 1_000

/** A genuine session of this service. Its token is within its time, or `expired` and to be renewed. */
export interface GoodSession {
  readonly state: 'live' | 'expired'
  readonly claims: SessionClaims
  readonly session: Session
}

/** One that this isolate knows to be over, no good for anything but to be ended again. */
interface OverSession {
  readonly state: 'over'
  readonly claims: SessionClaims
  readonly session: Session
}

/** The genuine sessions that a browser sends. */
interface BrowserSessions {
  /** The request's own session: the one that counts, or without a good one, one that is over. */
  readonly own: GoodSession | OverSession | undefined
  /** Each session once, in the order of the header; eight at most. */
  readonly all: readonly (GoodSession | OverSession)[]
}

/**
 * The session that a request's cookie carries, live or due for renewal; `undefined` if there is
 * none, or one that ended more than five seconds ago.
 *
 * If one person has several tokens, the first live one counts, then the first to be renewed. If the
 * tokens belong to several people, and the ledger has not ended all but one's sessions, nobody is
 * signed in: a sibling host that shares the cookie may toss a session of its own, under a longer
 * path, before or behind ours, and no header tells which is which (RFC 6265bis, 5.8.3 and 8.6).
 *
 * @throws {StoreUnavailable} only if there are several, and the ledger does not answer
 */
export function readSession(request: AuthRequest): Promise<GoodSession | undefined> {
  return find(request)
}

/**
 * Every genuine session of a request, to end all sessions of a browser.
 * @throws {StoreUnavailable}
 */
export async function readSessions(request: AuthRequest): Promise<BrowserSessions> {
  const sessions: (GoodSession | OverSession)[] = []
  const good = await find(request, sessions)
  const own = good ?? (sessions.some(isGood) ? undefined : sessions[0])
  return { own, all: [...new Map(sessions.map((one) => [one.claims.sid, one])).values()] }
}

/** @param all takes everything that is found */
async function find(
  request: AuthRequest,
  all?: (GoodSession | OverSession)[],
): Promise<GoodSession | undefined> {
  const { config, keys, revocations } = request
  const { verifier } = keys
  const tokens = sessionTokens(request.cookieHeader, ownCookieName(request, 'sessionToken'))
  const several = all ?? (tokens.length > 1 ? [] : undefined)
  for (const token of tokens) {
    const recalled = verifier.recall(token, request.accepted)
    const reading = recalled ?? (await verifier.verify(token, request.accepted))
    if (typeof reading === 'string') {
      if (reading === 'unknown-key' || reading === 'bad-signature') reportKey(request)
      continue
    }
    if (revocations.isDue || revocations.isBehind) {
      await revocations.refresh(config.logger, request.waitUntil)
    }
    const { claims, session } = reading
    // Only a proof of its browser's key renews it.
    if (claims.cnf && claims.exp * 1000 <= config.now()) continue
    if (revocations.has(claims) || (revocations.isUnheard && (await isOver(request, claims)))) {
      several?.push({ state: 'over', claims, session })
      continue
    }
    // Endings are known for as long as a token may live now. One that was to live longer, when it was
    // signed, is renewed, so that the ledger decides.
    const lives = isLive(claims, config.now(), config.session.tokenMaxAge)
    const good: GoodSession = { state: lives ? 'live' : 'expired', claims, session }
    if (!several) return good
    several.push(good)
  }
  return several && theOne(request, several.filter(isGood))
}

/** Requests that were logged because another key has signed their token. */
const reported = new WeakSet<AuthRequest>()

function reportKey(request: AuthRequest): void {
  if (!reported.has(request)) request.config.logger.debug(OTHER_KEY)
  reported.add(request)
}

/** What the session's own object says, if it answers: a fault signs no user out. */
async function isOver(request: AuthRequest, claims: SessionClaims): Promise<boolean> {
  const answer = isRevoked(request, claims).catch(() => false)
  return (await within(MAX_WAIT, answer)) ?? false
}

export function isGood(session: GoodSession | OverSession): session is GoodSession {
  return session.state !== 'over'
}

/** The one of several sessions that counts. @throws {StoreUnavailable} */
async function theOne(
  request: AuthRequest,
  good: readonly GoodSession[],
): Promise<GoodSession | undefined> {
  if (good.length < 2 || (areOnePerson(good) && good.some(isLiving))) return firstOf(good)
  // One that has lain about for long is over for the ledger alone.
  const over = await Promise.all(good.map(({ claims }) => isRevoked(request, claims)))
  const left = good.filter((_, index) => !over[index])
  return areOnePerson(left) ? firstOf(left) : undefined
}

function firstOf(good: readonly GoodSession[]): GoodSession | undefined {
  return good.find(isLiving) ?? good[0]
}

function isLiving({ state }: GoodSession): boolean {
  return state === 'live'
}

function areOnePerson(good: readonly GoodSession[]): boolean {
  return good.every(({ claims }) => claims.sub === good[0]?.claims.sub)
}

/**
 * The claims of the signed-in user, for routes that only the owner of a session may use. The ledger
 * decides, also about a token that is still good.
 *
 * @throws {StoreUnavailable} also if a browser could not renew its session just now
 */
export async function signedIn(request: AuthRequest): Promise<SessionClaims | undefined> {
  const current = await readSession(request)
  if (current) return standingClaims(request, current)
  checkSkipped(request)
  return undefined
}

/** The same for pages on which a person may sign in: there a browser that could not renew its session is signed out. @throws {StoreUnavailable} */
export async function maybeSignedIn(request: AuthRequest): Promise<SessionClaims | undefined> {
  const current = await readSession(request)
  return current && standingClaims(request, current)
}

async function standingClaims(
  request: AuthRequest,
  current: GoodSession,
): Promise<SessionClaims | undefined> {
  const { claims } = current
  return (await goesOn(request, current, endedOrNobodys(request, claims))) ? claims : undefined
}

/**
 * What the ledger says of the session of a token, for a caller that needs no more of it than {@link goesOn} does.
 *
 * @throws {StoreUnavailable}
 */
export async function endedOrNobodys(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<ClaimedStanding> {
  if (request.features.ports.binding) return claimedStanding(request, claims)
  return { isOver: await isRevoked(request, claims) }
}

/**
 * A session whose caller asks the ledger by itself whether it is over. A token without a key that has ended signs nobody in if the
 * session is bound by now, or has to be.
 *
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function readUnended(request: AuthRequest): Promise<GoodSession | undefined> {
  const current = await readSession(request)
  if (!current) return undefined
  const { binding, logouts } = request.features.ports
  const isAsked = binding && current.state === 'expired'
  if (!isAsked || current.claims.cnf)
    return (await logouts?.ends(request, current.claims)) ? undefined : current
  const standing = claimedStanding(request, current.claims)
  return (await goesOn(request, current, standing)) ? current : undefined
}

/**
 * Does the session of a token go on, and by this token?
 *
 * @param standing what {@link claimedStanding} says
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function goesOn(
  request: AuthRequest,
  { state, claims }: Pick<GoodSession | OverSession, 'state' | 'claims'>,
  standing: Promise<ClaimedStanding>,
): Promise<boolean> {
  const { isOver, isNobody } = await standing
  if (isOver || isNobody) return false
  // A renewal may end such a session. A thief who uses its old token only here would never have to renew it.
  const isDue = state === 'expired' && claims.cnf === undefined
  if (isDue && (await request.features.ports.binding?.endsUnbound(request, claims))) return false
  return !(await request.features.ports.logouts?.ends(request, claims))
}

/**
 * A browser without our cookie may say that it could not renew a bound session just now: then it is unknown whose request it is.
 * Asked where the answer depends on the person, and not where a person may sign in.
 *
 * @throws {SessionUnknown}
 */
export function checkSkipped(request: AuthRequest): void {
  if (!isSkipped(request.original.headers.get('secure-session-skipped'))) return
  const name = ownCookieName(request, 'sessionToken')
  if (sessionTokens(request.cookieHeader, name).length > 0) return
  throw new SessionUnknown('A browser could not renew its bound session just now.')
}

/**
 * Has the person of a session proved here who they are? They have not if it moved in from another
 * library: it is not a fresh sign-in, whatever its time, and a person who signs in to change
 * something begins a session of their own.
 */
export function hasProvedHere(
  { providers }: AuthRequest,
  { amr: [by = ''] }: Pick<SessionClaims, 'amr'>,
): boolean {
  return !(by === 'authjs' || by === 'better-auth') || providers.usable.has(by)
}
