import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig, UserinfoRequest } from '../types.js'

/** HubSpot's description of a token. */
export interface HubSpotProfile {
  user_id: number
  /** An address, which is not documented as verified. */
  user?: string
  hub_id?: number
  hub_domain?: string
  scopes?: string[]
}

/**
 * Sign-in with HubSpot, by a public app.
 *
 * The client id and secret come from the options or from `AUTH_HUBSPOT_ID` and `AUTH_HUBSPOT_SECRET`. Register
 * `{origin}/auth/callback/hubspot` as redirect URL. The scopes must be those of the app's settings, to the letter.
 *
 * A person signs in for one account of HubSpot, `profile.hub_id`: who may sign in at yours is for the `signIn` callback
 * to say. `email` is null: HubSpot does not document that the address is verified; it is in `profile.user`. Tokens live
 * for half an hour, and a refresh token always comes with them.
 *
 * @see https://developers.hubspot.com/docs/api-reference/auth-oauth-v1/guide
 *
 * @example hubspot({ scope: 'oauth crm.objects.contacts.read' })
 */
export default function hubspot(
  options: OAuthUserConfig<HubSpotProfile> = {},
): OAuthConfig<HubSpotProfile> {
  const preset: OAuthConfig<HubSpotProfile> = {
    id: 'hubspot',
    name: 'HubSpot',
    type: 'oauth',
    authorization: {
      url: 'https://app.hubspot.com/oauth/authorize',
      params: { scope: 'oauth' },
    },
    token: 'https://api.hubapi.com/oauth/v1/token',
    userinfo: { request: tokenInformation },
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ user_id, user }) => ({ id: user_id, name: user ?? null, email: null, image: null }),
    style: { brandColor: '#ff5c35', text: '#000000' },
  }
  return withOptions(preset, options)
}

/** HubSpot has the token in the path. */
async function tokenInformation({ tokens, fetch }: UserinfoRequest): Promise<unknown> {
  const token = encodeURIComponent(String(tokens.access_token))
  const answer = await fetch(`https://api.hubapi.com/oauth/v1/access-tokens/${token}`)
  if (!answer.ok) throw new TypeError(`HubSpot answered with status ${answer.status}.`)
  return answer.json()
}
