import type { SessionClaims } from '@latchkey/session'
import { beganAt } from '@latchkey/session/issue'
import type { Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { answerAt } from './app-redirect.js'
import type { Answerable, AuthorizationRequest, Problem } from './authorization-request.js'
import { publicProblem } from './authorization-request.js'
import { sealCode } from './code.js'
import { type Authorization, drawHandle } from './grant.js'
import { outliving, type Rest } from './kept-consents.js'
import { profileOf } from './profile.js'

/** How long a grant lasts that outlives its session. Seconds. */
const YEAR = 365 * 24 * 60 * 60

/**
 * What a person lets an app do, as of now.
 *
 * @param rests the documents on which it depends
 */
export async function authorizationFor(
  request: AuthRequest,
  claims: SessionClaims,
  { app, resource, scopes }: Pick<AuthorizationRequest, 'app' | 'resource' | 'scopes'>,
  rests: readonly Rest[],
): Promise<Authorization> {
  const { sub, sid, sexp, auth_time: authTime, amr, pid } = claims
  const isOffline = scopes.includes('offline_access')
  return {
    handle: drawHandle(request, sub),
    sub,
    app: app.id,
    resource,
    scopes,
    // Before the ledger was asked: whatever has ended the person's sessions since then ends this too.
    began: isOffline ? request.came : beganAt(claims),
    authTime,
    amr,
    pid,
    sid: isOffline ? undefined : sid,
    session: sid,
    sexp: isOffline ? request.came + YEAR : sexp,
    profile: await profileOf(request, claims, scopes),
    rests,
  }
}

/**
 * The answer of a success: `code`, `state`, `iss` and nothing else (RFC 6749, 4.1.2; RFC 9207).
 *
 * @param rest the document on which the code depends; left out: none that this version knows
 * @returns `undefined`: the session is over
 */
export async function giveCode(
  request: AuthRequest,
  claims: SessionClaims,
  asked: AuthorizationRequest,
  rest: Rest | undefined,
): Promise<Outcome | undefined> {
  const { redirectUri, challenge, nonce, state, scopes } = asked
  const isOffline = scopes.includes('offline_access')
  const further = isOffline ? await outliving(request, claims) : undefined
  if (isOffline && !further) return undefined
  const rests = [rest, further].flatMap((one) => (one ? [one] : []))
  const authorization = await authorizationFor(request, claims, asked, rests)
  const code = await sealCode(request, { ...authorization, redirectUri, challenge, nonce })
  return toApp(answerAt(redirectUri, { code, state, iss: request.issuer }))
}

/** The answer of a failure, at the app (RFC 6749, 4.1.2.1). */
export function refuse(
  { issuer }: AuthRequest,
  { redirectUri, state }: Answerable,
  problem: Problem,
): Outcome {
  return toApp(answerAt(redirectUri, { ...publicProblem(problem), state, iss: issuer }))
}

/** No script may read it: a code in JSON would give a script of this origin the tokens of an app. */
function toApp(to: Parameters<typeof redirect>[0]): Outcome {
  return { kind: 'redirect', to, isForBrowser: true }
}
