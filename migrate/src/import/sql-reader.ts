import {
  checkNames,
  MAX_LENGTH,
  plainName,
  quotedName,
  type Reader,
  type Reference,
  type Row,
  UnreadableExport,
  type Value,
} from './rows.js'
import { lower, namesIn, Place } from './sql-names.js'
import { type Token, tokenAt, UNFINISHED } from './sql-tokens.js'
import { literalOf } from './sql-values.js'

/** The statement to which a place of the dump belongs. */
type State =
  | { readonly is: 'statement'; readonly words: Token[] }
  | { readonly is: 'skipped' }
  | {
      readonly is: 'columns'
      readonly table: string
      /** A column or a constraint each. */
      readonly parts: Token[][]
      words: number
      depth: number
    }
  | {
      readonly is: 'values'
      readonly into: Into
      /** The tokens of the current row. */
      row: Token[][]
      depth: number
    }
  | { readonly is: 'copied'; readonly into: Into }

interface Into {
  readonly table: string
  /** `undefined`: these rows are not needed. */
  readonly columns: readonly string[] | undefined
}

/** The kind of a statement shows in its first words; more are not kept. */
const MAX_WORDS = 4_000

/**
 * Reads a dump in SQL: what `.dump` of SQLite, `wrangler d1 export`, `pg_dump` (COPY or INSERT) and
 * `mysqldump` write. It skips everything else.
 *
 * @param isWanted by the plain names of a table's columns
 */
export class SqlReader implements Reader {
  readonly #isWanted: (columns: readonly string[]) => boolean
  readonly #columns = new Map<string, readonly string[]>()
  readonly #place = new Place()
  references: Reference[] = []
  #text = ''
  readonly #waiting: string[] = []
  #length = 0
  /**
   * Unfinished input is read again only after this many more characters, so that it is not read for
   * each part.
   */
  #needed = 0
  #isMysql = false
  #isGuessed = false
  #isBegun = false
  /** Has a statement begun as those of SQL do? */
  #isSql = false
  #state: State = { is: 'statement', words: [] }

  constructor(isWanted: (columns: readonly string[]) => boolean) {
    this.#isWanted = isWanted
  }

  push(part: string): readonly Row[] {
    this.#waiting.push(part)
    this.#length += part.length
    return this.#length < this.#needed ? [] : this.#read(false)
  }

  end(): readonly Row[] {
    return this.#read(true)
  }

