import { withOptions } from '../config/preset.js'
import { optionOrVariable, variablePrefix } from '../config/variable-prefix.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Azure AD B2C, as far as the user flow puts them into the token. */
export interface AzureADB2CProfile extends Profile {
  /** The person's object id in the tenant. */
  sub: string
  name?: string
  /** Addresses by the person's or the identity provider's word. */
  emails?: string[]
  /** The user flow. */
  tfp?: string
  /** The identity provider; absent for local accounts. */
  idp?: string
}

/**
 * Sign-in with a user flow of Azure AD B2C.
 *
 * The client id, secret and issuer come from the options or from `AUTH_AZURE_AD_B2C_ID`,
 * `AUTH_AZURE_AD_B2C_SECRET` and `AUTH_AZURE_AD_B2C_ISSUER`: the user flow's own address with the tenant's id,
 * `https://contoso.b2clogin.com/<tenant id>/B2C_1_signin/v2.0`. Register `{origin}/auth/callback/azure-ad-b2c` as
 * redirect URI of the platform "Web".
 *
 * `email` is the first of `profile.emails`: nobody vouches for it, since a user flow may take it from anywhere. A refresh
 * token comes with the scope `offline_access`.
 *
 * @see https://learn.microsoft.com/azure/active-directory-b2c/tokens-overview
 *
 * @example
 * azureADB2C({ issuer: 'https://contoso.b2clogin.com/775527ff-9a37-4307-8b3d-cc311f58d925/B2C_1_signin/v2.0' })
 */
export default function azureADB2C(
  options: OAuthUserConfig<AzureADB2CProfile> = {},
): OIDCConfig<AzureADB2CProfile> {
  const preset: OIDCConfig<AzureADB2CProfile> = {
    id: 'azure-ad-b2c',
    name: 'Azure AD B2C',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    profile: ({ sub, name, emails }) => ({
      id: sub,
      name: name ?? null,
      email: emails?.[0] ?? null,
      image: null,
    }),
    fromEnvironment: (env, config) => {
      const setting = optionOrVariable(env, variablePrefix(config.id))
      return {
        ...config,
        clientId: setting('ID', config.clientId),
        clientSecret: setting('SECRET', config.clientSecret),
        ...flowAt(setting('ISSUER', config.issuer), config.wellKnown),
      }
    },
    style: { brandColor: '#0078d4', text: '#ffffff' },
  }
  return withOptions(preset, options)
}

const FLOW = /^(https:\/\/[^/]+\/)(tfp\/)?([^/]+)\/([^/]+)\/v2\.0\/?$/

/** A user flow's tokens name the tenant alone, unless they are set to the form `tfp`; its document is at its own address. */
function flowAt(
  issuer: string,
  wellKnown: string | undefined,
): Pick<OIDCConfig, 'issuer' | 'wellKnown'> {
  const [, host, tfp = '', tenant, flow] = FLOW.exec(issuer) ?? []
  const own =
    host === undefined
      ? wellKnown
      : `${host}${tenant}/${flow}/v2.0/.well-known/openid-configuration`
  const signed =
    host === undefined ? issuer : `${host}${tfp}${tenant}/${tfp ? `${flow}/` : ''}v2.0/`
  const document = wellKnown ?? own
  return { issuer: signed, ...(document === undefined ? {} : { wellKnown: document }) }
}
