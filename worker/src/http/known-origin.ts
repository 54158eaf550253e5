import { isListedOrigin, isNamedOrigin, type Standing, standing } from '@latchkey/host/shared'
import { originIn } from '../config/origin.js'
import { InvalidConfiguration } from '../errors.js'
import { checkCookieName, ownCookieName } from './cookies.js'
import type { AuthRequest } from './request.js'

const REMEDY =
  'Set AUTH_URL to the public origin, or name each origin in AUTH_TRUSTED_ORIGINS in full: a wildcard there allows redirects and nothing else. An app that forwards may prove itself by AUTH_SECRET or AUTH_APP_KEY; AUTH_TRUST_HOST=true believes whatever a proxy says.'

/**
 * The party that vouches that the origin of a request is ours. Asked where something begins that others rely on, and not
 * for each request.
 */
export function standingOf({ original, origin, config, proof }: AuthRequest): Standing {
  const policy = config.origin
  if (policy.configured || proof?.origin !== undefined || policy.trustHost) return 'named'
  const { [standing]: said } = original as Request & { readonly [standing]?: Standing }
  if (said) return said
  // For this machine the requested origin counts. A header may name it only with a wildcard of
  // ports.
  const isAsked = origin === originIn(original.url)
  const isNamed = isAsked ? isNamedOrigin : isListedOrigin
  if (isNamed(origin, policy.trusted)) return 'named'
  return policy.isHostKnown && isAsked ? 'routed' : 'claimed'
}

/**
 * A session's issuer must not be what a stranger has written into a header.
 *
 * @throws {InvalidConfiguration} if only a wildcard, or nothing at all, says that the origin is ours
 */
export function checkIssuer(request: AuthRequest): void {
  if (standingOf(request) !== 'claimed') return
  throw new InvalidConfiguration(
    `No sign-in begins here, since nothing but the request says that its host is ours. ${REMEDY}`,
  )
}

/**
 * A link in a mail leads another person to this origin, so a host in the address of a request does
 * not suffice: on Node and in development any client can write any host.
 *
 * @throws {InvalidConfiguration} if no setting names the origin
 */
export function checkMailedOrigin(request: AuthRequest): void {
  if (standingOf(request) === 'named') return
  throw new InvalidConfiguration(
    `No sign-in mail is sent: its link would lead to the host that the request names, and no setting says that this is ours. ${REMEDY}`,
  )
}

/**
 * Called before a sign-in starts, so that a sign-in which cannot be finished is not started.
 * Browsers silently drop a cookie for another domain (RFC 6265bis, 5.7): the right password would
 * lead back to the form.
 *
 * @throws {MissingBinding}
 * @throws {InvalidConfiguration}
 */
export function checkCanFinish(request: AuthRequest): void {
  const { config, origin, missingBinding } = request
  if (missingBinding) throw missingBinding
  checkIssuer(request)
  checkCookieName(request, ownCookieName(request, 'sessionToken'))
  const { domain } = config.cookies
  const { hostname } = new URL(origin)
  if (domain && !`.${hostname}`.endsWith(`.${domain.toLowerCase().replace(/^\./, '')}`)) {
    throw new InvalidConfiguration(
      `Browsers drop a cookie for "${domain}" (AUTH_COOKIE_DOMAIN) at "${hostname}", which is not below it.`,
    )
  }
}
