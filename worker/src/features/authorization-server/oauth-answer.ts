import {
  DamagedRecord,
  InvalidConfiguration,
  StoreUnavailable,
  TooManyAttempts,
} from '../../errors.js'
import { clientNetwork } from '../../http/network.js'
import type { Outcome } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { ownDetail } from '../../lib/printable.js'
import { type AssertionFault, RefusedAssertion } from './assertions/refused-assertion.js'
import { KeysUnreadable, OAuthError, type OAuthErrorCode, ServerFault } from './oauth-error.js'
import { NO_STORE } from './token-answer.js'

/** When a program may ask again whose request a store has failed. Seconds. */
const RETRY_AFTER = '2'

/**
 * Failures of one network in a minute, which this process counts. A program has few of them, and an attacker who makes up
 * tokens has only those.
 */
const FAILURES = 300
/** The limit of all clients together with an unknown network, such as on Node. */
const FAILURES_OF_UNKNOWN = 60_000

/** The errors of a program that makes something up, or that has gone wrong. */
const FAILING: ReadonlySet<OAuthErrorCode> = new Set(['invalid_client', 'invalid_grant'])

/**
 * Requests whose failures do not count against their network: of apps that have proved themselves, since one network may have
 * thousands of their users, and of APIs that were shown a key.
 */
const proved = new WeakSet<AuthRequest>()

/** The failures of the request are not its sender's: the app has shown its secret, or a stranger has shown an API a key. */
export function noteProof(request: AuthRequest): void {
  proved.add(request)
}

/**
 * Answers a program: its mistakes as RFC 6749, 5.2, has them, and a store that fails with 503, after which the same request
 * works.
 */
export async function answerProgram(
  request: AuthRequest,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  return answering(request, () => unlessTooMany(request, handle))
}

/** The same of an endpoint that says by itself whose failures count: see {@link unlessTooMany}. */
export async function answering(
  request: AuthRequest,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof OAuthError) return refused(request, error)
    if (error instanceof ServerFault) return faulty(error)
    // Another try would not help: the app asks its user again.
    if (error instanceof DamagedRecord) {
      request.config.logger.error(error)
      return refused(request, new OAuthError('invalid_grant', 'The grant cannot be read.'))
    }
    if (!(error instanceof StoreUnavailable)) throw error
    if (error instanceof KeysUnreadable && !proved.has(request)) await countFailure(request)
    return unavailable(error, 503, RETRY_AFTER)
  }
}

/** Handles a request, or answers 429 if its network has failed too often. */
export async function unlessTooMany(
  request: AuthRequest,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  const wait = await waitOf(request)
  return wait > 0 ? tooMany(request, wait) : handle()
}

/** Counts a failure of the sender's network. It asks no ledger. */
export async function countFailure(request: AuthRequest): Promise<void> {
  await request.counts.admit(...counterOf(request))
}

/** How long the sender's network has to wait, in seconds. This question does not count. */
async function waitOf(request: AuthRequest): Promise<number> {
  const { wait, takeBack } = await request.counts.admit(...counterOf(request))
  takeBack()
  return wait
}

function counterOf(request: AuthRequest): [name: string, max: number, now: number] {
  const network = clientNetwork(request)
  const max = network === undefined ? FAILURES_OF_UNKNOWN : FAILURES
  return [`oauth:${network ?? 'anywhere'}`, max, nowInSeconds(request)]
}

/** The faults of assertions that are right, and of a person who gets no token. */
const OF_PEOPLE: readonly AssertionFault[] = ['person', 'ended']

async function refused(request: AuthRequest, error: OAuthError): Promise<Outcome> {
  const { code, message } = error
  const isMadeUp = error instanceof RefusedAssertion && !OF_PEOPLE.includes(error.fault)
  if (FAILING.has(code) && (isMadeUp || !proved.has(request))) await countFailure(request)
  const body = { error: code, error_description: message }
  if (code !== 'invalid_client') return { kind: 'json', status: 400, body, headers: NO_STORE }
  // The answer to a client that has used this header names the scheme (RFC 6749, 5.2).
  const challenge = { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' }
  const hasTried = request.original.headers.has('authorization')
  return { kind: 'json', status: 401, body, headers: { ...NO_STORE, ...(hasTried && challenge) } }
}

/** 500: another try would not help until the operator has mended it. */
function faulty(fault: ServerFault): Outcome {
  const error = new InvalidConfiguration(fault.message, { cause: fault.cause })
  const body = { error: 'server_error', error_description: 'The service is misconfigured.' }
  return { kind: 'refusal', error, shown: { kind: 'json', status: 500, body, headers: NO_STORE } }
}

/** 429, with the time to wait in seconds. */
export function tooMany({ path }: AuthRequest, wait: number): Outcome {
  const error = new TooManyAttempts('Too many attempts.', { cause: ownDetail({ path, wait }) })
  error.retryAfter = wait
  return unavailable(error, 429, String(wait))
}

function unavailable(error: Error, status: number, wait: string): Outcome {
  const body = {
    error: 'temporarily_unavailable',
    error_description: 'Send the same request again later: Retry-After says when.',
  }
  const headers = { ...NO_STORE, 'retry-after': wait }
  return { kind: 'refusal', error, shown: { kind: 'json', status, body, headers } }
}
