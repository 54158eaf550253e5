import { createReadStream } from 'node:fs'
import { JsonReader } from './json-reader.js'
import { type Reference, type Row, UnreadableExport } from './rows.js'
import { SqlReader } from './sql-reader.js'

/** The beginnings of other files, and how to make an export of them. */
const OTHERS: readonly (readonly [beginning: string, remedy: string])[] = [
  ['SQLite format 3', 'It is a database of SQLite: sqlite3 <file> .dump writes a dump.'],
  ['PGDMP', 'It is an archive of pg_dump: pg_restore -f dump.sql <file> writes a dump.'],
  ['\u001f', 'It is compressed: gunzip -c <file> | latchkey import - …'],
  ['PK\u0003', 'It is a zip archive: unpack it first.'],
]

/**
 * The rows of a file that have accounts or people, with only a part of it in memory.
 *
 * @param path `-`: standard input
 * @returns the tables of the export, as it describes them
 * @throws {UnreadableExport}
 */
export async function* readExport(
  path: string,
  isWanted: (columns: readonly string[]) => boolean,
  open = (path: string): AsyncIterable<string | Buffer> =>
    path === '-' ? process.stdin : createReadStream(path),
): AsyncGenerator<readonly Row[], readonly Reference[]> {
  const decoder = new TextDecoder()
  let reader: JsonReader | SqlReader | undefined
  let beginning = ''
  for await (const part of open(path)) {
    let text = typeof part === 'string' ? part : decoder.decode(part, { stream: true })
    if (!reader) {
      beginning += text
      if (beginning.trim() === '') continue
      reader = readerOf(beginning, isWanted)
      text = beginning
    }
    yield reader.push(text)
  }
  if (!reader) throw new UnreadableExport('The file is empty.')
  yield reader.end()
  return reader.references
}

function readerOf(text: string, isWanted: (columns: readonly string[]) => boolean) {
  const other = OTHERS.find(([beginning]) => text.startsWith(beginning))
  if (other) throw new UnreadableExport(other[1])
  if (text.slice(0, 8).includes('\0'))
    throw new UnreadableExport('It is UTF-16: convert it to UTF-8.')
  const first = text.trimStart()
  if (first.startsWith('[')) {
    throw new UnreadableExport("It is a list: jq -c '.[]' converts it to one object a line.")
  }
  return first.startsWith('{') ? new JsonReader(isWanted) : new SqlReader(isWanted)
}
