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

/** Bindings and variables as one, by the bindings. */
const merged = new WeakMap<object, Environment>()
const NO_VARIABLES: Environment = {}

/** Where a request runs. */
export class Surroundings {
  /** The same object for the same bindings. */
  readonly env: Environment
  /** On Cloudflare requests are routed by their host: nobody can make one up. */
  readonly isCloudflare: boolean
  /** Keeps on what goes on after the answer. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined

  constructor({ platform }: Pick<KitEvent, 'platform'>) {
    const { env: bindings, ctx, context } = (platform ?? {}) as Platform
    const lifetime = ctx ?? context
    const hasBindings = typeof bindings === 'object' && bindings !== null
    this.env = hasBindings ? mergedWith(bindings, processEnv()) : processEnv()
    this.isCloudflare = hasBindings && typeof lifetime?.waitUntil === 'function'
    this.waitUntil = lifetime && ((work) => lifetime.waitUntil(work))
  }

  /** Asked only where it matters: a process looks each of its variables up anew. */
  get isDevelopment(): boolean {
    return this.env.NODE_ENV === 'development'
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
