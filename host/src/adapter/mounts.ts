import { AuthError } from '@latchkey/session'
import { type Environment, readVariables } from '../shared/environment.js'
import { unknownOfAdapter } from '../shared/option-advice.js'
import type { HostConfig, HostConfigSource } from './host-config.js'
import type { HostRequest } from './host-request.js'
import type { ServiceProcess } from './in-process.js'
import { Introduction } from './introduction.js'
import { OriginWarnings, WarnOnce, warnBy } from './origin-warnings.js'
import type { Share } from './process-state.js'
import { ProviderTypes } from './provider-types.js'
import { Readers } from './readers.js'
import { readOnline, readSettings, type Settings, type SettingsParts } from './settings.js'

export interface MountOptions
  extends Pick<
    SettingsParts,
    | 'name'
    | 'root'
    | 'home'
    | 'isTrustedPlatform'
    | 'isDevelopment'
    | 'keyHint'
    | 'wholeEntry'
    | 'fetch'
  > {
  /**
   * `ofProcess` for a framework that makes several copies of its modules in one process: they share stores, keys and
   * endings.
   */
  readonly share?: Share
  /** The service in this process: `inProcess(…)`. Absent: the app can only forward, and has no code of the service. */
  readonly service?: (name: string, share?: Share) => ServiceProcess
}

const newWarnings = () => new WarnOnce()
const newReaders = () => new Readers()

/** The state between requests for one configuration, or for one function that makes them. */
export class MountState {
  readonly source: HostConfigSource
  readonly warnings = new OriginWarnings()
  readonly introduction = new Introduction()
  readonly providerTypes = new ProviderTypes()
  readonly #original: MountState | undefined
  #base: string | undefined
  #mount: string | undefined
  readonly #parts: SettingsParts
  readonly #given: WarnOnce
  readonly #settingsByConfig = new WeakMap<HostConfig, WeakMap<Environment, Settings>>()
  /** Configurations that a function made, one for each request. */
  readonly #made = new WeakMap<object, Promise<Settings>>()
  #env: Environment | undefined
  #settings: Settings | undefined

  /**
   * @param given the warnings about configurations that were given
   * @param original a configuration that differs only in `online`, if there is one
   */
  constructor(
    source: HostConfigSource,
    options: MountOptions,
    given = options.share?.('warnings', newWarnings) ?? newWarnings(),
    original?: MountState,
  ) {
    this.source = source
    this.#given = given
    this.#original = original
    const process = options.service?.(options.name, options.share)
    const logger = typeof source === 'function' ? undefined : source.logger
    const readers = options.share?.('readers', newReaders) ?? newReaders()
    this.#parts = { ...options, process, logger, readers }
  }

  /** The configuration that the auth routes were mounted with. */
  get served(): HostConfigSource {
    return this.#original?.source ?? this.source
  }

  /** The base path of the first answer, if the mount decides. */
  get base(): string | undefined {
    return this.#original ? this.#original.base : this.#base
  }

  /** The path of the mount as the app sees it, once a request has shown that a proxy takes a part of it off. */
  get mount(): string | undefined {
    return this.#original ? this.#original.mount : this.#mount
  }

