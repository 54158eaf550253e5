import { parseAuthUrl, parseBasePath, textOf } from '@latchkey/host/shared'
import { checkedSecret } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../../errors.js'
import { createSealer, type Sealer } from '../../lib/seal.js'
import type { Environment } from '../../types.js'

/** The service whose redirect URIs are registered with the providers, in the place of a preview's. */
export interface RedirectProxy {
  readonly origin: string
  /** Origin and base path. */
  readonly issuer: string
  /** Seals what a preview asks it for. Made at its first use. */
  readonly sealer: () => Promise<Sealer>
}

/**
 * `AUTH_REDIRECT_PROXY_URL`; `undefined`: not set.
 *
 * @param basePath of this service, if the URL names none
 * @param secrets of this service, if `AUTH_REDIRECT_PROXY_SECRET` is not set
 * @throws {InvalidConfiguration} the URL is invalid, or the secret is too short or can be guessed
 */
export function resolveRedirectProxy(
  env: Environment,
  basePath: string,
  secrets: () => readonly string[],
  now: () => number,
): RedirectProxy | undefined {
  const url = textOf(env, 'AUTH_REDIRECT_PROXY_URL')
  if (url === undefined) return undefined
  const proxy = parseAuthUrl(url, 'AUTH_REDIRECT_PROXY_URL')
  const own = secretIn(env)
  let sealer: Promise<Sealer> | undefined
  return {
    origin: proxy.origin,
    issuer: proxy.origin + parseBasePath(proxy.basePath ?? basePath),
    sealer: () => {
      sealer ??= createSealer(own === undefined ? secrets() : [own], 'preview', now)
      return sealer
    },
  }
}

function secretIn(env: Environment): string | undefined {
  const secret = textOf(env, 'AUTH_REDIRECT_PROXY_SECRET')
  try {
    return secret && checkedSecret('AUTH_REDIRECT_PROXY_SECRET', secret)
  } catch (error) {
    throw new InvalidConfiguration((error as Error).message)
  }
}
