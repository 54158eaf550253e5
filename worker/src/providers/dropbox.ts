import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig, UserinfoRequest } from '../types.js'

/** The members of Dropbox's account that are used here. */
export interface DropboxProfile {
  account_id: string
  name?: { display_name?: string }
  email?: string
  email_verified?: boolean
  profile_photo_url?: string
}

/**
 * Sign-in with Dropbox, by an app with scoped access.
 *
 * The app key and secret come from the options or from `AUTH_DROPBOX_ID` and `AUTH_DROPBOX_SECRET`. Register
 * `{origin}/auth/callback/dropbox` as redirect URI.
 *
 * `email` is there if Dropbox has verified it. Tokens live for four hours; a refresh token comes when it is asked for, as
 * in the example.
 *
 * @see https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account
 *
 * @example dropbox({ authorization: { params: { token_access_type: 'offline' } } })
 */
export default function dropbox(
  options: OAuthUserConfig<DropboxProfile> = {},
): OAuthConfig<DropboxProfile> {
  const preset: OAuthConfig<DropboxProfile> = {
    id: 'dropbox',
    name: 'Dropbox',
    type: 'oauth',
    authorization: {
      url: 'https://www.dropbox.com/oauth2/authorize',
      params: { scope: 'account_info.read' },
    },
    token: 'https://api.dropboxapi.com/oauth2/token',
    userinfo: { request: currentAccount },
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ account_id, name, email, email_verified, profile_photo_url }) => ({
      id: account_id,
      name: name?.display_name ?? null,
      email: email_verified === true ? (email ?? null) : null,
      emailVerified: email_verified,
      image: profile_photo_url ?? null,
    }),
    style: { brandColor: '#0061fe', text: '#ffffff' },
  }
  return withOptions(preset, options)
}

/** Dropbox takes no GET here, and refuses a body without a type. */
async function currentAccount({ tokens, fetch }: UserinfoRequest): Promise<unknown> {
  const answer = await fetch('https://api.dropboxapi.com/2/users/get_current_account', {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  if (!answer.ok) throw new TypeError(`Dropbox answered with status ${answer.status}.`)
  return answer.json()
}
