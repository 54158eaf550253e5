import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Figma's profile. */
export interface FigmaProfile {
  id: string
  /** Not documented as verified. */
  email?: string
  /** The name. */
  handle: string
  img_url?: string
}

/**
 * Sign-in with Figma.
 *
 * The client id and secret come from the options or from `AUTH_FIGMA_ID` and `AUTH_FIGMA_SECRET`. Register
 * `{origin}/auth/callback/figma` as redirect URL, and add the scope `current_user:read` to the app.
 *
 * `email` is null: Figma does not document that the address is verified. The `signIn` and `jwt` callbacks find it in
 * `profile.email`. Tokens live for 90 days, and a refresh token always comes with them.
 *
 * @see https://developers.figma.com/docs/rest-api/authentication/
 *
 * @example figma({ scope: 'current_user:read file_content:read' })
 */
export default function figma(
  options: OAuthUserConfig<FigmaProfile> = {},
): OAuthConfig<FigmaProfile> {
  const preset: OAuthConfig<FigmaProfile> = {
    id: 'figma',
    name: 'Figma',
    type: 'oauth',
    authorization: {
      url: 'https://www.figma.com/oauth',
      params: { scope: 'current_user:read' },
    },
    token: 'https://api.figma.com/v1/oauth/token',
    userinfo: 'https://api.figma.com/v1/me',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ id, handle, img_url }) => ({
      id,
      name: handle,
      email: null,
      image: img_url ?? null,
    }),
    style: { brandColor: '#000000', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
