import { logEvent } from '../../http/log-event.js'
import type { AuthRequest } from '../../http/request.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { ProviderTokens } from '../../session/stored-values.js'
import {
  type ConnectedWay,
  changeConnection,
  MAX_TRIES,
  neverDone,
  openTokens,
  readConnection,
  sealTokens,
} from './connection.js'
import { endConnection } from './end-connection.js'
import { scopesIn } from './scopes.js'
import { lasts, storedTokens, tokenSource } from './stored-tokens.js'
import { waysWith } from './ways-with.js'

/** How a way was proved. */
interface Proof {
  /** The scope that was asked for. Default: the provider's own. */
  readonly asked?: string | undefined
  /** Default: now. Milliseconds since the epoch. */
  readonly at?: number
}

/**
 * Keeps the tokens of a way that was proved. A sign-in asks for fewer scopes than an addition, and
 * loses nothing by it: tokens that may do more stay while the provider takes them.
 *
 * @throws {StoreUnavailable}
 */
export async function keepConnection(
  request: AuthRequest,
  way: ConnectedWay,
  tokens: ProviderTokens,
  { asked, at: now = request.config.now() }: Proof = {},
): Promise<void> {
  // Left out, the scope is the one that was asked for (RFC 6749, section 5.1).
  const wanted = asked ?? (await tokenSource(request, way.provider))?.scope
  const { scope = wanted } = tokens
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const connection = await readConnection(request, way)
    const opened = await openTokens(request, way, connection.sealed)
    const before = opened && works(request, opened) ? opened : undefined
    // If several requests prove it at once, one is as good as another.
    if (tries > 0 && connection.proved >= now && before && covers(before.scope, scope)) return
    const proved = Math.max(now, connection.proved + 1)
    const fresh = { ...tokens, ...(scope === undefined ? {} : { scope }), version: proved }
    const sealed = await sealTokens(request, way, fresh)
    // Are there earlier scopes that the user has not refused now?
    const isLess = before && !covers([scope, wanted].join(' '), before.scope)
    // The sealed part stays as it is, so that a refresh under way is not lost.
    const next = isLess ? { ...connection, spare: sealed, proved } : { sealed, proved }
    if (await changeConnection(request, way, connection.version, next)) return
  }
  throw neverDone()
}

/**
 * The same for a way that its person has still when the tokens are kept: no other request would end those of a way that
 * was removed, or whose person was erased, before.
 *
 * @returns `false`: they do not have it, and the tokens are not kept
 * @throws {StoreUnavailable}
 */
export async function keepWhileTheirs(
  request: AuthRequest,
  way: ConnectedWay,
  tokens: ProviderTokens,
  proof?: Proof,
): Promise<boolean> {
  await keepConnection(request, way, tokens, proof)
  const ways = await waysWith(request, way.sub, way.provider)
  if (ways.some((one) => one.way === way.way)) return true
  await endConnection(request, way)
  return false
}

/**
 * Keeps the tokens of a sign-in with a way whose connection is kept. They are the connection's alone, since
 * two refreshes of the same tokens would end the grant.
 *
 * @returns the session's part
 * @throws {StoreUnavailable}
 */
export async function connect(
  request: AuthRequest,
  way: ConnectedWay,
  tokens: ProviderTokens | undefined,
  asked?: string,
): Promise<ProviderTokens | undefined> {
  if (tokens?.access_token === undefined) return tokens
  const isKept = await keepWhileTheirs(request, way, tokens, { asked })
  return isKept ? { version: 0, connected: true } : tokens
}

/**
 * Keeps the tokens of a step-up as those of any sign-in: a person with
 * one way keeps those that the session began with.
 *
 * @throws {StoreUnavailable}
 */
export async function connectProved(
  request: AuthRequest,
  { account, way, isAlone }: SignedIn,
): Promise<void> {
  if (way === undefined || isAlone) return
  const { userId: sub, provider } = account
  await connect(request, { sub, way, provider }, storedTokens(account))
}

function works(request: AuthRequest, tokens: ProviderTokens): boolean {
  if (tokens.ended) return false
  return tokens.refresh_token !== undefined || lasts(request, tokens, 0)
}

function covers(granted: string | undefined, scope: string | undefined): boolean {
  const scopes = new Set(scopesIn(granted))
  return scopesIn(scope).every((one) => scopes.has(one))
}

/**
 * Ends a person's connections with a provider, also those of two accounts there; the ways stay.
 *
 * @throws {StoreUnavailable} some may not have ended then: called again, it finishes
 */
export async function disconnect(
  request: AuthRequest,
  sub: string,
  provider: string,
): Promise<void> {
  const ways = await waysWith(request, sub, provider)
  const ended = await Promise.all(ways.map((way) => endConnection(request, way)))
  if (ways.length > 0) {
    await logEvent(request, { event: 'disconnected', sub, provider, by: 'operator' })
  }
  await Promise.all(ended.map((revokeAtProvider) => revokeAtProvider()))
}
