import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { readDocument } from '../../person/documents.js'
import { endFoundKey } from './api-keys/end-found.js'
import { noteEnded } from './assertions/asserted-grant.js'
import { asClient } from './client-authentication.js'
import { endGrants, type Grant, grantsIn, keyOf } from './grant.js'
import { answerProgram } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import { formParameters } from './parameters.js'
import { openRefreshToken } from './refresh-token.js'
import { type App, serverOf } from './settings.js'
import { NO_STORE } from './token-answer.js'
import { readAccessToken } from './tokens.js'

/**
 * Ends the grant of a refresh or access token of the app (RFC 7009). A used refresh token is as good as the newest one. For what
 * is unknown, or another app's, the answer is the same, and nothing changes.
 */
export function revokeToken(request: AuthRequest): Promise<Outcome> {
  return answerProgram(request, async () => {
    const parameters = await formParameters(request)
    if (await isEndedKey(request, parameters.get('token'))) return DONE
    return asClient(request, parameters, async (app) => {
      const token = parameters.get('token')
      if (token === undefined) throw new OAuthError('invalid_request', 'Send a token.')
      const named = await grantOf(request, app, token)
      // One that is over has no document, and is not announced again.
      const document = named && (await readDocument(request, keyOf(named.sub, named.handle)))
      if (named && typeof document?.content === 'string') {
        const key = keyOf(named.sub, named.handle)
        await noteEnded(request, grantsIn(request, named.sub, [{ ...document, key }]))
        await endGrants(request, named.sub, [named.handle])
      }
      return DONE
    })
  })
}

const DONE: Outcome = { kind: 'json', body: {}, headers: NO_STORE }

/** An API key ends without a client, so that a person or a scanner that finds one can end it. */
async function isEndedKey(request: AuthRequest, token = ''): Promise<boolean> {
  const prefix = serverOf(request).keys?.prefix
  if (prefix === undefined || !token.startsWith(`${prefix}_`)) return false
  return endFoundKey(request, token, prefix)
}

async function grantOf(
  request: AuthRequest,
  app: App,
  token: string,
): Promise<Pick<Grant, 'sub' | 'handle'> | undefined> {
  const refresh = await openRefreshToken(request, app.id, token)
  if (refresh) return refresh
  const access = await readAccessToken(request, token)
  return access?.client_id === app.id ? { sub: access.sub, handle: access.grant } : undefined
}
