import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Okta. */
export interface OktaProfile extends Profile {
  sub: string
  /** The login, which may look like an address. */
  preferred_username?: string
  /** With the scope `groups`, if the authorization server is set up for it. */
  groups?: string[]
}

/**
 * Sign-in with Okta, as an "OIDC Web Application".
 *
 * The client id, secret and issuer come from the options or from `AUTH_OKTA_ID`,
 * `AUTH_OKTA_SECRET` and `AUTH_OKTA_ISSUER`. The issuer is the org, `https://example.okta.com`, or
 * one of its custom authorization servers, such as `https://example.okta.com/oauth2/default`.
 * Register `{origin}/auth/callback/okta` as sign-in redirect URI.
 *
 * For a refresh token ask for the scope `offline_access`, and tick that grant at the application.
 *
 * @see https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/
 *
 * @example
 * okta({ scope: 'openid profile email offline_access' })
 */
export default function okta(options: OAuthUserConfig<OktaProfile> = {}): OIDCConfig<OktaProfile> {
  const preset: OIDCConfig<OktaProfile> = {
    id: 'okta',
    name: 'Okta',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    style: { brandColor: '#007dc1', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
