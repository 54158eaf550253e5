import type { MiddlewareHandler } from 'hono'
import type { Profile } from './account.js'
import type { OAuthUserConfig } from './oauth-config.js'
import type { SignInKind } from './sign-in-kind.js'

/** The options of a `@hono/oauth-providers` middleware. */
export interface MiddlewareClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** A provider whose requests are made by a `@hono/oauth-providers` middleware. See `fromHono`. */
export interface MiddlewareConfig<ProviderProfile = Profile>
  extends Pick<OAuthUserConfig<ProviderProfile>, 'clientId' | 'profile' | 'account' | 'style'> {
  readonly id: string
  readonly name: string
  readonly type: 'oauth'
  readonly clientSecret?: string
  readonly middleware: (client: MiddlewareClient) => MiddlewareHandler
  readonly kind: SignInKind
}
