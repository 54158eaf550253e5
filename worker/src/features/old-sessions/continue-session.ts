import type { SessionClaims } from '@latchkey/session'
import { OLD_SESSIONS_HEADER } from '@latchkey/session/internal'
import { ownCookieNames, toSession } from '@latchkey/session/issue'
import {
  AccessDenied,
  AuthError,
  type InvalidConfiguration,
  StoreUnavailable,
} from '../../errors.js'
import { hasEndedSince } from '../../http/ended-since.js'
import { logEvent, logRefusal } from '../../http/log-event.js'
import { type Attempt, json, type Outcome } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/digest.js'
import { readPerson } from '../../person/documents.js'
import type { AbsentSession } from '../../service/session-hooks.js'
import { askSignIn, emit } from '../../session/callbacks.js'
import { setSessionCookie, startSession } from '../../session/issue.js'
import { isGood, readSessions } from '../../session/read.js'
import { sessionEnd } from '../../session/record.js'
import { deleteRecord } from '../../session/revoke.js'
import { approve } from '../../sign-in/approve.js'
import { checkCanFinish } from '../../sign-in/finish.js'
import type { Migration } from '../../types/old-sessions.js'
import type { SourcesReader } from './index.js'
import { type OldPerson, signedInAs } from './old-person.js'

/** A session that the old library has made, and that is not over as far as its cookie says. */
export interface OldSession {
  /** The value that identifies it, whatever the text of its cookie. */
  readonly handle: string
  /** Nobody can bring it after that. Seconds since the epoch. */
  readonly ends: number
  /** @returns `undefined` if it is over @throws {CallbackFailed} */
  person(request: AuthRequest): Promise<OldPerson | undefined>
}

/** The sessions of one library. */
interface Source extends Migration {
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

/** An entry of `migrateFrom`, with all that makes its sessions ours. */
export function source(settings: Omit<Source, 'reader'>): Source {
  return { ...settings, reader }
}

const reader: SourcesReader = {
  together(migrations): AbsentSession {
    const sources = migrations as readonly Source[]
    for (const { fault } of sources) if (fault) throw fault
    return {
      until: Math.max(...sources.map(({ until }) => until)),
      begin: (request) => begin(request, sources),
      answer: (request) => answer(request, sources),
      nobody: (request) => nobody(request, sources),
      end: (request) => end(request, sources),
      mayCome: (request) => sources.some((source) => namesIn(request, source).length > 0),
    }
  },
}

async function answer(request: AuthRequest, sources: readonly Source[]): Promise<Outcome> {
  const claims = request.method === 'HEAD' ? undefined : await begin(request, sources)
  if (claims) {
    const session = toSession(claims)
    await emit(request, 'session', { session })
    return json(session)
  }
  return nobody(request, sources)
}

function nobody(request: AuthRequest, sources: readonly Source[]): Outcome {
  const isOpen = sources.some(({ until }) => until > request.config.now())
  return { kind: 'json', body: null, headers: isOpen ? { [OLD_SESSIONS_HEADER]: '1' } : {} }
}

async function begin(
  request: AuthRequest,
  sources: readonly Source[],
): Promise<SessionClaims | undefined> {
  for (const source of sources) {
    const groups = await sessionsOf(request, source)
    const sessions = groups.find(({ length }) => length > 0)
    const claims =
      sessions &&
      (await unlessRefused(request, { provider: source.id }, () =>
        continueOne(request, source, sessions),
      ))
    if (!claims) continue
    await setSessionCookie(request, claims)
    removeCookies(request, source)
    await logEvent(request, { event: 'moved-in', sub: claims.sub, provider: source.id })
    return claims
  }
  return undefined
}

async function end(request: AuthRequest, sources: readonly Source[]): Promise<void> {
  const { ledger } = request.stores
  for (const source of sources) {
    const sessions = (await sessionsOf(request, source)).flat()
    const uses = sessions.map(async (one) => ledger.consume(await nameOf(source, one), one.ends))
    await Promise.all(uses)
    if (sessions.length > 0) removeCookies(request, source)
  }
}

/**
 * The genuine sessions of a request, a group for each name: first that of the name with the prefix on https, if
 * the old app has set it.
 */
async function sessionsOf(
  request: AuthRequest,
  source: Source,
): Promise<readonly (readonly OldSession[])[]> {
  const { cookieHeader, config, secure } = request
  const names = namesIn(request, source)
  const ordered = secure ? names.toReversed() : names
  const now = config.now()
  const groups = await Promise.all(
    ordered.map((name) => source.find(cookieHeader ?? '', name, now)),
  )
  return groups.map((group) => [...new Map(group.map((one) => [one.handle, one])).values()])
}

/** The names of a source's cookies that a request seems to have. */
function namesIn({ cookieHeader, config }: AuthRequest, { until, cookies }: Source): string[] {
  if (!cookieHeader || until <= config.now()) return []
  return cookies.filter((name) => cookieHeader.includes(name))
}

/**
 * If one session fails, the log says so, and the request has no user.
 * @throws {StoreUnavailable}
 */
async function unlessRefused(
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

async function continueOne(
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
    // Where it fails nobody else tries for half a minute.
    await ledger
      .settleRefresh(name, 0, isUsed ? 'moved' : undefined)
      .catch((error: Error) => request.config.logger.error(error))
  }
}

async function nameOf({ id }: Source, { handle }: OldSession): Promise<string> {
  return `moved:${await digest(['latchkey/moved/v1', id, handle])}`
}

/** The session of a person who may come in; nobody has its cookie yet. */
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
    if ((await askSignIn(request, signedIn)) !== undefined) {
      throw new AccessDenied('The signIn callback led somebody elsewhere who was moving in.')
    }
    const approved = await approve(request, { signedIn, document, purpose: {} })
    if (typeof approved !== 'function') return startSession(request, approved, person.since)
    // Nothing can be asked of a browser whose session is read.
    throw new AccessDenied(
      'An old session is not enough for a person who must wait at a sign-in: they sign in.',
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

/** More cookies of a session fit no header. */
const MAX_REMOVED = 64

/** Removes the cookies of the old library, with all their parts. */
function removeCookies(request: AuthRequest, { removed }: Source): void {
  const names = removed.flatMap((name) => ownCookieNames(request.cookieHeader, name))
  for (const name of names.slice(0, MAX_REMOVED)) {
    const secure = request.secure || /^__(?:host|secure)-/i.test(name)
    const options = { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge: 0 } as const
    request.setCookies.push({ name, value: '', options })
  }
}
