import { parseEnv } from 'node:util'
import { Unreadable } from './read-text.js'

/**
 * The variables of a file such as `.dev.vars`, by the rules of Node, which are wrangler's too.
 *
 * @throws {Unreadable} it has lines, and none of them sets a variable
 */
export function parseVariables(text: string): ReadonlyMap<string, string> {
  const entries = Object.entries(parseEnv(text)).flatMap(([name, value]): [string, string][] =>
    // A broken line can leave a text that is not a name.
    value === undefined || !/^\w+$/.test(name) ? [] : [[name, value]],
  )
  const isEmpty = text.split(/\r?\n/).every((line) => /^\s*(?:#.*)?$/.test(line))
  if (entries.length === 0 && !isEmpty) throw new Unreadable('no line of it is NAME=value')
  return new Map(entries)
}
