import type { TokenSet } from './account.js'
import type { OAuthConfig, OIDCConfig } from './oauth-config.js'

/** Parameters of an endpoint's query. `undefined` ones are left out. */
export type EndpointParams = Readonly<Record<string, string | number | boolean | undefined>>

/** An endpoint: its URL, or the URL with parameters. */
export type Endpoint =
  | string
  | {
      /** Its address. Default: discovered. */
      readonly url?: string
      /** Parameters that are added to its query. Default: none. */
      readonly params?: EndpointParams
    }

/** The arguments of `userinfo.request`. */
export interface UserinfoRequest {
  readonly tokens: TokenSet
  /** The provider's configuration, completed from the environment. */
  readonly provider: OAuthConfig | OIDCConfig
  /**
   * Use it for every request to the provider: it is the provider's own fetch with limits of time
   * and size. It adds no header, so set `Authorization` yourself.
   */
  readonly fetch: typeof fetch
}
