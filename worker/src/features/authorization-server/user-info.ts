import type { AccessClaims } from '@latchkey/session/issue'
import { DamagedRecord } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { clientOf } from './client-authentication.js'
import { readGrant } from './grant.js'
import { type Personal, personalOf } from './grant-document.js'
import { answerProgram, countFailure } from './oauth-answer.js'
import { NO_STORE } from './token-answer.js'
import { accessAlgOf, claimsFor, readAccessToken } from './tokens.js'

/**
 * The claims of the person whose access token is shown (OpenID Connect Core, 5.3), as they were when the person let the app in.
 * Whether the grant goes on, the ledger says.
 */
export function userInfo(request: AuthRequest): Promise<Outcome> {
  return answerProgram(request, async () => {
    const header = request.original.headers.get('authorization') ?? ''
    const [, token] = /^bearer +(\S+) *$/i.exec(header) ?? []
    if (token === undefined) return challenge(401, 'token_required', 'Bearer')
    const claims = await readAccessToken(request, token)
    if (!claims) await countFailure(request)
    if (!claims || !isServed(request, claims)) return invalid()
    const scopes = claims.scope?.split(' ') ?? []
    if (!scopes.includes('openid')) return insufficient()
    const person = await personOf(request, claims)
    if (!person) return invalid()
    const body = { sub: claims.sub, ...claimsFor(scopes, person.profile) }
    return { kind: 'json', body, headers: NO_STORE }
  })
}

/** Are the app and the resource still configured? */
function isServed(request: AuthRequest, { client_id, aud }: AccessClaims): boolean {
  const app = clientOf(request, client_id)
  return app !== undefined && accessAlgOf(request, app, aud) !== undefined
}

/** @returns `undefined`: the grant is over, or cannot be read, which the log says */
async function personOf(
  request: AuthRequest,
  { sub, grant: handle, sid, began, pid }: AccessClaims,
): Promise<Personal | undefined> {
  try {
    const grant = await readGrant(request, { sub, handle, sid, began, pid })
    return grant && (await personalOf(request, grant))
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error
    request.config.logger.error(error)
    return undefined
  }
}

function invalid(): Outcome {
  const what = 'error="invalid_token", error_description="The access token is not valid here"'
  return challenge(401, 'invalid_token', `Bearer ${what}`)
}

function insufficient(): Outcome {
  const what =
    'error="insufficient_scope", error_description="The access token has not all of the scopes", scope="openid"'
  return challenge(403, 'insufficient_scope', `Bearer ${what}`)
}

/** RFC 6750, section 3. */
function challenge(status: number, error: string, header: string): Outcome {
  return {
    kind: 'json',
    status,
    body: { error },
    headers: { ...NO_STORE, 'www-authenticate': header },
  }
}
