import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The members of Yandex's profile that are used here. */
export interface YandexProfile {
  id: string
  login: string
  display_name?: string
  real_name?: string
  /** Not documented as verified. Permission `login:email`. */
  default_email?: string
  /** Permission `login:avatar`. */
  default_avatar_id?: string
  is_avatar_empty?: boolean
}

/**
 * Sign-in with Yandex.
 *
 * The client id and secret come from the options or from `AUTH_YANDEX_ID` and `AUTH_YANDEX_SECRET`. Register
 * `{origin}/auth/callback/yandex` as redirect URI, and tick the permissions that the scopes below stand for.
 *
 * `email` is null: Yandex does not document that the address is verified. The `signIn` and `jwt` callbacks find it in
 * `profile.default_email`. A refresh token always comes.
 *
 * @see https://yandex.com/dev/id/doc/en/codes/code-url
 *
 * @example yandex({ scope: 'login:info' })
 */
export default function yandex(
  options: OAuthUserConfig<YandexProfile> = {},
): OAuthConfig<YandexProfile> {
  const preset: OAuthConfig<YandexProfile> = {
    id: 'yandex',
    name: 'Yandex',
    type: 'oauth',
    authorization: {
      url: 'https://oauth.yandex.com/authorize',
      params: { scope: 'login:info login:email login:avatar' },
    },
    token: 'https://oauth.yandex.com/token',
    userinfo: { url: 'https://login.yandex.ru/info', params: { format: 'json' } },
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ id, real_name, display_name, default_avatar_id: avatar, is_avatar_empty }) => ({
      id,
      name: real_name || display_name || null,
      email: null,
      image:
        avatar && is_avatar_empty !== true
          ? `https://avatars.yandex.net/get-yapic/${encodeURIComponent(avatar)}/islands-200`
          : null,
    }),
    style: { brandColor: '#fc3f1d', text: '#000000' },
  }
  return withOptions(preset, options)
}
