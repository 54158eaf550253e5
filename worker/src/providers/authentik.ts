import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of authentik. */
export interface AuthentikProfile extends Profile {
  /** As the provider's "Subject mode" says: by default a hash that is the same in every application. */
  sub: string
  preferred_username?: string
  nickname?: string
  groups?: string[]
}

/**
 * Sign-in with authentik, by a provider of the type "OAuth2/OpenID" for clients that are confidential.
 *
 * The client id, secret and issuer come from the options or from `AUTH_AUTHENTIK_ID`, `AUTH_AUTHENTIK_SECRET` and
 * `AUTH_AUTHENTIK_ISSUER`. The issuer ends with a slash: `https://authentik.example.com/application/o/<slug>/`.
 * Register `{origin}/auth/callback/authentik` as redirect URI, "strict".
 *
 * Since 2025.10 authentik calls an address unverified unless the scope mapping says otherwise; then `email` is null.
 * A refresh token comes with the scope `offline_access`.
 *
 * @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/
 *
 * @example
 * authentik({ issuer: 'https://authentik.example.com/application/o/shop/' })
 */
export default function authentik(
  options: OAuthUserConfig<AuthentikProfile> = {},
): OIDCConfig<AuthentikProfile> {
  const preset: OIDCConfig<AuthentikProfile> = {
    id: 'authentik',
    name: 'authentik',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    style: { brandColor: '#fd4b2d', text: '#000000' },
  }
  return withOptions(preset, options)
}
