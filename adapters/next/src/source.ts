import { type HostRequest, InvalidConfiguration } from '@latchkey/host'
import type { NextRequest } from 'next/server.js'
import type { ConfigSource, NextAuthConfig } from './types.js'

type HostSource = NonNullable<HostRequest['source']>
type HostConfig = Exclude<HostSource, (...all: never[]) => unknown>

/** The app's configurations, by what the host gets of them. */
const originals = new WeakMap<object, NextAuthConfig>()
const known = new WeakMap<NextAuthConfig, HostConfig>()

/** The configuration of the app behind one of the host's. */
export function configFor(config: object): NextAuthConfig {
  return originals.get(config) ?? (config as NextAuthConfig)
}

/** The configuration for the host, read at the first request: a build has no variables. */
export function hostSource(
  given: ConfigSource,
  requestOf: (native: object) => NextRequest | undefined,
): HostSource {
  if (typeof given !== 'function') return isEdge() ? () => hostConfig(given) : hostConfig(given)
  return async (native: object) => hostConfig(await given(requestOf(native)))
}

/** Without the options that are this adapter's alone: the service would name them as unknown. */
function hostConfig(config: NextAuthConfig): HostConfig {
  refuseAtEdge(config)
  const before = known.get(config)
  if (before) return before
  const { authorized, ...callbacks }: NonNullable<NextAuthConfig['callbacks']> & object =
    config.callbacks ?? {}
  const { signIn, ...pages }: { readonly signIn?: string } = config.pages ?? {}
  const isForwarded = config.providers === undefined
  const own: Record<string, unknown> = { ...config }
  if (config.callbacks) own.callbacks = callbacks
  if (isForwarded && config.pages) own.pages = pages
  for (const name of ['callbacks', 'pages']) {
    const value = own[name]
    if (isForwarded && value && Object.keys(value).length === 0) delete own[name]
  }
  known.set(config, own)
  originals.set(own, config)
  return own
}

/**
 * The edge runtime of a proxy has no store of the process: it would take each session for one that has ended.
 *
 * @throws {InvalidConfiguration}
 */
function refuseAtEdge(config: NextAuthConfig): void {
  if (!isEdge() || config.providers === undefined || config.store) return
  throw new InvalidConfiguration(
    "The edge runtime has none of the app's stores, so sessions cannot be renewed there: add `runtime: 'nodejs'` to the `config` of middleware.ts, or configure `worker`.",
  )
}

/** Written out, since Next's compiler puts the value here. */
function isEdge(): boolean {
  return process.env.NEXT_RUNTIME === 'edge'
}
