import type { OAuthUserConfig, OIDCConfig } from '../types.js'
import microsoftEntraId, { type MicrosoftEntraIDProfile } from './microsoft-entra-id.js'

/**
 * Microsoft Entra ID under the id that it had: redirect URIs `{origin}/auth/callback/azure-ad` and the variables
 * `AUTH_AZURE_AD_ID`, `AUTH_AZURE_AD_SECRET` and `AUTH_AZURE_AD_ISSUER` of an app that moves in go on.
 *
 * @example
 * azureAD({ issuer: 'https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0' })
 */
export default function azureAD(
  options: OAuthUserConfig<MicrosoftEntraIDProfile> = {},
): OIDCConfig<MicrosoftEntraIDProfile> {
  return microsoftEntraId({ id: 'azure-ad', ...options })
}
