import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Kakao's profile, as far as the person has consented. */
export interface KakaoProfile {
  /** Identifies the person within this app. */
  id: number
  kakao_account?: {
    profile?: { nickname?: string; profile_image_url?: string }
    email?: string
    /** False once another account of Kakao has taken the address. */
    is_email_valid?: boolean
    is_email_verified?: boolean
  }
}

/**
 * Sign-in with Kakao.
 *
 * The REST API key and the client secret come from the options or from `AUTH_KAKAO_ID` and `AUTH_KAKAO_SECRET`.
 * Register `{origin}/auth/callback/kakao` as redirect URI, and switch "Kakao Login" on.
 *
 * `email` is there if Kakao has verified it and it is still this person's; it is a consent item of the app's settings.
 * A refresh token always comes. Tokens are not revoked in the standard's way.
 *
 * @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api
 *
 * @example kakao({ scope: 'profile_nickname,account_email' })
 */
export default function kakao(
  options: OAuthUserConfig<KakaoProfile> = {},
): OAuthConfig<KakaoProfile> {
  const preset: OAuthConfig<KakaoProfile> = {
    id: 'kakao',
    name: 'Kakao',
    type: 'oauth',
    authorization: 'https://kauth.kakao.com/oauth/authorize',
    token: 'https://kauth.kakao.com/oauth/token',
    // Addresses of pictures are http otherwise.
    userinfo: { url: 'https://kapi.kakao.com/v2/user/me', params: { secure_resource: true } },
    client: { token_endpoint_auth_method: 'client_secret_post' },
    scopeSeparator: ',',
    profile({ id, kakao_account: account }) {
      const isVerified = account?.is_email_valid === true && account.is_email_verified === true
      return {
        id,
        name: account?.profile?.nickname ?? null,
        email: isVerified ? (account.email ?? null) : null,
        emailVerified: isVerified,
        image: account?.profile?.profile_image_url ?? null,
      }
    },
    style: { brandColor: '#fee500', text: '#000000' },
  }
  return withOptions(preset, options)
}
