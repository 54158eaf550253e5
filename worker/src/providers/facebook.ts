import type { FacebookUser } from '@hono/oauth-providers/facebook'
import { withOptions } from '../config/preset.js'
import { FACEBOOK } from '../lib/provider-marks.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The profile of the Graph API: the type of `@hono/oauth-providers`, as far as granted. */
export interface FacebookProfile extends Partial<FacebookUser> {
  /** Identifies the person within this app. */
  id: string
  name: string
  /** Not documented as verified. Absent if there is no address or the person withholds it. */
  email?: string
}

/**
 * Sign-in with Facebook.
 *
 * The app id and app secret come from the options or from `AUTH_FACEBOOK_ID` and
 * `AUTH_FACEBOOK_SECRET`. Register `{origin}/auth/callback/facebook` as valid OAuth redirect URI.
 *
 * `email` is null: Meta does not document that the address is verified. The `signIn` and `jwt`
 * callbacks find it in `profile.email`. There are no refresh tokens. "Require App Secret" in the
 * app's settings must be off, since requests are not signed with an `appsecret_proof`.
 *
 * @see https://developers.facebook.com/documentation/facebook-login/guides/advanced/manual-flow
 *
 * @example facebook({ userinfo: { params: { fields: 'id,name,picture.width(256)' } } })
 */
export default function facebook(
  options: OAuthUserConfig<FacebookProfile> = {},
): OAuthConfig<FacebookProfile> {
  const preset: OAuthConfig<FacebookProfile> = {
    id: 'facebook',
    name: 'Facebook',
    type: 'oauth',
    // Meta answers calls to a version that has ended with the oldest one that has not.
    authorization: {
      url: 'https://www.facebook.com/v24.0/dialog/oauth',
      params: { scope: 'public_profile email' },
    },
    token: 'https://graph.facebook.com/v24.0/oauth/access_token',
    userinfo: {
      url: 'https://graph.facebook.com/v24.0/me',
      params: { fields: 'id,name,email,picture' },
    },
    // Its `#_=_`.
    addsFragment: true,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ id, name, picture }) => ({
      id,
      name,
      email: null,
      image: picture?.data?.url ?? null,
    }),
    style: { brandColor: '#0866ff', text: '#ffffff', logo: FACEBOOK },
  }
  return withOptions(preset, options)
}
