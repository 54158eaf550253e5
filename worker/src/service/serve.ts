import { HTTPException } from 'hono/http-exception'
import { deriveKeyRing, type KeyRing } from '../config/key-ring.js'
import { createLogger } from '../config/logger.js'
import { resolveOrigin } from '../config/origin.js'
import {
  asConfigurationError,
  type ResolvedConfig,
  resolveConfig,
  type Surroundings,
} from '../config/resolve-config.js'
import type { AuthError } from '../errors.js'
import type { RequestScope } from '../http/scope.js'
import { accessTokenFor } from '../provider-tokens/access-token.js'
import type { RecentRevocations } from '../session/recent-revocations.js'
import type { Stores } from '../stores/ports.js'
import type { AuthHandler, ConfigSource, RequestContext } from '../types/auth-handler.js'
import type { AccessToken, AuthConfig, Environment } from '../types.js'
import { answerRequest } from './routes.js'

/**
 * The service as a Worker: what `createAuth` is made of, without a store of its own. The shipped
 * Worker, which always has its bindings, need not carry one.
 *
 * @param fallbackStore where sessions are kept when there is neither `config.store` nor an `env`
 */
export function createService<Env extends object>(
  source: ConfigSource<Env>,
  fallbackStore?: Stores,
): AuthHandler<Env> {
  const resolved = new WeakMap<AuthConfig, WeakMap<object, ResolvedConfig>>()
  const keyRing = rememberKeyRings()
  const revocations = new WeakMap<object, RecentRevocations>()
  const noEnv = {}

  async function configOf(request: Request, env: Env | undefined, ctx: RequestContext) {
    const bindings = env ?? noEnv
    const config = await configFrom(bindings as Env, request, ctx)
    const known = resolved.get(config)?.get(bindings)
    if (known) return known
    const fresh = await resolveOrReport(config, {
      env: bindings as Environment,
      fallbackStore: env ? undefined : fallbackStore,
      keyRing,
      revocations,
    })
    const byEnv = resolved.get(config) ?? new WeakMap()
    resolved.set(config, byEnv.set(bindings, fresh))
    return fresh
  }

  async function configFrom(env: Env, request: Request, ctx: RequestContext) {
    try {
      return typeof source === 'function' ? await source(env, request, ctx) : source
    } catch (error) {
      throw reported(error)
    }
  }

  async function handle(request: Request, env?: Env, ctx = noContext()): Promise<Response> {
    let config: ResolvedConfig
    try {
      config = await configOf(request, env, ctx)
    } catch {
      return configurationFailure()
    }
    return serve(request, config, ctx)
  }

  async function getAccessToken(
    request: Request,
    env?: Env,
    ctx = noContext(),
  ): Promise<AccessToken> {
    try {
      const scope = scopeOf(request, await configOf(request, env, ctx), ctx)
      return await accessTokenFor(scope)
    } catch {
      // What is wrong with a configuration was logged; an origin is the caller's own.
      return { ok: false, reason: 'unavailable' }
    }
  }

  return {
    fetch: handle,
    getAccessToken,
    request: (input, init, env, ctx) => {
      const url = input instanceof Request ? input : new URL(input, 'http://localhost')
      return handle(new Request(url, init), env, ctx)
    },
  }
}

/** @throws {AuthError} which the config's own logger has been told of */
export async function resolveOrReport(
  config: AuthConfig,
  surroundings: Surroundings,
): Promise<ResolvedConfig> {
  try {
    return await resolveConfig(config, surroundings)
  } catch (error) {
    throw reported(error, config.logger)
  }
}

function reported(error: unknown, logger?: AuthConfig['logger']): AuthError {
  const failure = asConfigurationError(error)
  createLogger(logger).error(failure)
  return failure
}

export async function serve(
  request: Request,
  config: ResolvedConfig,
  ctx: RequestContext,
): Promise<Response> {
  let scope: RequestScope
  try {
    scope = scopeOf(request, config, ctx)
  } catch (error) {
    if (error instanceof HTTPException) return error.getResponse()
    throw error
  }
  const response = await answerRequest(request, scope)
  if (request.method !== 'HEAD') {
    for (const cookie of scope.setCookies) response.headers.append('set-cookie', cookie)
  }
  // Nearly every answer depends on a cookie; the few that may be cached say so themselves.
  if (scope.setCookies.length > 0 || !response.headers.has('cache-control')) {
    response.headers.set('cache-control', 'private, no-store')
  }
  return response
}

/** @throws {HTTPException} when the request's origin cannot be told */
function scopeOf(request: Request, config: ResolvedConfig, ctx: RequestContext): RequestScope {
  const origin = resolveOrigin(request, config.origin)
  const { pathname, searchParams } = new URL(request.url)
  return {
    config,
    request,
    origin,
    issuer: origin + config.basePath,
    path: pathBelow(config.basePath, pathname),
    query: searchParams,
    cookieHeader: request.headers.get('cookie'),
    secure: origin.startsWith('https:'),
    setCookies: [],
    waitUntil: (work) => ctx.waitUntil(work),
  }
}

/** Matched as raw text. The router would decode a parameter, and overlook a slash at the end. */
function pathBelow(base: string, pathname: string): string {
  const isBelow = pathname.startsWith(`${base}/`) && !/%|\/$/.test(pathname)
  return isBelow ? pathname.slice(base.length) : '//'
}

/** Keys by their secrets, so that a config that is made anew for each request derives none. */
function rememberKeyRings(): NonNullable<Surroundings['keyRing']> {
  const rings = new Map<string, KeyRing>()
  return async (secrets, now) => {
    const name = JSON.stringify(secrets)
    const known = rings.get(name)
    if (known) return known
    const ring = await deriveKeyRing(secrets, now)
    if (rings.size >= 8) rings.clear()
    rings.set(name, ring)
    return ring
  }
}

export function configurationFailure(): Response {
  const text = 'Sign-in is not configured correctly. The reason is in the log of the service.'
  return new Response(text, { status: 500, headers: { 'cache-control': 'no-store' } })
}

/** Outside a Worker nothing ends the process when the answer is sent. */
export function noContext(): RequestContext {
  return { waitUntil: () => {} }
}
