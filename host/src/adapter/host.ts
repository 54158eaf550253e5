import type { Reading } from '@latchkey/session'
import type { Environment } from '../shared/environment.js'
import { AdapterHost } from './adapter-host.js'
import type { HostConfig, HostConfigSource } from './host-config.js'
import type { HostRequest } from './host-request.js'
import type { MountsOptions } from './mounts.js'
import type { Settings } from './settings.js'
import type { Submission } from './submit-form.js'

export interface HostOptions extends MountsOptions {
  /**
   * Log when the service does not answer, since the framework does not show the cause of an error.
   */
  readonly logsAbsence?: boolean
  /**
   * A mount must name the service, by `providers` or a Worker. Otherwise the app may only read
   * sessions.
   */
  readonly needsService?: boolean
  /** Throw for an unusable configuration also if a request has no cookie to read. */
  readonly checksAlways?: boolean
}

/**
 * The common part of every adapter: it answers the auth routes, in this process or from the Worker,
 * and reads sessions. An adapter converts requests and responses, and decides nothing.
 */
export interface Host {
  /**
   * Registers a configuration that serves the auth routes. Readers without one use it while it is
   * the only one.
   *
   * @param env if it is known before a request: mistakes are then thrown at once
   * @throws {AuthError | SecretError | TypeError} when the configuration cannot be used
   */
  mount(source: HostConfigSource, env?: Environment): void
  /**
   * Checks a configuration at the first request, if its environment is not known before.
   */
  start(request: HostRequest): void
  /**
   * The answer to a request for an auth route; `undefined` if the request is for another path or
   * another service: then the app answers it.
   *
   * @throws {WorkerUnavailable} with `status` 503 when the service does not answer, 502 when its
   * answer is invalid
   */
  answer(request: HostRequest): Promise<Response | undefined> | undefined
  /**
   * The session of a request, without a promise for a token that was seen before. Its `setCookie`
   * has lines to pass on, once for each request; {@link Host.finish} has them too.
   *
   * @throws {WorkerUnavailable} rejects when a token must be renewed and the service does not answer
   */
  read(request: HostRequest): Reading | Promise<Reading>
  /**
   * What `submitForm` and `submitUpdate` need to send a form or data of the app's own to the service. Later reads of
   * the same request give the session that holds afterwards.
   *
   * @throws {Refusal} for a request whose host is refused
   */
  submission(request: HostRequest): Promise<Submission>
  /** What a gate for access tokens needs. @throws {AuthError | SecretError | TypeError} as `mount` */
  tokenSource(request: HostRequest): TokenSource | Promise<TokenSource>
  /** Does this very configuration serve the auth routes? */
  serves(source: object): boolean
  /** Where a request is, for an adapter with pages of its own. @throws as {@link Host.read} */
  locate(request: HostRequest): Promise<Location>
  /**
   * The part of a browser's paths that a proxy has taken off before this app, such as `/app`; empty if there is none. A base
   * path in the configuration that is longer than the mount tells it, else `X-Forwarded-Prefix` of a trusted proxy.
   */
  prefixOf(request: HostRequest): string | Promise<string>
  /** Set-Cookie lines that the answer to a request must have. */
  cookies(request: HostRequest): readonly string[]
  /** Does {@link Host.finish} add headers to the answer by which the browser may bind its session? */
  tells(request: HostRequest): boolean
  /**
   * The app's answer with our cookies, and kept from shared caches. If the app has signed a user in, it has the service's offer
   * to bind the session too.
   *
   * @param isPersonal does it depend on the session?
   */
  finish(request: HostRequest, response: Response, isPersonal: boolean): Response
}

/** The configuration that counts for a request with an access token. */
export interface TokenSource {
  readonly settings: Settings
  /** Does it serve the auth routes too? Then this app's own origin is the issuer. */
  readonly isMounted: boolean
  /** The base path of the auth routes, if it is known. */
  readonly base: string | undefined
}

/** Where a request is. */
export interface Location {
  /** The configuration that counts for it. */
  readonly config: HostConfig
  /** The base path of the auth routes. */
  readonly base: string
  /** The app's public origin; `undefined` if the host is malformed, or not known as this app's. */
  readonly origin: string | undefined
  /** Is it for an auth route? */
  readonly isRoute: boolean
}

/**
 * Makes a host: one for each adapter.
 *
 * @example
 * const host = createHost({ name: 'authHandler', service: inProcess(() => import('@latchkey/worker')) })
 * const answer = await host.answer(request)
 */
export function createHost(options: HostOptions): Host {
  return new AdapterHost(options)
}
