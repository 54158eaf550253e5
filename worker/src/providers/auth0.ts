import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of an Auth0 ID token. */
export interface Auth0Profile extends Profile {
  /** The connection and the person's id there, such as `google-oauth2|1234567890`. */
  sub: string
  /** The organization that the person signed in to, if it was asked for. */
  org_id?: string
}

/**
 * Sign-in with Auth0, as an application of the type "Regular Web Application".
 *
 * The client id, secret and issuer come from the options or from `AUTH_AUTH0_ID`,
 * `AUTH_AUTH0_SECRET` and `AUTH_AUTH0_ISSUER`. The issuer is the tenant's address, such as
 * `https://example.eu.auth0.com`, or its custom domain. Register `{origin}/auth/callback/auth0` as
 * allowed callback URL.
 *
 * For a refresh token ask for the scope `offline_access`; for an access token to your own API, give
 * the authorization parameter `audience`.
 *
 * @see https://auth0.com/docs/authenticate/login/oidc-conformant-authentication
 *
 * @example
 * auth0({ authorization: { params: { audience: 'https://api.example.com' } } })
 */
export default function auth0(
  options: OAuthUserConfig<Auth0Profile> = {},
): OIDCConfig<Auth0Profile> {
  const preset: OIDCConfig<Auth0Profile> = {
    id: 'auth0',
    name: 'Auth0',
    type: 'oidc',
    kind,
    // A new application is set to this method, and Auth0 then takes no other.
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    style: { brandColor: '#eb5424', text: '#000000' },
  }
  return withOptions(preset, options)
}
