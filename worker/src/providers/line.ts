import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of LINE. */
export interface LINEProfile extends Profile {
  /** Identifies the person to the channels of one provider in LINE's console. */
  sub: string
  /** Ways of this sign-in, such as `pwd` or `lineqr`. */
  amr?: string[]
  name?: string
  picture?: string
}

/**
 * Sign-in with LINE, by a channel of the type "LINE Login" for web apps.
 *
 * The channel id and secret come from the options or from `AUTH_LINE_ID` and `AUTH_LINE_SECRET`. Register
 * `{origin}/auth/callback/line` as callback URL.
 *
 * The ID token is signed with the channel's secret, as LINE does for web apps. An address comes with the scope
 * `email`, which LINE allows on request; LINE does not document that it is verified. Tokens live for 30 days; a refresh
 * token always comes with them. They can be revoked.
 *
 * @see https://developers.line.biz/en/docs/line-login/integrate-line-login/
 *
 * @example
 * line({ scope: 'openid profile email' })
 */
export default function line(options: OAuthUserConfig<LINEProfile> = {}): OIDCConfig<LINEProfile> {
  const preset: OIDCConfig<LINEProfile> = {
    id: 'line',
    name: 'LINE',
    type: 'oidc',
    kind,
    issuer: 'https://access.line.me',
    authorization: { params: { scope: 'openid profile' } },
    client: {
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'HS256',
    },
    idToken: true,
    profile: ({ sub, name, email, picture }) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
    style: { brandColor: '#06c755', text: '#000000' },
  }
  return withOptions(preset, options)
}
