import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import { GOOGLE } from '../lib/provider-marks.js'
import type { DescribedUser, OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of a Google ID token. */
export interface GoogleProfile extends Profile {
  /** Never reused, unlike an address, which may be given to another person. */
  sub: string
  /** The Google Workspace domain of the account; absent for personal accounts. */
  hd?: string
}

/**
 * Sign-in with Google.
 *
 * The client id and secret come from the options or from `AUTH_GOOGLE_ID` and
 * `AUTH_GOOGLE_SECRET`. Register `{origin}/auth/callback/google` as redirect URI.
 *
 * `authorization: { params: { hd: 'example.com' } }` asks for accounts of one Workspace domain. It
 * is a request that the browser can change: check `profile.hd` in the `signIn` callback. A refresh
 * token comes only with the parameters `access_type: 'offline'` and `prompt: 'consent'`.
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 *
 * @example
 * google({ authorization: { params: { access_type: 'offline', prompt: 'consent' } } })
 */
export default function google(
  options: OAuthUserConfig<GoogleProfile> = {},
): OIDCConfig<GoogleProfile> {
  const preset: OIDCConfig<GoogleProfile> = {
    id: 'google',
    name: 'Google',
    type: 'oidc',
    kind,
    issuer: 'https://accounts.google.com',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    profile: userOf,
    style: { brandColor: '#4285f4', text: '#ffffff', logo: GOOGLE },
  }
  return withOptions(preset, options)
}

function userOf(claims: GoogleProfile): DescribedUser {
  const { sub, name, email, email_verified, picture } = claims
  return {
    id: sub,
    name: name ?? null,
    email: email_verified === false ? null : (email ?? null),
    emailVerified: email_verified === true && isHostedByGoogle(claims),
    image: picture as string,
  }
}

/**
 * Is Google the authority for the address: does it run the mailbox or the domain? Any other one was
 * verified when the account was made; who reads its mails today Google does not say.
 *
 * @see https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export function isHostedByGoogle({ email, hd }: { email?: unknown; hd?: unknown }): boolean {
  const isOfWorkspace = typeof hd === 'string' && hd !== ''
  return isOfWorkspace || (typeof email === 'string' && /@gmail\.com$/i.test(email))
}
