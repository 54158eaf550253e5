import { answerWithin, cookieValues, isRecord } from '@latchkey/session/internal'
import { CLOCK_SKEW, sessionTokens } from '@latchkey/session/issue'
import { CallbackFailed, InvalidConfiguration } from '../../errors.js'
import { tryLookUp } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'
import type { Awaitable } from '../../types/awaitable.js'
import type { Migration } from '../../types/old-sessions.js'
import { BetterAuthCookies } from './better-auth-cookies.js'
import type { OldSession } from './continue-session.js'
import type { OldPerson } from './old-person.js'
import {
  bothNames,
  checkedName,
  checkedSecrets,
  checkedUntil,
  type OldSessionsOptions,
  secretMissing,
} from './options.js'
import { source } from './source.js'

/** A session of better-auth with its user. Times are dates, texts of ISO 8601, or milliseconds since the epoch. */
export interface FoundSession {
  readonly session: {
    readonly token?: string | undefined
    readonly userId: string | number
    readonly createdAt: Date | string | number
    readonly expiresAt: Date | string | number
  }
  readonly user: {
    readonly id: string | number
    readonly name?: string | null | undefined
    readonly email?: string | null | undefined
    readonly image?: string | null | undefined
  }
}

/** Old sessions of better-auth. */
export interface BetterAuthOptions extends OldSessionsOptions {
  /** `advanced.cookiePrefix` of better-auth. Default `better-auth`. */
  readonly cookiePrefix?: string
  /**
   * Returns the session with this token and its user from better-auth's database, as its
   * `getSession` does. Asked if the cookie has no copy that counts; left out, such a session does
   * not move in. A throw changes nothing.
   */
  findSession?(token: string): Awaitable<FoundSession | null | undefined>
}

/** The last ones of a name: those of longer paths, which are not the old app's, come first. */
const MAX_CANDIDATES = 4
/** How long `findSession` may take. Milliseconds. */
const TIMEOUT = 5_000
/** If the old app goes on, it may extend a session after it moved in. Seconds. */
const MAX_EXTENSION = 90 * 24 * 60 * 60

/**
 * Takes in the sessions of better-auth: by the copy in its cookie while that counts, and otherwise by
 * `findSession`. Each moves in once, as a session of ours for the same person, and its cookies are removed.
 *
 * @throws {InvalidConfiguration} naming an option that is missing or bad
 * @example
 * betterAuth({ secret: oldSecret, until: '2030-01-31', findSession: (token) => sessionWithUser(token) })
 */
export function betterAuth({
  secret,
  until: end,
  cookiePrefix = 'better-auth',
  findSession,
}: BetterAuthOptions): Migration {
  const prefix = checkedName('betterAuth', 'cookiePrefix', cookiePrefix)
  const secrets = checkedSecrets('betterAuth', secret)
  const cookies = new BetterAuthCookies(secrets)
  const until = checkedUntil('betterAuth', end)
  if (findSession !== undefined && typeof findSession !== 'function') {
    throw new InvalidConfiguration('migrateFrom: `findSession` of betterAuth() must be a function.')
  }
  const names = bothNames(`${prefix}.session_token`)
  const copies = bothNames(`${prefix}.session_data`)

  /** The person of a session, by the cookie or by the app's own function. */
  async function personOf(request: AuthRequest, header: string, name: string, token: string) {
    const now = request.config.now()
    const copied = sessionTokens(header, name).slice(-MAX_CANDIDATES)
    const read = await Promise.all(copied.map((cookie) => cookies.copyIn(cookie, now)))
    const people = read
      .filter((copy) => isOf(copy, token))
      .map((copy) => personIn(copy, token, now))
    const person = people.find((person) => typeof person === 'object')
    return person ?? (findSession && lookUp(request, token, findSession))
  }

  return source({
    id: 'better-auth',
    fault: secrets.length > 0 ? undefined : secretMissing('betterAuth'),
    until,
    cookies: names,
    removed: [...names, ...copies],
    async find(header, name, now) {
      const values = cookieValues(header, name).slice(-MAX_CANDIDATES)
      const tokens = await Promise.all(values.map((value) => cookies.tokenIn(value)))
      const copy = copies[names.indexOf(name)] ?? ''
      return [...new Set(tokens)].flatMap((token): OldSession[] => {
        if (token === undefined) return []
        const ends = Math.ceil(Math.max(until, now) / 1000) + MAX_EXTENSION
        return [
          { handle: token, ends, person: (request) => personOf(request, header, copy, token) },
        ]
      })
    },
  })
}

/** Asks the app, unless this network has had us look up too many invalid sessions. */
async function lookUp(
  request: AuthRequest,
  token: string,
  findSession: NonNullable<BetterAuthOptions['findSession']>,
): Promise<OldPerson | undefined> {
  const attempt = await tryLookUp(request)
  if (attempt.wait > 0) return undefined
  let answer: unknown
  try {
    answer = await answerWithin(TIMEOUT, Promise.resolve(findSession(token)))
  } catch (cause) {
    throw new CallbackFailed('findSession() of betterAuth() failed.', { cause })
  }
  if (answer === null || answer === undefined) return undefined
  const person = personIn(answer, token, request.config.now())
  if (person === 'foreign') {
    throw new CallbackFailed(
      'findSession() of betterAuth() answered no { session, user } that belong together, and to the token.',
    )
  }
  if (person === undefined) return undefined
  attempt.takeBack()
  return person
}

/**
 * The person of a session, as better-auth describes both.
 *
 * @param now milliseconds since the epoch
 * @returns `undefined` for a session that is over, or that an administrator uses for its person;
 * `foreign` for an answer that is not a session, or is another one
 */
function personIn(answer: unknown, token: string, now: number): OldPerson | undefined | 'foreign' {
  const { session, user } = isRecord(answer) ? answer : {}
  if (!isRecord(session) || !isRecord(user)) return 'foreign'
  const { id, name, email, image } = user
  const isOwn = session.token === undefined || session.token === token
  if (!isOwn || !isId(id) || !isId(session.userId) || String(id) !== String(session.userId)) {
    return 'foreign'
  }
  const created = timeOf(session.createdAt) / 1000
  const expires = timeOf(session.expiresAt)
  if (!(created <= now / 1000 + CLOCK_SKEW) || Number.isNaN(expires)) return 'foreign'
  // An administrator's session as another user, and a banned user (its plugin "admin").
  const isRefused = Boolean(session.impersonatedBy) || Boolean(user.banned)
  if (expires <= now || isRefused) return undefined
  const since = Math.floor(Math.min(created, now / 1000))
  return { id, name, email, image, since, profile: { session, user } }
}

/** A copy without its token would go with any token that the old app has ever signed. */
function isOf(copy: Record<string, unknown> | undefined, token: string): boolean {
  return isRecord(copy?.session) && copy.session.token === token
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Milliseconds since the epoch; `NaN` for a value that is not a time. */
function timeOf(value: unknown): number {
  const isTime = value instanceof Date || typeof value === 'string' || typeof value === 'number'
  const time = isTime ? new Date(value).getTime() : Number.NaN
  return time >= 0 ? time : Number.NaN
}
