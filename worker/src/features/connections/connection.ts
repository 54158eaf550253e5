import { isRecord } from '@latchkey/session/internal'
import { StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { connectionKey } from '../../person/way-document.js'
import type { ProviderTokens } from '../../session/stored-values.js'

/** A person's way to sign in, with tokens that outlive the sessions. */
export interface ConnectedWay {
  readonly sub: string
  /** The way's own name. */
  readonly way: string
  /** The provider's id. */
  readonly provider: string
}

/** A connection as the ledger has it. */
export interface Connection {
  /** The document's; 0: there is none. */
  readonly version: number
  /** The tokens, in the form of {@link sealTokens}. */
  readonly sealed: string
  /**
   * The tokens of a later sign-in that was granted less, for when the provider refuses the others.
   */
  readonly spare?: string
  /** When the way was proved the last time, milliseconds since the epoch: the tokens of the last one count. */
  readonly proved: number
  /** Until when the tokens are being refreshed, seconds since the epoch. */
  readonly lease?: number
  /** The person that they are being moved to, and that they belong to from then on. */
  readonly movedTo?: string
}

/**
 * After this time another caller may take over a refresh that was never finished: longer than any request
 * to a provider lasts. Seconds.
 */
export const LEASE = 30

/** How often a change is tried again after a faster one. */
export const MAX_TRIES = 20

/** Tokens are kept until the connection ends. Seconds since the epoch: the year 9999. */
const FOREVER = 253_402_300_799

/**
 * A connection; `sealed` is empty if there is none, or none any more.
 *
 * @throws {StoreUnavailable}
 */
export async function readConnection(
  { stores }: AuthRequest,
  way: ConnectedWay,
): Promise<Connection> {
  const document = await stores.ledger.document(connectionKey(way.sub, way.way))
  const content = JSON.parse(document?.content ?? '{}') as Partial<Connection>
  // One that has just ended has a version too, so that no slower write brings it back.
  return { sealed: '', proved: 0, ...content, version: document?.version ?? 0 }
}

/**
 * Changes a connection if it is still as it was read; `undefined` ends it.
 *
 * @returns is it changed? @throws {StoreUnavailable}
 */
export async function changeConnection(
  { stores }: AuthRequest,
  way: ConnectedWay,
  version: number,
  next: Omit<Connection, 'version'> | undefined,
): Promise<boolean> {
  const content = next ? JSON.stringify({ ...next, version: undefined }) : null
  return (
    (await stores.ledger.changeDocument(connectionKey(way.sub, way.way), version, content)) === true
  )
}

/** Tokens sealed for one way of one person, so that no connection is taken for another one. */
export async function sealTokens(
  { keys }: AuthRequest,
  { sub, way }: ConnectedWay,
  tokens: ProviderTokens,
): Promise<string> {
  return (await keys.sealer('connection')).seal({ sub, way, tokens }, FOREVER)
}

/** `undefined` for tokens that a removed secret has sealed. */
export async function openTokens(
  { keys }: AuthRequest,
  { sub, way }: ConnectedWay,
  sealed: string | undefined,
): Promise<ProviderTokens | undefined> {
  if (sealed === undefined) return undefined
  const content = await (await keys.sealer('connection')).open(sealed)
  if (content?.sub !== sub || content.way !== way || !isRecord(content.tokens)) return undefined
  return content.tokens as unknown as ProviderTokens
}

/** After this many changes by others another fault is likely. */
export function neverDone(): StoreUnavailable {
  return new StoreUnavailable('A connection changes faster than it can be written.')
}
