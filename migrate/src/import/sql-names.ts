import { plainName, type Reference } from './rows.js'
import type { Token } from './sql-tokens.js'

/** A word or a sign in small letters; a string has none. */
export function lower(token: Token | undefined): string {
  return token && token.kind !== 'string' ? token.text.toLowerCase() : ''
}

/** The name of a table with its schema, as options and messages have it. */
function joined(...parts: readonly (string | undefined)[]): string {
  const named = parts.filter((part) => part !== undefined && part !== '')
  // A dot inside a name does not separate two names.
  return named.map((part) => (part?.includes('.') ? JSON.stringify(part) : part)).join('.')
}

/** The database and the schema that names belong to which say neither. */
export class Place {
  #database: string | undefined
  #schema: string | undefined

  /** A line for psql, such as `\connect app` of pg_dumpall. */
  line(text: string): void {
    const database = /^\\c(?:onnect)?\s+(.+)$/.exec(text.trim())?.[1]
    if (database === undefined) return
    this.#database = database
    this.#schema = undefined
  }

  /** A whole statement: `USE app` of mysqldump, or `SET search_path = app, pg_catalog`. */
  statement(words: readonly Token[]): void {
    const [first, second] = words
    if (lower(first) === 'use' && isName(second)) this.#schema = second?.text
    if (lower(first) !== 'set') return
    const at = words.findIndex((word) => lower(word) === 'search_path')
    const named = words[at + 2]
    if (at > 0 && named) this.#schema = named.kind === 'sign' ? undefined : named.text
  }

  /** The last name before a place, with its schema. */
  tableBefore(words: readonly Token[], place: number): string {
    let at = place - 1
    if (!isName(words[at])) return ''
    while (words[at - 1]?.text === '.' && isName(words[at - 2])) at -= 2
    return this.#qualified(words, at, place)
  }

  /** The name that begins at a place, with its schema. */
  tableAt(words: readonly Token[], place: number): string {
    let end = place + 1
    while (words[end]?.text === '.' && isName(words[end + 1])) end += 2
    return isName(words[place]) ? this.#qualified(words, place, end) : ''
  }

  #qualified(words: readonly Token[], from: number, to: number): string {
    const names = words.slice(from, to).filter(isName)
    const parts = names.map(({ text }) => text)
    return joined(this.#database, parts.length > 1 ? undefined : this.#schema, ...parts)
  }

  /**
   * The references of the parts of CREATE TABLE to other tables: of a column with its type, or of a
   * constraint.
   */
  references(table: string, part: readonly Token[]): readonly Reference[] {
    const at = part.findIndex((word) => lower(word) === 'references')
    if (at < 1) return []
    const to = this.tableAt(part, at + 1)
    const key = part.findIndex((word) => lower(word) === 'foreign')
    const open = part.findIndex((word) => word.text === '(' && word.kind === 'sign')
    const columns = key < 0 ? [part[0]?.text ?? ''] : namesIn(part.slice(open, at))
    return columns.map((column) => ({ table, column: plainName(column), to }))
  }

  /** What `ALTER TABLE ONLY app.accounts ADD CONSTRAINT … FOREIGN KEY … REFERENCES …` says. */
  altered(words: readonly Token[]): readonly Reference[] {
    const added = words.flatMap((word, at) => (lower(word) === 'add' ? [at] : []))
    const [first] = added
    if (lower(words[1]) !== 'table' || first === undefined) return []
    const table = this.tableBefore(words, first)
    return added.flatMap((from, at) => this.references(table, words.slice(from, added[at + 1])))
  }
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'name' || token?.kind === 'word'
}

/** The names between the first pair of parentheses. */
export function namesIn(words: readonly Token[]): readonly string[] {
  const end = words.findIndex(({ kind, text }) => kind === 'sign' && text === ')')
  return words
    .slice(0, end < 0 ? undefined : end)
    .filter(isName)
    .map(({ text }) => text)
}
