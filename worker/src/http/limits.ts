import type { SafeRedirect } from '../config/safe-redirect.js'
import { TooManyAttempts } from '../errors.js'
import { ownDetail } from '../lib/printable.js'
import type { AttemptLimit } from '../stores/ledger/types.js'
import { provenNetwork } from './network.js'
import { tryByNetwork } from './network-limit.js'
import type { Outcome } from './outcome.js'
import type { AuthRequest } from './request.js'

// The parts of every limit. The feature that takes the tries decides on the counts and on the number of tries.

const MINUTE = 60
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** A browser that its owner has signed in with may try as often as a network, and less in a day than all strangers together. */
export function triesBy(device: string): readonly AttemptLimit[] {
  return [
    { name: `tries by ${device}`, max: 10, period: 15 * MINUTE },
    { name: `tries of a day by ${device}`, max: 100, period: DAY },
  ]
}

/** The limits of a network, and of all strangers together. */
export function triesFrom(network: string, isShared: boolean): readonly AttemptLimit[] {
  const fromHere = { name: `tries from ${network}`, max: 10, period: 15 * MINUTE }
  const fromAnywhere = { name: 'tries', max: 100, period: HOUR }
  return isShared ? [fromHere] : [fromHere, fromAnywhere]
}

/**
 * The page that a person was on, with status 429 (RFC 6585), so that they can go on from there.
 *
 * @param wait seconds
 * @param page called only if a page is shown
 */
export async function tooManyAttempts(
  { config, path, wantsJson }: AuthRequest,
  wait: number,
  callbackUrl: SafeRedirect | undefined,
  page: () => Promise<Outcome>,
): Promise<Outcome> {
  const error = new TooManyAttempts('Too many attempts.', { cause: ownDetail({ path, wait }) })
  error.retryAfter = wait
  const refusal = { kind: 'refusal', error, callbackUrl } as const
  return wantsJson || config.raw ? refusal : { ...refusal, shown: await page() }
}

/** The network comes first: it is counted close by, which keeps floods from the ledger. */
export async function waitByNetwork(
  request: AuthRequest,
  key: string,
  limits: readonly AttemptLimit[] | (() => Promise<readonly AttemptLimit[]>),
): Promise<number> {
  const here = await tryByNetwork(request, key)
  if (here.wait > 0) return here.wait
  return waitInLedger(request, [key], typeof limits === 'function' ? await limits() : limits)
}

export async function waitInLedger(
  { stores }: AuthRequest,
  keys: readonly string[],
  limits: readonly AttemptLimit[],
): Promise<number> {
  const waits: number[] = []
  for (const key of keys) waits.push(await stores.ledger.admit(key, limits))
  return Math.max(0, ...waits)
}

export async function networkName(request: AuthRequest): Promise<string> {
  return (await provenNetwork(request)) ?? 'anywhere'
}
