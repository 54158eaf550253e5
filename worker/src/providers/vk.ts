import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig, UserinfoRequest } from '../types.js'

/** VK's profile. */
export interface VKProfile {
  user: {
    user_id: string | number
    first_name?: string
    last_name?: string
    avatar?: string
    /** Not documented as verified. Scope `email`. */
    email?: string
  }
}

/**
 * Sign-in with VK ID.
 *
 * The app id comes from the options or from `AUTH_VK_ID`; the protected key, which VK wants in no request of these, from
 * `AUTH_VK_SECRET` if one is given. Register `{origin}/auth/callback/vk` as trusted redirect URL.
 *
 * PKCE protects the exchange, which also takes the `device_id` that came with the code. `email` is null: VK does not
 * document that the address is verified; it is in `profile.user.email`. Refresh tokens are not kept: they are good only
 * with that `device_id`.
 *
 * @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-integration/api-description
 *
 * @example vk({ scope: 'vkid.personal_info' })
 */
export default function vk(options: OAuthUserConfig<VKProfile> = {}): OAuthConfig<VKProfile> {
  const preset: OAuthConfig<VKProfile> = {
    id: 'vk',
    name: 'VK',
    type: 'oauth',
    authorization: {
      url: 'https://id.vk.com/authorize',
      params: { scope: 'vkid.personal_info email' },
    },
    token: 'https://id.vk.com/oauth2/auth',
    userinfo: { request: describe },
    client: { token_endpoint_auth_method: 'none' },
    responseParameters: ['device_id'],
    account: ({ refresh_token: _, ...tokens }) => tokens,
    profile: ({ user }) => ({
      id: user.user_id,
      name: [user.first_name, user.last_name].filter(Boolean).join(' '),
      email: null,
      image: user.avatar ?? null,
    }),
    style: { brandColor: '#0077ff', text: '#ffffff' },
  }
  return withOptions(preset, options)
}

async function describe({ tokens, provider, fetch }: UserinfoRequest): Promise<unknown> {
  const answer = await fetch('https://id.vk.com/oauth2/user_info', {
    method: 'POST',
    body: new URLSearchParams({
      client_id: String(provider.clientId),
      access_token: String(tokens.access_token),
    }),
  })
  if (!answer.ok) throw new TypeError(`VK answered with status ${answer.status}.`)
  return answer.json()
}
