import type { Endpoint, OAuthUserConfig } from '../types.js'

const ENDPOINTS = ['authorization', 'token', 'userinfo', 'revocation'] as const

/**
 * A preset with its user's options over it: endpoints and `client` are merged member by member and
 * parameter by parameter, also those in an address's query; everything else is replaced. An option
 * that is `undefined` counts as not given; a parameter that is `undefined` removes the preset's.
 *
 * @example withOptions({ id: 'example', name: 'Example', type: 'oidc', issuer }, options)
 */
export function withOptions<Preset extends OAuthUserConfig<never>>(
  preset: Preset,
  options: OAuthUserConfig<never>,
): Preset {
  const merged: Record<PropertyKey, unknown> = definedMembers(options)
  for (const name of ENDPOINTS) {
    const endpoint = mergedEndpoint(preset[name], options[name])
    if (endpoint) merged[name] = endpoint
  }
  if (preset.client && options.client)
    merged.client = { ...preset.client, ...definedMembers(options.client) }
  return { ...preset, ...merged }
}

function mergedEndpoint(preset?: Endpoint, option?: Endpoint): Endpoint | undefined {
  if (!preset || !option) return option
  const [ours, own] = [endpointParts(preset), endpointParts(option)]
  // The query of the user's own URL counts like parameters.
  const query = URL.parse(own.url ?? '')?.searchParams
  const left = Object.entries(ours.params ?? {}).filter(([name]) => !query?.has(name))
  return { ...ours, ...definedMembers(own), params: { ...Object.fromEntries(left), ...own.params } }
}

/**
 * The address of an instance that a preset's option `baseUrl` names, without a slash at its end; `undefined`
 * where it is not https, or not bare: a query, a fragment or a user would be lost.
 */
export function instanceAt(baseUrl: unknown): string | undefined {
  // Most apps name none, and a text that is not a URL costs a Worker milliseconds at its start:
  // workerd throws an error within.
  if (baseUrl === undefined) return undefined
  const url = URL.parse(String(baseUrl))
  const isBare = url && url.search + url.hash + url.username + url.password === ''
  if (!isBare || url.protocol !== 'https:') return undefined
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** An endpoint as its URL and its parameters, given in either form. */
export function endpointParts(endpoint: Endpoint | undefined): Exclude<Endpoint, string> {
  return typeof endpoint === 'string' ? { url: endpoint } : (endpoint ?? {})
}

/** The members that have a value, symbols too. */
function definedMembers(options: object): Record<PropertyKey, unknown> {
  const keys = Reflect.ownKeys(options).filter((key) => Reflect.get(options, key) !== undefined)
  return Object.fromEntries(keys.map((key) => [key, Reflect.get(options, key)]))
}
