import type { MiddlewareHandler } from 'hono'
import type { Profile, TokenSet } from './account.js'
import type { OAuthUserConfig } from './oauth-config.js'

/** What a `@hono/oauth-providers` middleware is made with. */
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
  readonly driver: MiddlewareDriver
}

/** What a middleware's driver has to know of its provider. */
export interface DrivenProvider extends Pick<MiddlewareConfig, 'id' | 'middleware'> {
  readonly clientId: string
  readonly clientSecret: string
}

/** The `state` and the cookies of a middleware's own, which no browser sees. */
export interface Carried {
  readonly state: string
  /** As one Cookie header. */
  readonly cookie: string
}

/** Lets a middleware start and finish sign-ins. `fromHono` brings it, so that others do without. */
export interface MiddlewareDriver {
  start(provider: DrivenProvider, redirectUri: string): Promise<Carried & { url: URL }>
  finish(
    provider: DrivenProvider,
    redirectUri: string,
    carried: Carried,
    response: URLSearchParams,
    nowInSeconds: number,
  ): Promise<{ tokens: TokenSet; profile: Record<string, unknown> }>
}
