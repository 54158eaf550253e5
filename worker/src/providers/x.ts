import type { XUser } from '@hono/oauth-providers/x'
import { withOptions } from '../config/preset.js'
import { X } from '../lib/provider-marks.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** X's profile: the type of `@hono/oauth-providers`, as far as `user.fields` asks for it. */
export interface XProfile {
  data: Pick<XUser, 'id' | 'name' | 'username'> & Partial<XUser>
}

/**
 * Sign-in with X, by OAuth 2.0. The app's type is "Web App".
 *
 * The OAuth 2.0 client id and secret come from the options or from `AUTH_X_ID` and
 * `AUTH_X_SECRET`. Register `{origin}/auth/callback/x` as callback URI.
 *
 * `email` is the address that the person has confirmed. It needs "Request email from users" in the
 * app's settings; an app without that leaves out the scope and the field, as in the example. Tokens
 * live for two hours, can be revoked, and come with a refresh token if the scope has
 * `offline.access`.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 *
 * @example
 * x({
 *   scope: 'users.read tweet.read',
 *   userinfo: { params: { 'user.fields': 'profile_image_url' } },
 * })
 */
export default function x(options: OAuthUserConfig<XProfile> = {}): OAuthConfig<XProfile> {
  const preset: OAuthConfig<XProfile> = {
    id: 'x',
    name: 'X',
    type: 'oauth',
    authorization: {
      url: 'https://x.com/i/oauth2/authorize',
      params: { scope: 'users.read tweet.read users.email' },
    },
    token: 'https://api.x.com/2/oauth2/token',
    userinfo: {
      url: 'https://api.x.com/2/users/me',
      params: { 'user.fields': 'confirmed_email,profile_image_url' },
    },
    revocation: 'https://api.x.com/2/oauth2/revoke',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ data }) => ({
      id: data.id,
      name: data.name,
      email: data.confirmed_email ?? null,
      emailVerified: true,
      image: data.profile_image_url ?? null,
    }),
    style: { brandColor: '#000000', text: '#ffffff', logo: X },
  }
  return withOptions(preset, options)
}
