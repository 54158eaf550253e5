import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import { SLACK } from '../lib/provider-marks.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** Slack's claims about a member of a workspace. */
export interface SlackProfile extends Profile {
  /** The id of the membership: the same person has another one in every workspace. */
  sub: string
  'https://slack.com/user_id'?: string
  /** The workspace. */
  'https://slack.com/team_id'?: string
  'https://slack.com/team_name'?: string
  'https://slack.com/team_domain'?: string
  /** When the address was verified, in seconds since the epoch. */
  date_email_verified?: number
}

/**
 * Sign in with Slack.
 *
 * The client id and secret come from the options or from `AUTH_SLACK_ID` and `AUTH_SLACK_SECRET`.
 * Register `{origin}/auth/callback/slack` as redirect URL; Slack takes https only. Leave the setting
 * "PKCE" off: it is for apps that cannot keep a secret, and cannot be undone.
 *
 * Members of every workspace may sign in. `authorization: { params: { team: 'T0123456789' } }`
 * shows them one workspace only, which the browser can change: check
 * `profile['https://slack.com/team_id']` in the `signIn` callback.
 *
 * @see https://docs.slack.dev/authentication/sign-in-with-slack/
 *
 * @example
 * slack({ authorization: { params: { team: 'T0123456789' } } })
 */
export default function slack(
  options: OAuthUserConfig<SlackProfile> = {},
): OIDCConfig<SlackProfile> {
  const preset: OIDCConfig<SlackProfile> = {
    id: 'slack',
    name: 'Slack',
    type: 'oidc',
    kind,
    issuer: 'https://slack.com',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    style: { brandColor: '#4a154b', text: '#ffffff', logo: SLACK, words: 'sign-in' },
  }
  return withOptions(preset, options)
}
