import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { Failed } from '../command.js'
import { printable } from '../printable.js'

/** A record has some hundred characters. */
const MAX_LINE = 1_000_000
/** Lines that are checked at once. */
const PART = 500

/**
 * The lines of a file as JSON, some hundred at once. A line that is not JSON is text, which is not a record.
 *
 * @throws {Failed} the file cannot be read
 */
export async function* jsonLinesOf(
  file: string,
  directory: string,
): AsyncIterable<readonly unknown[]> {
  let rest = ''
  let page: unknown[] = []
  try {
    for await (const part of createReadStream(resolve(directory, file), 'utf8')) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new Failed('Unreadable', `${printable(file)} has no lines.`)
      for (const line of lines) if (line.trim() !== '') page.push(parse(line))
      if (page.length < PART) continue
      yield page
      page = []
    }
  } catch (error) {
    if (error instanceof Failed) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new Failed('Unreadable', `${printable(file)} cannot be read (${code}).`)
  }
  if (rest.trim() !== '') page.push(parse(rest))
  yield page
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
