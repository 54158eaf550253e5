import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of ZITADEL. */
export interface ZitadelProfile extends Profile {
  sub: string
  /** The login name, which looks like an address but is not one. */
  preferred_username?: string
  /** The organization. Scope `urn:zitadel:iam:user:resourceowner`. */
  'urn:zitadel:iam:user:resourceowner:id'?: string
}

/**
 * Sign-in with ZITADEL. The application has the type "Web", and the method "Code" or "POST".
 *
 * The client id, secret and issuer come from the options or from `AUTH_ZITADEL_ID`, `AUTH_ZITADEL_SECRET` and
 * `AUTH_ZITADEL_ISSUER`. The issuer is the instance's domain, such as `https://example-a1b2c3.zitadel.cloud`.
 * Register `{origin}/auth/callback/zitadel` as redirect URI.
 *
 * A refresh token comes with the scope `offline_access`, if the application allows it.
 *
 * @see https://zitadel.com/docs/apis/openidoauth/endpoints
 *
 * @example
 * zitadel({ issuer: 'https://example-a1b2c3.zitadel.cloud' })
 */
export default function zitadel(
  options: OAuthUserConfig<ZitadelProfile> = {},
): OIDCConfig<ZitadelProfile> {
  const preset: OIDCConfig<ZitadelProfile> = {
    id: 'zitadel',
    name: 'ZITADEL',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    style: { brandColor: '#5469d4', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
