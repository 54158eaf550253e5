import { APP_HEADER, configurationFailure, PROOF_HEADER, textOf } from '@latchkey/host/shared'
import { createLogger } from '../config/logger.js'
import { isUnknownApp, resolveOrigin } from '../config/origin.js'
import { asConfigurationError } from '../config/resolve-config.js'
import type { AuthError } from '../errors.js'
import type { AppProof } from '../http/forwarded.js'
import { standingOf } from '../http/known-origin.js'
import { AuthRequest, BINDING, type ServiceParts } from '../http/request.js'
import { BadRequest } from '../lib/bad-request.js'
import { deriveKeyRing, type KeyRing } from '../lib/key-ring.js'
import { newReference } from '../lib/reference.js'
import { nearestRegion } from '../session/nearest-region.js'
import type { Stores } from '../stores/ports.js'
import type { RecentRevocations } from '../stores/recent-revocations.js'
import type {
  AuthHandler,
  ConfigSource,
  OfProvider,
  Operations,
  RequestContext,
} from '../types/auth-handler.js'
import type { RawResponse } from '../types/raw-response.js'
import type { AccessToken, AuthConfig, Environment } from '../types.js'
import { type BuiltIn, composeService, type Inspect, type Surroundings } from './compose-service.js'
import { checkedArguments, NO_TOKEN, OPERATIONS, UNAVAILABLE } from './operations.js'
import { PRIVATE, rawResponse, textResponse } from './respond.js'
import { answerRequest } from './routes.js'
import { withSecurityHeaders } from './security-headers.js'

/**
 * The service as a Worker: `createAuth` without a store of its own, for the shipped Worker, which
 * always has its bindings.
 *
 * @param fallbackStore stores sessions when there is neither `config.store` nor an `env`
 * @param inspect called with each configuration once
 * @param builtIn what it has without its configuration; left out: nothing
 */
export function createService<Env extends object>(
  source: ConfigSource<Env>,
  fallbackStore?: () => Stores,
  inspect?: Inspect,
  builtIn?: BuiltIn,
): AuthHandler<Env> {
  const partsOf = serviceParts(source, { fallbackStore, inspect, builtIn })

  async function handle(request: Request, env?: Env, ctx = noContext()): Promise<Response> {
    let parts: ServiceParts
    try {
      const found = partsOf(request, env, ctx)
      parts = 'then' in found ? await found : found
    } catch (failure) {
      return misconfigured(request, failure)
    }
    return serve(request, parts, ctx)
  }

  async function getAccessToken(
    request: Request,
    env?: Env,
    ctx = noContext(),
    of?: OfProvider,
  ): Promise<AccessToken> {
    try {
      const asked = requestOf(request, await partsOf(request, env, ctx), ctx)
      if (!(asked instanceof BadRequest)) {
        return await asked.features.ports.tokens.ofBrowser(asked, of?.provider)
      }
    } catch {
      // Mistakes in a configuration were logged; a wrong origin is the caller's own.
    }
    return UNAVAILABLE
  }

  return {
    fetch: handle,
    getAccessToken,
    ...operatorMethods(partsOf),
    request: (input, init, env, ctx) => {
      const url = input instanceof Request ? input : new URL(input, 'http://localhost')
      return handle(new Request(url, init), env, ctx)
    },
  }
}

/** What a service is made of besides its configuration. */
interface Given {
  readonly fallbackStore: (() => Stores) | undefined
  readonly inspect: Inspect | undefined
  readonly builtIn: BuiltIn | undefined
}

/** The parts of the service that a request's configuration and bindings make. Without a promise if they are known. */
type PartsOf<Env> = (
  request: Request,
  env: Env | undefined,
  ctx: RequestContext,
) => ServiceParts | Promise<ServiceParts>

/** Makes the parts of a service once for each configuration and `env`. */
function serviceParts<Env extends object>(
  source: ConfigSource<Env>,
  { fallbackStore, inspect, builtIn }: Given,
): PartsOf<Env> {
  const services = new WeakMap<AuthConfig, WeakMap<object, ServiceParts>>()
  const keyRing = rememberKeyRings()
  const revocations = new WeakMap<object, RecentRevocations>()
  const noEnv = {}

  /** Returns known parts without a promise, since every request passes here. */
  function partsOf(
    request: Request,
    env: Env | undefined,
    ctx: RequestContext,
  ): ServiceParts | Promise<ServiceParts> {
    const config = configFrom((env ?? noEnv) as Env, request, ctx)
    return 'then' in config
      ? config.then((made) => partsFor(made, env, request))
      : partsFor(config, env, request)
  }

  function partsFor(
    config: AuthConfig,
    env: Env | undefined,
    request: Request,
  ): ServiceParts | Promise<ServiceParts> {
    return services.get(config)?.get(env ?? noEnv) ?? compose(config, env, request)
  }

  async function compose(
    config: AuthConfig,
    env: Env | undefined,
    request: Request,
  ): Promise<ServiceParts> {
    const bindings = env ?? noEnv
    const parts = await composeOrReport(config, {
      env: bindings as Environment,
      fallbackStore: env ? undefined : fallbackStore,
      keyRing,
      revocations,
      inspect,
      builtIn,
      // Requests come from near the isolate that serves them.
      near: nearestRegion(request),
    })
    const byEnv = services.get(config) ?? new WeakMap()
    services.set(config, byEnv.set(bindings, parts))
    return parts
  }

  function configFrom(env: Env, request: Request, ctx: RequestContext) {
    if (typeof source !== 'function') return source
    const failed = (error: unknown): never => {
      throw reported(error, env)
    }
    try {
      const config = source(env, request, ctx)
      // A promise may come from another realm, with another class.
      return 'then' in config ? Promise.resolve(config).catch(failed) : config
    } catch (error) {
      return failed(error)
    }
  }

  return partsOf
}

