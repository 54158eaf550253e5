import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { isCompanyId } from '../../lib/company-id.js'
import type { Authorization } from './authorization.js'

/**
 * Raised when an older version would misread a document. It has two lines: what never changes, and what each refresh puts in
 * the place of the second one, without having read the first.
 */
const VERSION = 1

/** A refresh, or the beginning, which gave out a refresh token. */
interface Use {
  /** Seconds since the epoch. */
  readonly at: number
  /** The id of the key that seals that token, so that every isolate seals it alike. */
  readonly key: string
}

/** The last uses, newest first. */
export type Uses = readonly [Use, ...Use[]]

/** What an app may do for a person, as the ledger has it. */
export interface Grant extends Omit<Authorization, 'amr' | 'pid' | 'profile' | 'session'> {
  /** Counts the refresh tokens, from 1 on; the newest has this number. */
  readonly version: number
  readonly acr: '1' | '2'
  /** The id of the company whose provider had proved who the person is. */
  readonly company?: string | undefined
  /** It rests on assertions: how many handles before this one have ended. */
  readonly asserted?: number | undefined
  /** The issuer and the session of its ID token, if the app hears that the session has ended. */
  readonly told?: { readonly iss: string; readonly sid: string } | undefined
  /** When it began. Seconds since the epoch. */
  readonly added: number
  /** The last one, and those up to 30 seconds before it. */
  readonly uses: Uses
  /** What describes the person: {@link personalOf} opens it. */
  readonly sealed: string
}

/** What a grant knows of its person. */
export type Personal = Pick<Authorization, 'amr' | 'profile'>

/** The content of a new document. */
export async function contentOf(
  request: AuthRequest,
  facts: Omit<Grant, 'version' | 'uses' | 'sealed'>,
  { amr, profile }: Personal,
  uses: Uses,
): Promise<string> {
  const { sub, handle, app, resource, scopes, began, authTime, acr, sid, sexp, added } = facts
  const { company, asserted, told } = facts
  const sealer = await request.keys.sealer('grant')
  // Bound to its grant, so that documents cannot be swapped.
  const sealed = await sealer.seal({ sub, handle, amr, profile }, sexp)
  const scope = scopes.join(' ')
  const named = { app, resource, scope, began, authTime, acr, sid, sexp, added, asserted, told }
  const first = { v: VERSION, ...named, ...(company === undefined ? {} : { company }), sealed }
  return `${JSON.stringify(first)}\n${lastLineOf(uses)}`
}

/** The line of a document that each refresh replaces. */
export function lastLineOf(uses: Uses): string {
  return JSON.stringify({ used: uses.map(({ at, key }) => [at, key]) })
}

/**
 * Reads a document.
 *
 * @throws {DamagedRecord}
 * @throws {StoreUnavailable} a later version has written it in another way
 */
export function grantIn(
  sub: string,
  handle: string,
  { version, content }: { readonly version: number; readonly content: string | null },
): Grant {
  const [first, last, ...more] = content?.split('\n') ?? []
  const facts = parsed(first)
  if (typeof facts?.v === 'number' && facts.v > VERSION) {
    throw new StoreUnavailable('A later version of the service has written a grant.')
  }
  const uses = usesIn(parsed(last)?.used)
  if (!facts || !isFacts(facts) || !uses || more.length > 0) {
    throw new DamagedRecord('The document of a grant cannot be read.')
  }
  const { app, resource, scope, began, authTime, acr, sid, sexp, added, sealed } = facts
  const { company, asserted, told } = facts
  const scopes = scope === '' ? [] : scope.split(' ')
  return {
    ...{ sub, handle, version, app, resource, scopes, began, authTime, acr },
    ...{ sid, sexp, added, uses, sealed },
    ...(isCompanyId(company) ? { company } : {}),
    ...(typeof asserted === 'number' ? { asserted } : {}),
    ...(isTold(told) ? { told } : {}),
  }
}

/** @throws {DamagedRecord} also if it was sealed with a secret that is no longer in use */
export async function personalOf(
  request: AuthRequest,
  { sub, handle, sealed }: Pick<Grant, 'sub' | 'handle' | 'sealed'>,
): Promise<Personal> {
  const opened = await (await request.keys.sealer('grant')).open(sealed)
  const { amr, profile } = opened ?? {}
  if (opened?.sub !== sub || opened.handle !== handle || !isRecord(profile) || !isTexts(amr)) {
    throw new DamagedRecord('The document of a grant cannot be decrypted.')
  }
  return { amr, profile }
}

/** Lists of uses as they are in documents and in refresh tokens. */
export function usesIn(value: unknown): Uses | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const uses = value.map((use: unknown) => {
    const [at, key] = Array.isArray(use) ? (use as unknown[]) : []
    return Number.isSafeInteger(at) && typeof key === 'string'
      ? { at: at as number, key }
      : undefined
  })
  return uses.every((use) => use !== undefined) ? (uses as unknown as Uses) : undefined
}

interface Facts {
  readonly app: string
  readonly resource: string
  readonly scope: string
  readonly began: number
  readonly authTime: number
  readonly acr: '1' | '2'
  readonly sid: string | undefined
  readonly sexp: number
  readonly added: number
  readonly sealed: string
  readonly company?: unknown
  readonly asserted?: unknown
  readonly told?: unknown
}

function isFacts(value: object): value is Facts {
  const { v, app, resource, scope, began, authTime, acr, sid, sexp, added, sealed } =
    value as Record<string, unknown>
  return (
    v === VERSION &&
    isTexts([app, resource, scope, sealed, sid ?? '']) &&
    [began, authTime, sexp, added].every(Number.isSafeInteger) &&
    (acr === '1' || acr === '2')
  )
}

function isTold(value: unknown): value is NonNullable<Grant['told']> {
  return isRecord(value) && isTexts([value.iss, value.sid])
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function parsed(line: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