  #read(isWhole: boolean): readonly Row[] {
    this.#text += this.#waiting.join('')
    this.#waiting.length = 0
    // The first part may be as short as a pipe gives it.
    if (!this.#isBegun && this.#text.length < HEAD && !isWhole) return []
    if (!this.#isBegun) this.#recognize(this.#text.slice(0, BEGINNING))
    if (!this.#isBegun) checkEncoding(this.#text.slice(0, HEAD))
    this.#isBegun = true
    const rows: Row[] = []
    let at = 0
    for (;;) {
      const next = this.#state.is === 'copied' ? this.#line(at, isWhole, rows) : undefined
      if (this.#state.is === 'copied' || next !== undefined) {
        if (next === undefined) break
        at = next
        continue
      }
      const token = tokenAt(this.#text, at, this.#isMysql, isWhole)
      if (token === undefined || token === UNFINISHED) break
      if (this.#isGuessed && isQuoted(token)) checkClear(this.#text.slice(at, token.end))
      const end = this.#take(token, rows, isWhole)
      if (end === undefined) break
      at = end
    }
    this.#text = this.#text.slice(at)
    this.#length = this.#text.length
    this.#needed = this.#length * 2
    if (this.#length > MAX_LENGTH) {
      throw new UnreadableExport(
        'The dump has a value of more than 64 MiB, or a quote without its end.',
      )
    }
    return rows
  }

  /** @returns where the next token is looked for; `undefined`: its line is not whole */
  #take(token: Token, rows: Row[], isWhole: boolean): number | undefined {
    const state = this.#state
    const isEnd = token.kind === 'sign' && token.text === ';'
    switch (state.is) {
      case 'statement':
        return this.#begin(state.words, token, isEnd, isWhole)
      case 'columns':
        this.#column(state, token)
        break
      case 'values':
        this.#value(state, token, rows)
        break
    }
    if (isEnd) this.#state = START()
    return token.end
  }

  #begin(words: Token[], token: Token, isEnd: boolean, isWhole: boolean): number | undefined {
    // A line for psql, such as \restrict.
    if (words.length === 0 && token.kind === 'sign' && token.text === '\\') {
      const index = this.#text.indexOf('\n', token.end)
      if (index < 0 && !isWhole) return undefined
      const end = index < 0 ? this.#text.length : index
      this.#place.line(this.#text.slice(token.end - 1, end))
      return end
    }
    if (words.length === 0 && !isEnd) {
      // Neither SQLite nor Postgres knows it: an apostrophe in such a comment would begin a string.
      if (this.#isGuessed && !this.#isMysql && /^(?:#|delimiter)$/.test(lower(token))) {
        this.#isMysql = true
        if (token.kind === 'sign') return token.end - 1
      }
      this.#isSql ||= STATEMENT.test(lower(token))
      if (!this.#isSql) throw new UnreadableExport(NO_DUMP)
    }
    words.push(token)
    const [first = ''] = words.map(lower)
    const last = lower(token)
    if (/^(?:insert|replace)$/.test(first)) {
      if (last === 'values' && token.kind === 'word') this.#values(words)
      else if (isEnd) this.#state = START()
    } else if (first === 'create' && words.length > 1 && last === '(') {
      const table = this.#place.tableBefore(words, words.length - 1)
      const isTable = words.some((word) => lower(word) === 'table')
      this.#state = isTable
        ? { is: 'columns', table, parts: [[]], words: 0, depth: 0 }
        : { is: 'skipped' }
    } else if (first === 'copy') {
      if (isEnd) return this.#copy(words, token.end)
    } else if (/^(?:use|set|alter)$/.test(first)) {
      if (isEnd) this.#noteStatement(words)
    } else if (first !== 'create' && !isEnd) this.#state = { is: 'skipped' }
    if (isEnd && this.#state.is === 'statement') this.#state = START()
    if (words.length > MAX_WORDS) this.#state = { is: 'skipped' }
    return token.end
  }

  #noteStatement(words: readonly Token[]): void {
    this.#place.statement(words)
    if (lower(words[0]) === 'alter') this.references.push(...this.#place.altered(words))
  }

  /** INSERT INTO schema.table (columns) VALUES */
  #values(words: readonly Token[]): void {
    const into = words.findIndex((word) => lower(word) === 'into')
    const open = words.findIndex(({ kind, text }) => kind === 'sign' && text === '(')
    const table = this.#place.tableAt(words, into + 1)
    // MySQL quotes them like this in an INSERT, and some tools for SQLite do too.
    if (this.#isGuessed && this.#isBacktick(words)) this.#isMysql = true
    const named = open < 0 ? this.#columnsOf(table) : namesIn(words.slice(open))
    this.#state = { is: 'values', into: this.#into(table, named), row: [], depth: 0 }
  }

  /** Postgres tells names apart by large and small letters; the other databases do not. */
  #columnsOf(table: string): readonly string[] | undefined {
    const exact = this.#columns.get(table)
    if (exact) return exact
    const alike = [...this.#columns].filter(([name]) => name.toLowerCase() === table.toLowerCase())
    return alike.length === 1 ? alike[0]?.[1] : undefined
  }

  #recognize(beginning: string): void {
    this.#isMysql = OF_MYSQL.test(beginning)
    this.#isGuessed = !this.#isMysql && !OF_OTHERS.test(beginning)
  }

  #isBacktick(words: readonly Token[]): boolean {
    return words.some(({ kind, quote }) => kind === 'name' && quote === '`')
  }

  #into(table: string, named: readonly string[] | undefined): Into {
    if (!named) {
      if (!/account|user/i.test(table)) return { table, columns: undefined }
      throw new UnreadableExport(
        `The dump does not say which columns ${quotedName(table)} has: export the schema with the data.`,
      )
    }
    const columns = named.map(plainName)
    if (!this.#isWanted(columns)) return { table, columns: undefined }
    checkNames(table, named)
    return { table, columns }
  }

  #value(state: State & { is: 'values' }, token: Token, rows: Row[]): void {
    const isSign = token.kind === 'sign'
    if (isSign && token.text === '(' && state.depth++ === 0) {
      state.row = [[]]
      return
    }
    if (isSign && token.text === ')' && --state.depth === 0) {
      const { table, columns } = state.into
      if (columns) rows.push(rowOf(table, columns, state.row.map(literalOf)))
      state.row = []
      return
    }
    // Such as ON CONFLICT, in which there may be lists that are not rows.
    if (state.depth === 0 && !(isSign && token.text === ',')) this.#state = { is: 'skipped' }
    if (state.depth === 0 || !state.into.columns) return
    if (isSign && token.text === ',' && state.depth === 1) state.row.push([])
    else state.row.at(-1)?.push(token)
  }

  /** CREATE TABLE name (column TEXT NOT NULL, …) */
  #column(state: State & { is: 'columns' }, token: Token): void {
    const isSign = token.kind === 'sign'
    if (isSign && token.text === ')' && state.depth-- === 0) {
      const { table, parts } = state
      const columns = parts.flatMap(([first]) => (first && isColumn(first) ? first.text : []))
      // The rows of both would be those of one table.
      if (this.#columns.has(table) && this.#isWanted(columns.map(plainName))) {
        throw new UnreadableExport(
          `It creates the table ${quotedName(table)} twice: the file may have two dumps. Import each dump by itself.`,
        )
      }
      this.#columns.set(table, columns)
      for (const part of parts) this.references.push(...this.#place.references(table, part))
      this.#state = { is: 'skipped' }
      return
    }
    if (isSign && token.text === '(') state.depth++
    if (isSign && token.text === ',' && state.depth === 0) state.parts.push([])
    else if (state.words++ < MAX_WORDS) state.parts.at(-1)?.push(token)
  }

  /** COPY schema.table (columns) FROM stdin; */
  #copy(words: readonly Token[], end: number): number {
    this.#state = START()
    const open = words.findIndex(({ kind, text }) => kind === 'sign' && text === '(')
    const from = words.findIndex((word) => lower(word) === 'from')
    if (from < 0 || lower(words[from + 1]) !== 'stdin') return end
    const isNamed = open > 0 && open < from
    const table = this.#place.tableBefore(words, isNamed ? open : from)
    const named = isNamed ? namesIn(words.slice(open, from)) : this.#columnsOf(table)
    const into = this.#into(table, named)
    if (into.columns && words.some((word) => lower(word) === 'csv')) {
      throw new UnreadableExport('The dump contains CSV: run pg_dump without the options for CSV.')
    }
    this.#state = { is: 'copied', into }
    return end
  }

