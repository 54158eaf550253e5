import { isRecord } from '@latchkey/session/internal'
import type { StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { loadSession, sealValues } from '../../session/record.js'
import { deleteRecord, isRevoked, nameOf } from '../../session/revoke.js'
import type { ProviderTokens, StandingSession } from '../../session/stored-values.js'
import { LOOKS, pause, retryLater, type TokenHome } from './refresh.js'

/**
 * The tokens of a session: in its record as they were when it was written, and in the ledger since they
 * were refreshed, where KV's delay does not matter.
 *
 * @param standing `tokens` is set to the newest that were seen
 */
export function sessionTokens(request: AuthRequest, standing: StandingSession): TokenHome {
  const { record } = standing
  const { sid, expires } = record
  const { stores, config } = request
  const end = expires + config.session.maxAge
  return {
    provider: record.provider,
    over: 'signed-out',
    newest: () => newestTokens(request, standing),
    claim: async ({ version }) => (await stores.ledger.claimRefresh(sid, version, end)).state,
    release: ({ version }) => stores.ledger.settleRefresh(sid, version, undefined),
    settle: (fresh) => settle(request, standing, fresh),
    isOver: () => isRevoked(request, nameOf(record)),
    revokes: ({ revokeOnSignOut }) => revokeOnSignOut,
  }
}

/**
 * The newest tokens of a session: those of the ledger, if they were refreshed since its record was
 * written. Tokens in the ledger that are sealed with a removed secret count as absent.
 *
 * @throws {StoreUnavailable}
 */
export async function newestTokens(
  { stores, keys }: AuthRequest,
  standing: StandingSession,
): Promise<ProviderTokens | undefined> {
  const { record, tokens } = standing
  if (!tokens?.refresh_token) return tokens
  const refreshed = await stores.ledger.refreshedTokens(record.sid)
  if (!refreshed || refreshed.version <= tokens.version) return tokens
  const content = await keys.record.open(refreshed.sealed)
  if (content?.sid !== record.sid || !isRecord(content.tokens)) return tokens
  standing.tokens = content.tokens as unknown as ProviderTokens
  return standing.tokens
}

/**
 * Stores the newest tokens in the ledger. When it fails they go into the session's record, and the
 * call to the ledger is repeated in the background. Never rejects.
 */
async function settle(
  request: AuthRequest,
  standing: StandingSession,
  tokens: ProviderTokens,
): Promise<ProviderTokens> {
  const { config, stores, keys } = request
  const { sid, expires } = standing.record
  standing.tokens = tokens
  const sealed = await keys.record.seal({ sid, tokens }, expires + config.session.maxAge)
  const attempt = () => stores.ledger.settleRefresh(sid, tokens.version - 1, sealed)
  try {
    await attempt()
  } catch (error) {
    config.logger.error(error as StoreUnavailable)
    request.waitUntil(retryLater(attempt))
    await writeBeside(request, standing, tokens).catch((failure: Error) =>
      config.logger.error(failure),
    )
  }
  return tokens
}

/**
 * Puts other tokens in the place of a session's own, once no caller refreshes them.
 *
 * @param make is given the newest, and may reject: then they stay
 * @returns `false`: they are being refreshed all the time, or a refresh has died
 * @throws {StoreUnavailable}
 */
export async function replaceTokens(
  request: AuthRequest,
  standing: StandingSession,
  make: (tokens: ProviderTokens) => Promise<ProviderTokens>,
): Promise<boolean> {
  const home = sessionTokens(request, standing)
  for (let look = 0; look < LOOKS; look++) {
    const tokens = await home.newest()
    if (!tokens || tokens.connected) return true
    const isRefreshable = tokens.refresh_token !== undefined
    const claim = isRefreshable ? await home.claim(tokens) : 'yours'
    if (claim === 'over') return true
    if (claim !== 'yours') {
      await pause()
      continue
    }
    const next = await make(tokens).catch(async (error: unknown) => {
      if (isRefreshable) await home.release(tokens)
      throw error
    })
    const replaced = { ...next, version: tokens.version + 1 }
    if (isRefreshable) await home.settle(replaced)
    // A record with a token that lasts is read alone.
    await writeBeside(request, standing, replaced)
    return true
  }
  return false
}

/** Writes the tokens into the current record, and deletes it when the session is over. */
async function writeBeside(
  request: AuthRequest,
  { record: { sub, sid, created } }: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { sessions } = request.stores
  const current = await loadSession(request, { sub, sid, auth_time: created })
  if (typeof current === 'string') return
  const { record, ...values } = current
  const sealed = await sealValues(request, sid, { ...values, tokens }, record.expires)
  await sessions.put({ ...record, sealed })
  if (await isRevoked(request, nameOf(record))) deleteRecord(request, record)
}
