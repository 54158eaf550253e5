import { optionOrVariable } from '../config/variable-prefix.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'
import videoapp, { type VideoProviderProfile } from './videoapp.js'

/**
 * The video app under the id that it has elsewhere: redirect URIs `{origin}/auth/callback/tiktok` and the variables
 * `AUTH_TIKTOK_ID` and `AUTH_TIKTOK_SECRET` of an app that moves in go on.
 *
 * @example tiktok({ scope: 'user.info.profile,user.info.stats' })
 */
export default function tiktok(
  options: OAuthUserConfig<VideoProviderProfile> = {},
): OAuthConfig<VideoProviderProfile> {
  const own = { id: 'tiktok', name: 'TikTok', ...options }
  const provider: OAuthConfig<VideoProviderProfile> = {
    ...videoapp(own),
    variables: 'AUTH_TIKTOK',
    fromEnvironment(env, config) {
      const setting = optionOrVariable(env, 'AUTH_TIKTOK')
      const clientId = setting('ID', config.clientId)
      const clientSecret = setting('SECRET', config.clientSecret)
      const complete = videoapp({
        ...own,
        ...(clientId ? { clientId } : {}),
        ...(clientSecret ? { clientSecret } : {}),
      })
      const changed = Object.entries(config).filter(
        ([name, value]) => Reflect.get(provider, name) !== value,
      )
      return { ...complete, variables: 'AUTH_TIKTOK', ...Object.fromEntries(changed) }
    },
  }
  return provider
}
