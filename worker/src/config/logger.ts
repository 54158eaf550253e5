import type { WarningCode } from '@latchkey/host/shared'
import { isWorkerd } from '@latchkey/session/internal'
import { AuthError, ERRORS, type ErrorType, OAuthCallbackError } from '../errors.js'
import type { LogEvent, Logger } from '../types.js'
import { jsonLine, type LogEntry, textLine } from './log-line.js'

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
