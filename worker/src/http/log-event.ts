import type { Problem } from '../config/logger.js'
import {
  AccessDenied,
  type AuthError,
  EmailNotSent,
  OAuthCallbackError,
  TooManyAttempts,
  Verification,
} from '../errors.js'
import { printable } from '../lib/printable.js'
import type { LogEvent } from '../types.js'
import type { Attempt } from './outcome.js'
import { type AuthRequest, BINDING, nowInSeconds } from './request.js'

/** An event as the service knows it: with the `sub` of a person, which no line shows. */
interface ServiceEvent
  extends Attempt,
    Omit<LogEvent, 'time' | 'person' | 'claimed' | 'into' | 'provider' | 'operator'> {
  /** The `sub` that the person has from now on. */
  readonly into?: string
}

/** The lines of one event that one person causes in a minute, which this process counts. The audit log counts the rest. */
const MAX_LINES = 60

/**
 * Writes one line of the log, and tells the features of it, which may keep it: the answer comes after that. Session reads
 * and renewals are not events.
 */
export async function logEvent(
  request: AuthRequest,
  { event, sub, claimed, into, ...members }: ServiceEvent,
  problem?: Problem,
): Promise<void> {
  const { config, keys, features, operator } = request
  const person = sub === undefined ? {} : { person: await keys.logName(sub) }
  const isClaim = sub === undefined && claimed !== undefined
  const named = isClaim ? { claimed: await keys.logName(claimed) } : {}
  const become = into === undefined ? {} : { into: await keys.logName(into) }
  const time = new Date(config.now()).toISOString()
  // The methods of the service have no name of an operator.
  const who = operator === undefined || operator === BINDING ? {} : { operator }
  const line = { time, event, ...person, ...named, ...become, ...members, ...who }
  const isTheirs = sub !== undefined && !problem && members.by !== 'operator'
  const many = isTheirs
    ? await request.counts.admit(`${event} of ${sub}`, MAX_LINES, nowInSeconds(request))
    : { wait: 0 }
  if (many.wait === 0) config.logger.event(line, problem)
  await features.onEvent(request, line, { sub, claimed })
}

/**
 * Writes one line on a refused request: an event if it was a try to sign in.
 *
 * @param attempt set for a try to sign in
 * @param reference the code that the page shows to the user
 */
export async function logRefusal(
  request: AuthRequest,
  error: AuthError,
  attempt: Attempt | undefined,
  reference?: string,
): Promise<void> {
  const { config, path } = request
  const wait = error instanceof TooManyAttempts ? error.retryAfter : 0
  if (wait > 0) {
    const problem = config.raw ? error : (['too-many-attempts', `${path}, for ${wait} s`] as const)
    return logEvent(request, { event: 'too-many-attempts', ...attempt, wait }, problem)
  }
  if (!attempt) return config.logger.error(error, reference)
  const code = codeOf(request, error)
  const type = printable(error.type) ?? 'Configuration'
  const what = { error: type, ...(code ? { code } : {}), ...(reference ? { reference } : {}) }
  return logEvent(request, { event: 'sign-in-refused', ...attempt, ...what }, error)
}

/** A code that a feature gives, or ours. An app's own may say anything. */
function codeOf({ config }: AuthRequest, error: AuthError): string | undefined {
  const hasCode =
    error instanceof AccessDenied ||
    error instanceof OAuthCallbackError ||
    error instanceof Verification ||
    error instanceof EmailNotSent
  const code = hasCode ? error.code : undefined
  const ours = [OWN_CODE, ...config.english.words.codes.keys()]
  return ours.some((said) => said.split(' ')[1] === code) ? code : undefined
}

const OWN_CODE = 'OAuthCallbackError access_denied'
