import {
  ACCESS_TOKEN_LIFE,
  type AccessClaims,
  accessTokenStanding,
  acrOf,
  signAccessToken,
  signIdToken,
  verifyAccessToken,
} from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { randomToken } from '../../lib/base64url.js'
import { issuedNow } from '../../session/record.js'
import { mayAskFor, mayHave } from './allowed-resources.js'
import type { Code, Grant } from './grant.js'
import { signingKey, verifyKeys } from './oauth-keys.js'
import { OPENID_SCOPES } from './read-resource.js'
import { type App, type SigningAlg, serverOf } from './settings.js'

/** The claims that each scope lets an app have (OpenID Connect Core, 5.4). */
const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  profile: ['name', 'picture'],
  email: ['email', 'email_verified'],
}

/** Seconds. */
const ID_TOKEN_LIFE = 300

/** What an access token says of a grant. */
export type Granted = Pick<
  Grant,
  | 'handle'
  | 'sub'
  | 'app'
  | 'resource'
  | 'scopes'
  | 'began'
  | 'authTime'
  | 'acr'
  | 'sid'
  | 'company'
> & {
  /** It is that of an API key, which does not end with the sessions of its person. */
  readonly isKey?: true
  /** Tokens with this `iat`, or an earlier one, are stale, as the ledger has just said. */
  readonly staleUntil?: number | undefined
}

/**
 * What signs the access tokens of a resource.
 *
 * @returns `undefined`: the resource is not configured, not one of the app, or no longer open to one that nobody registered
 */
export function accessAlgOf(
  request: AuthRequest,
  app: Pick<App, 'host' | 'isFirstParty' | 'isMachine' | 'resources'>,
  resource: string,
): SigningAlg | undefined {
  const configured = serverOf(request).resources.get(resource)
  if (app.host !== undefined && !configured?.isOpen) return undefined
  // UserInfo takes any of them.
  if (resource === request.issuer) return configured?.alg ?? 'EdDSA'
  return mayAskFor(app, resource) ? configured?.alg : undefined
}

/**
 * The scopes that still exist, and that the app may still have. An operator who takes one out takes it from the apps that have it.
 *
 * @param granted that of an API key belongs to no app
 */
export function standingScopes(
  request: AuthRequest,
  { app, resource, scopes }: Pick<Grant, 'resource' | 'scopes'> & Partial<Pick<Grant, 'app'>>,
): readonly string[] {
  const server = serverOf(request)
  const configured = app === undefined ? undefined : server.apps.get(app)
  return scopes.filter(
    (scope) => OPENID_SCOPES.includes(scope) || mayHave(server, configured, resource, scope),
  )
}

/** An access token (RFC 9068). @param alg of the resource, by {@link accessAlgOf} */
export async function accessToken(
  request: AuthRequest,
  granted: Granted,
  alg: SigningAlg,
): Promise<string> {
  const { handle, sub, app, resource, scopes, began, authTime, acr, sid } = granted
  const { isKey, staleUntil, company } = granted
  const iat = Math.max(
    issuedAt(request, authTime),
    issuedNow(request, { sub, sid: sid ?? '' }, { staleUntil }),
  )
  const pid = await request.keys.pseudonyms.of(sub)
  const claims: AccessClaims = {
    iss: request.issuer,
    sub,
    aud: resource,
    client_id: app,
    iat,
    exp: iat + ACCESS_TOKEN_LIFE,
    jti: randomToken(16),
    auth_time: authTime,
    acr,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    grant: handle,
    began,
    // As of now: the feed names people by the secrets that are in use.
    ...(isKey ? { key_pid: pid } : { pid }),
    ...(sid === undefined ? {} : { sid }),
    ...(company === undefined ? {} : { company }),
  }
  return signAccessToken(claims, await signingKey(request, alg))
}

/** What an ID token says of an authorization. */
export type Identity = Pick<Code, 'sub' | 'scopes' | 'authTime' | 'amr' | 'session' | 'profile'> & {
  readonly nonce?: string | undefined
}

/** An ID token (OpenID Connect Core, section 2). */
export async function idToken(
  request: AuthRequest,
  app: App,
  { sub, scopes, authTime, amr, session, profile, nonce }: Identity,
): Promise<string> {
  const iat = issuedAt(request, authTime)
  const claims = {
    iss: request.issuer,
    sub,
    aud: app.id,
    iat,
    exp: iat + ID_TOKEN_LIFE,
    auth_time: authTime,
    acr: acrOf(amr),
    amr,
    sid: session,
    ...(nonce === undefined ? {} : { nonce }),
    ...claimsFor(scopes, profile),
  }
  return signIdToken(claims, await signingKey(request, app.alg))
}

/** The claims of a person that the scopes allow. */
export function claimsFor(
  scopes: readonly string[],
  profile: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = scopes.flatMap((scope) => (Object.hasOwn(CLAIMS, scope) ? CLAIMS[scope] : []) ?? [])
  return Object.fromEntries(Object.entries(profile).filter(([name]) => names.includes(name)))
}

/** The claims of a person's access token of this issuer, for whatever resource it is, which has not expired. Asks no ledger. */
export async function readAccessToken(
  request: AuthRequest,
  token: string,
): Promise<AccessClaims | undefined> {
  const read = await verifyAccessToken(token, await verifyKeys(request))
  if (typeof read === 'string') return undefined
  const { claims, notBefore } = read
  // A machine has neither a grant nor a person.
  if (claims.machine) return undefined
  const now = nowInSeconds(request)
  const standing = accessTokenStanding(claims, {
    issuer: request.issuer,
    audience: claims.aud,
    now,
  })
  return standing === 'live' && notBefore <= now ? claims : undefined
}

/** An isolate's clock may lag behind the one that signed the person in. */
function issuedAt(request: AuthRequest, authTime: number): number {
  return Math.max(nowInSeconds(request), authTime)
}
