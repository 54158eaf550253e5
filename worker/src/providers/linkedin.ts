import type { LinkedInUser } from '@hono/oauth-providers/linkedin'
import { withOptions } from '../config/preset.js'
import { LINKEDIN } from '../lib/provider-marks.js'
import { customFetch } from '../lib/symbols.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** LinkedIn's profile: the type of `@hono/oauth-providers`, as far as granted. */
export interface LinkedInProfile extends Partial<LinkedInUser> {
  /** Identifies the person within this app. */
  sub: string
}

/**
 * Sign-in with LinkedIn: the product "Sign In with LinkedIn using OpenID Connect".
 *
 * The client id and secret come from the options or from `AUTH_LINKEDIN_ID` and
 * `AUTH_LINKEDIN_SECRET`. Register `{origin}/auth/callback/linkedin` as redirect URL.
 *
 * LinkedIn's ID token carries no `nonce`, so it is not used: the profile comes from LinkedIn's
 * user-info endpoint. LinkedIn has no PKCE for apps with a secret either: it refuses a token
 * request with a `code_verifier`, so none is sent, and `state` and the secret protect the flow.
 * `email` is there if `email_verified` is. Refresh tokens are for LinkedIn's partners only.
 *
 * @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 *
 * @example linkedin({ scope: 'openid profile' })
 */
export default function linkedin(
  options: OAuthUserConfig<LinkedInProfile> = {},
): OAuthConfig<LinkedInProfile> {
  const preset: OAuthConfig<LinkedInProfile> = {
    id: 'linkedin',
    name: 'LinkedIn',
    type: 'oauth',
    authorization: {
      url: 'https://www.linkedin.com/oauth/v2/authorization',
      params: { scope: 'openid profile email' },
    },
    token: 'https://www.linkedin.com/oauth/v2/accessToken',
    userinfo: 'https://api.linkedin.com/v2/userinfo',
    cancelErrors: ['user_cancelled_login', 'user_cancelled_authorize'],
    // Its `#!`.
    addsFragment: true,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ sub, name, email, email_verified, picture }) => ({
      id: sub,
      name: name ?? null,
      email: email_verified === true && email ? email : null,
      emailVerified: email_verified,
      image: picture ?? null,
    }),
    style: { brandColor: '#0a66c2', text: '#ffffff', logo: LINKEDIN, words: 'sign-in' },
  }
  return {
    ...withOptions(preset, options),
    [customFetch]: (input, init) => {
      const next = options[customFetch] ?? fetch
      return next(input, init?.body ? { ...init, body: withoutVerifier(init.body) } : init)
    },
  }
}

/** With it the token endpoint answers `invalid_client`, whatever the rest of the request. */
function withoutVerifier(body: BodyInit): URLSearchParams {
  const form = new URLSearchParams(body as URLSearchParams)
  form.delete('code_verifier')
  return form
}
