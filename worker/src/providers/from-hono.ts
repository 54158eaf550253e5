import { isRecord } from '@latchkey/session/internal'
import { honoMiddleware } from '../sign-in/hono-middleware/index.js'
import type { DescribedUser, MiddlewareConfig, Profile } from '../types.js'
import { isHostedByGoogle } from './google.js'

/**
 * Turns a middleware of `@hono/oauth-providers`, or one made like them, into a provider. This
 * service provides the flow cookie, the check of `state`, single use and errors; the middleware
 * makes the requests to the provider. It has no PKCE (except for X) and no limits but a deadline of
 * ten seconds, so prefer a preset if there is one: see
 * `docs/decisions/sign-in.md`.
 *
 * The client id and secret come from the options or from `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`.
 * Pass everything else that the middleware needs, such as a tenant: it sees no bindings.
 *
 * The default `profile` takes an email address only if the provider says that it is verified.
 * `profile` of your own is given whatever the middleware found: for GitHub that may be an address
 * which nobody has verified.
 *
 * @example
 * fromHono({
 *   id: 'discord',
 *   name: 'Discord',
 *   middleware: ({ clientId, clientSecret, redirectUri }) =>
 *     discordAuth({
 *       client_id: clientId,
 *       client_secret: clientSecret,
 *       redirect_uri: redirectUri,
 *       scope: ['identify'],
 *     }),
 * })
 */
export default function fromHono<ProviderProfile = Profile>(
  options: Omit<MiddlewareConfig<ProviderProfile>, 'type' | 'kind'>,
): MiddlewareConfig<ProviderProfile> {
  return { ...options, type: 'oauth', profile: options.profile ?? userOf, kind: honoMiddleware }
}

const NAMES = [
  'name',
  'global_name',
  'display_name',
  'displayName',
  'username',
  'login',
  'userPrincipalName',
]

/** The user from the profile of any of the package's eight middlewares. */
function userOf(profile: unknown): DescribedUser {
  const person = profile as Record<string, unknown>
  const { id, sub, picture, avatar_url, profile_image_url, verified_email } = person
  const email = verifiedEmail(person)
  // Google's middleware alone writes it in this way.
  const isVouchedFor = email !== null && (verified_email !== true || isHostedByGoogle(person))
  // The caller checks the values: ids by their shape, images for https.
  return {
    id: (id ?? sub) as string,
    name: NAMES.map((name) => person[name]).find(isText) ?? null,
    email,
    ...(isVouchedFor ? { emailVerified: true } : {}),
    image: [picture, pictureUrl(picture), avatar_url, profile_image_url].find(isUrl) ?? null,
  }
}

/**
 * The address that the provider calls verified. `verified` does not count here: it is a badge on X
 * and concerns the account on Facebook. On Discord it concerns the address, but the middleware asks
 * Discord for no address.
 */
function verifiedEmail(person: Record<string, unknown>): string | null {
  const { email, email_verified, verified_email, confirmed_email } = person
  const isVerified = email_verified === true || verified_email === true
  return [isVerified ? email : undefined, confirmed_email].find(isText) ?? null
}

/** Facebook has the picture's URL inside. */
function pictureUrl(picture: unknown): unknown {
  return isRecord(picture) && isRecord(picture.data) ? picture.data.url : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isUrl(value: unknown): value is string {
  return isText(value) && URL.canParse(value)
}
