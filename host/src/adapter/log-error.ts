import { writeLine } from './console-line.js'
import type { HostConfig } from './host-config.js'

/** Reports an error to the app's logger, or on the console. */
export function logErrorOf({ logger }: HostConfig): (error: Error) => void {
  return (error) => {
    if (logger?.error) logger.error(error)
    else writeLine({ level: 'error', name: error.name, words: error.message })
  }
}
