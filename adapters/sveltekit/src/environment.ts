import type { Environment } from '@latchkey/session/adapter'
import type { KitEvent } from './types.js'

/** What Cloudflare's adapter gives to a request. */
interface Platform {
  readonly env?: unknown
  readonly ctx?: Lifetime
  /** The name in earlier versions. */
  readonly context?: Lifetime
}

interface Lifetime {
  waitUntil(work: Promise<unknown>): void
}

/** Where a request runs. */
export interface Surroundings {
  /** The same object for the same bindings. */
  readonly env: Environment
  /** On Cloudflare requests are routed by their host: nobody can make one up. */
  readonly isCloudflare: boolean
  readonly isDevelopment: boolean
  /** Keeps on what goes on after the answer. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
}

/** Bindings and variables as one, by the bindings. */
const merged = new WeakMap<object, Environment>()
const NO_VARIABLES: Environment = {}

export function surroundingsOf({ platform }: Pick<KitEvent, 'platform'>): Surroundings {
  const { env: bindings, ctx, context } = (platform ?? {}) as Platform
  const lifetime = ctx ?? context
  const hasBindings = typeof bindings === 'object' && bindings !== null
  const env = hasBindings ? mergedWith(bindings, processEnv()) : processEnv()
  return {
    env,
    isCloudflare: hasBindings && typeof lifetime?.waitUntil === 'function',
    isDevelopment: env.NODE_ENV === 'development',
    waitUntil: lifetime && ((work) => lifetime.waitUntil(work)),
  }
}

function mergedWith(bindings: object, variables: Environment): Environment {
  const known = merged.get(bindings)
  if (known) return known
  const both = { ...variables, ...bindings }
  merged.set(bindings, both)
  return both
}

/** There is none in a Worker without Node's compatibility. */
function processEnv(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } }
  return process?.env ?? NO_VARIABLES
}
