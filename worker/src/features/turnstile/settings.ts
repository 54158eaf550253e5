import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../errors.js'
import { isLoopback } from '../../lib/is-loopback.js'
import type { Environment } from '../../types.js'

/** Cloudflare Turnstile, which tells people from programs. */
export interface Turnstile {
  /** Public: it is on the pages. */
  readonly siteKey: string
  readonly secretKey: string
  /** The address that checks a response; `undefined`: Cloudflare's. */
  readonly verifyUrl: string | undefined
}

/**
 * Turnstile's variables; `undefined`: it is off.
 *
 * @throws {InvalidConfiguration} half of it would be on, or its secret key would go anywhere in the clear
 */
export function resolveTurnstile(env: Environment): Turnstile | undefined {
  const siteKey = textOf(env, 'AUTH_TURNSTILE_SITE_KEY')
  const secretKey = textOf(env, 'AUTH_TURNSTILE_SECRET_KEY')
  if (!siteKey && !secretKey) return undefined
  const verifyUrl = textOf(env, 'AUTH_TURNSTILE_VERIFY_URL')
  const url = verifyUrl === undefined ? undefined : URL.parse(verifyUrl)
  const isUsable = url === undefined || url?.protocol === 'https:' || (url && isLoopback(url))
  if (siteKey && secretKey && isUsable) return { siteKey, secretKey, verifyUrl }
  throw new InvalidConfiguration(
    'Turnstile needs both AUTH_TURNSTILE_SITE_KEY and AUTH_TURNSTILE_SECRET_KEY. AUTH_TURNSTILE_VERIFY_URL is https, or http on this machine.',
  )
}
