import type { Outcome } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { encodeBase64Url } from '../../lib/base64url.js'
import { openCode } from './code.js'
import { beginGrant, type Code, endUnasked, type Grant, readGrant, tryGrant } from './grant.js'
import { tooMany } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import type { Parameters } from './parameters.js'
import { GRACE } from './refresh-token.js'
import type { App } from './settings.js'
import { answerGrant } from './token-answer.js'
import { accessAlgOf } from './tokens.js'

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/**
 * Exchanges an authorization code for tokens (RFC 6749, 4.1.3; RFC 7636, 4.5). A mistake in the request uses no code up.
 *
 * @throws {OAuthError}
 * @throws {StoreUnavailable} the code works afterwards, unless its grant has begun
 */
export async function exchangeCode(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const text = parameters.get('code')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send a code.')
  const verifier = parameters.get('code_verifier')
  if (verifier !== undefined && !VERIFIER.test(verifier)) {
    throw new OAuthError('invalid_request', 'The code_verifier is malformed.')
  }
  const opened = await openCode(request, text)
  if (!opened || opened.code.app !== app.id) throw invalidCode()
  const { code, isLive } = opened
  const redirectUri = parameters.get('redirect_uri')
  // It may be left out, since PKCE binds the code to the browser (OAuth 2.1, 10.2).
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) throw invalidCode()
  if (verifier === undefined || (await challengeOf(verifier)) !== code.challenge) {
    throw invalidCode()
  }
  const resource = parameters.get('resource')
  const alg = accessAlgOf(request, app, code.resource)
  if ((resource !== undefined && resource !== code.resource) || !alg) {
    throw new OAuthError('invalid_target', 'The code is for another resource.')
  }
  const before = isLive ? undefined : await readGrant(request, code)
  const many = isLive ? await tryGrant(request, code) : undefined
  if (many && many.wait > 0) return tooMany(request, many.wait)
  const beginning = isLive ? await beginGrant(request, code) : undefined
  if (beginning?.state !== 'begun') many?.takeBack()
  if (beginning?.state === 'begun') return answerGrant(request, app, alg, code, beginning.grant)
  await endReplayed(request, code, beginning?.state === 'known' ? beginning.grant : before)
  throw invalidCode()
}

/**
 * A code that comes again: a double click does so at once. Later somebody has it who should not, and what it gave ends (RFC 6749,
 * 4.1.2).
 */
async function endReplayed(
  request: AuthRequest,
  { sub, app }: Code,
  grant: Grant | undefined,
): Promise<void> {
  if (!grant || nowInSeconds(request) - grant.added <= GRACE) return
  await endUnasked(request, sub, [grant])
  request.config.logger.warn('code-replayed', app)
}

/** `S256` (RFC 7636, 4.2). */
async function challengeOf(verifier: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return encodeBase64Url(new Uint8Array(bytes))
}

/** The same for each mistake, so that it is not an oracle. */
function invalidCode(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code is not valid, or was issued for another request.',
  )
}
