import { isCookieName } from '@latchkey/session/issue'
import { InvalidConfiguration } from '../../errors.js'

/** The options that every entry of `migrateFrom` takes. */
export interface OldSessionsOptions {
  /**
   * The secret of the old library. Each one in an array counts. `undefined`, the value while an app
   * is built, is refused when the service starts.
   */
  readonly secret: string | readonly string[] | undefined
  /** The service ignores the old sessions after this date: a `Date`, or a date of ISO 8601. */
  readonly until: Date | string
}

const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** @returns milliseconds since the epoch @throws {InvalidConfiguration} naming the option */
export function checkedUntil(of: string, until: unknown): number {
  const isDate = until instanceof Date || (typeof until === 'string' && DATE.test(until))
  const time = isDate ? new Date(until).getTime() : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new InvalidConfiguration(
    `migrateFrom: ${of}() needs \`until\`, a Date or a date such as "2030-01-31", from which on old cookies are not read.`,
  )
}

/**
 * @returns none if there is no secret yet: {@link secretMissing} then
 * @throws {InvalidConfiguration} naming the option, and not its value
 */
export function checkedSecrets(of: string, secret: unknown): readonly string[] {
  if (secret === undefined) return []
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const isText = (one: unknown): one is string => typeof one === 'string' && one.trim() !== ''
  if (secrets.length > 0 && secrets.every(isText)) return [...secrets]
  throw secretMissing(of)
}

export function secretMissing(of: string): InvalidConfiguration {
  return new InvalidConfiguration(
    `migrateFrom: ${of}() needs \`secret\`, the one of the old library, or an array of all its secrets.`,
  )
}

/** @throws {InvalidConfiguration} naming the option */
export function checkedName(of: string, option: string, name: unknown): string {
  if (typeof name === 'string' && isCookieName(name)) return name
  throw new InvalidConfiguration(
    `migrateFrom: \`${option}\` of ${of}() must be the name of a cookie.`,
  )
}

const SECURE = '__Secure-'

/** A cookie's name in full, without and with the prefix. */
export function bothNames(name: string): readonly [plain: string, secure: string] {
  const plain = name.startsWith(SECURE) ? name.slice(SECURE.length) : name
  return [plain, SECURE + plain]
}
