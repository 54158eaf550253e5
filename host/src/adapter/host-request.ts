import type { ReadOptions } from '@latchkey/session'
import type { Environment } from '../shared/environment.js'
import type { HostConfigSource } from './host-config.js'

/** Keeps work alive after a request's answer: a Worker's `ctx.waitUntil`. */
export type WaitUntil = NonNullable<ReadOptions['waitUntil']>

/**
 * One request of a framework. Members are read when they are needed: make them getters, since most
 * requests are decided by two members.
 */
export interface HostRequest {
  /** The framework's own object for this request, the same one for all calls. */
  readonly native: object
  /** The configuration for this call. `undefined`: that of the one mount, or the environment. */
  readonly source: HostConfigSource | undefined
  /** Variables and bindings: the same object for the same values. */
  readonly env: Environment
  readonly method: string
  /** Path and query, unchanged. */
  readonly target: string
  /** The path that the framework routes by. */
  readonly path: string
  /** The part of it at which the auth routes are mounted, if that is not the root. */
  readonly mount?: string | undefined
  /**
   * The base path at which the auth routes of a configuration are mounted, if the framework tells it for any
   * request; empty for a mount at the root. `undefined`: the first request for an auth route shows it.
   */
  baseOf?(source: HostConfigSource): string | undefined
  /** The Cookie header. */
  readonly cookie: string | null | undefined
  /** A header by its name in lower case. */
  header(name: string): string | null | undefined
  /** `http` or `https`, by the connection alone. */
  readonly scheme: string
  /** The Host header, which any client can make up. */
  readonly host: string
  /** `routed`: the platform routes by the host; `named`: it is configured as this app's. */
  readonly hostIs?: 'routed' | 'named' | undefined
  /** Does the framework itself say that the request came from a trusted proxy? */
  readonly isFromProxy?: boolean
  /** The advice for the app's owner if the framework takes plain http for https. */
  readonly schemeHint?: string | undefined
  /** The client's address, if it is known reliably. */
  readonly client?: string | undefined
  /** Has the framework or its platform read that address from what its own proxy says? */
  readonly hasReadClient?: boolean | undefined
  /** Keeps work alive after the answer, if the platform would end it. */
  readonly waitUntil?: WaitUntil | undefined
  /** Can the answer have no cookies any more? Left out: it can. */
  readonly takesNoCookies?: boolean
  /** Has the answer been sent, as far as the framework tells? Then a renewed cookie is lost, which is said once. */
  readonly isAnswered?: boolean
  /** Has the client disconnected? Then errors are not reported. */
  readonly isGone: boolean
  /** The message that is passed to the service. */
  message(): HostMessage | Promise<HostMessage>
}

/** A request as the host passes it to the service. */
export interface HostMessage {
  readonly method: string
  /** Names in lower case. */
  readonly headers: Iterable<readonly [string, string]>
  readonly body: BodyInit | null
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Has the body been consumed, so that the app cannot read it any more? */
  readonly isSpent?: () => boolean
}
