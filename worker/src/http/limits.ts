import { StoreUnavailable } from '../errors.js'
import { isRecord } from '../is-record.js'
import { encodeBase64Url } from '../random.js'
import type { AttemptLimit } from '../stores/ports.js'
import type { CredentialsConfig } from '../types.js'
import { within } from '../within.js'
import type { Fields } from './body.js'
import { networkOf } from './network.js'
import type { RequestScope } from './scope.js'

/** What the rate-limiting binding counts over. Seconds; `period` in wrangler.toml. */
const BINDING_PERIOD = 60
/** Milliseconds. */
const BINDING_TIMEOUT = 5_000

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * May a mail be sent to an address? Nobody's mailbox is flooded; and what one network asks for does
 * not use up what the others may.
 *
 * @param key the address's, in the ledger
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToMail(scope: RequestScope, key: string): Promise<number> {
  return wait(scope, key, [
    { name: `mails for ${networkName(scope)}`, max: 5, period: HOUR },
    { name: 'mails', max: 10, period: HOUR },
    { name: 'mails of a day', max: 30, period: DAY },
  ])
}

/**
 * May a code be tried for an address? With these, who tries codes day after day has one chance in
 * thirty thousand a day (OWASP ASVS 6.5.5; NIST SP 800-63B, 3.2.2).
 */
export async function waitToTryCode(scope: RequestScope, key: string): Promise<number> {
  return wait(scope, key, [
    { name: 'codes', max: 10, period: HOUR },
    { name: 'codes of a day', max: 30, period: DAY },
  ])
}

/** Who is about to be signed in by a password, as far as limits are concerned. */
export interface CredentialsAttempt {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** To be called when the credentials were right. */
  readonly forgive: () => Promise<void>
}

/**
 * May these credentials be tried? Counted before it is known whether they are right, so that many
 * at once do not slip through; by person, and more strictly by person and network, so that a
 * stranger elsewhere does not lock the owner out at once (OWASP ASVS 6.1.1).
 */
export async function tryCredentials(
  scope: RequestScope,
  provider: CredentialsConfig,
  fields: Fields,
): Promise<CredentialsAttempt> {
  const person = personOf(provider, fields)
  const key = `credentials:${await hash(provider.id, person)}`
  const fromHere = { name: `tries from ${networkName(scope)}`, max: 10, period: 15 * MINUTE }
  const fromAnywhere = { name: 'tries', max: 100, period: HOUR }
  // Where no field says who it is, everybody has this key: it must not lock everybody out.
  const limits = person === '' ? [fromHere] : [fromHere, fromAnywhere]
  return {
    wait: await wait(scope, key, limits),
    forgive: () =>
      scope.config.stores.ledger.forgive(
        key,
        limits.map(({ name }) => name),
      ),
  }
}

/** The binding first: it is close, and spares the ledger what is far too much. */
async function wait(
  scope: RequestScope,
  key: string,
  limits: readonly AttemptLimit[],
): Promise<number> {
  const network = networkOf(scope.request)
  const kind = key.split(':', 1)[0]
  const keys = [key, ...(network === undefined ? [] : [`${kind}:${network}`])]
  const isUnderLimit = await Promise.all(keys.map((one) => askBinding(scope, one)))
  if (isUnderLimit.includes(false)) return BINDING_PERIOD
  return scope.config.stores.ledger.admit(key, limits)
}

/** @throws {StoreUnavailable} an attacker must not gain by breaking what counts */
async function askBinding({ config }: RequestScope, key: string): Promise<boolean> {
  const { rateLimit } = config
  if (!rateLimit) return true
  try {
    const { success } = await within(BINDING_TIMEOUT, rateLimit.limit({ key }))
    return success
  } catch (error) {
    throw new StoreUnavailable('Could not ask the rate limit.', { cause: error })
  }
}

function networkName(scope: RequestScope): string {
  return networkOf(scope.request) ?? 'anywhere'
}

const USUAL_NAME = /^(?:user(?:[-_ ]?name)?|e-?mail|login|account)$/i

/**
 * The one field that says who somebody is: by its type or name, or else the first that is shown. One
 * only, since whatever else were counted with it, an attacker would vary.
 */
function personOf({ credentials }: CredentialsConfig, fields: Fields): string {
  const shown = Object.entries(credentials).filter(
    ([, { type }]) => type !== 'password' && type !== 'hidden',
  )
  const named = shown.find(([name, { type }]) => type === 'email' || USUAL_NAME.test(name))
  const name = (named ?? shown[0])?.[0] ?? Object.keys(fields).find((it) => USUAL_NAME.test(it))
  const value = name === undefined ? undefined : fields[name]
  const text = isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? '')
  // An app may see the same person in each of these spellings.
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, '')
}

async function hash(...parts: readonly string[]): Promise<string> {
  const name = JSON.stringify(['latchkey/limits/v1', ...parts])
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return encodeBase64Url(new Uint8Array(digest, 0, 16))
}
