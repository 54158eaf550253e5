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
  /** Part of the redirect URI, of every `sub` and of the names of variables. */
  readonly id: string
  /** The name on its button. */
  readonly name: string
  /** The type of the provider. Default: `fromHono()` sets it. */
  readonly type: 'oauth'
  /** The client's secret. Default: `AUTH_<ID>_SECRET`. */
  readonly clientSecret?: string
  /** Makes the middleware, once for each sign-in. */
  readonly middleware: (client: MiddlewareClient) => MiddlewareHandler
  /** How it signs in. Default: `fromHono()` sets it. */
  readonly kind: SignInKind
}
