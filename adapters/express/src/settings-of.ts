import { readEnvironment } from '@latchkey/session/adapter'
import { readSettings, type Settings } from './settings.js'
import type { MiddlewareAuthConfig } from './types.js'

const known = new WeakMap<MiddlewareAuthConfig, Settings>()

/** The configurations of late, for those that are written out anew for each request. */
const recent: { readonly config: MiddlewareAuthConfig; readonly settings: Settings }[] = []
const MAX_RECENT = 16

/**
 * The settings of a configuration object, made once for it.
 *
 * @throws when the configuration cannot be used
 */
export function ownSettings(config: MiddlewareAuthConfig): Settings {
  const found = known.get(config)
  if (found) return found
  const settings = readSettings(config, process.env)
  known.set(config, settings)
  if (recent.unshift({ config, settings }) > MAX_RECENT) recent.pop()
  return settings
}

/** The same for a reader, which may hand over a copy, such as `{ ...config, online: true }`. */
export function settingsOf(config: MiddlewareAuthConfig): Settings {
  const found = known.get(config)
  if (found) return found
  const twin = recent.find((it) => isSame(it.config, config))?.settings
  if (!twin) return ownSettings(config)
  const settings = { ...twin, online: config.online === true }
  known.set(config, settings)
  return settings
}

/** Do they differ in nothing but `online`? */
function isSame(one: MiddlewareAuthConfig, other: MiddlewareAuthConfig): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof typeof one>
  names.delete('online')
  return [...names].every((name) => one[name] === other[name])
}

let environment: Settings | undefined
/** The settings of the one `MiddlewareAuth` of this process; `null` when there are several. */
let mounted: Settings | null | undefined

/** Told of every configuration that serves the auth routes. */
export function announce(settings: Settings): void {
  const isSameOne = mounted?.verifier === settings.verifier
  mounted = mounted === undefined || isSameOne ? settings : null
}

/**
 * What the environment says. Where it has the same secret as the only `MiddlewareAuth` of this
 * process, or none at all, that one's settings serve, which can have a session renewed.
 *
 * @throws when it says too little
 */
export function environmentSettings(): Settings {
  environment ??= mounted && isMeant(mounted) ? mounted : readSettings({}, process.env)
  return environment
}

function isMeant({ secrets }: Settings): boolean {
  const { workerUrl, publicKeys, secrets: own } = readEnvironment(process.env)
  if (workerUrl !== undefined || publicKeys !== undefined) return false
  return own.length === 0 || own.join('\n') === secrets.join('\n')
}