  /** Keeps the base path of the first answer. @param mount see {@link MountState.mount} */
  learnBase(base: string, mount?: string): void {
    if (this.#original) this.#original.learnBase(base, mount)
    else {
      this.#base ??= base
      this.#mount ??= mount
    }
  }

  /**
   * The settings, without a promise for a configuration object.
   *
   * @throws {AuthError | SecretError | TypeError} when the configuration cannot be used
   */
  settingsOf(request: Pick<HostRequest, 'env' | 'native'>): Settings | Promise<Settings> {
    const { source } = this
    if (typeof source === 'function') {
      const made = this.#made.get(request.native) ?? this.#make(source, request)
      this.#made.set(request.native, made)
      return made
    }
    if (this.#settings === undefined || this.#env !== request.env) {
      this.#settings = this.settingsIn(source, request.env)
      this.#env = request.env
    }
    return this.#settings
  }

  /** Names each option that is not known. */
  inspect(config: HostConfig): void {
    const warn = warnBy(config.logger)
    for (const line of unknownOfAdapter(config)) {
      this.#given.once('unknown-option', line, warn, line)
    }
  }

  /** The secrets for verifying sessions, if the configuration is an object. */
  secretsIn(env: Environment): readonly string[] | undefined {
    return typeof this.source === 'object' ? this.settingsIn(this.source, env).secrets : undefined
  }

  /** The settings of a configuration that is already made. */
  settingsIn(config: HostConfig, env: Environment): Settings {
    const byEnv = this.#settingsByConfig.get(config) ?? new WeakMap<Environment, Settings>()
    this.#settingsByConfig.set(config, byEnv)
    const settings = byEnv.get(env) ?? this.#read(config, env)
    byEnv.set(env, settings)
    return settings
  }

  #read(config: HostConfig, env: Environment): Settings {
    const original = this.#original?.source
    if (!this.#original || typeof original !== 'object') {
      this.inspect(config)
      const settings = readSettings(config, env, this.#parts)
      if (settings.mistake) {
        const [code, line] = settings.mistake
        this.#given.once(code, line, settings.warn, line)
      }
      return settings
    }
    return readOnline(this.#original.settingsIn(original, env), config.online === true)
  }

  async #make(
    source: Exclude<HostConfigSource, HostConfig>,
    { env, native }: Pick<HostRequest, 'env' | 'native'>,
  ): Promise<Settings> {
    const config = await source(native)
    if (typeof config === 'object' && config !== null) return this.settingsIn(config, env)
    throw new AuthError(`${this.#parts.name} has a function that returns no configuration.`)
  }
}

export interface MountsOptions extends MountOptions {
  /**
   * A reader without a configuration uses the environment first, and the one mount only if that
   * has the same secret or none. Otherwise the mount comes first.
   */
  readonly isEnvironmentFirst?: boolean
}

/** After the adapter's function. */
const SEVERAL =
  'is mounted several times, and a session was read without a configuration: hand it over, or an ended session counts until its token ends.'

/** The number of configurations that a new one is compared with. */
const MAX_RECENT = 16

/** Finds the state of a configuration. */
export class Mounts {
  readonly #options: MountsOptions
  readonly #bySource = new WeakMap<object, MountState>()
  readonly #served = new WeakSet<object>()
  /** For configurations that readers pass, perhaps a new one for each request. */
  readonly #given = new WarnOnce()
  /** The recent ones, for configurations that are created for each request. */
  readonly #recent: MountState[] = []
  /** The only one that serves the auth routes; `null` when there are several. */
  #only: MountState | null | undefined
  readonly #ofEnvironment = new WeakMap<Environment, MountState>()
  #isSaid = false
  /** The choice for readers without a configuration, and the values that it depends on. */
  #default:
    | { readonly env: Environment; readonly only: unknown; readonly mountState: MountState }
    | undefined

  constructor(options: MountsOptions) {
    this.#options = options
  }

  /** For a configuration that serves the auth routes. */
  add(source: HostConfigSource): MountState {
    const mountState =
      this.#bySource.get(source) ?? this.#keep(new MountState(source, this.#options))
    this.#served.add(source)
    this.#only = this.#only === undefined || this.#only === mountState ? mountState : null
    return mountState
  }

  /** For a reader, which may pass a copy, such as `{ ...config, online: true }`, or nothing. */
  of(source: HostConfigSource | undefined, env: Environment): MountState {
    if (source === undefined) return this.#defaultIn(env)
    const state = this.#bySource.get(source)
    if (state) return state
    const original = this.#recent.find((it) => isSame(it.source, source))
    if (!original) return this.#keep(new MountState(source, this.#options, this.#given))
    const copy = new MountState(source, this.#options, this.#given, original)
    // Not added to the recent ones: each copy would keep the previous one alive.
    this.#bySource.set(source, copy)
    return copy
  }

  /** Does this very configuration serve the auth routes? */
  serves(source: object): boolean {
    return this.#served.has(source)
  }

  #keep(mountState: MountState): MountState {
    this.#bySource.set(mountState.source, mountState)
    if (this.#recent.unshift(mountState) > MAX_RECENT) this.#recent.pop()
    return mountState
  }

  #defaultIn(env: Environment): MountState {
    const only = this.#only
    if (this.#default?.env === env && this.#default.only === only) return this.#default.mountState
    const mountState = only && this.#isMeant(only, env) ? only : this.#environmentIn(env)
    this.#default = { env, only, mountState }
    return mountState
  }

  #isMeant(mountState: MountState, env: Environment): boolean {
    if (!this.#options.isEnvironmentFirst) return true
    const { workerUrl, publicKeys, secrets } = readVariables(env)
    if (workerUrl !== undefined || publicKeys !== undefined) return false
    return secrets.length === 0 || secrets.join('\n') === mountState.secretsIn(env)?.join('\n')
  }

  #environmentIn(env: Environment): MountState {
    if (this.#only === null && !this.#isSaid && readVariables(env).workerUrl === undefined) {
      this.#isSaid = true
      warnBy()('several-mounts', `${this.#options.name} ${SEVERAL}`)
    }
    const mountState = this.#ofEnvironment.get(env) ?? new MountState({}, this.#options)
    this.#ofEnvironment.set(env, mountState)
    return mountState
  }
}

/** Do they differ only in `online`? */
function isSame(one: HostConfigSource, other: HostConfigSource): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof typeof one>
  names.delete('online')
  return [...names].every((name) => one[name] === other[name])
}
