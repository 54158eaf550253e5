import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import { booleanOfText } from '../sign-in/email-verified.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of a user pool of Amazon Cognito. */
export interface CognitoProfile extends Profile {
  sub: string
  'cognito:username'?: string
  'cognito:groups'?: string[]
}

/**
 * Sign-in with a user pool of Amazon Cognito. The pool needs a domain, and an app client with a
 * secret, the grant "Authorization code" and the scopes `openid`, `profile` and `email`.
 *
 * The client id, secret and issuer come from the options or from `AUTH_COGNITO_ID`,
 * `AUTH_COGNITO_SECRET` and `AUTH_COGNITO_ISSUER`. The issuer is
 * `https://cognito-idp.<region>.amazonaws.com/<pool id>`. Register `{origin}/auth/callback/cognito`
 * as allowed callback URL.
 *
 * Every sign-in brings a refresh token. People that the pool itself takes from another provider
 * have an `email` only if a mapping of attributes tells the pool that it was verified.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html
 *
 * @example
 * cognito({ issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a1B2c3D4e' })
 */
export default function cognito(
  options: OAuthUserConfig<CognitoProfile> = {},
): OIDCConfig<CognitoProfile> {
  const preset: OIDCConfig<CognitoProfile> = {
    id: 'cognito',
    name: 'Amazon Cognito',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    conform,
    style: { brandColor: '#dd344c', text: '#ffffff' },
  }
  return withOptions(preset, options)
}

/** The user info writes its booleans as text; the ID token does not. */
function conform(profile: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...profile, email_verified: booleanOfText(profile.email_verified) }
}
