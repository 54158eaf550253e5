import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Naver's profile. */
export interface NaverProfile {
  /** `00`: it went well. */
  resultcode: string
  response: {
    /** Identifies the person within this app. */
    id: string
    name?: string
    nickname?: string
    /** For letters; the person may change it. */
    email?: string
    profile_image?: string
  }
}

/**
 * Sign-in with Naver.
 *
 * The client id and secret come from the options or from `AUTH_NAVER_ID` and `AUTH_NAVER_SECRET`. Register
 * `{origin}/auth/callback/naver` as callback URL.
 *
 * `email` is null: it is an address for letters, which Naver does not document as verified. The
 * `signIn` and `jwt` callbacks find it in `profile.response.email`. The app's settings choose the
 * members of the profile: there are no scopes.
 *
 * @see https://developers.naver.com/docs/login/api/api.md
 *
 * @example naver()
 */
export default function naver(
  options: OAuthUserConfig<NaverProfile> = {},
): OAuthConfig<NaverProfile> {
  const preset: OAuthConfig<NaverProfile> = {
    id: 'naver',
    name: 'Naver',
    type: 'oauth',
    authorization: 'https://nid.naver.com/oauth2.0/authorize',
    token: 'https://nid.naver.com/oauth2.0/token',
    userinfo: 'https://openapi.naver.com/v1/nid/me',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ response }) => ({
      id: response.id,
      name: response.name ?? response.nickname ?? null,
      email: null,
      image: response.profile_image ?? null,
    }),
    style: { brandColor: '#03c75a', text: '#000000' },
  }
  return withOptions(preset, options)
}
