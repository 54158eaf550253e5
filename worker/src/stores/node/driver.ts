import { InvalidConfiguration } from '../../errors.js'
import { builtIn } from './built-in.js'

/**
 * The driver of a database, which an app that uses it has installed. No bundler follows this: a Worker needs none.
 *
 * @throws {InvalidConfiguration} naming the package, if it is not installed
 */
export function driverOf<Driver>(name: 'pg' | 'ioredis'): Driver {
  const { createRequire } = builtIn<NodeModule>('module') ?? {}
  const { url = '' } = import.meta as unknown as { url?: string }
  // A bundle may have left no place of its own, and then it is the folder of the process.
  const here = `${builtIn<{ resolve(path: string): string }>('path')?.resolve('index.js')}`
  for (const place of url.startsWith('file:') ? [url, here] : [here]) {
    try {
      if (createRequire) return createRequire(place)(name) as Driver
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new InvalidConfiguration(`The driver ${name} is not installed: npm install ${name}`)
}

interface NodeModule {
  createRequire(place: string): (name: string) => unknown
}

/**
 * The code of a driver's fault. Its message may have addresses, and its error the values of the
 * call.
 */
export function faultOf(database: string, error: unknown): Error {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  // Redis begins its messages with a code.
  const reply = name === 'ReplyError' ? String(message).split(' ', 1)[0] : undefined
  const word = typeof code === 'string' ? code : (reply ?? wordsOf(message) ?? String(name))
  return Object.assign(new Error(`${database}: ${word}.`), { code: word })
}

/** A driver's own words, without anything that it was given. */
function wordsOf(message: unknown): string | undefined {
  const isPlain = typeof message === 'string' && /^[A-Za-z ]{1,80}$/.test(message)
  return isPlain ? message : undefined
}
