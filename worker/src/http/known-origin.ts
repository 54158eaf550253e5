import { InvalidConfiguration } from '../errors.js'
import type { AuthRequest } from './request.js'

const REMEDY =
  'Set AUTH_URL to the public origin, or name each origin in AUTH_TRUSTED_ORIGINS in full: a wildcard there allows redirects and nothing else. An app that forwards may prove itself by AUTH_SECRET or AUTH_APP_KEY; AUTH_TRUST_HOST=true believes whatever a proxy says.'

/**
 * A session's issuer must not be what a stranger has written into a header.
 *
 * @throws {InvalidConfiguration} if only a wildcard, or nothing at all, says that the origin is ours
 */
export function checkIssuer({ standing }: AuthRequest): void {
  if (standing !== 'claimed') return
  throw new InvalidConfiguration(
    `No sign-in begins here, since nothing but the request says that its host is ours. ${REMEDY}`,
  )
}

/**
 * A link in a mail leads somebody else to this origin, so a host in the address of a request does not
 * suffice: on Node and in development anybody can write any.
 *
 * @throws {InvalidConfiguration} if no setting names the origin
 */
export function checkMailedOrigin({ standing }: AuthRequest): void {
  if (standing === 'named') return
  throw new InvalidConfiguration(
    `No sign-in mail is sent: its link would lead to the host that the request names, and no setting says that this is ours. ${REMEDY}`,
  )
}
