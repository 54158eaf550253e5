import type { Endpoint, OAuthUserConfig } from '../types.js'

const ENDPOINTS = ['authorization', 'token', 'userinfo', 'revocation'] as const

/**
 * A preset with its user's options over it: endpoints and `client` are merged member by member and
 * parameter by parameter, everything else is replaced. An option that is `undefined` counts as not
 * given.
 *
 * @example withOptions({ id: 'example', name: 'Example', type: 'oidc', issuer }, options)
 */
export function withOptions<Preset extends OAuthUserConfig<never>>(
  preset: Preset,
  options: OAuthUserConfig<never>,
): Preset {
  const given = Reflect.ownKeys(options).filter((key) => Reflect.get(options, key) !== undefined)
  const merged = Object.fromEntries(given.map((key) => [key, Reflect.get(options, key)]))
  for (const name of ENDPOINTS) {
    const endpoint = mergedEndpoint(preset[name], options[name])
    if (endpoint) merged[name] = endpoint
  }
  if (preset.client && options.client) merged.client = { ...preset.client, ...options.client }
  return { ...preset, ...merged }
}

function mergedEndpoint(preset?: Endpoint, given?: Endpoint): Endpoint | undefined {
  if (!preset || !given) return given
  const params = { ...endpointParts(preset).params, ...endpointParts(given).params }
  return { ...endpointParts(preset), ...endpointParts(given), params }
}

/** An endpoint as its URL and its parameters, in whichever way it was given. */
export function endpointParts(endpoint: Endpoint | undefined): Exclude<Endpoint, string> {
  return typeof endpoint === 'string' ? { url: endpoint } : (endpoint ?? {})
}
