import { isRecord } from '@latchkey/session/internal'
import { honoMiddleware } from '../sign-in/hono-middleware/index.js'
import type { MiddlewareConfig, Profile, User } from '../types.js'

/**
 * Turns a middleware of `@hono/oauth-providers`, or one made like them, into a provider. The flow
 * cookie, the check of `state`, single use and errors are this service's own; requests to the
 * provider are the middleware's. It knows no PKCE (except for X) and no limits but ten seconds, so
 * prefer a preset where there is one: see `docs/decisions/0006-hono-oauth-providers.md`.
 *
 * The client id and secret come from the options or from `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`.
 * Hand over everything else that the middleware needs, such as a tenant: it sees no bindings.
 *
 * The default `profile` believes an e-mail address only where the provider says that it is
 * verified. `profile` of your own is given whatever the middleware found: for GitHub that may be
 * an address which nobody has verified.
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

/** A person from what any of the package's eight middlewares says of them. */
function userOf(profile: unknown): User {
  const person = profile as Record<string, unknown>
  const { id, sub, picture, avatar_url, profile_image_url } = person
  // Checked by whoever asked: ids by their shape, images for https.
  return {
    id: (id ?? sub) as string,
    name: NAMES.map((name) => person[name]).find(isText) ?? null,
    email: verifiedEmail(person),
    image: [picture, pictureUrl(picture), avatar_url, profile_image_url].find(isUrl) ?? null,
  }
}

/**
 * The address that the provider itself vouches for. `verified` says nothing here: it is a badge on
 * X and concerns the account on Facebook. Discord means the address by it, but the middleware asks
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
