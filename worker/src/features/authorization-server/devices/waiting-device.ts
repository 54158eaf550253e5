import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord, StoreUnavailable } from '../../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { ownerOf } from '../../../session/revoke.js'
import type { Life } from '../../../stores/ledger/types.js'
import type { Authorization } from '../authorization.js'
import { ledgerOf, ofItself } from '../grant-ledger.js'

/** How long a person has. Seconds; `expires_in`. */
export const LIFE = 600

/** A decision of the last second can still be fetched. Seconds. */
export const AFTERWARDS = 60

/** Raised when an older version would misread a document. */
const VERSION = 1

/** What a device waits for. */
export interface WaitingDevice {
  /** The `client_id`. */
  readonly app: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** When the code ends. Seconds since the epoch. */
  readonly ends: number
  readonly state: 'pending' | 'denied' | 'allowed'
  /** What the person has allowed. */
  readonly authorization?: Authorization
}

/** A document as it was read. */
export interface ReadDevice {
  readonly device: WaitingDevice
  readonly version: number
}

/** @returns `false`: another device waits with this code @throws {StoreUnavailable} */
export async function beginDevice(
  request: AuthRequest,
  home: string,
  device: WaitingDevice,
): Promise<boolean> {
  const change = { version: 0, ...(await writtenAs(request, home, device)) }
  // It lives by itself: no end of a session ends it before its time.
  return (await ledgerOf(request).liveDocument(keyOf(home), ofItself(home), change)).isChanged
}

/** @returns `undefined`: no device waits with this code @throws {StoreUnavailable} @throws {DamagedRecord} */
export async function readDevice(
  request: AuthRequest,
  home: string,
): Promise<ReadDevice | undefined> {
  const document = await ledgerOf(request).document(keyOf(home))
  if (typeof document?.content !== 'string') return undefined
  return { device: await deviceIn(request, home, document.content), version: document.version }
}

/**
 * Writes what a person has decided, if their session lives.
 *
 * @returns `over`: the session is; `late`: it was decided meanwhile
 * @throws {StoreUnavailable}
 */
export async function decided(
  request: AuthRequest,
  claims: SessionClaims,
  home: string,
  version: number,
  device: WaitingDevice,
): Promise<'done' | 'over' | 'late'> {
  const change = { version, ...(await writtenAs(request, home, device)) }
  const life: Life = { sid: claims.sid, owner: ownerOf(claims) }
  const answer = await ledgerOf(request).liveDocument(keyOf(home), life, change)
  if (answer.isOver) return 'over'
  return answer.isChanged ? 'done' : 'late'
}

export function hasEnded(request: AuthRequest, { ends }: Pick<WaitingDevice, 'ends'>): boolean {
  return ends <= nowInSeconds(request)
}

/** Does the ledger no longer have the device? Then it need not be asked. @param now seconds since the epoch */
export function isForgotten({ ends }: Pick<WaitingDevice, 'ends'>, now: number): boolean {
  return ends + AFTERWARDS <= now
}

async function writtenAs(request: AuthRequest, home: string, device: WaitingDevice) {
  const { app, resource, scopes, ends, state, authorization } = device
  const expires = ends + AFTERWARDS
  const sealer = await request.keys.sealer('device')
  const sealed = authorization && (await sealer.seal({ home, authorization }, expires))
  const content = { v: VERSION, app, resource, scope: scopes.join(' '), ends, state, sealed }
  return { content: JSON.stringify(content), expires }
}

async function deviceIn(
  request: AuthRequest,
  home: string,
  content: string,
): Promise<WaitingDevice> {
  const facts: unknown = JSON.parse(content)
  const { v, app, resource, scope, ends, state, sealed } = isRecord(facts) ? facts : {}
  if (typeof v === 'number' && v > VERSION) {
    throw new StoreUnavailable('A later version of the service has written a device.')
  }
  if (v !== VERSION || typeof scope !== 'string') {
    throw new DamagedRecord('The document of a device cannot be read.')
  }
  const scopes = scope === '' ? [] : scope.split(' ')
  const device = { ...({ app, resource, ends, state } as WaitingDevice), scopes }
  if (sealed === undefined) return device
  const opened = await (await request.keys.sealer('device')).open(String(sealed))
  // Under another secret, or moved here from another code: it can be begun again.
  if (opened?.home !== home) throw new DamagedRecord('The document of a device cannot be opened.')
  return { ...device, authorization: opened.authorization as unknown as Authorization }
}

function keyOf(home: string): string {
  return `device\n${home}`
}
