import { ACCESS_TOKEN_LIFE, acrOf } from '@latchkey/session/issue'
import { AccessDenied, OAuthCallbackError, StoreUnavailable } from '../../../errors.js'
import { logEvent } from '../../../http/log-event.js'
import type { Outcome } from '../../../http/outcome.js'
import { ASYMMETRIC, verifyByKeysAt } from '../../../http/published-keys.js'
import {
  isForAlone,
  isOfType,
  jtiOf,
  type Lifetime,
  lifetimeOf,
  type ReadJwt,
  readJwt,
} from '../../../http/read-jwt.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { companyOf } from '../../../lib/company-id.js'
import { readWay, wayKey, wayOf } from '../../../person/way-document.js'
import { identityOf } from '../../../sign-in/identity.js'
import { type Connection, connect } from '../../../sign-in/oauth/connection.js'
import { mayAskFor, mayHave } from '../allowed-resources.js'
import { checkOwnIssuer } from '../check-own-issuer.js'
import { OAuthError, ServerFault } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import { type App, isPublic, type Resource, serverOf } from '../settings.js'
import { NO_STORE } from '../token-answer.js'
import { accessToken } from '../tokens.js'
import { assertedGrant } from './asserted-grant.js'
import { assertedPerson } from './asserted-person.js'
import { type AssertingProvider, providerOf } from './asserting-provider.js'
import type { TrustedIssuer } from './read-trusted-issuers.js'
import { loggingRefusal, RefusedAssertion } from './refused-assertion.js'
import { trustedIssuerOf } from './trusted-issuer.js'
import { enteringBy } from './used-jti.js'

/** The longest life of an assertion. Seconds. */
const MAX_LIFE = 60 * 60

/** In characters (OpenID Connect Core, section 2). */
const MAX_SUBJECT = 255

/** A connection to the provider that has made an assertion. */
interface AssertingConnection extends Connection {
  readonly provider: AssertingProvider
}

/** An assertion that was checked without a key. */
interface Judged {
  readonly assertion: ReadJwt
  readonly lifetime: Lifetime & { readonly iat: number }
  readonly jti: string
  readonly resource: Resource
  /** The scopes that it asks for, before any list limits them. */
  readonly asked: readonly string[]
}

/**
 * An app shows an assertion about a person that a company's provider has made for it: an Identity Assertion JWT Authorization Grant
 * (draft-ietf-oauth-identity-assertion-authz-grant, 4.4). The person is that of a sign-in on the web by this account.
 *
 * @throws {OAuthError} `invalid_grant`, the same for whatever is wrong with the assertion
 * @throws {ServerFault} what the configuration names cannot be used
 * @throws {StoreUnavailable} the assertion counts afterwards
 */
export async function idJagGrant(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  if (isPublic(app)) {
    throw new OAuthError('unauthorized_client', 'A public app cannot bring assertions.')
  }
  checkOwnIssuer(request)
  const text = parameters.get('assertion')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send an assertion.')
  return loggingRefusal(request, app.id, async () => {
    const assertion = readJwt(text)
    if (!assertion) throw new RefusedAssertion('malformed')
    const trusted = await trustedIssuerOf(request, assertion.claims.iss)
    if (!trusted?.apps.has(app.id)) throw new RefusedAssertion('issuer')
    const judged = judge(request, app, assertion)
    const { resource, lifetime, jti } = judged
    const named = parameters.get('resource')
    const connection = await connectionOf(request, trusted, assertion)
    await checkSignature(connection, assertion)
    if (named !== undefined && named !== resource.uri) {
      throw new OAuthError('invalid_target', 'The assertion is for another resource.')
    }
    const scopes = scopesOf(request, app, judged, parameters.get('scope'))
    const proved = await provedBy(connection, assertion)
    const key = wayKey(wayOf(proved.account))
    const used = { of: `issuer ${String(assertion.claims.iss)}`, jti, exp: lifetime.exp }
    const refuse = () => new RefusedAssertion('used')
    return enteringBy(request, used, key, refuse, async (entrance) => {
      // On the web they would be asked first whether they have an account here already.
      const isUnknown = readWay(entrance.document) === undefined
      if (isUnknown && connection.provider.company?.asksToJoin) throw new RefusedAssertion('person')
      const person = await assertedPerson(request, proved, entrance)
      const { userId: sub, provider } = person.account
      const amr = person.amr ?? ([provider] as const)
      const began = Math.floor(lifetime.iat)
      const authTime = authTimeIn(assertion) ?? began
      const grant = await assertedGrant(request, {
        ...{ sub, app: app.id, resource: resource.uri, scopes, began, authTime },
        ...{ amr, profile: {} },
      })
      if (!grant) throw new RefusedAssertion('ended')
      const proof = { acr: acrOf(amr), company: undefined, ...companyOf(amr) }
      const granted = { ...grant, scopes, began, authTime, ...proof }
      const token = await accessToken(request, granted, resource.alg)
      await logEvent(request, { event: 'assertion-used', sub, provider, app: app.id })
      return answer(token, resource, scopes)
    })
  })
}

function answer(token: string, { uri }: Resource, scopes: readonly string[]): Outcome {
  const body = {
    ...{ access_token: token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_LIFE },
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    resource: uri,
  }
  return { kind: 'json', body, headers: NO_STORE }
}

