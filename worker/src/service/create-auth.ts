import {
  isSeen,
  isWorkerd,
  parseAuthUrl,
  statedTwice,
  textOf,
  unknownOptions,
} from '@latchkey/session/internal'
import { createLogger } from '../config/logger.js'
import type { ServiceParts } from '../http/request.js'
import type { raw } from '../lib/symbols.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthHandler, ConfigSource } from '../types/auth-handler.js'
import type { RawResponse } from '../types/raw-response.js'
import type { AuthConfig, Environment } from '../types.js'
import type { Inspect } from './compose-service.js'
import {
  composeOrReport,
  createService,
  misconfigured,
  noContext,
  serve,
  serveRaw,
} from './create-service.js'

/**
 * The auth service as a Worker. A function config is read for each request, from that request's
 * bindings; keys and providers are made once for the same config and `env`, so return the same
 * object where you can.
 *
 * A configuration that cannot be used is logged by name and answered with 500. An option that is not known
 * is a warning with its path.
 *
 * @example
 * export default createAuth((env: Env) => ({ basePath: '/auth', providers: [videoapp()] }))
 */
export function createAuth<Env extends object = Environment>(
  source: ConfigSource<Env>,
): AuthHandler<Env> {
  const inspect = inspector()
  // What a Worker writes before its first request is in no log.
  if (typeof source === 'object' && !isWorkerd) inspect(source, createLogger(source.logger).warn)
  return createService(source, processMemory, inspect)
}

/** Names each option that is not known, and a base path that is said twice: once, however often it is made. */
function inspector(): Inspect {
  const told = new Set<string>()
  return (config, warn, env = {}) => {
    // What an adapter has completed it has looked at, and the base path is its own.
    if (isSeen(config)) return
    const unknown = unknownOptions(config, 'service').map(
      (line) => ['unknown-option', line] as const,
    )
    const url = textOf(env, 'AUTH_URL')
    const twice = url && statedTwice(config.basePath, parseAuthUrl(url).basePath)
    for (const [code, line] of twice ? [...unknown, twice] : unknown) {
      if (told.has(line) || told.size >= MAX_TOLD) continue
      told.add(line)
      warn(code, line)
    }
  }
}

/** A configuration that is made of requests has names without end. */
const MAX_TOLD = 200

/**
 * Answers one request with the given config. Without `config.store` sessions are kept in this
 * process's memory, which is for tests and single processes only.
 *
 * @returns with `raw` a {@link RawResponse}; errors are thrown then
 * @example const response = await Auth(request, { providers, secret, basePath: '/auth' })
 */
export function Auth(
  request: Request,
  config: AuthConfig & { readonly raw: typeof raw },
): Promise<RawResponse>
export function Auth(request: Request, config: AuthConfig): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | RawResponse> {
  let parts = known.get(config)
  if (!parts) {
    try {
      parts = await composeOrReport(config, {
        env: NO_ENV,
        fallbackStore: processMemory,
        inspect: inspector(),
      })
    } catch (failure) {
      if (config.raw) throw failure
      return misconfigured(request, failure)
    }
    known.set(config, parts)
  }
  return (config.raw ? serveRaw : serve)(request, parts, noContext())
}

/** One object for all configs, since networks are counted by it. */
const NO_ENV = {}

/** The parts made for each config; they are collected together with the caller's config object. */
const known = new WeakMap<AuthConfig, ServiceParts>()

/** The store where none is configured: its records are sealed with their own config's secret. */
function processMemory(): Stores {
  memory ??= memoryStore()
  return memory
}

let memory: Stores | undefined
