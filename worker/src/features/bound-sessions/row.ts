import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { oldestPid } from '../../lib/oldest-pid.js'
import { sessionEnd } from '../../session/record.js'
import type { SessionOwner } from '../../stores/ledger/types.js'
import { algOf, type BrowserKey } from './browser-key.js'
import { FOREVER } from './identifier.js'

/** What the ledger keeps of a bound session. */
export interface BoundRow {
  readonly sub: string
  /** When the session began. Seconds since the epoch. */
  readonly began: number
  /** How its person last proved who they are, and when: no cookie need come with a proof of the key. */
  readonly auth_time: number
  readonly amr: readonly string[]
  readonly key: BrowserKey
  /** The name of its identifier. */
  readonly name: string
  /** The challenge that has counted last, by its time; 0: none has. Milliseconds since the epoch. */
  readonly last: number
}

/** The document of a session in the ledger. It has two lines: what seldom changes, and what each proof changes. */
export function keyOf(sid: string): string {
  return `bound\n${sid}`
}

/** Changes of one row that race, after which its caller may try again. */
export const MAX_TRIES = 4

export const FASTER = 'A bound session changes faster than it can be written.'

/** A person and the beginning of a session, for the ledger. */
export async function ownerOf(
  { keys }: AuthRequest,
  { sub, began }: Pick<BoundRow, 'sub' | 'began'>,
): Promise<SessionOwner> {
  return { sub, auth_time: began, pid: await oldestPid(keys, sub) }
}

/** Seconds. */
const DAY = 24 * 60 * 60

/**
 * When a row may go: with its session, whose browser may come a while after. All proofs of a day give the same end, so that they
 * write no entry of an index. Seconds since the epoch.
 */
export function endOf(request: AuthRequest, began: number): number {
  const end = sessionEnd(request, nowInSeconds(request), began)
  return (Math.ceil(end / DAY) + 1) * DAY
}

export async function contentOf(
  request: AuthRequest,
  sid: string,
  { last, key, ...facts }: BoundRow,
): Promise<string> {
  const sealer = await request.keys.sealer('bound-row')
  const { issuer } = request
  const all = { sid, issuer, ...facts, key, alg: algOf(key) }
  const second = last === 0 ? '' : await stateOf(request, sid, last)
  return `${await sealer.seal(all, FOREVER)}\n${second}`
}

/** The second line, once a proof has counted. Before that it is empty. */
export async function stateOf({ keys }: AuthRequest, sid: string, last: number): Promise<string> {
  return (await keys.sealer('bound-row')).seal({ sid, last }, FOREVER)
}

/** Has a proof counted? Known without opening the row. */
export function isProved(content: string | null): boolean {
  return content !== null && !content.endsWith('\n')
}

/** @returns `undefined`: it cannot be opened, or is of another service with the same ledger */
export async function rowIn(
  { keys, issuer }: AuthRequest,
  sid: string,
  content: string | null | undefined,
): Promise<BoundRow | undefined> {
  const [first = '', second = ''] = content?.split('\n') ?? []
  const sealer = await keys.sealer('bound-row')
  const facts = await sealer.open(first)
  const state = second === '' ? { sid, last: 0 } : await sealer.open(second)
  if (facts?.sid !== sid || state?.sid !== sid || facts.issuer !== issuer) return undefined
  // Only we have sealed them, for this purpose: another form gets another one.
  return { ...(facts as unknown as BoundRow), last: state.last as number }
}
