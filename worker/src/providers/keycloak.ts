import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Keycloak. */
export interface KeycloakProfile extends Profile {
  sub: string
  /** The user name. */
  preferred_username?: string
}

/**
 * Sign-in with a realm of Keycloak, as a client with "Client authentication" on.
 *
 * The client id, secret and issuer come from the options or from `AUTH_KEYCLOAK_ID`,
 * `AUTH_KEYCLOAK_SECRET` and `AUTH_KEYCLOAK_ISSUER`. The issuer is the realm:
 * `https://keycloak.example.com/realms/<realm>` (before version 17 with `/auth` in front of
 * `/realms`). Register `{origin}/auth/callback/keycloak` as valid redirect URI.
 *
 * Every sign-in brings a refresh token that lives as long as the realm's session; the scope
 * `offline_access` brings one that lives longer.
 *
 * @see https://www.keycloak.org/securing-apps/oidc-layers
 *
 * @example
 * keycloak({ issuer: 'https://keycloak.example.com/realms/staff' })
 */
export default function keycloak(
  options: OAuthUserConfig<KeycloakProfile> = {},
): OIDCConfig<KeycloakProfile> {
  const preset: OIDCConfig<KeycloakProfile> = {
    id: 'keycloak',
    name: 'Keycloak',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    style: { brandColor: '#4d4d4d', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
