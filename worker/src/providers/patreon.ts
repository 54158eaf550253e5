import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Patreon's person (JSON:API). */
export interface PatreonProfile {
  data: {
    id: string
    attributes?: {
      full_name?: string
      email?: string | null
      is_email_verified?: boolean
      image_url?: string
    }
  }
}

/**
 * Sign-in with Patreon, by a client of API version 2.
 *
 * The client id and secret come from the options or from `AUTH_PATREON_ID` and `AUTH_PATREON_SECRET`. Register
 * `{origin}/auth/callback/patreon` as redirect URI.
 *
 * `email` is there if Patreon has verified it. Tokens live for a month, and a refresh token always comes with them.
 *
 * @see https://docs.patreon.com/#oauth
 *
 * @example patreon({ scope: 'identity identity[email] identity.memberships' })
 */
export default function patreon(
  options: OAuthUserConfig<PatreonProfile> = {},
): OAuthConfig<PatreonProfile> {
  const preset: OAuthConfig<PatreonProfile> = {
    id: 'patreon',
    name: 'Patreon',
    type: 'oauth',
    authorization: {
      url: 'https://www.patreon.com/oauth2/authorize',
      params: { scope: 'identity identity[email]' },
    },
    token: 'https://www.patreon.com/api/oauth2/token',
    userinfo: {
      url: 'https://www.patreon.com/api/oauth2/v2/identity',
      params: { 'fields[user]': 'email,full_name,image_url,is_email_verified' },
    },
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ data: { id, attributes } }) => ({
      id,
      name: attributes?.full_name ?? null,
      email: attributes?.is_email_verified === true ? (attributes.email ?? null) : null,
      emailVerified: attributes?.is_email_verified,
      image: attributes?.image_url ?? null,
    }),
    style: { brandColor: '#000000', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
