import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The members of Strava's athlete that are used here. */
export interface StravaProfile {
  id: number
  username?: string | null
  firstname?: string | null
  lastname?: string | null
  /** The picture; not an address if there is none. */
  profile?: string
}

/**
 * Sign-in with Strava.
 *
 * The client id and secret come from the options or from `AUTH_STRAVA_ID` and `AUTH_STRAVA_SECRET`. Strava compares
 * the domain alone: "Authorization Callback Domain" is the host of `{origin}/auth/callback/strava`; `localhost` is
 * always allowed.
 *
 * Strava gives no email address. Tokens live for six hours, and a refresh token always comes with them.
 *
 * @see https://developers.strava.com/docs/authentication/
 *
 * @example strava({ scope: 'read,activity:read' })
 */
export default function strava(
  options: OAuthUserConfig<StravaProfile> = {},
): OAuthConfig<StravaProfile> {
  const preset: OAuthConfig<StravaProfile> = {
    id: 'strava',
    name: 'Strava',
    type: 'oauth',
    authorization: {
      url: 'https://www.strava.com/oauth/authorize',
      params: { scope: 'read', approval_prompt: 'auto' },
    },
    token: 'https://www.strava.com/api/v3/oauth/token',
    userinfo: 'https://www.strava.com/api/v3/athlete',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    scopeSeparator: ',',
    profile: ({ id, firstname, lastname, profile }) => ({
      id,
      name: [firstname, lastname].filter(Boolean).join(' '),
      email: null,
      image: profile ?? null,
    }),
    style: { brandColor: '#fc5200', text: '#000000' },
  }
  return withOptions(preset, options)
}
