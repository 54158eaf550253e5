import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { readDocument } from '../../person/documents.js'
import type { LedgerDocument, LiveDocument } from '../../stores/ledger/types.js'
import { mayAskFor } from './allowed-resources.js'
import { endGrants, endOf, endUnasked, hearsLogout, keptUntil, keyOf, lifeOf } from './grant.js'
import {
  contentOf,
  type Grant,
  grantIn,
  lastLineOf,
  personalOf,
  type Uses,
} from './grant-document.js'
import { ledgerOf } from './grant-ledger.js'
import { OAuthError } from './oauth-error.js'
import type { Parameters } from './parameters.js'
import {
  GRACE,
  openRefreshToken,
  type RefreshToken,
  refreshSealer,
  sealRefreshToken,
  usesWith,
} from './refresh-token.js'
import type { App } from './settings.js'
import { answerTokens } from './token-answer.js'
import { accessAlgOf } from './tokens.js'

/** The most uses that are remembered. No app refreshes more often, but for a loop that has gone wrong. */
const MAX_USES = 30

/**
 * Refreshes an access token (RFC 6749, section 6). A mistake in the request is found before the refresh token is used.
 *
 * @throws {OAuthError}
 * @throws {StoreUnavailable} the refresh token works afterwards
 */
export async function refreshGrant(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const text = parameters.get('refresh_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send a refresh_token.')
  const token = await openRefreshToken(request, app.id, text)
  if (!token) throw invalidToken()
  const resource = parameters.get('resource')
  if (resource !== undefined && resource !== token.resource) throw otherResource()
  if (token.resource !== request.issuer && !mayAskFor(app, token.resource)) {
    await endLost(request, token)
    throw invalidToken()
  }
  const alg = accessAlgOf(request, app, token.resource)
  if (!alg) throw otherResource()
  const asked = parameters.get('scope')?.split(' ').filter(Boolean)
  if (asked?.some((scope) => !token.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 'The grant has not all of the scopes.')
  }
  const refreshed = await useRefreshToken(request, token)
  if (!refreshed) throw invalidToken()
  const { grant, refreshToken, staleUntil } = refreshed
  const scopes = asked ? grant.scopes.filter((scope) => asked.includes(scope)) : grant.scopes
  const granted = { ...grant, scopes, staleUntil }
  return answerTokens(request, alg, granted, { refresh_token: refreshToken })
}

/** The list of the app has lost the resource. One that is over has no document, and is not announced again. */
async function endLost(request: AuthRequest, { sub, handle }: RefreshToken): Promise<void> {
  const document = await readDocument(request, keyOf(sub, handle))
  if (typeof document?.content === 'string') await endGrants(request, sub, [handle])
}

function otherResource(): OAuthError {
  return new OAuthError('invalid_target', 'The refresh token is for another resource.')
}

function invalidToken(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is not valid, or its grant is over.')
}

/** What a refresh gives. */
interface Refreshed {
  readonly grant: Grant
  readonly refreshToken: string
  /** Tokens with this `iat`, or an earlier one, are stale. */
  readonly staleUntil?: number | undefined
}

/**
 * Uses a refresh token: with one call of the ledger, which changes the grant's document to the next version if this token is its
 * newest one. For 30 seconds from its first use a used one gives the same successor, however often, wherever and in
 * whatever order it is used. Later, its user or the user of the successor has stolen it, and the grant ends (RFC 9700, 4.14.2).
 *
 * @returns `undefined`: the grant is over, by this use or before
 * @throws {StoreUnavailable} the token works afterwards
 */
async function useRefreshToken(
  request: AuthRequest,
  token: RefreshToken,
): Promise<Refreshed | undefined> {
  const now = nowInSeconds(request)
  const { sub, app, version, uses } = token
  if (endOf(token, uses[0].at) <= now) return undefined
  const [key] = (await refreshSealer(request)).ids
  // The clock of the isolate that gave it out may be ahead.
  const next = usesWith(uses, { at: Math.max(now, uses[0].at), key })
  if (next.length > MAX_USES) throw new StoreUnavailable('A grant is refreshed too often.')
  const answer = await advance(request, token, next)
  if (answer.isOver || !answer.document) return undefined
  const grant = ownGrantIn(token, answer.document)
  const { staleUntil } = answer
  if (answer.isChanged) {
    return { ...(await withSuccessor(request, grant, token, next)), staleUntil }
  }
  if (grant.version <= version) throw new StoreUnavailable('The ledger has an older grant.')
  // Each use made one version, so their order says which of them was the first use of this token.
  const first = grant.uses[grant.version - version - 1]
  if (first && now - first.at <= GRACE) {
    return { ...(await withSuccessor(request, grant, token, usesWith(uses, first))), staleUntil }
  }
  await endUnasked(request, sub, [grant])
  request.config.logger.warn('refresh-reused', app)
  return undefined
}

/** Changes the grant's document to the next version. The answer may be lost: asked again, nothing more is changed. */
async function advance(
  request: AuthRequest,
  token: RefreshToken,
  uses: Uses,
): Promise<LiveDocument> {
  const { sub, handle, version } = token
  const ledger = ledgerOf(request)
  const key = keyOf(sub, handle)
  const life = lifeOf({ ...token, pid: await pidOf(request, token) })
  const end = endOf(token, uses[0].at)
  const expires = hearsLogout(request, token.app) ? keptUntil(request, token, end) : end
  const change = { version, expires }
  const ask = async (line: { readonly content: string } | { readonly last: string }) => {
    const live = () => ledger.liveDocument(key, life, { ...change, ...line })
    return live().catch(live)
  }
  if (token.uses[0].key === uses[0].key) return ask({ last: lastLineOf(uses) })
  // Another secret comes first now: all that is sealed with the former one is renewed, once for each grant.
  const read = await ledger.liveDocument(key, life)
  if (read.isOver || read.document?.version !== version) return read
  const grant = ownGrantIn(token, read.document)
  return ask({ content: await contentOf(request, grant, await personalOf(request, grant), uses) })
}

/** The name of the person under the secret of the token, which was in use whenever the person may have been erased. */
async function pidOf(
  request: AuthRequest,
  { sub, uses }: RefreshToken,
): Promise<string | undefined> {
  const [{ ids }, pids] = await Promise.all([
    refreshSealer(request),
    request.keys.pseudonyms.all(sub),
  ])
  return pids[ids.indexOf(uses[0].key)]
}

/** @throws {DamagedRecord} */
function ownGrantIn({ sub, handle, app, resource }: RefreshToken, document: LedgerDocument): Grant {
  const grant = grantIn(sub, handle, document)
  if (grant.app === app && grant.resource === resource) return grant
  throw new DamagedRecord('The document of a grant belongs to another app.')
}

/** @throws {StoreUnavailable} another isolate has a secret that this one lacks yet */
async function withSuccessor(
  request: AuthRequest,
  grant: Grant,
  token: RefreshToken,
  uses: Uses,
): Promise<Refreshed> {
  const next = { ...token, version: token.version + 1, uses }
  const refreshToken = await sealRefreshToken(request, next)
  if (refreshToken === undefined) {
    throw new StoreUnavailable('A refresh token was renewed with a secret that is not known here.')
  }
  return { grant, refreshToken }
}
