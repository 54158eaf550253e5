import { pattern } from '../../../lib/pattern.js'
import type { AuditEntry, AuditRecord } from '../../../types/audit.js'
import type { Member } from './canonical.js'

const TEXTS = [
  'time',
  'event',
  'person',
  'claimed',
  'into',
  'provider',
  'which',
  'by',
  'error',
  'code',
  'reference',
  'operator',
  'method',
  'reason',
  'device',
  'place',
  'network',
] as const
const NUMBERS = ['count', 'wait'] as const

/** Characters: far more than any text of the service has. */
const MAX_TEXT = 1_000

/**
 * Control characters, line breaks, signs of direction, and halves of a pair, of which RFC 8785 has no JSON (§3.2.2.2).
 */
const unsound = pattern(String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]`, 'gu')

/**
 * An entry as it is stored: the known members alone, texts of one line, whole numbers.
 *
 * @throws {TypeError} it has no time or no event
 */
export function soundEntry(entry: AuditEntry): AuditEntry {
  const texts = TEXTS.flatMap((name) => {
    const value: unknown = entry[name]
    return typeof value === 'string'
      ? [[name, value.slice(0, MAX_TEXT).replace(unsound(), '?')]]
      : []
  })
  const numbers = NUMBERS.flatMap((name) => {
    const value = Math.ceil(entry[name] ?? Number.NaN)
    return Number.isSafeInteger(value) ? [[name, value]] : []
  })
  const sound = Object.fromEntries([...texts, ...numbers]) as unknown as AuditEntry
  if (!sound.event || Number.isNaN(Date.parse(sound.time))) {
    throw new TypeError('An entry of the audit log has a time and an event.')
  }
  return sound
}

/** Is this a record at that place of a chain? Whether its hash is right is another question. */
export function isRecordAt(value: unknown, chain: string, seq: number): value is AuditRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const record = value as AuditRecord
  return (
    record.chain === chain &&
    record.seq === seq &&
    record.id === `${chain}_${seq}` &&
    typeof record.event === 'string' &&
    typeof record.time === 'string' &&
    !Number.isNaN(Date.parse(record.time)) &&
    typeof record.hash === 'string' &&
    (record.prev === null || typeof record.prev === 'string') &&
    Object.values(record as unknown as Record<string, unknown>).every(isMember)
  )
}

function isMember(value: unknown): value is Member {
  if (typeof value === 'string') return value.search(unsound()) === -1
  return value === null || Number.isSafeInteger(value)
}
