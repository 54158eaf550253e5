import type { WorkerAddress } from '@latchkey/session'
import type { ServiceStore } from '../shared/named-store.js'

/** Options for reading a session, with the auth routes in process or forwarded. */
interface ReaderConfig {
  /**
   * Ask the service about the session each time, so that the app knows at once if it has ended.
   * Default `false`.
   */
  readonly online?: boolean
  /** How soon the app refuses a session that has ended elsewhere. */
  readonly revocation?: {
    /** The time after which an app knows it at the latest, in seconds: 10 to 3600. Default 15. */
    readonly maxDelay?: number
  }
}

/** The Worker answers the auth routes. */
interface WorkerServiceConfig extends ReaderConfig {
  /** The Worker: its URL with the base path, or a service binding. Default: `AUTH_WORKER_URL`. */
  readonly worker?: WorkerAddress
  /**
   * The Worker's public keys, a JWKS. Default: `AUTH_PUBLIC_KEYS`, else the keys that the Worker
   * publishes.
   */
  readonly publicKeys?: unknown
  /** The Worker's base path, if its URL has none. Default `/auth`. */
  readonly basePath?: string
  readonly providers?: never
}

/**
 * This process answers the auth routes.
 *
 * @typeParam Core the configuration of the service itself
 */
export type InProcessConfigOf<Core> = Omit<Core, 'raw' | 'basePath'> &
  ReaderConfig & {
    /** Default: the path of the mount, and `/auth` for a mount at the root. */
    readonly basePath?: string
    readonly worker?: never
    readonly publicKeys?: never
  }

/** The auth routes are forwarded to the Worker. */
export type ForwardedConfigOf<Core> = WorkerServiceConfig &
  Pick<
    Core,
    keyof Core &
      ('secret' | 'trustHost' | 'trustedOrigins' | 'cookies' | 'migrateFrom' | 'logger' | 'debug')
  >

/** The configuration of the service without `raw`, or `worker` instead of `providers`. */
export type HostConfigOf<Core> = InProcessConfigOf<Core> | ForwardedConfigOf<Core>

/** The options that a host reads. The others are the service's. */
export interface HostConfig extends ReaderConfig {
  /** The service runs in this process. */
  readonly providers?: unknown
  /** The service is a Worker. */
  readonly worker?: WorkerAddress | undefined
  readonly publicKeys?: unknown
  readonly basePath?: string
  readonly secret?: string | readonly string[]
  readonly trustHost?: boolean
  readonly trustedOrigins?: readonly string[]
  readonly cookies?: {
    readonly sessionToken?: {
      readonly name?: string
      readonly options?: { readonly domain?: string }
    }
  }
  /**
   * A host reads the cookie names of another library's sessions, and the time until which it
   * accepts them.
   */
  readonly migrateFrom?: readonly { readonly cookies: readonly string[]; readonly until: number }[]
  readonly session?: unknown
  readonly store?: ServiceStore
  readonly ledgerShards?: unknown
  readonly features?: readonly { readonly name: string }[]
  readonly logger?: {
    error?(error: Error): unknown
    warn?(code: string, message: string): unknown
    debug?(message: string): unknown
  }
  readonly debug?: boolean
}

/** A configuration, or a function that makes one from a framework's request. */
// biome-ignore lint/suspicious/noExplicitAny: only the adapter knows its framework's arguments
export type HostConfigSource = HostConfig | ((native: any) => HostConfig | Promise<HostConfig>)
