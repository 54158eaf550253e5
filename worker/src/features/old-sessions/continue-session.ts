import type { SessionClaims } from '@latchkey/session'
import {
  AccessDenied,
  AuthError,
  type InvalidConfiguration,
  StoreUnavailable,
} from '../../errors.js'
import { hasEndedSince } from '../../http/ended-since.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { logRefusal } from '../../http/log-event.js'
import type { Attempt } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/base64url.js'
import { readPerson } from '../../person/documents.js'
import { askSignIn } from '../../session/callbacks.js'
import { startSession } from '../../session/issue.js'
import { isGood, readSessions } from '../../session/read.js'
import { sessionEnd } from '../../session/record.js'
import { deleteRecord } from '../../session/revoke.js'
import { approve, checkBlocked } from '../../sign-in/approve.js'
import type { Migration } from '../../types/old-sessions.js'
import { type OldPerson, signedInAs } from './old-person.js'

/** A session of the old library. It is not over, as far as its cookie says. */
export interface OldSession {
  /** The value that identifies it, whatever the text of its cookie. */
  readonly handle: string
  /** No browser can bring it after that. Seconds since the epoch. */
  readonly ends: number
  /** @returns `undefined` if it is over @throws {CallbackFailed} */
  person(request: AuthRequest): Promise<OldPerson | undefined>
}

/** The sessions of one library. */
export interface Source extends Migration {
  /** Why it can read nothing, which only a service that runs has to know. */
  readonly fault: InvalidConfiguration | undefined
  /** The names of all cookies of a session, in full and without the number of a part. */
  readonly removed: readonly string[]
  /**
   * The genuine sessions that a Cookie header has under a name.
   *
   * @param now milliseconds since the epoch
   */
  find(cookieHeader: string, name: string, now: number): Promise<readonly OldSession[]>
}

/**
 * If one session fails, the log says so, and the request has no user.
 * @throws {StoreUnavailable}
 */
export async function unlessRefused(
  request: AuthRequest,
  attempt: Attempt,
  work: () => Promise<SessionClaims | undefined>,
): Promise<SessionClaims | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    const authError =
      error instanceof AuthError ? error : new AuthError('Moving in failed.', { cause: error })
    await logRefusal(request, authError, attempt)
    return undefined
  }
}

export async function continueOne(
  request: AuthRequest,
  source: Source,
  found: readonly OldSession[],
): Promise<SessionClaims | undefined> {
  const { all } = await readSessions(request)
  const session = all.some(isGood) ? undefined : await theOne(request, found)
  return session && (await continueSession(request, source, session))
}

/**
 * The session that counts among several under one name: the latest, if all belong to one person.
 * Otherwise none: a sibling host may have tossed one of its own (RFC 6265bis, 8.6).
 */
async function theOne(
  request: AuthRequest,
  sessions: readonly OldSession[],
): Promise<OldSession | undefined> {
  const [first] = sessions
  if (sessions.length < 2) return first
  const people = await Promise.all(sessions.map((session) => session.person(request)))
  const known = sessions.flatMap((session, at) => {
    const person = people[at]
    return person ? [{ session, person }] : []
  })
  if (new Set(known.map(({ person }) => person.id)).size > 1) return undefined
  return known.sort((one, other) => other.person.since - one.person.since)[0]?.session
}

/** How long a replay costs one call; from then on it costs as much as a try. Seconds. */
const REMEMBERED = 60 * 60

/**
 * Begins a session in the place of an old one, for one of any number of requests at once. Only when it has begun the
 * old one is used up, so that a fault of a store or of the app before that leaves the person another try.
 *
 * @returns `undefined`: another request has, or does, or the session is over
 * @throws {StoreUnavailable} @throws {AuthError} the app refused, or its functions failed
 */
async function continueSession(
  request: AuthRequest,
  source: Source,
  session: OldSession,
): Promise<SessionClaims | undefined> {
  const { ledger } = request.stores
  const name = await nameOf(source, session)
  const now = nowInSeconds(request)
  const { state } = await ledger.claimRefresh(name, 0, now + REMEMBERED)
  if (state !== 'yours') return undefined
  let isUsed = false
  try {
    const claims = await beginFor(request, source, session)
    if (!claims) return undefined
    const isFirst = await ledger.consume(name, session.ends).catch((error: unknown) => {
      deleteRecord(request, claims)
      throw error
    })
    isUsed = true
    if (isFirst) return claims
    deleteRecord(request, claims)
    return undefined
  } finally {
    // If it fails, no other request tries for half a minute.
    await ledger
      .settleRefresh(name, 0, isUsed ? 'moved' : undefined)
      .catch((error: Error) => request.config.logger.error(error))
  }
}

export async function nameOf({ id }: Source, { handle }: OldSession): Promise<string> {
  return `moved:${await digest(['latchkey/moved/v1', id, handle])}`
}

/** The session of a person after their sign-in was allowed; no browser has its cookie yet. */
async function beginFor(
  request: AuthRequest,
  { id: provider }: Source,
  session: OldSession,
): Promise<SessionClaims | undefined> {
  const person = await session.person(request)
  const signedIn = person && (await signedInAs(request, provider, person))
  if (!signedIn) return undefined
  const sub = signedIn.account.userId
  return unlessRefused(request, { provider, sub }, async () => {
    checkCanFinish(request)
    if (await isOver(request, sub, person.since)) return undefined
    const document = await readPerson(request, sub)
    checkBlocked(document)
    if ((await askSignIn(request, signedIn)) !== undefined) {
      throw new AccessDenied('The signIn callback redirected a user with an old session.')
    }
    const answer = await approve(request, { signedIn, document, purpose: {} })
    if (answer.kind === 'approved') return startSession(request, answer.signedIn, person.since)
    // A read of a session cannot ask the browser for anything.
    throw new AccessDenied(
      'An old session is not enough if a sign-in must wait: the user signs in.',
    )
  })
}

/**
 * Has the person signed out everywhere since, or been erased, or lasts no session for so long?
 *
 * @param since seconds since the epoch
 */
async function isOver(request: AuthRequest, sub: string, since: number): Promise<boolean> {
  if (sessionEnd(request, nowInSeconds(request), since) <= nowInSeconds(request)) return true
  return hasEndedSince(request, sub, since)
}