/** Everything that needs no key. @throws {RefusedAssertion} */
function judge(request: AuthRequest, app: App, assertion: ReadJwt): Judged {
  const { claims, header } = assertion
  if (!isOfType(assertion, ['oauth-id-jag+jwt'])) throw new RefusedAssertion('type')
  if (!ASYMMETRIC.has(header.alg as string)) throw new RefusedAssertion('alg')
  if (!isForAlone(assertion, request.issuer)) throw new RefusedAssertion('audience')
  if (claims.client_id !== app.id) throw new RefusedAssertion('client')
  // A key that its holder has to prove, and rights that nobody here understands.
  if ('cnf' in claims || 'authorization_details' in claims) {
    throw new RefusedAssertion('confirmation')
  }
  const { sub, scope = '' } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) {
    throw new RefusedAssertion('subject')
  }
  const { iat, exp } = lifetimeOf(assertion, nowInSeconds(request)) ?? {}
  if (iat === undefined || exp === undefined || exp - iat > MAX_LIFE) {
    throw new RefusedAssertion('times')
  }
  if (typeof scope !== 'string') throw new RefusedAssertion('scope')
  const jti = jtiOf(assertion)
  if (jti === undefined) throw new RefusedAssertion('jti')
  const resource = resourceOf(request, app, assertion)
  if (!resource) throw new RefusedAssertion('resource')
  const asked = [...new Set(scope.split(' ').filter(Boolean))]
  return { assertion, lifetime: { iat, exp }, jti, resource, asked }
}

/** The one resource of an assertion, if it is the app's. */
function resourceOf(
  request: AuthRequest,
  app: App,
  { claims: { resource: said } }: ReadJwt,
): Resource | undefined {
  const named: unknown = Array.isArray(said) && said.length === 1 ? said[0] : said
  if (typeof named !== 'string' || !mayAskFor(app, named)) return undefined
  return serverOf(request).resources.get(named)
}

/**
 * What the assertion, the app's list, the resource and the request have in common.
 *
 * @throws {OAuthError} `invalid_scope`: some were asked for, and none is left
 */
function scopesOf(
  request: AuthRequest,
  app: App,
  { asked, resource }: Judged,
  parameter: string | undefined,
): readonly string[] {
  const server = serverOf(request)
  const wanted = parameter?.split(' ').filter(Boolean)
  const scopes = asked
    .filter((one) => wanted?.includes(one) !== false)
    .filter((one) => mayHave(server, app, resource.uri, one))
  if (scopes.length === 0 && asked.length + (wanted?.length ?? 0) > 0) {
    throw new OAuthError('invalid_scope', 'Nothing is left of the scopes.')
  }
  return scopes
}

/** When the person signed in at the issuer. Seconds since the epoch. */
function authTimeIn({ claims: { auth_time, iat } }: ReadJwt): number | undefined {
  const isTime = typeof auth_time === 'number' && auth_time >= 0 && auth_time <= Number(iat)
  return isTime ? Math.floor(auth_time) : undefined
}

/** @throws {ServerFault} @throws {StoreUnavailable} */
async function connectionOf(
  request: AuthRequest,
  trusted: TrustedIssuer,
  { claims }: ReadJwt,
): Promise<AssertingConnection> {
  const provider = await providerOf(request, trusted)
  const connection = await connect(provider, request.config.now()).catch((cause: unknown) => {
    throw new StoreUnavailable('A trusted issuer cannot be read.', { cause })
  })
  const own = connection.server.issuer
  const expected = provider.issuerOf?.(claims, own) ?? own
  if (expected === claims.iss) return { ...connection, provider }
  throw new ServerFault('A trusted issuer is not that of its provider.')
}
/** @throws {RefusedAssertion} @throws {StoreUnavailable} */
async function checkSignature(
  { provider, server, fetch, now }: Connection,
  { text, header, claims }: ReadJwt,
): Promise<void> {
  const { jwks_uri: address } = server
  if (address === undefined) throw new ServerFault('A trusted issuer publishes no keys.')
  const cachedBy = provider.fetch ?? globalThis.fetch
  const unreadable = (cause: unknown) =>
    new StoreUnavailable('The keys of a trusted issuer cannot be read.', { cause })
  const keys = { address, cachedBy, fetch, now, unreadable }
  const { keyIssuer } = await verifyByKeysAt(keys, text, [header.alg as string]).catch(
    (error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      throw new RefusedAssertion('signature')
    },
  )
  // A key of one tenant must not sign for another.
  if (!provider.issuerOf || keyIssuer === undefined) return
  if (provider.issuerOf(claims, keyIssuer) !== claims.iss) throw new RefusedAssertion('signature')
}

/** The account that an assertion is about, as a sign-in by the provider has it. @throws {RefusedAssertion} */
async function provedBy({ provider, inTime }: Connection, { claims }: ReadJwt) {
  try {
    return await identityOf(provider, { tokens: {}, profile: { ...claims } }, inTime)
  } catch (error) {
    if (error instanceof OAuthCallbackError) throw new RefusedAssertion('subject')
    // The address is not one of the company's.
    if (error instanceof AccessDenied) throw new RefusedAssertion('person')
    throw error
  }
}
