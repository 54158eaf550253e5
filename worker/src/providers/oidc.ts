import { withOptions } from '../config/preset.js'
import { optionOrVariable, variablePrefix } from '../config/variable-prefix.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig } from '../types.js'

const NAME = 'OpenID'

/**
 * Sign-in with any OpenID provider, whose endpoints are discovered from its issuer.
 *
 * The client id, secret and issuer come from the options or from `AUTH_OIDC_ID`, `AUTH_OIDC_SECRET`
 * and `AUTH_OIDC_ISSUER`; the name on the button from `AUTH_OIDC_NAME`. Register
 * `{origin}/auth/callback/oidc` as redirect URI. A second provider needs an `id` of its own, which
 * replaces `oidc` in all of these names.
 *
 * `email` is `null` if the provider says that it is not verified. With `idToken: true` the user
 * info is not asked for, which saves a request if the ID token holds everything.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 *
 * @example
 * oidc({ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example' })
 */
export default function oidc(
  options: OAuthUserConfig & Pick<OIDCConfig, 'idToken'> = {},
): OIDCConfig {
  const preset: OIDCConfig = {
    id: 'oidc',
    name: NAME,
    type: 'oidc',
    kind,
    fromEnvironment: (env, config) => {
      const setting = optionOrVariable(env, variablePrefix(config.id))
      return {
        ...config,
        name: config.name === NAME ? setting('NAME') || NAME : config.name,
        clientId: setting('ID', config.clientId),
        clientSecret: setting('SECRET', config.clientSecret),
        issuer: setting('ISSUER', config.issuer),
      }
    },
  }
  return withOptions(preset, options)
}
