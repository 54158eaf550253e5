import type { OAuthConfig, OAuthUserConfig } from '../types.js'
import x, { type XProfile } from './x.js'

/**
 * X under the id that it had: redirect URIs `{origin}/auth/callback/twitter` and the variables `AUTH_TWITTER_ID` and
 * `AUTH_TWITTER_SECRET` of an app that moves in go on. An app of OAuth 2.0, not 1.0a.
 *
 * @example twitter({ scope: 'users.read tweet.read' })
 */
export default function twitter(options: OAuthUserConfig<XProfile> = {}): OAuthConfig<XProfile> {
  return x({ id: 'twitter', ...options })
}