/** @throws {AuthError} after the config's own logger got it */
export async function composeOrReport(
  config: AuthConfig,
  surroundings: Surroundings,
): Promise<ServiceParts> {
  try {
    return await composeService(config, surroundings)
  } catch (error) {
    throw reported(error, surroundings.env, config.logger)
  }
}

/**
 * @param env only the log's format is read from it, since the configuration itself may be the
 * mistake
 */
function reported(error: unknown, env: object, logger?: AuthConfig['logger']): AuthError {
  const failure = asConfigurationError(error)
  const json = textOf(env as Environment, 'AUTH_LOG') === 'json'
  createLogger(logger, { json }).error(failure, newReference())
  return failure
}

/** Keys by their secrets, so that a config that is made for each request derives none. */
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

/** Outside a Worker the process goes on after the answer, so nothing has to be kept alive. */
export function noContext(): RequestContext {
  return { waitUntil: () => {} }
}

/** The methods that the operator calls on the service, without a request of a browser. */
function operatorMethods<Env extends object>(
  partsOf: PartsOf<Env>,
): Omit<AuthHandler<Env>, 'fetch' | 'request' | 'getAccessToken'> {
  /**
   * Calls a method for the operator of the service, without a request of a browser.
   *
   * @param caller the bindings and the context, which follow the arguments of a method
   */
  async function operate<Answer>(
    caller: readonly unknown[],
    run: (request: AuthRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const [env, ctx = noContext()] = caller as [Env?, RequestContext?]
    const asked = new Request(OPERATOR)
    const parts = await partsOf(asked, env, ctx)
    const { url } = asked
    const request = new AuthRequest(asked, url, parts, new URL(url).origin, (work) =>
      ctx.waitUntil(work),
    )
    request.operator = BINDING
    try {
      return await run(request)
    } catch (error) {
      parts.config.logger.error(error as Error)
      throw error
    }
  }

  // Each is written once, in the feature that has it.
  const methods = Object.entries(OPERATIONS).map(([name, { takes, isSafe }]) => {
    const run = async (...args: unknown[]) => {
      const checked = checkedArguments(name as keyof Operations, args)
      return operate(args.slice(takes.length), (request) =>
        request.features.operate(request, name, checked),
      )
    }
    return [name, isSafe ? (...args: unknown[]) => orNoToken(run(...args)) : run]
  })
  return Object.fromEntries(methods)
}

/** Mistakes in the configuration were logged. */
async function orNoToken(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error) => (error instanceof TypeError ? NO_TOKEN : UNAVAILABLE))
}

/** The arguments of a configuration that is a function. */
const OPERATOR = 'https://operator.invalid/'

export function serve(
  original: Request,
  parts: ServiceParts,
  ctx: RequestContext,
): Response | Promise<Response> {
  const { proofs } = parts.features.ports
  if (!proofs || !original.headers.has(PROOF_HEADER)) {
    return serveAs(undefined, original, parts, ctx)
  }
  return proofs.read(original, parts).then((proof) => serveAs(proof, original, parts, ctx))
}

function serveAs(
  proof: AppProof | undefined,
  original: Request,
  parts: ServiceParts,
  ctx: RequestContext,
): Response | Promise<Response> {
  const request = requestOf(original, parts, ctx, proof)
  if (request instanceof BadRequest) return refused(original, request)
  const answer = answerRequest(request)
  return original.headers.has(APP_HEADER) ? introduced(request, answer) : answer
}

/** Tells an app that forwards, and asks, that its origin is not known here: its owner reads another log than ours. */
async function introduced(
  request: AuthRequest,
  answer: Response | Promise<Response>,
): Promise<Response> {
  const { original, origin, config } = request
  const response = await answer
  // Under a name that only a wildcard covers no sign-in begins either.
  const isUnknown =
    standingOf(request) === 'claimed' || isUnknownApp(original, origin, config.origin)
  if (isUnknown) {
    response.headers.set(APP_HEADER, 'unknown')
    // Not so for an app of this origin that proves itself.
    response.headers.set('cache-control', PRIVATE)
  }
  return response
}

/** @throws {AuthError} instead of an error response */
export async function serveRaw(
  original: Request,
  parts: ServiceParts,
  ctx: RequestContext,
): Promise<RawResponse> {
  const request = requestOf(
    original,
    parts,
    ctx,
    await parts.features.ports.proofs?.read(original, parts),
  )
  if (!(request instanceof BadRequest)) return rawResponse(await answerRequest(request), request)
  return rawResponse(refused(original, request))
}

/** @param failure as it was logged */
export function misconfigured(original: Request, failure: unknown): Response {
  const { reference } = failure as AuthError
  const answer = configurationFailure(original.headers.get('accept'), reference)
  return withSecurityHeaders(answer, isSecure(original))
}

function refused(original: Request, { message, status }: BadRequest): Response {
  return withSecurityHeaders(textResponse(message, status), isSecure(original))
}

/** If our own origin is unknown, the request's address decides. */
function isSecure({ url }: Request): boolean {
  return url.startsWith('https:')
}

function requestOf(original: Request, parts: ServiceParts, ctx: RequestContext, proof?: AppProof) {
  try {
    // Read once, since a runtime may serialize the URL each time.
    const { url, headers } = original
    const origin = resolveOrigin({ url, headers }, parts.config.origin, proof?.origin)
    return new AuthRequest(original, url, parts, origin, (work) => ctx.waitUntil(work), proof)
  } catch (error) {
    // The request has no valid origin.
    if (error instanceof BadRequest) return error
    throw error
  }
}
