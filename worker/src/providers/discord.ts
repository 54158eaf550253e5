import type { DiscordUser } from '@hono/oauth-providers/discord'
import { withOptions } from '../config/preset.js'
import { DISCORD } from '../lib/provider-marks.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** Discord's profile: the type of `@hono/oauth-providers`, with the members that it lacks. */
export interface DiscordProfile extends Omit<DiscordUser, 'avatar' | 'global_name'> {
  /** The image's hash. */
  avatar: string | null
  /** The display name. */
  global_name: string | null
  /** Scope `email`. */
  email?: string | null
  /** Whether the address is verified. Scope `email`. */
  verified?: boolean
}

/**
 * Sign-in with Discord.
 *
 * The client id and secret come from the options or from `AUTH_DISCORD_ID` and
 * `AUTH_DISCORD_SECRET`. Register `{origin}/auth/callback/discord` as redirect.
 *
 * `email` is there if Discord says that it is `verified`. Tokens live for a week, always come with
 * a refresh token, and can be revoked.
 *
 * @see https://discord.com/developers/docs/topics/oauth2
 *
 * @example discord({ scope: 'identify', revokeOnSignOut: true })
 */
export default function discord(
  options: OAuthUserConfig<DiscordProfile> = {},
): OAuthConfig<DiscordProfile> {
  const preset: OAuthConfig<DiscordProfile> = {
    id: 'discord',
    name: 'Discord',
    type: 'oauth',
    // Discord's metadata promises `iss` in the answer (RFC 9207), so it is compared.
    defaultIssuer: 'https://discord.com',
    authorization: {
      url: 'https://discord.com/oauth2/authorize',
      params: { scope: 'identify email' },
    },
    token: 'https://discord.com/api/oauth2/token',
    userinfo: 'https://discord.com/api/users/@me',
    revocation: 'https://discord.com/api/oauth2/token/revoke',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ id, global_name, username, email, verified, avatar }) => ({
      id,
      name: global_name ?? username,
      email: verified === true && email ? email : null,
      emailVerified: verified,
      image: avatar ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : null,
    }),
    style: { brandColor: '#5865f2', text: '#ffffff', logo: DISCORD },
  }
  return withOptions(preset, options)
}
