import { type Environment, readVariables } from '../internal/environment.js'
import type { HostConfigSource } from './host-config.js'
import { Mounted, type MountedOptions } from './mounted.js'

export interface MountsOptions extends MountedOptions {
  /**
   * A reader without a configuration uses the environment first, and the one mount only where that
   * has the same secret or none. Otherwise the mount comes first.
   */
  readonly isEnvironmentFirst?: boolean
}

/** The number of configurations that a new one is compared with. */
const MAX_RECENT = 16

/** Finds the state of a configuration. */
export class Mounts {
  readonly #options: MountsOptions
  readonly #known = new WeakMap<object, Mounted>()
  /** Of configurations that readers pass, perhaps a new one for each request. */
  readonly #told = new Set<string>()
  /** The recent ones, for configurations that are created anew for each request. */
  readonly #recent: Mounted[] = []
  /** The only one that serves the auth routes; `null` when there are several. */
  #only: Mounted | null | undefined
  readonly #ofEnvironment = new WeakMap<Environment, Mounted>()
  /** The choice for readers without a configuration, and the values that it depends on. */
  #default:
    | { readonly env: Environment; readonly only: unknown; readonly mounted: Mounted }
    | undefined

  constructor(options: MountsOptions) {
    this.#options = options
  }

  /** For a configuration that serves the auth routes. */
  add(source: HostConfigSource): Mounted {
    const mounted = this.#known.get(source) ?? this.#keep(new Mounted(source, this.#options))
    this.#only = this.#only === undefined || this.#only === mounted ? mounted : null
    return mounted
  }

  /** For a reader, which may pass a copy, such as `{ ...config, online: true }`, or nothing. */
  of(source: HostConfigSource | undefined, env: Environment): Mounted {
    if (source === undefined) return this.#defaultIn(env)
    const known = this.#known.get(source)
    if (known) return known
    const original = this.#recent.find((it) => isSame(it.source, source))
    if (!original) return this.#keep(new Mounted(source, this.#options, this.#told))
    const copy = new Mounted(source, this.#options, this.#told, original)
    // Not added to the recent ones: each copy would keep the previous one alive.
    this.#known.set(source, copy)
    return copy
  }

  #keep(mounted: Mounted): Mounted {
    this.#known.set(mounted.source, mounted)
    if (this.#recent.unshift(mounted) > MAX_RECENT) this.#recent.pop()
    return mounted
  }

  #defaultIn(env: Environment): Mounted {
    const only = this.#only
    if (this.#default?.env === env && this.#default.only === only) return this.#default.mounted
    const mounted = only && this.#isMeant(only, env) ? only : this.#environmentIn(env)
    this.#default = { env, only, mounted }
    return mounted
  }

  #isMeant(mounted: Mounted, env: Environment): boolean {
    if (!this.#options.isEnvironmentFirst) return true
    const { workerUrl, publicKeys, secrets } = readVariables(env)
    if (workerUrl !== undefined || publicKeys !== undefined) return false
    return secrets.length === 0 || secrets.join('\n') === mounted.secretsIn(env)?.join('\n')
  }

  #environmentIn(env: Environment): Mounted {
    const mounted = this.#ofEnvironment.get(env) ?? new Mounted({}, this.#options)
    this.#ofEnvironment.set(env, mounted)
    return mounted
  }
}

/** Do they differ only in `online`? */
function isSame(one: HostConfigSource, other: HostConfigSource): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof typeof one>
  names.delete('online')
  return [...names].every((name) => one[name] === other[name])
}
