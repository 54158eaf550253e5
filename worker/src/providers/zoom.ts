import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The members of Zoom's profile that are used here. */
export interface ZoomProfile {
  id: string
  first_name?: string
  last_name?: string
  display_name?: string
  email?: string
  /** 1: the address is verified. */
  verified?: number
  pic_url?: string
  account_id?: string
}

/**
 * Sign-in with Zoom, by an app of the type "General", managed by users.
 *
 * The client id and secret come from the options or from `AUTH_ZOOM_ID` and `AUTH_ZOOM_SECRET`. Register
 * `{origin}/auth/callback/zoom` as OAuth redirect URL and in the allow list, and add the scope `user:read:user`.
 *
 * `email` is there if Zoom has verified it. Tokens live for an hour, and a refresh token always comes with them. They
 * can be revoked.
 *
 * @see https://developers.zoom.us/docs/integrations/oauth/
 *
 * @example zoom({ revokeOnSignOut: true })
 */
export default function zoom(options: OAuthUserConfig<ZoomProfile> = {}): OAuthConfig<ZoomProfile> {
  const preset: OAuthConfig<ZoomProfile> = {
    id: 'zoom',
    name: 'Zoom',
    type: 'oauth',
    authorization: 'https://zoom.us/oauth/authorize',
    token: 'https://zoom.us/oauth/token',
    userinfo: 'https://api.zoom.us/v2/users/me',
    revocation: 'https://zoom.us/oauth/revoke',
    revokes: 'access_token',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ id, display_name, first_name = '', last_name = '', email, verified, pic_url }) => ({
      id,
      name: display_name ?? `${first_name} ${last_name}`.trim(),
      email: verified === 1 ? (email ?? null) : null,
      emailVerified: verified === 1,
      image: pic_url ?? null,
    }),
    style: { brandColor: '#0b5cff', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
