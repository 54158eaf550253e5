import { ACCESS_TOKEN_LIFE } from '@latchkey/session/issue'
import type { Outcome } from '../../../http/outcome.js'
import type { AuthRequest } from '../../../http/request.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import { serverOf } from '../settings.js'
import { NO_STORE } from '../token-answer.js'
import { accessToken, standingScopes } from '../tokens.js'
import { readKeyText } from './key-text.js'
import { liveKey, noteUse } from './own-keys.js'

const KEY_TYPE = 'urn:latchkey:params:oauth:token-type:api-key'
/** RFC 8693, section 3. */
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** The `client_id` of access tokens of keys, which no app may have. */
const KEYS_CLIENT = 'api-key'

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
  const named = await readKeyText(request, text, server.keys?.prefix ?? '')
  const key = named && (await liveKey(request, named))
  if (!key) throw new OAuthError('invalid_grant', 'The API key is not valid, or has ended.')
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
  request.waitUntil(noteUse(request, named.home, key))
  const body = {
    access_token: await accessToken(request, granted, resource.alg),
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  return { kind: 'json', body, headers: NO_STORE }
}
