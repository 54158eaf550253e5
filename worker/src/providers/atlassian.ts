import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Atlassian's profile, as far as the person shows it. */
export interface AtlassianProfile {
  /** The same in every product and app. */
  account_id: string
  name?: string
  /** Not documented as verified. */
  email?: string
  picture?: string
  account_status?: string
}

/**
 * Sign-in with Atlassian, by an app for OAuth 2.0 (3LO) with the User identity API.
 *
 * The client id and secret come from the options or from `AUTH_ATLASSIAN_ID` and `AUTH_ATLASSIAN_SECRET`. Register
 * `{origin}/auth/callback/atlassian` as callback URL, and add the scope `read:me`.
 *
 * `email` is null: Atlassian does not document that the address is verified. The `signIn` and `jwt` callbacks find it in
 * `profile.email`. A refresh token comes with the scope `offline_access`.
 *
 * @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
 *
 * @example atlassian({ scope: 'read:me offline_access' })
 */
export default function atlassian(
  options: OAuthUserConfig<AtlassianProfile> = {},
): OAuthConfig<AtlassianProfile> {
  const preset: OAuthConfig<AtlassianProfile> = {
    id: 'atlassian',
    name: 'Atlassian',
    type: 'oauth',
    authorization: {
      url: 'https://auth.atlassian.com/authorize',
      params: { audience: 'api.atlassian.com', scope: 'read:me', prompt: 'consent' },
    },
    token: 'https://auth.atlassian.com/oauth/token',
    userinfo: 'https://api.atlassian.com/me',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ account_id, name, picture }) => ({
      id: account_id,
      name: name ?? null,
      email: null,
      image: picture ?? null,
    }),
    style: { brandColor: '#1868db', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
