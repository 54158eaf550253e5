import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of a Twitch ID token. */
export interface TwitchProfile extends Profile {
  sub: string
  /** The display name. */
  preferred_username?: string
  /** With the scope `user:read:email`. */
  email?: string
}

/** Twitch has no scopes for these: each is asked for by its name (OpenID Connect, section 5.5). */
const CLAIMS =
  '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}'

/**
 * Sign-in with Twitch.
 *
 * The client id and secret come from the options or from `AUTH_TWITCH_ID` and
 * `AUTH_TWITCH_SECRET`. Register `{origin}/auth/callback/twitch` as OAuth redirect URL.
 *
 * Every sign-in brings a refresh token.
 *
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/
 *
 * @example
 * twitch({ scope: 'openid user:read:email user:read:follows' })
 */
export default function twitch(
  options: OAuthUserConfig<TwitchProfile> = {},
): OIDCConfig<TwitchProfile> {
  const preset: OIDCConfig<TwitchProfile> = {
    id: 'twitch',
    name: 'Twitch',
    type: 'oidc',
    kind,
    issuer: 'https://id.twitch.tv/oauth2',
    authorization: { params: { scope: 'openid user:read:email', claims: CLAIMS } },
    // The discovery document does not name this endpoint, which revokes access tokens only.
    revocation: 'https://id.twitch.tv/oauth2/revoke',
    revokes: 'access_token',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    style: { brandColor: '#9146ff', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
