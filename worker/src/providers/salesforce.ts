import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Salesforce. */
export interface SalesforceProfile extends Profile {
  /** An address: `https://login.salesforce.com/id/<organization>/<person>`. */
  sub: string
  /** The person, 18 characters. */
  user_id?: string
  organization_id?: string
  preferred_username?: string
  name?: string
  picture?: string
}

/**
 * Sign-in with Salesforce, by an external client app or a connected app.
 *
 * The consumer key and secret come from the options or from `AUTH_SALESFORCE_ID` and
 * `AUTH_SALESFORCE_SECRET`. Without `issuer` or `AUTH_SALESFORCE_ISSUER`, such as
 * `https://example.my.salesforce.com`, people of every organization may sign in. Register
 * `{origin}/auth/callback/salesforce` as callback URL, and choose the scopes `openid`, `profile` and `email`.
 *
 * A refresh token comes with the scope `refresh_token`.
 *
 * @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_using_userinfo_endpoint.htm
 *
 * @example
 * salesforce({ issuer: 'https://example.my.salesforce.com' })
 */
export default function salesforce(
  options: OAuthUserConfig<SalesforceProfile> = {},
): OIDCConfig<SalesforceProfile> {
  const preset: OIDCConfig<SalesforceProfile> = {
    id: 'salesforce',
    name: 'Salesforce',
    type: 'oidc',
    kind,
    defaultIssuer: 'https://login.salesforce.com',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ sub, user_id, name, email, email_verified, picture }) => ({
      // The id that Auth.js used; `sub` is the same with addresses before it.
      id: user_id ?? sub,
      name: name ?? null,
      email: email_verified === true ? (email ?? null) : null,
      emailVerified: email_verified,
      image: picture ?? null,
    }),
    style: { brandColor: '#00a1e0', text: '#000000' },
  }
  return withOptions(preset, options)
}
