import {
  isForAlone,
  isOfType,
  jtiOf,
  lifetimeOf,
  type ReadJwt,
  readJwt,
} from '../../http/read-jwt.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { isSameBytes } from '../../lib/is-same-bytes.js'
import { type AssertionFault, logRefused } from './assertions/refused-assertion.js'
import { type Jti, usingJti } from './assertions/used-jti.js'
import { checkOwnIssuer } from './check-own-issuer.js'
import { findApp } from './find-app.js'
import { type AppKeys, isAssertionAlg, isSignedByApp } from './key-set.js'
import { noteProof } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import type { Parameters } from './parameters.js'
import { type App, isPublic, serverOf } from './settings.js'

/** The longest `Authorization` header that is looked at, in characters. */
const MAX_HEADER = 8_192

/** What a client says of itself. */
interface Credentials {
  readonly id: string
  /** `undefined`: none was sent, not even an empty one. */
  readonly secret?: string | undefined
  /** What it has signed about itself. */
  readonly assertion?: ReadJwt
}

/** What an app that has proved itself asks for. */
export type Work<Result> = (app: App) => Promise<Result>

/**
 * Finds the app that sends a request, and does its work: by `client_secret_basic`, by `client_secret_post`, by `private_key_jwt`, or a
 * public one by its `client_id` alone (RFC 6749, 2.3.1 and 3.2.1; RFC 7523, 3). An assertion is used up, unless the work fails
 * because a store does.
 *
 * @throws {OAuthError} `invalid_request` for credentials in two places, or none at all; `invalid_client`
 * @throws {StoreUnavailable} the same request works afterwards
 */
export async function asClient<Result>(
  request: AuthRequest,
  parameters: Parameters,
  work: Work<Result>,
): Promise<Result> {
  const { id, secret, assertion } = credentialsIn(request, parameters)
  // An unregistered app has no key, and the id that a stranger made up must not get into the log.
  const app = assertion ? findApp(request, id) : clientOf(request, id)
  if (!app) throw invalidClient()
  if (assertion) return asSigner(request, app, assertion, work)
  if (!isPublic(app)) {
    if (!(await isAnyOf(app.secrets, secret))) throw invalidClient()
    noteProof(request)
  } else if (secret !== undefined) throw invalidClient()
  return work(app)
}

/** Was anything sent by which a client proves itself? */
export function hasProof({ original }: AuthRequest, parameters: Parameters): boolean {
  const names = ['client_secret', 'client_assertion', 'client_assertion_type']
  return original.headers.has('authorization') || names.some((name) => parameters.has(name))
}

/** RFC 7523, 2.2. */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** `client-authentication+jwt` is that of rfc7523bis; libraries before write `JWT`, or nothing. */
const ASSERTION_TYPES = ['client-authentication+jwt', 'jwt', undefined]

/** The longest time for which an app may sign an assertion about itself. Seconds. */
const MAX_ASSERTION = 300

/**
 * An app that has signed an assertion about itself (RFC 7523, section 3; draft-ietf-oauth-rfc7523bis). Its audience is this issuer
 * alone: an assertion for the token endpoint may be meant for another server that has given the app this address as its own.
 */
async function asSigner<Result>(
  request: AuthRequest,
  app: App,
  assertion: ReadJwt,
  work: Work<Result>,
): Promise<Result> {
  const judged = judge(request, app, assertion)
  const fault =
    typeof judged === 'string'
      ? judged
      : (await isSignedByApp(request, judged.keys, assertion.text))
        ? undefined
        : 'signature'
  if (typeof judged === 'string' || fault !== undefined) {
    await logRefused(request, app.id, fault as AssertionFault)
    throw invalidClient()
  }
  checkOwnIssuer(request)
  return usingJti(request, judged.used, invalidClient, () => {
    noteProof(request)
    return work(app)
  })
}

/** Everything that needs no signature. @returns why it does not count */
function judge(
  request: AuthRequest,
  { id, keys }: App,
  assertion: ReadJwt,
): { readonly keys: AppKeys; readonly used: Jti } | AssertionFault {
  const now = nowInSeconds(request)
  if (!keys) return 'client'
  if (!isOfType(assertion, ASSERTION_TYPES)) return 'type'
  if (!isAssertionAlg(assertion.header.alg)) return 'alg'
  if (assertion.claims.iss !== id) return 'issuer'
  if (!isForAlone(assertion, request.issuer)) return 'audience'
  const lifetime = lifetimeOf(assertion, now)
  // Some sign it for the whole five minutes, by a clock that is a little ahead: then the beginning says so.
  const { iat = now, exp = Number.POSITIVE_INFINITY } = lifetime ?? {}
  if (!lifetime || exp > iat + MAX_ASSERTION) return 'times'
  const jti = jtiOf(assertion)
  if (jti === undefined) return 'jti'
  return { keys, used: { of: `client ${id}`, jti, exp: lifetime.exp } }
}

/** The app of a `client_id`, without reading a metadata document. */
export function clientOf(request: AuthRequest, id: string): App | undefined {
  return findApp(request, id) ?? openApp(request, id)
}

function credentialsIn({ original }: AuthRequest, parameters: Parameters): Credentials {
  const header = original.headers.get('authorization')
  if (parameters.has('client_assertion') || parameters.has('client_assertion_type')) {
    if (header !== null || parameters.has('client_secret')) throw twoPlaces()
    return assertionIn(parameters)
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

/** The client of an assertion is its subject; `client_id` may say it too (RFC 7521, 4.2). */
function assertionIn(parameters: Parameters): Credentials {
  const assertion = readJwt(parameters.get('client_assertion') ?? '')
  const id = assertion?.claims.sub
  if (parameters.get('client_assertion_type') !== JWT_BEARER) throw invalidClient()
  if (!assertion || typeof id !== 'string') throw invalidClient()
  const named = parameters.get('client_id')
  if (named !== undefined && named !== id) throw twoClients()
  return { id, assertion }
}

function basicIn(header: string, parameters: Parameters): Credentials {
  if (parameters.has('client_secret')) throw twoPlaces()
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header.slice(0, MAX_HEADER)) ?? []
  const pair = encoded === undefined ? undefined : utf8(encoded)
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon < 0) throw invalidClient()
  const id = formDecoded(pair.slice(0, colon))
  const secret = formDecoded(pair.slice(colon + 1))
  if (id === undefined || secret === undefined) throw invalidClient()
  const named = parameters.get('client_id')
  if (named !== undefined && named !== id) throw twoClients()
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

function twoPlaces(): OAuthError {
  return new OAuthError('invalid_request', 'Send the credentials of the client in one place.')
}

function twoClients(): OAuthError {
  return new OAuthError('invalid_request', 'The request names two clients.')
}

function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is unknown, or did not authenticate itself.')
}
