import type { SandboxClient } from './clients.js'
import { repeatedName } from './form.js'
import { parseScopes, type Scope } from './scopes.js'

/** A request that may be shown to a person. */
interface AuthorizeRequest {
  readonly client: SandboxClient
  readonly redirectUri: string
  readonly state: string
  readonly scopes: readonly Scope[]
  readonly challenge: string
}

export type AuthorizeCheck =
  | { readonly kind: 'ask'; readonly request: AuthorizeRequest }
  /** Shown here and never sent on: nothing proves yet that the address belongs to the client. */
  | { readonly kind: 'page'; readonly error: string; readonly reason: string }
  | { readonly kind: 'redirect'; readonly error: string; readonly location: string }

/** `encodeURIComponent` leaves `!'()*` as they are; the real server encodes them. */
const encode = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The redirect URI with parameters. It has no query of its own: registration refuses one. */
export const redirectTo = (uri: string, params: Readonly<Record<string, string>>): string =>
  `${uri}?${Object.entries(params)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&')}`

const challengeShape = {
  base64url: { pattern: /^[\w-]{43}$/, words: 'base64url, 43 characters' },
  hex: { pattern: /^[0-9a-f]{64}$/, words: 'lower-case hex, 64 characters' },
}

const clientKeyReason = (value: string): string => {
  if (value === '') return 'client_key is missing (it is not called client_id here).'
  if (value === 'undefined' || value === 'null') {
    return `client_key is the text "${value}": the app did not find its key.`
  }
  return `client_key "${value}" is not registered.`
}

const whereRegistered =
  'Start the sandbox with the address of your app: npm run sandbox -- http://localhost:4000. npm start adds the local apps in AUTH_TRUSTED_ORIGINS. For another path or host set SANDBOX_REDIRECT_URIS.'

/** Every rule of the authorize endpoint, in the order in which it is safe to report them. */
export const checkAuthorize = (
  params: URLSearchParams,
  clients: ReadonlyMap<string, SandboxClient>,
): AuthorizeCheck => {
  const page = (error: string, reason: string): AuthorizeCheck => ({ kind: 'page', error, reason })

  const repeated = repeatedName(params)
  if (repeated !== undefined) return page('invalid_request', `"${repeated}" is given twice.`)
  if (params.has('client_secret')) {
    return page('invalid_request', 'client_secret must never be in a URL that a browser sees.')
  }
  const clientKey = params.get('client_key') ?? ''
  const client = clients.get(clientKey)
  if (!client) return page('invalid_client', clientKeyReason(clientKey))
  const redirectUri = params.get('redirect_uri') ?? ''
  if (!client.redirectUris.includes(redirectUri)) {
    return page(
      'invalid_request',
      redirectUri === ''
        ? 'redirect_uri is missing.'
        : `redirect_uri "${redirectUri}" is not registered for this client, character by character. ${whereRegistered}`,
    )
  }
  const state = params.get('state') ?? ''
  if (state === '') return page('invalid_request', 'state is missing.')

  const refuse = (error: string, reason: string): AuthorizeCheck => ({
    kind: 'redirect',
    error,
    location: redirectTo(redirectUri, { error, error_description: reason, state }),
  })
  if (params.get('response_type') !== 'code') {
    return refuse('unsupported_response_type', 'response_type must be code')
  }
  const scope = params.get('scope') ?? ''
  if (scope === '') return refuse('invalid_scope', 'scope is missing')
  const parsed = parseScopes(scope)
  if (!parsed.ok) return refuse('invalid_scope', parsed.reason)
  const challenge = params.get('code_challenge') ?? ''
  if (challenge === '') return refuse('invalid_request', 'code_challenge is missing')
  if (params.get('code_challenge_method') !== 'S256') {
    return refuse('invalid_request', 'code_challenge_method must be S256')
  }
  const shape = challengeShape[client.challenge ?? 'base64url']
  if (!shape.pattern.test(challenge)) {
    return refuse('invalid_request', `code_challenge must be SHA-256 as ${shape.words}`)
  }
  return { kind: 'ask', request: { client, redirectUri, state, scopes: parsed.scopes, challenge } }
}
