import type { AuthRequest } from '../http/request.js'
import type { ProviderTokens } from '../session/record.js'
import { waysWith } from './connected-token.js'
import {
  type ConnectedWay,
  type Connection,
  changeConnection,
  MAX_TRIES,
  neverDone,
  openTokens,
  readConnection,
  sealTokens,
} from './connection.js'
import { lasts, revokeAt, tokenSource } from './kept-tokens.js'
import { scopesIn } from './scopes.js'

/**
 * Keeps the tokens of a way that was proved just now. Who signs in is asked for less than who adds a
 * scope, and loses nothing by it: tokens that may do more stay while the provider takes them.
 *
 * @throws {StoreUnavailable}
 */
export async function keepConnection(
  request: AuthRequest,
  way: ConnectedWay,
  tokens: ProviderTokens,
): Promise<void> {
  const asked = request.scope ?? tokenSource(request, way.provider)?.scope
  // Left out, the scope is the one that was asked for (RFC 6749, section 5.1).
  const scope = tokens.scope ?? asked
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await readConnection(request, way)
    const proved = Math.max(request.config.now(), known.proved + 1)
    const fresh = { ...tokens, ...(scope === undefined ? {} : { scope }), version: proved }
    const sealed = await sealTokens(request, way, fresh)
    const before = await openTokens(request, way, known.sealed)
    const isLess = before && works(request, before) && isNotAskedFor(before.scope, scope, asked)
    // What is sealed stays as it is, so that a refresh under way is not lost.
    const next = isLess ? { ...known, spare: sealed, proved } : { sealed, proved }
    if (await changeConnection(request, way, known.version, next)) return
  }
  throw neverDone()
}

/**
 * Keeps the tokens of a sign-in with a way whose connection is kept. They are the connection's alone, since
 * two who refresh the same ones would end the grant.
 *
 * @returns what the session keeps of them
 * @throws {StoreUnavailable}
 */
export async function connect(
  request: AuthRequest,
  way: ConnectedWay,
  tokens: ProviderTokens | undefined,
): Promise<ProviderTokens | undefined> {
  if (tokens?.access_token === undefined) return tokens
  await keepConnection(request, way, tokens)
  const ways = await waysWith(request, way.sub, way.provider)
  if (ways.some((one) => one.way === way.way)) return { version: 0, connected: true }
  // It was removed meanwhile, and nobody else would end what was kept after that.
  await endConnection(request, way)
  return tokens
}

function works(request: AuthRequest, tokens: ProviderTokens): boolean {
  if (tokens.ended) return false
  return tokens.refresh_token !== undefined || lasts(request, tokens, 0)
}

/** Is there anything that was granted before, is not granted now, and nobody has refused? */
function isNotAskedFor(
  before: string | undefined,
  granted: string | undefined,
  asked: string | undefined,
): boolean {
  const known = new Set([granted, asked].flatMap(scopesIn))
  return scopesIn(before).some((scope) => !known.has(scope))
}

/**
 * Ends a connection. It may be called again, and does nothing where there is none.
 *
 * @returns revokes the tokens at the provider, if it can; never rejects
 * @throws {StoreUnavailable} it has not ended then
 */
export async function endConnection(
  request: AuthRequest,
  way: ConnectedWay,
): Promise<() => Promise<void>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await readConnection(request, way)
    if (known.sealed === '') return async () => {}
    if (await changeConnection(request, way, known.version, undefined)) {
      return () => revokeAll(request, way, known)
    }
  }
  throw neverDone()
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
  await Promise.all(ended.map((revokeAtProvider) => revokeAtProvider()))
}

async function revokeAll(
  request: AuthRequest,
  way: ConnectedWay,
  { sealed, spare }: Connection,
): Promise<void> {
  const source = tokenSource(request, way.provider)
  if (!source) return
  for (const one of [sealed, spare]) {
    const tokens = await openTokens(request, way, one)
    if (tokens && !tokens.ended) await revokeAt(request, source, tokens)
  }
}

/**
 * Hands a connection on to whom its person has become. Called again, it goes on; what that person has of the
 * way already stays.
 *
 * @throws {StoreUnavailable}
 */
export async function moveConnection(
  request: AuthRequest,
  way: ConnectedWay,
  sub: string,
): Promise<void> {
  const target = { ...way, sub }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const known = await readConnection(request, way)
    if (known.sealed === '') return
    const theirs = await readConnection(request, target)
    const tokens = await openTokens(request, way, known.sealed)
    if (tokens && theirs.sealed === '') {
      const moved = { sealed: await sealTokens(request, target, tokens), proved: known.proved }
      if (!(await changeConnection(request, target, theirs.version, moved))) continue
    }
    if (await changeConnection(request, way, known.version, undefined)) return
  }
  throw neverDone()
}
