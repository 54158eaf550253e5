import { withOptions } from '../config/preset.js'
import { optionOrVariable, variablePrefix } from '../config/variable-prefix.js'
import { ProviderMisconfigured } from '../errors.js'
import { openid as kind } from '../features/openid/kind.js'
import { MICROSOFT } from '../lib/provider-marks.js'
import type { DescribedUser, OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of an ID token of Microsoft Entra ID. */
export interface MicrosoftEntraIDProfile extends Profile {
  /** The same at every sign-in to this app, and different in every other app. */
  sub: string
  /** The tenant, that is the organization; personal accounts have one in common. */
  tid: string
  /** The person within the tenant, the same in every app. */
  oid?: string
  /** Any text that an administrator of the tenant has entered. */
  email?: string
  /** Has the owner of the address's domain been verified? An optional claim. */
  xms_edov?: unknown
}

/** The tenant of all personal accounts. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
/** The placeholder in the discovered issuer if there are many tenants. */
const TENANT = '{tenantid}'
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Sign-in with Microsoft: accounts at work, at school, and personal ones.
 *
 * The client id and secret come from the options or from `AUTH_MICROSOFT_ENTRA_ID_ID` and
 * `AUTH_MICROSOFT_ENTRA_ID_SECRET`. Register `{origin}/auth/callback/microsoft-entra-id` as
 * redirect URI of the platform "Web".
 *
 * Everybody with a Microsoft account may sign in, unless `issuer` or
 * `AUTH_MICROSOFT_ENTRA_ID_ISSUER` is `https://login.microsoftonline.com/<tenant id>/v2.0`, or has
 * `organizations` or `consumers` in that place. A tenant's id is a GUID; its domain will not do.
 *
 * With many tenants, an administrator of any of them may type any address into `email` ("nOAuth").
 * It is `null` then, unless the account is a personal one or the optional claim `xms_edov` vouches
 * for the address. A refresh token comes only with the scope `offline_access`.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 *
 * @example
 * microsoftEntraId({ scope: 'openid profile email offline_access' })
 */
export default function microsoftEntraId(
  options: OAuthUserConfig<MicrosoftEntraIDProfile> = {},
): OIDCConfig<MicrosoftEntraIDProfile> {
  const preset: OIDCConfig<MicrosoftEntraIDProfile> = {
    id: 'microsoft-entra-id',
    // Its rules keep the name of the directory from people.
    name: 'Microsoft',
    type: 'oidc',
    kind,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    issuerOf,
    profile: somebody,
    fromEnvironment: (env, config) => {
      const setting = optionOrVariable(env, variablePrefix(config.id))
      const issuer = setting('ISSUER', config.issuer) || `${CLOUD}/common/v2.0`
      return {
        ...config,
        clientId: setting('ID', config.clientId),
        clientSecret: setting('SECRET', config.clientSecret),
        issuer,
        ...audienceOf(issuer, config),
      }
    },
    style: { brandColor: '#0078d4', text: '#ffffff', logo: MICROSOFT, words: 'sign-in' },
  }
  return withOptions(preset, options)
}

const CLOUD = 'https://login.microsoftonline.com'

/** Settings by the part of the issuer that decides who may sign in. */
function audienceOf(
  issuer: string,
  config: OIDCConfig<MicrosoftEntraIDProfile>,
): Partial<OIDCConfig<MicrosoftEntraIDProfile>> {
  const [, cloud, who = ''] = /^(https:\/\/[^/]+)\/([^/]+)\/v2\.0\/?$/.exec(issuer) ?? []
  if (GUID.test(who)) return config.profile === somebody ? { profile: member } : {}
  if (who.includes('.')) {
    throw new ProviderMisconfigured(
      `The issuer of provider "${config.id}" names a tenant by its domain: write its id, a GUID, as the tokens do.`,
    )
  }
  if (!/^(?:common|organizations|consumers)$/.test(who)) return {}
  return {
    issuer: `${cloud}/${who === 'consumers' ? CONSUMERS : TENANT}/v2.0`,
    wellKnown: config.wellKnown ?? `${cloud}/${who}/v2.0/.well-known/openid-configuration`,
    ...(who === 'organizations' ? { issuerOf: issuerOfWork } : {}),
  }
}

type Claims = Readonly<Record<string, unknown>>

/**
 * The issuer of the person's own tenant. A `tid` that is not a tenant's id gives an issuer that no
 * token has.
 */
function issuerOf({ tid }: Claims, issuer: string): string {
  return issuer.replace(TENANT, typeof tid === 'string' && GUID.test(tid) ? tid : '')
}

/** The browser may have changed the tenant in the authorization URL, but `tid` is signed. */
function issuerOfWork(claims: Claims, issuer: string): string {
  return issuerOf(claims.tid === CONSUMERS ? {} : claims, issuer)
}

/** A person of any tenant: the address counts only if it is verified. */
function somebody(claims: MicrosoftEntraIDProfile): DescribedUser {
  const person = member(claims)
  const isOwn = claims.tid === CONSUMERS || person.emailVerified === true
  return { ...person, ...(isOwn ? {} : { email: null }) }
}

/**
 * A person of the operator's own tenant, whose administrators enter the addresses. That alone does
 * not verify an address, and `email_verified`, which Microsoft does not document, does not verify
 * it either.
 */
function member({ sub, name, email, xms_edov }: MicrosoftEntraIDProfile): DescribedUser {
  const emailVerified = [true, 1, '1', 'true'].includes(xms_edov as string)
  return { id: sub, name: name ?? null, email: email ?? null, emailVerified, image: null }
}
