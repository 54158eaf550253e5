import {
  type Advice,
  isFirstTime,
  isSeen,
  parseAuthUrl,
  statedTwice,
  textOf,
  unknownOptions,
} from '@latchkey/host/shared'
import { isWorkerd } from '@latchkey/session/internal'
import { createLogger } from '../config/logger.js'
import type { ServiceParts } from '../http/request.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthHandler, ConfigSource } from '../types/auth-handler.js'
import type { RawResponse } from '../types/raw-response.js'
import type { AuthConfig } from '../types.js'
import type { BuiltIn, Inspect } from './compose-service.js'
import {
  composeOrReport,
  createService,
  misconfigured,
  noContext,
  serve,
  serveRaw,
} from './create-service.js'

/**
 * `createAuth` of an entry.
 *
 * @param builtIn what services of that entry have without their configuration
 * @param advice what their log says of options of other libraries and of providers
 */
export function createWith<Env extends object>(
  builtIn: BuiltIn,
  source: ConfigSource<Env>,
  advice?: Advice,
): AuthHandler<Env> {
  const inspect = inspector(advice)
  // No log has the lines that a Worker writes before its first request.
  if (typeof source === 'object' && !isWorkerd) inspect(source, createLogger(source.logger).warn)
  return createService(source, processMemory, inspect, builtIn)
}

/**
 * Names each unknown option, and a base path that is set twice. Each is named once, however often
 * the configuration is made.
 */
function inspector(advice?: Advice): Inspect {
  const ofService = {}
  return (config, warn, env = {}) => {
    // An adapter has already inspected the configuration that it completed, and has set the base path itself.
    if (isSeen(config)) return
    const unknown = unknownOptions(config, advice).map((line) => ['unknown-option', line] as const)
    const url = textOf(env, 'AUTH_URL')
    const twice = url && statedTwice(config.basePath, parseAuthUrl(url).basePath)
    for (const [code, line] of twice ? [...unknown, twice] : unknown) {
      if (isFirstTime(ofService, line)) warn(code, line)
    }
  }
}

/** `Auth` of an entry: answers one request with the given config. */
export async function answerWith(
  builtIn: BuiltIn,
  request: Request,
  config: AuthConfig,
  advice?: Advice,
): Promise<Response | RawResponse> {
  const made = partsByConfig.get(builtIn) ?? new WeakMap()
  partsByConfig.set(builtIn, made)
  let parts = made.get(config)
  if (!parts) {
    try {
      parts = await composeOrReport(config, {
        env: NO_ENV,
        fallbackStore: processMemory,
        inspect: inspector(advice),
        builtIn,
      })
    } catch (failure) {
      if (config.raw) throw failure
      return misconfigured(request, failure)
    }
    made.set(config, parts)
  }
  return (config.raw ? serveRaw : serve)(request, parts, noContext())
}

/** One object for all configs, since networks are counted by it. */
const NO_ENV = {}

/** The parts made for each config; they are collected together with the caller's config object. */
const partsByConfig = new WeakMap<BuiltIn, WeakMap<AuthConfig, ServiceParts>>()

/** The store if none is configured: its records are sealed with their own config's secret. */
function processMemory(): Stores {
  memory ??= memoryStore()
  return memory
}

let memory: Stores | undefined
