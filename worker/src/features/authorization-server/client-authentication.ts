import type { AuthRequest } from '../../http/request.js'
import { isSameBytes } from '../../lib/is-same-bytes.js'
import { findApp } from './find-app.js'
import { noteProof } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import type { Parameters } from './parameters.js'
import { type App, serverOf } from './settings.js'

/** The longest `Authorization` header that is looked at, in characters. */
const MAX_HEADER = 8_192

/** What a client says of itself. */
interface Credentials {
  readonly id: string
  /** `undefined`: none was sent, not even an empty one. */
  readonly secret: string | undefined
}

/**
 * The app that sends a request: by `client_secret_basic`, by `client_secret_post`, or a public one by its `client_id` alone (RFC
 * 6749, 2.3.1 and 3.2.1).
 *
 * @throws {OAuthError} `invalid_request` for credentials in two places, or none at all; `invalid_client`
 */
export async function authenticateClient(
  request: AuthRequest,
  parameters: Parameters,
): Promise<App> {
  const { id, secret } = credentialsIn(request, parameters)
  const app = clientOf(request, id)
  if (!app) throw invalidClient()
  const isPublic = app.secrets.length === 0
  if (isPublic ? secret !== undefined : !(await isAnyOf(app.secrets, secret))) throw invalidClient()
  if (!isPublic) noteProof(request)
  return app
}

/** The app of a `client_id`, without reading a metadata document. */
export function clientOf(request: AuthRequest, id: string): App | undefined {
  return findApp(request, id) ?? openApp(request, id)
}

function credentialsIn({ original }: AuthRequest, parameters: Parameters): Credentials {
  const header = original.headers.get('authorization')
  // Authentication by an assertion is not offered (RFC 7523), and must not count as none.
  if (parameters.has('client_assertion') || parameters.has('client_assertion_type')) {
    throw invalidClient()
  }
  if (header !== null) return basicIn(header, parameters)
  const id = parameters.get('client_id')
  if (id === undefined) throw new OAuthError('invalid_request', 'Send a client_id.')
  // An empty one was sent, too.
  const secret = parameters.has('client_secret')
    ? (parameters.get('client_secret') ?? '')
    : undefined
  return { id, secret }
}

function basicIn(header: string, parameters: Parameters): Credentials {
  if (parameters.has('client_secret')) {
    throw new OAuthError('invalid_request', 'Send the credentials of the client in one place.')
  }
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header.slice(0, MAX_HEADER)) ?? []
  const pair = encoded === undefined ? undefined : utf8(encoded)
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0) throw invalidClient()
  const id = formDecoded(pair.slice(0, colon))
  const secret = formDecoded(pair.slice(colon + 1))
  if (id === undefined || secret === undefined) throw invalidClient()
  const named = parameters.get('client_id')
  if (named !== undefined && named !== id) {
    throw new OAuthError('invalid_request', 'The request names two clients.')
  }
  return { id, secret }
}

function utf8(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** As `application/x-www-form-urlencoded`, in which Basic has both parts here (RFC 6749, 2.3.1). */
function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * An app that nobody registered is public, and is named by the address of its document. That was read when a person let it in;
 * here its codes and tokens say whether anyone did.
 */
function openApp(request: AuthRequest, id: string): App | undefined {
  if (!serverOf(request).isOpen || !id.startsWith('https://') || !URL.canParse(id)) return undefined
  const { host } = new URL(id)
  const nothing = { redirectUris: [], secrets: [], isFirstParty: false, isDevice: false }
  return { id, name: host, host, alg: 'ES256', ...nothing }
}

/** Compares digests, all of them and to their end, so that the time does not reveal a secret. */
async function isAnyOf(secrets: readonly string[], given: string | undefined): Promise<boolean> {
  if (given === undefined) return false
  const [own, ...others] = await Promise.all([given, ...secrets].map(sha256))
  const found = others.map((other) => isSameBytes(own as Uint8Array, other))
  return found.includes(true)
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is unknown, or did not authenticate itself.')
}
