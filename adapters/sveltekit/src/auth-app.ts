import { AuthError } from '@latchkey/session'
import {
  checkService,
  configuredBaseOf,
  type OriginFault,
  OriginWarnings,
  type PublicOrigin,
} from '@latchkey/session/adapter'
import type { RequestEvent } from '@sveltejs/kit'
import { AuthRequest } from './auth-request.js'
import type { Surroundings } from './environment.js'
import { AuthServer } from './in-process.js'
import { ProviderTypes } from './provider-types.js'
import { Readers } from './readers.js'
import { readSettings, type Settings } from './settings.js'
import type { ComponentKitAuthConfig, ConfigSource, KitEvent } from './types.js'

/** What one `ComponentKitAuth` keeps between requests. Nothing of it is one request's. */
export class AuthApp {
  readonly server = new AuthServer()
  readonly providerTypes = new ProviderTypes()
  readonly #source: ConfigSource
  readonly #readers: Readers
  readonly #settings = new WeakMap<ComponentKitAuthConfig, WeakMap<object, Settings>>()
  /** Those that a form action may ask for. */
  readonly #requests = new WeakMap<object, AuthRequest>()
  readonly #warnings = new OriginWarnings()

  /** @throws {AuthError} when two services are named, or a base path that is none */
  constructor(source: ConfigSource) {
    this.#source = source
    const logger = typeof source === 'function' ? undefined : source.logger
    this.#readers = new Readers(this.server, logger?.error && ((fault) => logger.error?.(fault)))
    // What the environment says is not known while the app is built.
    if (typeof source === 'function') return
    checkService(source, { workerUrl: undefined })
    configuredBaseOf(source, undefined)
  }

  /** The request of an event. Kit hands on copies of the event, with the same `locals`. */
  begin(event: KitEvent): AuthRequest {
    const request = new AuthRequest(this, event)
    // A GET has no form, and a WeakMap that grew with every request would cost more than the hook itself.
    if (event.request.method !== 'GET') this.#requests.set(event.locals, request)
    return request
  }

  /** @throws {AuthError} when the hook has not seen it, or it is a GET */
  requestOf({ locals }: KitEvent): AuthRequest {
    const request = this.#requests.get(locals)
    if (request) return request
    throw new AuthError(
      'The form actions need a form that was posted, and the hook: export `handle` of the same ComponentKitAuth from src/hooks.server.ts.',
    )
  }

  async settingsOf(event: KitEvent, surroundings: Surroundings): Promise<Settings> {
    const source = this.#source
    const config = typeof source === 'function' ? await source(event as RequestEvent) : source
    const known = this.#settings.get(config)?.get(surroundings.env)
    if (known) return known
    const settings = readSettings(config, surroundings, this.#readers)
    const byEnv = this.#settings.get(config) ?? new WeakMap()
    this.#settings.set(config, byEnv.set(surroundings.env, settings))
    return settings
  }

  /** Of what the origin of a request for the auth routes shows of the settings. */
  warnOf(
    origin: PublicOrigin | OriginFault,
    { request: { headers } }: KitEvent,
    { judge, warn }: Settings,
  ): void {
    this.#warnings.look(origin, judge.fixed, (name) => headers.get(name), warn)
  }
}
