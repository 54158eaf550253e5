import { ACCESS_TOKEN_LIFE } from '@latchkey/session/issue'
import { clientNetwork } from '../../../http/network.js'
import type { Outcome } from '../../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { noteProof, tooMany } from '../oauth-answer.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import { serverOf } from '../settings.js'
import { NO_STORE } from '../token-answer.js'
import { accessToken, standingScopes } from '../tokens.js'
import type { KeptKey } from './kept-key.js'
import { readKeyText } from './key-text.js'
import { noteUse, tryKey, usableKey } from './own-keys.js'

const KEY_TYPE = 'urn:latchkey:params:oauth:token-type:api-key'
/** RFC 8693, section 3. */
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** The `client_id` of access tokens of keys, which no app may have. */
const KEYS_CLIENT = 'api-key'

/**
 * Made-up keys of one network in a minute, which this process counts. Each costs a MAC. A network is that of an API, and of all
 * who show it something, so a stranger must not keep its good keys out: one verifier asks a hundred times in a second at most.
 */
const MADE_UP = 60_000
/**
 * Exchanges an API key for an access token, without a client (RFC 8693, section 2). A key that is made up reaches no ledger.
 *
 * @throws {OAuthError}
 * @throws {StoreUnavailable} the key works afterwards
 */
export async function exchangeKey(request: AuthRequest, parameters: Parameters): Promise<Outcome> {
  const server = serverOf(request)
  const text = parameters.get('subject_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send a subject_token.')
  if (parameters.get('subject_token_type') !== KEY_TYPE) {
    throw new OAuthError('invalid_request', 'The subject_token_type is not that of API keys.')
  }
  const wanted = parameters.get('requested_token_type') ?? ACCESS_TOKEN_TYPE
  if (wanted !== ACCESS_TOKEN_TYPE) {
    throw new OAuthError('invalid_request', 'The requested_token_type is not an access token.')
  }
  const found = await presentedKey(request, text, server.keys?.prefix ?? '')
  if ('wait' in found) return tooMany(request, found.wait)
  const { home, key } = found
  // Services with one secret and one ledger are not one: a key counts at the issuer that made it.
  if (!key || (key.iss ?? request.issuer) !== request.issuer) {
    throw new OAuthError('invalid_grant', 'The API key is not valid here, or has ended.')
  }
  const resource = server.resources.get(key.resource)
  const asked = parameters.get('resource') ?? key.resource
  if (!resource || asked !== key.resource) {
    throw new OAuthError('invalid_target', 'The API key is for another resource.')
  }
  const scopes = standingScopes(request, key)
  const granted = {
    ...{ handle: key.id, sub: key.sub, app: KEYS_CLIENT, resource: key.resource, scopes },
    // A key is no sign-in: it ends with itself alone, and is as old as its making.
    ...({ began: key.created, authTime: key.created, acr: '1', sid: undefined } as const),
    isKey: true,
  } as const
  request.waitUntil(noteUse(request, home, key))
  const body = {
    access_token: await accessToken(request, granted, resource.alg),
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  return { kind: 'json', body, headers: NO_STORE }
}

type Presented = { readonly wait: number } | { readonly home: string; readonly key?: KeptKey }

/** The key that an API was shown, unless there were too many made-up ones, or this one has ended and comes too often. */
async function presentedKey(
  request: AuthRequest,
  text: string,
  prefix: string,
): Promise<Presented> {
  // A stranger may have shown the key to an API, which is not a failure of its network.
  noteProof(request)
  const now = nowInSeconds(request)
  const network = clientNetwork(request) ?? 'anywhere'
  const madeUp = await request.counts.admit(`keys:${network}`, MADE_UP, now)
  if (madeUp.wait > 0) return madeUp
  const named = await readKeyText(request, text, prefix)
  if (!named) return { home: '' }
  madeUp.takeBack()
  const ended = await tryKey(request, named)
  if (ended.wait > 0) return ended
  const key = await usableKey(request, named)
  if (!key) return { home: named.home }
  ended.takeBack()
  return { home: named.home, key }
}
