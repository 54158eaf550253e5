import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The members of Reddit's profile that are used here. */
export interface RedditProfile {
  /** Base 36, without the prefix `t2_`. */
  id: string
  /** The user name, which cannot be changed. */
  name: string
  /** Empty if there is none. */
  icon_img?: string
  /** Whether the account has a verified address; Reddit does not tell the address. */
  has_verified_email?: boolean
  /** Seconds since the epoch. */
  created_utc?: number
}

/**
 * Sign-in with Reddit. The app's type is "web app".
 *
 * The client id and secret come from the options or from `AUTH_REDDIT_ID` and
 * `AUTH_REDDIT_SECRET`. Register `{origin}/auth/callback/reddit` as redirect uri.
 *
 * Reddit gives no email address. Tokens live for an hour and can be revoked; a refresh token comes
 * only when it is asked for, as in the example. Reddit throttles requests whose `User-Agent` is not
 * one of its own: Latchkey's is sent, and a `customFetch` may name the app and its author instead.
 *
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 *
 * @example reddit({ authorization: { params: { duration: 'permanent' } } })
 */
export default function reddit(
  options: OAuthUserConfig<RedditProfile> = {},
): OAuthConfig<RedditProfile> {
  const preset: OAuthConfig<RedditProfile> = {
    id: 'reddit',
    name: 'Reddit',
    type: 'oauth',
    authorization: {
      url: 'https://www.reddit.com/api/v1/authorize',
      params: { scope: 'identity' },
    },
    token: 'https://www.reddit.com/api/v1/access_token',
    // Without `raw_json` a `&` in the image's URL comes as `&amp;`.
    userinfo: { url: 'https://oauth.reddit.com/api/v1/me', params: { raw_json: 1 } },
    revocation: 'https://www.reddit.com/api/v1/revoke_token',
    // Its `#_`.
    addsFragment: true,
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ id, name, icon_img }) => ({ id, name, email: null, image: icon_img ?? null }),
    style: { brandColor: '#ff4500', text: '#000000' },
  }
  return withOptions(preset, options)
}
