import { AuthError } from '../errors.js'
import { pattern } from '../lib/pattern.js'
import { isOwnDetail } from '../lib/printable.js'
import type { LogEvent } from '../types.js'

/** What one line of the console says. */
export interface LogEntry {
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly event?: LogEvent
  readonly error?: Error
  readonly message?: string
  /** Made by the service itself. */
  readonly detail?: object | string | undefined
}

/** The line as text. @param now ISO 8601, if no event says its own time */
export function textLine(entry: LogEntry, now: string): string {
  const { level, event, error, message, detail } = entry
  const { time = now, event: name, error: type, reference, ...members } = event ?? {}
  const head =
    name ??
    (error
      ? describe(error)
      : [message, typeof detail === 'string' ? detail : []].flat().join(': '))
  const parts = [
    `[auth][${level}] ${time} ${head}`,
    ...pairsOf(members),
    ...(event && !error && type ? pairsOf({ error: type }) : []),
    ...(event && error ? [describe(error)] : []),
    ...pairsOf({ ...ownDetailOf(error, event), reference: reference ?? referenceOf(error) }),
    ...(typeof detail === 'object' ? pairsOf({ ...detail }) : []),
    ...causesOf(error).map((cause) => `caused by ${cause}`),
  ]
  return onOneLine(parts.join(' '))
}

/** The line as one JSON object. @param now as above */
export function jsonLine(entry: LogEntry, now: string): string {
  const { level, event, error, message, detail } = entry
  const own = ownDetailOf(error, event)
  const causes = causesOf(error)
  const { time = now, ...members } = event ?? {}
  const line = {
    time,
    level,
    reference: event ? undefined : referenceOf(error),
    ...members,
    ...(error ? { error: error.name, message: error.message } : { message }),
    detail: error ? (Object.keys(own).length > 0 ? own : undefined) : detail,
    ...(causes.length > 0 ? { causes } : {}),
  }
  // JSON leaves some line breaks of Unicode as they are.
  return onOneLine(JSON.stringify(line))
}

/** The service's own words about an error, without those that the event has already. */
function ownDetailOf(error?: Error, event?: LogEvent): Record<string, unknown> {
  const { err: _, provider, ...rest } = isOwnDetail(error?.cause) ? error.cause : {}
  return { ...(event?.provider === undefined && provider ? { provider } : {}), ...rest }
}

function referenceOf(error: Error | undefined): string | undefined {
  return error instanceof AuthError ? error.reference : undefined
}

function describe(error: Error): string {
  return error.message ? `${error.name}: ${error.message}` : error.name
}

/** Name and message of every cause; never the object itself, which may carry a response. */
function causesOf(error: Error | undefined): string[] {
  const causes: string[] = []
  const first: unknown = error?.cause
  const isWrapped = typeof first === 'object' && first !== null && 'err' in first
  let at: unknown = isWrapped ? first.err : first
  for (; at instanceof Error && causes.length < 5; at = at.cause) causes.push(describe(at))
  return causes
}

function pairsOf(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${isPlain(value) ? value : JSON.stringify(value)}`,
  )
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[^\s"=]+$/.test(value))
}

/**
 * A stranger's text cannot make a line look like two, or like another kind, or read backwards
 * (CVE-2021-42574).
 */
function onOneLine(text: string): string {
  return text.replace(breaks(), ' ')
}

const breaks = pattern(String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+`, 'gu')
