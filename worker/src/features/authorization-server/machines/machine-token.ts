import {
  ACCESS_TOKEN_LIFE,
  type MachineClaims,
  machineSub,
  signAccessToken,
} from '@latchkey/session/issue'
import { StoreUnavailable } from '../../../errors.js'
import { logEvent } from '../../../http/log-event.js'
import type { Outcome } from '../../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { randomToken } from '../../../lib/base64url.js'
import { isBarred } from '../../../person/documents.js'
import { personKey } from '../../../person/way-document.js'
import { mayAskFor, mayHave, resourcesFor } from '../allowed-resources.js'
import { checkOwnIssuer } from '../check-own-issuer.js'
import { ledgerOf } from '../grant-ledger.js'
import { OAuthError } from '../oauth-error.js'
import { signingKey } from '../oauth-keys.js'
import type { Parameters } from '../parameters.js'
import { type App, type Resource, serverOf } from '../settings.js'
import { NO_STORE } from '../token-answer.js'

/** The lines and records of one machine in a minute, which this process counts: a leaked key must not fill the log. */
const MAX_LINES = 60

/** What a machine asks for. */
export interface MachineRequest {
  readonly resource: Resource
  readonly scopes: readonly string[]
}

/**
 * Reads the resource and the scopes that a machine asks for and that the operator has listed. OpenID's scopes are about people, and the
 * service itself is not a resource of a machine.
 *
 * @throws {OAuthError} `invalid_target`, `invalid_scope`
 */
export function askedByMachine(
  request: AuthRequest,
  app: App,
  { get }: Parameters,
): MachineRequest {
  const server = serverOf(request)
  const [only, ...others] = resourcesFor(server, app)
  const uri = get('resource') ?? (others.length === 0 ? only : undefined)
  const resource = uri === undefined ? undefined : server.resources.get(uri)
  if (!resource || !mayAskFor(app, resource.uri)) {
    throw new OAuthError('invalid_target', 'Name a resource of the app.')
  }
  const asked = (get('scope') ?? '').split(' ').filter(Boolean)
  const scopes = [...new Set(asked)].filter((one) => mayHave(server, app, resource.uri, one))
  if (asked.length > 0 && scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'The resource has none of the scopes.')
  }
  return { resource, scopes }
}

/**
 * Checks that the operator has neither blocked a machine nor ended its tokens in this second: with one call of the ledger.
 *
 * @returns the time from which its next token counts. Seconds since the epoch
 * @throws {OAuthError} `invalid_grant`: it is blocked
 * @throws {ServerFault} only the request names the issuer
 * @throws {StoreUnavailable} also in the second of an ending, which would end the new token too
 */
export async function checkMachine(request: AuthRequest, app: App): Promise<number> {
  checkOwnIssuer(request)
  const sub = machineSub(app.id)
  const now = nowInSeconds(request)
  const pid = await request.keys.pseudonyms.of(sub)
  const life = { sid: sub, owner: { sub, auth_time: now, pid } }
  const { isOver, document } = await ledgerOf(request).liveDocument(personKey(sub), life)
  if (isBarred(document)) throw new OAuthError('invalid_grant', 'The app may get no token.')
  if (isOver) throw new StoreUnavailable('The tokens of a machine have ended just now.')
  return now
}

/** The answer with a token of the machine, which no refresh token follows (RFC 6749, 4.4.3). */
export async function answerMachine(
  request: AuthRequest,
  app: App,
  { resource, scopes }: MachineRequest,
  iat: number,
): Promise<Outcome> {
  const sub = machineSub(app.id)
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') }
  const claims: MachineClaims = {
    ...{ iss: request.issuer, sub, aud: resource.uri, client_id: app.id },
    ...{ iat, exp: iat + ACCESS_TOKEN_LIFE, jti: randomToken(16) },
    ...scope,
    ...{ began: iat, pid: await request.keys.pseudonyms.of(sub), machine: true },
  }
  const body = {
    access_token: await signAccessToken(claims, await signingKey(request, resource.alg)),
    ...{ token_type: 'Bearer', expires_in: ACCESS_TOKEN_LIFE },
    ...scope,
  }
  const now = nowInSeconds(request)
  const { wait } = await request.counts.admit(`machine-token of ${app.id}`, MAX_LINES, now)
  if (wait === 0) await logEvent(request, { event: 'machine-token', app: app.id })
  return { kind: 'json', body, headers: NO_STORE }
}

/** A machine that has proved itself asks for a token (RFC 6749, 4.4). @throws {OAuthError} @throws {StoreUnavailable} */
export async function machineGrant(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const asked = askedByMachine(request, app, parameters)
  return answerMachine(request, app, asked, await checkMachine(request, app))
}
