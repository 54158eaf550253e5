import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { liveRecords } from '../../session/list.js'
import { loadSession } from '../../session/record.js'
import { nameOf } from '../../session/revoke.js'
import { wayOfValues } from '../../session/session-way.js'
import type { ProviderTokens, StandingSession } from '../../session/stored-values.js'
import type { TokenSet } from '../../types.js'
import { type ConnectedWay, neverDone, openTokens, readConnection } from './connection.js'
import { connect, keepWhileTheirs } from './connections.js'
import { scopeToAsk } from './scopes.js'
import { newestTokens, replaceTokens } from './session-tokens.js'
import { storedTokens, tokenSource } from './stored-tokens.js'
import { waysWith } from './ways-with.js'

/**
 * The request to a provider that a user adds, or adds again.
 *
 * @param named the scopes that the form names
 * @throws {StoreUnavailable}
 */
export async function scopeOfAdding(
  request: AuthRequest,
  asker: SessionClaims,
  provider: string,
  named: unknown,
): Promise<string | undefined> {
  const source = await tokenSource(request, provider)
  return source && scopeToAsk(source, await grantedTo(request, asker, provider), named)
}

/** What a person has granted before, with any account of a provider. */
async function grantedTo(
  request: AuthRequest,
  asker: SessionClaims,
  provider: string,
): Promise<string> {
  const ways = await waysWith(request, asker.sub, provider)
  const kept = await Promise.all(
    ways.map(async (way) => {
      const { sealed, spare } = await readConnection(request, way)
      return Promise.all([sealed, spare].map((one) => openTokens(request, way, one)))
    }),
  )
  const mayBeOwn = asker.amr[0] === provider || asker.began !== undefined
  const standing = mayBeOwn ? await loadSession(request, asker) : 'unknown'
  const isOwn = typeof standing !== 'string' && standing.record.provider === provider
  const own = isOwn ? await newestTokens(request, standing) : undefined
  return [...kept.flat(), own].map((tokens) => tokens?.scope ?? '').join(' ')
}

/**
 * Keeps the tokens of a way that its person has added, or proved again: in its connection, or, for
 * a person without another way, in the session.
 *
 * @param asked the requested scope, if it differs from the provider's own
 * @throws {StoreUnavailable}
 */
export async function keepAdded(
  request: AuthRequest,
  asker: SessionClaims,
  way: ConnectedWay,
  answer: TokenSet,
  asked: string | undefined,
): Promise<void> {
  const tokens = storedTokens(answer)
  const session = await loadSession(request, asker)
  const standing = typeof session === 'string' ? undefined : session
  const ways = await waysWith(request, way.sub, way.provider)
  if (ways.some((one) => one.way === way.way)) {
    await connect(request, way, tokens, asked)
    const hasOwn = standing?.tokens && !standing.tokens.connected
    if (standing) await connectSession(request, standing)
    // Other sessions that have tokens of their own began before there was a connection, as this one did.
    for (const record of hasOwn ? await liveRecords(request, way.sub) : []) {
      const other = await loadSession(request, nameOf(record))
      if (typeof other !== 'string') await connectSession(request, other)
    }
  } else if (
    standing &&
    tokens &&
    wayOfValues(request, standing.record, standing).way === way.way
  ) {
    const { scope = asked } = tokens
    const kept = { ...tokens, ...(scope === undefined ? {} : { scope }) }
    if (!(await replaceTokens(request, standing, async () => kept))) throw neverDone()
  }
}

/**
 * A session's own tokens go over to the connection of its way, which outlives it. A crash between
 * the two writes leaves them in both places: then the provider refuses the later one of two
 * refreshes. If they cannot be moved now, the session keeps them, and the next sign-in makes the
 * connection.
 */
async function connectSession(request: AuthRequest, standing: StandingSession): Promise<void> {
  const { sub, provider } = standing.record
  const { way } = wayOfValues(request, standing.record, standing)
  const ways = await waysWith(request, sub, provider)
  if (!ways.some((one) => one.way === way)) return
  const own = { sub, way, provider }
  await replaceTokens(request, standing, async (tokens): Promise<ProviderTokens> => {
    const { sealed } = await readConnection(request, own)
    // It was proved before any way that was added in the session.
    const at = standing.record.created * 1000 - 1
    // Otherwise a later sign-in with it has brought others.
    const isKept = sealed !== '' || (await keepWhileTheirs(request, own, tokens, { at }))
    return isKept ? { version: 0, connected: true } : tokens
  })
}
