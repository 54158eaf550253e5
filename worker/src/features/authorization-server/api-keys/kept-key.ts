import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord, StoreUnavailable } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'

/**
 * Raised when an older version would misread a document. It has two lines: what never changes, and the day of the last use.
 */
const VERSION = 1

/** A key as the ledger has it. Times are seconds since the epoch. */
export interface KeptKey {
  readonly id: string
  readonly sub: string
  /** The issuer that it counts at; `undefined`: an earlier version, or an operator without a configured origin, has made it. */
  readonly iss?: string | undefined
  /** What its person calls it; empty if the secret that sealed it is gone. */
  readonly name: string
  /** The prefix and four characters, by which its person tells it from others. */
  readonly start: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly created: number
  readonly expires: number
  /** The day of the last use, counted from the epoch. */
  readonly used: number | null
  /** The version of the document. */
  readonly version: number
}

/** The content of a new document. */
export async function contentOfKey(
  request: AuthRequest,
  {
    id,
    sub,
    iss,
    name,
    start,
    resource,
    scopes,
    created,
    expires,
  }: Omit<KeptKey, 'used' | 'version'>,
): Promise<string> {
  const sealer = await request.keys.sealer('api-key')
  // Bound to its key, so that documents cannot be swapped.
  const sealed = await sealer.seal({ id, name }, expires)
  const scope = scopes.join(' ')
  const first = { v: VERSION, sub, iss, start, resource, scope, created, expires, sealed }
  return `${JSON.stringify(first)}\n${lastUse(null)}`
}

/** The line that the first use of a day replaces. */
export function lastUse(used: number | null): string {
  return JSON.stringify({ used })
}

/**
 * Reads a document.
 *
 * @throws {DamagedRecord}
 * @throws {StoreUnavailable} a later version has written it in another way
 */
export async function keyIn(
  request: AuthRequest,
  id: string,
  { version, content }: { readonly version: number; readonly content: string | null },
): Promise<KeptKey> {
  const [first, last] = content?.split('\n') ?? []
  const facts = parsed(first)
  const { v, sub, iss, start, resource, scope, created, expires, sealed } = facts
  if (typeof v === 'number' && v > VERSION) {
    throw new StoreUnavailable('A later version of the service has written an API key.')
  }
  const { used } = parsed(last)
  const areTexts = [sub, iss ?? '', start, resource, scope, sealed].every(
    (one) => typeof one === 'string',
  )
  const areTimes = [created, expires, used ?? 0].every(Number.isSafeInteger)
  if (v !== VERSION || !areTexts || !areTimes) {
    throw new DamagedRecord('The document of an API key cannot be read.')
  }
  const opened = await (await request.keys.sealer('api-key')).open(sealed as string)
  const name = opened?.id === id && typeof opened.name === 'string' ? opened.name : ''
  return {
    ...({ sub, iss, start, resource, created, expires } as KeptKey),
    ...{ id, name, scopes: (scope as string).split(' ') },
    ...{ used: (used ?? null) as number | null, version },
  }
}

function parsed(line = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