  /** @returns where the next line begins; `undefined`: this one is not whole */
  #line(at: number, isWhole: boolean, rows: Row[]): number | undefined {
    const { into } = this.#state as State & { is: 'copied' }
    const index = this.#text.indexOf('\n', at)
    if (index < 0 && !(isWhole && at < this.#text.length)) return undefined
    const end = index < 0 ? this.#text.length : index
    const line = this.#text.slice(at, end).replace(/\r$/, '')
    if (line === '\\.') this.#state = START()
    // The rest of the line with COPY itself is empty.
    else if (into.columns && line !== '') {
      rows.push(rowOf(into.table, into.columns, line.split('\t').map(copied)))
    }
    return end + 1
  }
}

/**
 * The length of a dump's beginning, which tells its kind before any text that users have typed.
 * Characters.
 */
const BEGINNING = 200
/** The length in which a dump names its encoding. Characters. */
const HEAD = 2_000
const ENCODING = /\bSET (?:NAMES|client_encoding\s*=)\s*'?([\w-]+)/i
/** The encodings in which every ASCII byte is that character, so that a backslash is one. */
const KNOWN_ENCODING = /^(?:utf-?8(?:mb[34])?|unicode|binary|ascii|sql_ascii|latin\d{1,2})$/i
/** How the tools begin that write dumps of MySQL. */
const OF_MYSQL = /^\S*--? ?(?:Adminer \S+ )?(?:MySQL|MariaDB|phpMyAdmin SQL)(?: \S+)? dump\b/im

/** The first lines of dumps from SQLite and Postgres. */
const OF_OTHERS = /^(?:PRAGMA \w|-- PostgreSQL database )/m

/**
 * In GBK, Big5 and Shift JIS a character may end with the byte of a backslash, and so a name with what would be an
 * escaped quote.
 *
 * @throws {UnreadableExport}
 */
function checkEncoding(head: string): void {
  // Text that users have typed comes after the first of them.
  const [own = ''] = head.split(/\b(?:insert|replace|copy)\b/i, 1)
  const encoding = ENCODING.exec(own)?.[1]
  if (encoding === undefined || KNOWN_ENCODING.test(encoding)) return
  throw new UnreadableExport(
    `Its encoding is ${encoding.slice(0, 32)}: export it as UTF-8, with mysqldump --default-character-set=utf8mb4 or pg_dump --encoding=UTF8.`,
  )
}

/** How statements begin. */
const STATEMENT =
  /^(?:alter|analyze|attach|begin|comment|commit|copy|create|delete|delimiter|do|drop|grant|insert|lock|pragma|replace|select|set|start|truncate|update|use|with)$/

const NO_DUMP =
  'It is not a dump in SQL or JSON lines: texts that people have typed could be read as a statement. Export it as one of the two.'

/** Is it a text, in MySQL's spelling too? */
function isQuoted({ kind, prefix, quote }: Token): boolean {
  return kind === 'string' ? prefix !== 'E' : quote === '"'
}

/**
 * At a backslash before a quote MySQL goes on with the string, and SQLite ends it: a
 * name that an attacker has chosen could be read as further accounts.
 *
 * @throws {UnreadableExport}
 */
function checkClear(string: string): void {
  if (!/(?<!\\)(?:\\\\)*\\['"]/.test(string)) return
  throw new UnreadableExport(
    'The dump does not name its database, and a backslash before a quote could be read in two ways. If it comes from MySQL or MariaDB, write "-- MySQL dump" as its first line.',
  )
}

const START = (): State => ({ is: 'statement', words: [] })

/** The words that may begin a line of CREATE TABLE without naming a column. */
const NO_COLUMN =
  /^(?:primary|foreign|unique|constraint|key|index|check|fulltext|spatial|exclude|like)$/i

function isColumn({ kind, text }: Token): boolean {
  return kind === 'name' || !NO_COLUMN.test(text)
}

function rowOf(table: string, columns: readonly string[], values: readonly Value[]): Row {
  if (values.length !== columns.length) {
    const [valueCount, columnCount] = [values.length, columns.length]
    throw new UnreadableExport(
      `A row of ${quotedName(table)} has ${valueCount} values, and the table ${columnCount} columns. A generated column causes this: export the table as JSON lines, which name each value.`,
    )
  }
  return { table, values: new Map(columns.map((column, at) => [column, values[at]])) }
}

/** A field of COPY's text format. */
function copied(field: string): Value {
  if (field === '\\N') return null
  if (!field.includes('\\')) return field
  return field.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-f]{1,2})|([\s\S]))/gi,
    (_, octal?: string, hex?: string, one = '') =>
      octal || hex
        ? String.fromCharCode(Number.parseInt(octal ?? hex ?? '', octal ? 8 : 16))
        : (COPIED[one] ?? one),
  )
}

const COPIED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
}
