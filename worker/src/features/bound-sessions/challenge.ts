import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { packedKey, unpackedKey } from './browser-key.js'
import { FOREVER } from './identifier.js'
import type { BoundRow } from './row.js'

/** The text that a browser signs for a renewal. It shows by itself that we have made it, so that a made-up one costs no call. */
export interface Challenge {
  /** The name of the identifier that it is for. */
  readonly name: string
  /** Seconds since the epoch. */
  readonly until: number
  /** When it was given, later than the one that had counted by then. Milliseconds since the epoch. */
  readonly at: number
  /** The row as it was then: a proof needs no call to read it. */
  readonly row?: KnownRow | undefined
  /** The session's latest token. Seconds since the epoch. */
  readonly token?: { readonly iat: number; readonly sexp: number } | undefined
}

/** A row, by its version. */
export interface KnownRow extends Pick<BoundRow, 'sub' | 'began' | 'key'> {
  readonly version: number
}

/** A challenge lives so much longer than a token. Seconds. */
const MORE = 60

/** A proof of at most 4,096 characters has to hold it, with a signature of 4,096 bits. Characters. */
const MAX_LENGTH = 2_200

/** @param after the time of the challenge that has counted last, if it is known. Milliseconds since the epoch */
export async function newChallenge(
  request: AuthRequest,
  { name, row, token }: Pick<Challenge, 'name' | 'row' | 'token'>,
  after = 0,
): Promise<string> {
  const { config } = request
  const until = nowInSeconds(request) + config.session.tokenMaxAge + MORE
  const short = { n: name, u: until, a: Math.max(config.now(), after + 1) }
  const known = row && [row.version, row.sub, row.began, packedKey(row.key)]
  const sealer = await request.keys.sealer('bound-challenge')
  const full = await sealer.seal(
    { ...short, ...(known ? { r: known } : {}), ...(token ? { t: [token.iat, token.sexp] } : {}) },
    FOREVER,
  )
  // Without the row its proof takes one call more.
  return full.length <= MAX_LENGTH ? full : sealer.seal(short, FOREVER)
}

/** @returns `undefined`: no secret in use has made it */
export async function openChallenge(
  { keys }: AuthRequest,
  text: string,
): Promise<Challenge | undefined> {
  const opened = await (await keys.sealer('bound-challenge')).open(text)
  if (!opened) return undefined
  // Only we have sealed it, for this purpose.
  const { n: name, u: until, a: at, r, t } = opened as unknown as Short
  const [version, sub, began, key] = r ?? []
  const isKnown = version !== undefined && sub !== undefined && began !== undefined && key
  return {
    name,
    until,
    at,
    ...(isKnown ? { row: { version, sub, began, key: unpackedKey(key) } } : {}),
    ...(t ? { token: { iat: t[0], sexp: t[1] } } : {}),
  }
}

/** A challenge as it is sealed. */
interface Short {
  readonly n: string
  readonly u: number
  readonly a: number
  readonly r?: readonly [version: number, sub: string, began: number, key: string]
  readonly t?: readonly [iat: number, sexp: number]
}

/** The text that a browser signs with a new key. */
export interface Offer extends Pick<BoundRow, 'sub' | 'began' | 'auth_time' | 'amr'> {
  /** The service that began the session: another one with the same secrets lets in other people. */
  readonly issuer: string
  readonly sid: string
  /** The times of the session's latest token. Seconds since the epoch. */
  readonly iat: number
  readonly sexp: number
  /** The name of the identifier whose key the new one takes the place of. */
  readonly instead?: string | undefined
}

/** For so long a key may be registered. Seconds. */
const OFFERED = 60

export async function newOffer(request: AuthRequest, offer: Offer): Promise<string> {
  const sealer = await request.keys.sealer('bound-offer')
  return sealer.seal({ ...offer }, nowInSeconds(request) + OFFERED)
}

/** @returns `undefined`: no secret in use has made it, it has ended, or it is of another service with the same secrets */
export async function openOffer(
  { keys, issuer }: AuthRequest,
  text: string,
): Promise<Offer | undefined> {
  // Only we have sealed it, for this purpose.
  const offer = (await (await keys.sealer('bound-offer')).open(text)) as Offer | undefined
  return offer?.issuer === issuer ? offer : undefined
}
