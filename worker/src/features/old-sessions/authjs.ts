import { CLOCK_SKEW, sessionTokens } from '@latchkey/session/issue'
import type { Migration } from '../../types/old-sessions.js'
import type { OldSession } from './continue-session.js'
import { JweOpener, type KeyMaking } from './jwe.js'
import {
  bothNames,
  checkedName,
  checkedSecrets,
  checkedUntil,
  type OldSessionsOptions,
  secretMissing,
} from './options.js'
import { source } from './source.js'

/** Old sessions of Auth.js. */
export interface AuthjsOptions extends OldSessionsOptions {
  /**
   * The cookie's name; the service reads it with and without `__Secure-`. Default
   * `authjs.session-token`. That of NextAuth.js 4 is `next-auth.session-token`.
   */
  readonly cookie?: string
}

const USUAL_NAME = 'authjs.session-token'

/** A longer token fits no header. Characters. */
const MAX_TOKEN = 32_768
/** The last ones of a name: those of longer paths, which are not the old app's, come first. */
const MAX_CANDIDATES = 4
/** The limit of a `jti`. Characters. */
const MAX_ID = 256

/**
 * Takes in the sessions of Auth.js (`@auth/core`, its adapters, NextAuth.js 5 and 4) that are kept in its encrypted
 * cookie: each once, as a session of ours for the same person, and its cookie is removed.
 *
 * @throws {InvalidConfiguration} naming an option that is missing or bad
 * @example
 * createAuth({ providers, migrateFrom: [authjs({ secret: oldSecret, until: '2030-01-31' })] })
 */
export function authjs({ secret, until, cookie = USUAL_NAME }: AuthjsOptions): Migration {
  const names = bothNames(checkedName('authjs', 'cookie', cookie))
  const secrets = checkedSecrets('authjs', secret)
  // No version before 5 used the usual name.
  const older = cookie === USUAL_NAME ? undefined : new JweOpener(secrets, KEYS_OF_VERSION_4)
  const openers = new Map(names.map((name) => [name, new JweOpener(secrets, keysOf(name))]))
  return source({
    id: 'authjs',
    fault: secrets.length > 0 ? undefined : secretMissing('authjs'),
    until: checkedUntil('authjs', until),
    cookies: names,
    removed: names,
    async find(cookieHeader, name, now) {
      const tokens = sessionTokens(cookieHeader, name).slice(-MAX_CANDIDATES)
      const short = tokens.filter(({ length }) => length <= MAX_TOKEN)
      const opened = await Promise.all(
        short.map(async (token) => (await openers.get(name)?.open(token)) ?? older?.open(token)),
      )
      return opened.flatMap((claims) => (claims && sessionIn(claims, now / 1000)) ?? [])
    },
  })
}

/** As `@auth/core` makes them: the salt is the cookie's name. */
function keysOf(salt: string): KeyMaking {
  return { salt, info: `Auth.js Generated Encryption Key (${salt})`, thumbprint }
}

/** As `next-auth` 4 makes them: the same for every name. */
const KEYS_OF_VERSION_4: KeyMaking = {
  salt: '',
  info: 'NextAuth.js Generated Encryption Key',
  thumbprint,
}

function thumbprint(length: number): 'sha512' | 'sha256' {
  return length === 64 ? 'sha512' : 'sha256'
}

/**
 * @param now seconds since the epoch
 * @returns `undefined` for a session that is over, or that lacks an id or a time
 */
function sessionIn(claims: Record<string, unknown>, now: number): OldSession | undefined {
  const { jti, iat, exp, nbf = 0, sub, name, email, picture } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID) return undefined
  if (!isTime(iat) || !isTime(exp) || !isTime(nbf)) return undefined
  if (exp <= now || iat > now + CLOCK_SKEW || nbf > now + CLOCK_SKEW) return undefined
  const since = Math.floor(Math.min(iat, now))
  const person = { id: sub, name, email, image: picture, since, profile: claims }
  return { handle: jti, ends: Math.ceil(exp) + CLOCK_SKEW, person: async () => person }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}
