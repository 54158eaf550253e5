/** A row of a table that may have accounts or people, by the plain names of its columns. */
export interface Row {
  /** With its schema, if the export says it. */
  readonly table: string
  readonly values: ReadonlyMap<string, Value>
}

/** `undefined`: something that cannot be read. */
export type Value = string | number | boolean | null | undefined

/**
 * A column by the name that all spellings share: `providerAccountId`, `provider_account_id` and
 * `"provideraccountid"` are one.
 */
export function plainName(column: string): string {
  return column.replace(/[_\-\s]/g, '').toLowerCase()
}

/** A name of an export in a message: it may have anything in it, and is shown in a terminal. */
export function quotedName(name: string): string {
  return JSON.stringify(name.slice(0, 64)).replace(/[^\x20-\x7e]/g, '?')
}

/** The columns that an import reads, by their plain names. */
const READ: ReadonlySet<string> = new Set([
  'accountid',
  'email',
  'emailverified',
  'id',
  'idtoken',
  'issuer',
  'provider',
  'provideraccountid',
  'providerid',
  'twofactorenabled',
  'type',
  'userid',
])

/**
 * If two columns have one plain name, the last one would win without a word.
 *
 * @param names as the export spells them
 * @throws {UnreadableExport} two that are read are one
 */
export function checkNames(table: string, names: readonly string[]): void {
  const values = new Map<string, string>()
  for (const name of names) {
    const plain = plainName(name)
    const other = values.get(plain)
    values.set(plain, name)
    if (other === undefined || !(READ.has(plain) || plain.includes('password'))) continue
    const [one, two, at] = [other, name, table].map(quotedName)
    throw new UnreadableExport(
      `${at} has the columns ${one} and ${two}, which mean the same: export it without the unused one.`,
    )
  }
}

/** A column holds the ids of another table, as the export itself says. */
export interface Reference {
  readonly table: string
  /** By its plain name. */
  readonly column: string
  readonly to: string
}

/** Reads the rows of an export, part by part. */
export interface Reader {
  /** @returns the rows that are whole with this part */
  push(part: string): readonly Row[]
  /** @returns the rows that were not, and may be whole now that nothing comes any more */
  end(): readonly Row[]
  /** The tables of the part that was read, as it describes them. */
  readonly references: readonly Reference[]
}

/** The longest line or value. Characters. */
export const MAX_LENGTH = 64 * 1024 * 1024

/** The export cannot be read; the message says what to do. */
export class UnreadableExport extends Error {}
