import { textOf } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../errors.js'
import { isLoopback } from '../lib/is-loopback.js'
import type { Environment } from '../types.js'

/** Cloudflare Turnstile, which tells people from programs. */
export interface Turnstile {
  /** Public: it is on the pages. */
  readonly siteKey: string
  readonly secretKey: string
  /** Where a response is checked. */
  readonly verifyUrl: string
}

/** @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const SITEVERIFY = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

/**
 * Turnstile's variables; `undefined`: it is off.
 *
 * @throws {InvalidConfiguration} half of it would be on, or its secret key would go anywhere in the clear
 */
export function resolveTurnstile(env: Environment): Turnstile | undefined {
  const siteKey = textOf(env, 'AUTH_TURNSTILE_SITE_KEY')
  const secretKey = textOf(env, 'AUTH_TURNSTILE_SECRET_KEY')
  if (siteKey === undefined && secretKey === undefined) return undefined
  if (siteKey === undefined || secretKey === undefined) {
    throw new InvalidConfiguration(
      'Turnstile needs AUTH_TURNSTILE_SITE_KEY and AUTH_TURNSTILE_SECRET_KEY, and one of them is missing. Set both, or neither.',
    )
  }
  const verifyUrl = textOf(env, 'AUTH_TURNSTILE_VERIFY_URL') ?? SITEVERIFY
  if (isUsable(verifyUrl)) return { siteKey, secretKey, verifyUrl }
  throw new InvalidConfiguration(
    'AUTH_TURNSTILE_VERIFY_URL must be an https URL without a password, or http on this machine.',
  )
}

function isUsable(text: string): boolean {
  const url = URL.parse(text)
  // fetch refuses a URL with a name or a password.
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(url)
}
