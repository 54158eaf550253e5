import * as oauth from 'oauth4webapi'
import { isRecord } from '../is-record.js'
import type { TokenSet } from '../types.js'
import { ProviderRefusal } from './failure.js'

/**
 * Reads the answer of a token endpoint (RFC 6749, section 5.1). Some servers send errors with
 * status 200: the body decides, so that an error is never read as a success. An ID token is set
 * aside, since whether it is believed is not decided here.
 *
 * @throws {ProviderRefusal} and what `oauth4webapi` throws
 */
export async function readTokenAnswer(
  answer: Response,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  nowInSeconds: number,
): Promise<TokenSet> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined)
  const { id_token, ...rest } = isRecord(body) ? body : {}
  if (answer.ok && rest.error !== undefined && rest.error !== null) {
    throw new ProviderRefusal(answer.status, rest)
  }
  const usable = id_token === undefined ? answer : new Response(JSON.stringify(rest), answer)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, usable)
  return {
    ...tokenSet(tokens, nowInSeconds),
    ...(typeof id_token === 'string' ? { id_token } : {}),
  }
}

function tokenSet(answer: oauth.TokenEndpointResponse, nowInSeconds: number): TokenSet {
  const { expires_in, token_type, expires_at: _, ...rest } = answer
  return {
    ...(rest as TokenSet),
    token_type: token_type.toLowerCase() as Lowercase<string>,
    ...(expires_in === undefined
      ? {}
      : { expires_in, expires_at: nowInSeconds + Math.floor(expires_in) }),
  }
}
