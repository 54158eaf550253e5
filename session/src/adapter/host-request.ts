import type { Environment } from '../internal/environment.js'
import type { WaitUntil } from '../verifier/refresher.js'
import type { HostConfigSource } from './host-config.js'

/**
 * One request, as a framework has it. Members are asked for when they are needed: make them getters,
 * since most requests are told apart by two of them.
 */
export interface HostRequest {
  /** What the framework hands around for this request: one object for all that is asked about it. */
  readonly native: object
  /** The configuration that it is about. `undefined`: that of the one mount, or the environment. */
  readonly source: HostConfigSource | undefined
  /** The same object for the same variables and bindings. */
  readonly env: Environment
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  /** The path that the framework routes by. */
  readonly path: string
  /** The part of it at which the auth routes are mounted, where that is not the root. */
  readonly mount?: string | undefined
  /** The Cookie header, as it was sent. */
  readonly cookie: string | null | undefined
  /** By its name in small letters. */
  header(name: string): string | null | undefined
  /** `http` or `https`, by the connection alone. */
  readonly scheme: string
  /** The host that was asked for, which anybody can make up. */
  readonly host: string
  /** The platform routes by the host, or somebody has said that it is this app's. */
  readonly isHostKnown?: boolean
  /** The framework's own word that the request came from a proxy whose headers may be believed. */
  readonly isFromProxy?: boolean
  /** The client's address, where it is known for sure. */
  readonly client?: string | undefined
  /** Where a request's work ends with its answer. */
  readonly waitUntil?: WaitUntil | undefined
  /** Has the client gone? Nobody is left to be told then. */
  readonly isGone: boolean
  /** What goes on to the service. */
  message(): HostMessage | Promise<HostMessage>
}

export interface HostMessage {
  readonly method: string
  /** Names in small letters. */
  readonly headers: Iterable<readonly [string, string]>
  readonly body: BodyInit | null
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** The app cannot have the body any more once the service was asked. */
  readonly isSpent?: () => boolean
}
