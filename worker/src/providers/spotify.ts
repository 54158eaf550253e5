import { withOptions } from '../config/preset.js'
import { SPOTIFY } from '../lib/provider-marks.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Spotify's profile. */
export interface SpotifyProfile {
  id: string
  display_name: string | null
  /** As the person typed it: Spotify says that it is unverified. Scope `user-read-email`. */
  email?: string
  /** The profile image, in several sizes or none. */
  images?: { url: string; height: number | null; width: number | null }[]
  /** ISO 3166-1 alpha-2. Scope `user-read-private`. */
  country?: string
  /** The subscription, such as `premium`. Scope `user-read-private`. */
  product?: string
}

/**
 * Sign-in with Spotify.
 *
 * The client id and secret come from the options or from `AUTH_SPOTIFY_ID` and
 * `AUTH_SPOTIFY_SECRET`. Register `{origin}/auth/callback/spotify` as redirect URI: https, or
 * `http://127.0.0.1` and a port, while Spotify refuses `localhost`.
 *
 * `email` is null: Spotify says that the address is not verified. The `signIn` and `jwt` callbacks
 * find it in `profile.email`. Tokens live for an hour, and a refresh token always comes with them.
 * An app cannot revoke them.
 *
 * @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow
 *
 * @example spotify({ scope: 'user-read-email playlist-read-private' })
 */
export default function spotify(
  options: OAuthUserConfig<SpotifyProfile> = {},
): OAuthConfig<SpotifyProfile> {
  const preset: OAuthConfig<SpotifyProfile> = {
    id: 'spotify',
    name: 'Spotify',
    type: 'oauth',
    authorization: {
      url: 'https://accounts.spotify.com/authorize',
      params: { scope: 'user-read-email' },
    },
    token: 'https://accounts.spotify.com/api/token',
    userinfo: 'https://api.spotify.com/v1/me',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ id, display_name, images }) => ({
      id,
      name: display_name,
      email: null,
      image: images?.[0]?.url ?? null,
    }),
    style: { brandColor: '#1db954', text: '#000000', logo: SPOTIFY },
  }
  return withOptions(preset, options)
}
