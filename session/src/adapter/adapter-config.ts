import type { WorkerAddress } from '../verifier/worker-client.js'

/** What reading a session takes, in either way to serve the auth routes. */
export interface ReaderConfig {
  /** Ask the service about the session each time, whose word on its end is the last. Default `false`. */
  readonly online?: boolean
  /** How soon a session that was ended elsewhere is refused here. */
  readonly revocation?: {
    /** Seconds, 10 to 3600. Default 15. */
    readonly maxDelay?: number
  }
}

/** The auth routes are answered by the Worker. */
export interface WorkerServiceConfig extends ReaderConfig {
  /** The Worker: its URL with the base path, or a service binding. Default: `AUTH_WORKER_URL`. */
  readonly worker?: WorkerAddress
  /** The Worker's public keys, a JWKS. Default: `AUTH_PUBLIC_KEYS`, or what the Worker publishes. */
  readonly publicKeys?: unknown
  /** The Worker's base path, where its address does not say. Default `/auth`. */
  readonly basePath?: string
  readonly providers?: never
}
