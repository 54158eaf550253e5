import { instanceAt, withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import { GITLAB } from '../lib/provider-marks.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of GitLab. */
export interface GitLabProfile extends Profile {
  sub: string
  /** The user name. */
  nickname?: string
  /** Full paths of the groups that the person is a member of. */
  groups?: string[]
}

/** The options of GitLab. */
export interface GitLabOptions extends OAuthUserConfig<GitLabProfile> {
  /** Another name for `issuer`. Default: gitlab.com. */
  readonly baseUrl?: string
}

/**
 * Sign-in with GitLab: gitlab.com, or an instance of your own.
 *
 * The client id and secret come from the options or from `AUTH_GITLAB_ID` and
 * `AUTH_GITLAB_SECRET`; your own instance from `issuer` or `AUTH_GITLAB_ISSUER`, such as
 * `https://gitlab.example.com`. Register `{origin}/auth/callback/gitlab` as redirect URI, and tick
 * the scopes `openid`, `profile` and `email` there.
 *
 * Every sign-in brings a refresh token, since access tokens end after two hours.
 *
 * @see https://docs.gitlab.com/integration/openid_connect_provider/
 *
 * @example
 * gitlab({ issuer: 'https://gitlab.example.com' })
 */
export default function gitlab(options: GitLabOptions = {}): OIDCConfig<GitLabProfile> {
  const issuer = options.issuer || instanceAt(options.baseUrl)
  const preset: OIDCConfig<GitLabProfile> = {
    id: 'gitlab',
    name: 'GitLab',
    type: 'oidc',
    kind,
    defaultIssuer: 'https://gitlab.com',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    style: { brandColor: '#fc6d26', text: '#000000', logo: GITLAB },
  }
  return withOptions(preset, issuer === undefined ? options : { ...options, issuer })
}
