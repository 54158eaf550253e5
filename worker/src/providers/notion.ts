import { withOptions } from '../config/preset.js'
import { customFetch } from '../lib/symbols.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** The person who connected a workspace, from Notion's token answer. */
export interface NotionProfile {
  type: 'user'
  user: {
    /** The same in every workspace. */
    id: string
    /** This and the members below are set if the connection may read user information. */
    name?: string | null
    avatar_url?: string | null
    /** Not documented as verified; set only if the connection may read addresses as well. */
    person?: { email?: string }
  }
}

/**
 * Sign-in with Notion, by a public connection.
 *
 * The OAuth client id and secret come from the options or from `AUTH_NOTION_ID` and
 * `AUTH_NOTION_SECRET`. Register `{origin}/auth/callback/notion` as redirect URI.
 *
 * The person is asked which pages of a workspace to share; the profile comes with the token, so no
 * further request is made. There are no scopes: the members of the profile depend on the
 * connection's capabilities. `email` is null, since Notion does not document that it is verified;
 * the `signIn` and `jwt` callbacks find it in `profile.user.person`. Tokens can be revoked.
 *
 * @see https://developers.notion.com/guides/get-started/authorization
 *
 * @example notion({ revokeOnSignOut: true })
 */
export default function notion(
  options: OAuthUserConfig<NotionProfile> = {},
): OAuthConfig<NotionProfile> {
  const preset: OAuthConfig<NotionProfile> = {
    id: 'notion',
    name: 'Notion',
    type: 'oauth',
    authorization: {
      url: 'https://api.notion.com/v1/oauth/authorize',
      params: { owner: 'user' },
    },
    token: 'https://api.notion.com/v1/oauth/token',
    userinfo: { request: ({ tokens }) => tokens.owner },
    revocation: 'https://api.notion.com/v1/oauth/revoke',
    revokes: 'access_token',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ user }) => ({
      id: user.id,
      name: user.name ?? null,
      email: null,
      image: user.avatar_url ?? null,
    }),
    style: { brandColor: '#000000', text: '#ffffff' },
  }
  return {
    ...withOptions(preset, options),
    [customFetch]: (input, init) => {
      const next = options[customFetch] ?? fetch
      const headers = new Headers(init?.headers as HeadersInit)
      headers.set('notion-version', '2025-09-03')
      return next(input, { ...init, headers })
    },
  }
}
