import { AuthError, SecretError, WorkerUnavailable } from '@latchkey/session'
import { configurationFailure } from '../shared/configuration-failure.js'
import { writeLine } from './console-line.js'
import type { HostRequest } from './host-request.js'

/**
 * Is an error a mistake in the configuration? Then it is logged, since its client gets no details.
 */
export function logMistake(fault: unknown): fault is AuthError | SecretError {
  if (!(fault instanceof AuthError || fault instanceof SecretError)) return false
  writeLine({ level: 'error', name: fault.name, words: fault.message })
  return true
}

/**
 * The answer of an app whose service is silent, or whose configuration has a mistake.
 *
 * @throws any other fault
 */
export function answerToFault(fault: unknown, request: HostRequest): Response {
  if (fault instanceof WorkerUnavailable) return fault.getResponse()
  if (logMistake(fault)) return configurationFailure(request.header('accept'))
  throw fault
}
