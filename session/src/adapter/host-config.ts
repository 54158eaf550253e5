import type { WorkerAddress } from '../verifier/worker-client.js'
import type { ServiceStore } from './hearing-ledger.js'

/** What reading a session takes, in either way to serve the auth routes. */
interface ReaderConfig {
  /** Ask the service about the session each time, whose word on its end is the last. Default `false`. */
  readonly online?: boolean
  /** How soon a session that was ended elsewhere is refused here. */
  readonly revocation?: {
    /** Seconds, 10 to 3600. Default 15. */
    readonly maxDelay?: number
  }
}

/** The auth routes are answered by the Worker. */
interface WorkerServiceConfig extends ReaderConfig {
  /** The Worker: its URL with the base path, or a service binding. Default: `AUTH_WORKER_URL`. */
  readonly worker?: WorkerAddress
  /** The Worker's public keys, a JWKS. Default: `AUTH_PUBLIC_KEYS`, or what the Worker publishes. */
  readonly publicKeys?: unknown
  /** The Worker's base path, where its address does not say. Default `/auth`. */
  readonly basePath?: string
  readonly providers?: never
}

/**
 * The auth routes are answered by this process.
 *
 * @typeParam Core the configuration of the service itself
 */
export type InProcessConfigOf<Core> = Omit<Core, 'raw' | 'basePath'> &
  ReaderConfig & {
    /** Default: where the auth routes are mounted, and `/auth` at the root. */
    readonly basePath?: string
    readonly worker?: never
    readonly publicKeys?: never
  }

/** The auth routes are answered by the Worker, to which they are forwarded. */
export type ForwardedConfigOf<Core> = WorkerServiceConfig &
  Pick<Core, keyof Core & ('secret' | 'trustHost' | 'trustedOrigins' | 'cookies' | 'logger')>

/** The configuration of the service without `raw`, or `worker` in the place of `providers`. */
export type HostConfigOf<Core> = InProcessConfigOf<Core> | ForwardedConfigOf<Core>

/** What a host reads of a configuration. What else is in it is the service's. */
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
  readonly session?: { readonly tokenMaxAge?: number }
  readonly store?: ServiceStore
  readonly ledgerShards?: unknown
  readonly logger?: {
    error?(error: Error): unknown
    warn?(code: string, message: string): unknown
  }
}

/** A configuration, or how to make one from what a framework has for a request. */
// biome-ignore lint/suspicious/noExplicitAny: only the adapter knows what its framework hands over
export type HostConfigSource = HostConfig | ((native: any) => HostConfig | Promise<HostConfig>)
