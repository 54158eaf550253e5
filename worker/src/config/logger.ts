import { AuthError, ERRORS, type ErrorType, OAuthCallbackError } from '../errors.js'
import type { Logger } from '../types.js'

/** The configured logger over the console. A logger that throws never breaks a request. */
export function createLogger(logger: Partial<Logger> = {}, debug = false): Logger {
  return {
    // Called as methods: most logging libraries need their `this`.
    error: (error) => quietly(() => (logger.error ? logger.error(error) : logError(error))),
    warn: (code, detail) =>
      quietly(() => (logger.warn ? logger.warn(code, detail) : logWarning(code, detail))),
    debug: (message, detail) => {
      if (!debug) return
      quietly(() => (logger.debug ? logger.debug(message, detail) : logDebug(message, detail)))
    },
  }
}

async function quietly(log: () => unknown): Promise<void> {
  try {
    await log()
  } catch {
    // There is no other place to report it.
  }
}

function logError(error: Error): void {
  const { err, ...detail } = error instanceof AuthError ? (error.cause ?? {}) : { err: error.cause }
  const level = isEveryday(error) ? 'warn' : 'error'
  console[level](`[auth][${level}] ${describe(error)}`, ...nonEmpty(detail), ...causes(err))
}

/** A person's own mistake, such as a wrong password, which must not alert an operator. */
function isEveryday(error: Error): boolean {
  if (!(error instanceof AuthError) || error.cause?.err) return false
  // Other errors of a provider may concern the operator's own client registration.
  if (error instanceof OAuthCallbackError) return error.code === 'access_denied'
  return ERRORS[error.type as ErrorType]?.status < 500
}

function logWarning(code: string, detail = ''): void {
  console.warn(`[auth][warn] ${code}${detail && `: ${detail}`}`)
}

function logDebug(message: string, detail?: unknown): void {
  console.debug(`[auth][debug] ${message}`, ...(detail === undefined ? [] : [detail]))
}

function describe(error: Error): string {
  return error.message ? `${error.name}: ${error.message}` : error.name
}

/** Name and message of every cause; never the object itself, which may carry a response. */
function causes(error: unknown): string[] {
  const lines: string[] = []
  for (let at = error; at instanceof Error && lines.length < 5; at = at.cause) {
    lines.push(`\n  caused by ${describe(at)}`)
  }
  return lines
}

function nonEmpty(detail: object): object[] {
  return Object.keys(detail).length > 0 ? [detail] : []
}
