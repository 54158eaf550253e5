import { isFirstIn, type WarningCode } from '@latchkey/host/shared'
import { isWorkerd } from '@latchkey/session/internal'
import { AuthError, ERRORS, type ErrorType, OAuthCallbackError } from '../errors.js'
import { pattern } from '../lib/pattern.js'
import { isOwnDetail } from '../lib/printable.js'
import type { LogEvent, Logger } from '../types.js'

/** The content of an event, as a logger of the app gets it: an error, or a warning. */
export type Problem = Error | readonly [code: WarningCode, detail: string]

/** The log of a service: the app's logger, over lines on the console. */
export interface Log extends Required<Omit<Logger, 'info' | 'error' | 'warn'>> {
  warn(code: WarningCode, detail?: string): void
  /** @param reference the code that the error page shows */
  error(error: Error, reference?: string): void
  /** On the console an event and its problem are one line. */
  event(event: LogEvent, problem?: Problem): void
}

interface LogOptions {
  readonly debug?: boolean | undefined
  /** Lines on the console are JSON. */
  readonly json?: boolean
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** The configured logger over the console. A logger that throws never breaks a request. */
export function createLogger(
  logger: Partial<Logger> = {},
  { debug = false, json = false, now = Date.now }: LogOptions = {},
): Log {
  const write = (entry: LogEntry) => {
    const line = (json ? jsonLine : textLine)(entry, new Date(now()).toISOString())
    // One text: of several the console takes the first one for a format, in which `%c` hides the next.
    console[methodOf(entry)](line)
  }
  const log: Log = {
    // Called as methods: most logging libraries need their `this`.
    error: (error, reference) => {
      // Just before it is written: one error may be the answer to many requests.
      quietly(() => {
        // An app's own error may be frozen: then its line has none.
        if (reference !== undefined && Object.isExtensible(error))
          Object.assign(error, { reference })
        return logger.error ? logger.error(error) : write({ level: levelOf(error), error })
      })
    },
    warn: (code, detail) =>
      quietly(() =>
        logger.warn ? logger.warn(code, detail) : write({ level: 'warn', message: code, detail }),
      ),
    debug: (message, detail) => {
      if (!debug) return
      quietly(() =>
        logger.debug
          ? logger.debug(message, detail)
          : write({ level: 'debug', message, detail: detail as object | undefined }),
      )
    },
    event: (event, problem) => {
      const error = problem instanceof Error ? problem : undefined
      const isTold = error ? logger.error : logger.warn
      if (problem && (isTold || logger.info)) {
        if (problem instanceof Error) log.error(problem, event.reference)
        else log.warn(...problem)
      }
      const { event: name } = event
      const isRefusal = problem || name === 'sign-in-refused' || name === 'wrong-passwords'
      const level = error ? levelOf(error) : isRefusal ? 'warn' : 'info'
      const details = error && !isTold ? { error } : {}
      quietly(() => (logger.info ? logger.info(event) : write({ level, event, ...details })))
    },
  }
  return log
}

/** In a process of an app, standard output is the app's own: our lines go to standard error. */
function methodOf({ level }: LogEntry): LogEntry['level'] {
  return level === 'info' && !isWorkerd ? 'warn' : level
}

async function quietly(log: () => unknown): Promise<void> {
  try {
    await log()
  } catch {
    // There is no other place to report it.
  }
}

/** A person's own mistake, such as a wrong password, must not alert an operator. */
function levelOf(error: Error): 'warn' | 'error' {
  if (!(error instanceof AuthError) || error.cause?.err) return 'error'
  // Other errors of a provider may concern the operator's own client registration.
  if (error instanceof OAuthCallbackError) return error.code === 'access_denied' ? 'warn' : 'error'
  return ERRORS[error.type as ErrorType]?.status < 500 ? 'warn' : 'error'
}

const lines = new WeakMap<object, Set<string>>()

/**
 * For a line of the log that is written once, however often its cause comes back.
 *
 * @param owner a logger, an environment or a store: a configuration may be made for each request
 * @returns `false` too if the object has had too many lines
 */
export function isFirstTime(owner: object, line: string): boolean {
  const before = lines.get(owner) ?? new Set()
  lines.set(owner, before)
  return isFirstIn(before, line)
}

/** What one line of the console says. */
interface LogEntry {
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly event?: LogEvent
  readonly error?: Error
  readonly message?: string
  /** Made by the service itself. */
  readonly detail?: object | string | undefined
}

/** The line as text. @param now ISO 8601, if no event says its own time */
function textLine(entry: LogEntry, now: string): string {
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
function jsonLine(entry: LogEntry, now: string): string {
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
