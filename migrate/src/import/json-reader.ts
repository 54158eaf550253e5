import {
  checkNames,
  MAX_LENGTH,
  plainName,
  type Reader,
  type Row,
  UnreadableExport,
  type Value,
} from './rows.js'

/**
 * Reads JSON lines, an object in each: rows as they are, or as `mongoexport` and DynamoDB write them. A line that
 * names its `table` has the row in `row`.
 */
export class JsonReader implements Reader {
  readonly #isWanted: (columns: readonly string[]) => boolean
  readonly references = []
  readonly #waiting: string[] = []
  #length = 0
  #count = 0

  /** @param isWanted by the plain names of a row's members */
  constructor(isWanted: (columns: readonly string[]) => boolean) {
    this.#isWanted = isWanted
  }

  push(part: string): readonly Row[] {
    const lines = part.split('\n')
    if (lines.length === 1) {
      this.#length += part.length
      if (this.#length > MAX_LENGTH) throw new UnreadableExport('A line has more than 64 MiB.')
      this.#waiting.push(part)
      return []
    }
    const last = lines.pop() ?? ''
    const first = this.#waiting.splice(0).join('') + lines.shift()
    this.#waiting.push(last)
    this.#length = last.length
    return [first, ...lines].flatMap((line) => this.#row(line))
  }

  end(): readonly Row[] {
    return [this.#row(this.#waiting.join(''))].flat()
  }

  #row(line: string): Row | readonly [] {
    this.#count++
    if (line.trim() === '') return []
    let read: unknown
    try {
      read = JSON.parse(line)
    } catch {
      throw new UnreadableExport(
        `Line ${this.#count} is not JSON. Each line must be one object: jq -c '.[]' converts a list to such lines.`,
      )
    }
    // A document may have members of the same names, with text that users have typed.
    const item = isObject(read) && hasOnly(read, 'Item') && isObject(read.Item) ? read.Item : read
    const isNamed =
      isObject(item) && hasOnly(item, 'table', 'row') && typeof item.table === 'string'
    const row = isNamed && isObject(item.row) ? item.row : item
    if (!isObject(row)) {
      throw new UnreadableExport(
        `Line ${this.#count} is not an object. If the file is a list, jq -c '.[]' converts it to one object a line.`,
      )
    }
    const table = isNamed && row !== item ? String(item.table) : 'lines'
    // Also for MongoDB's _id.
    const pairs = Object.entries(row).map(
      ([name, value]) => [plainName(name), plain(value)] as const,
    )
    const values = new Map(pairs)
    if (this.#isWanted([...values.keys()])) checkNames(table, Object.keys(row))
    return { table, values }
  }
}

type Item = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The plain value of MongoDB's extended JSON and of DynamoDB's types. */
function plain(value: unknown): Value {
  if (!isObject(value)) return isValue(value) ? value : undefined
  for (const name of ['$oid', '$date', '$numberLong', '$numberInt', 'S', 'N', 'BOOL']) {
    if (Object.hasOwn(value, name)) return plain(value[name])
  }
  return value.NULL === true ? null : undefined
}

function hasOnly(item: Item, ...names: readonly string[]): boolean {
  return Object.keys(item).length === names.length && names.every((name) => name in item)
}

function isValue(value: unknown): value is Value {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
