import {
  accountsIn,
  type FoundAccount,
  idIn,
  joined,
  kindOf,
  type RowAccount,
  type Wanted,
} from './accounts.js'
import { amount, shownName } from './report.js'
import { plainName, type Reference, type Row } from './rows.js'
import { ImportStopped } from './target.js'

/** The tables that the operator names, with or without a schema. */
export interface Named {
  readonly accounts: readonly string[]
  readonly people: readonly string[]
}

type Kind = keyof Named

interface Table {
  readonly name: string
  readonly kind: Kind
  rows: number
  /**
   * JSON, a text for each account: a part of the text of an export would keep the whole text in memory, with
   * all that is secret in it.
   */
  readonly accounts: string[]
  /** The ids of its rows, by which other rows name a person. */
  readonly ids: Set<string>
  /** Do several rows have one id? */
  isMixed: boolean
}

const PLURALS = { accounts: ['account', 'accounts'], people: ['person', 'people'] } as const
const USER = plainName('userId')

/**
 * The accounts of an export by its tables. The tables of the old library are chosen when all tables
 * are known: other tables may have the same columns, with contents that strangers wrote.
 */
export class Tables {
  readonly #wanted: Wanted
  readonly #named: Named
  readonly #takesPeople: boolean
  readonly #tables = new Map<string, Table>()

  constructor(wanted: Wanted, named: Named) {
    this.#wanted = wanted
    this.#named = named
    this.#takesPeople = wanted.email !== undefined || wanted.credentials !== undefined
  }

  add(row: Row): void {
    const kind = kindOf(row.values)
    if (!kind || (kind === 'people' && !this.#takesPeople)) return
    const key = JSON.stringify([kind, row.table])
    const { table: name } = row
    const empty = { name, kind, rows: 0, accounts: [], ids: new Set<string>(), isMixed: false }
    const table = this.#tables.get(key) ?? empty
    this.#tables.set(key, table)
    table.rows++
    const id = idIn(row)
    if (id !== undefined && table.ids.has(id)) table.isMixed = true
    if (id !== undefined) table.ids.add(JSON.parse(JSON.stringify(id)))
    for (const account of accountsIn(row, this.#wanted)) {
      table.accounts.push(JSON.stringify(account))
    }
  }

  /**
   * The tables that count, those of accounts first.
   *
   * @throws {ImportStopped} the operator must say which ones do
   */
  chosen(references: readonly Reference[]): Chosen {
    const accounts = this.#chosen('accounts', this.#of('accounts'))
    checkIds(accounts)
    const all = this.#of('people')
    if (all.length === 0 || this.#named.people.length > 0) {
      const named = this.#chosen('people', all)
      checkIds(named)
      return new Chosen([...accounts, ...named], this.#wanted)
    }
    const users = usersOf(accounts)
    const held = all.filter(({ ids }) => users.some((user) => ids.has(user)))
    const people = this.#chosen('people', held)
    const [first] = people
    const matches = users.filter((user) => first?.ids.has(user))
    if (!first || matches.length * 2 <= users.length) throw unreferred(all)
    const isSaid = checkReferences(first, accounts, references)
    if (!isSaid && matches.every((id) => /^\d+$/.test(id))) throw uncertain(first)
    checkIds(people)
    return new Chosen([...accounts, ...people], this.#wanted)
  }

  #of(kind: Kind): readonly Table[] {
    return [...this.#tables.values()].filter((table) => table.kind === kind)
  }

  #chosen(kind: Kind, fitting: readonly Table[]): readonly Table[] {
    const names = this.#named[kind]
    if (names.length === 0) {
      if (fitting.length < 2) return fitting
      throw new ImportStopped(
        `More than one table has the columns of ${kind}: ${listed(fitting)}. Name those of the old library by ${option(kind)}: another table may hold text that users have typed.`,
      )
    }
    return names.map((name) => {
      const exact = fitting.filter((table) => table.name === name)
      const tables =
        exact.length > 0 ? exact : fitting.filter((table) => isCalled(table.name, name))
      const [first] = tables
      if (first && tables.length === 1) return first
      throw new ImportStopped(
        tables.length > 1
          ? `--${kind} ${shownName(name)} could be ${listed(tables)}: write the schema before it.`
          : `The export has no ${kind} in a table ${shownName(name)}, but in ${listed(fitting) || 'none'}.`,
      )
    })
  }
}

/** The accounts and people that an import takes over. */
export class Chosen {
  readonly #tables: readonly Table[]
  readonly #wanted: Wanted

  constructor(tables: readonly Table[], wanted: Wanted) {
    this.#tables = [...new Set(tables)]
    this.#wanted = wanted
  }

  /** Is one of them a table of people? */
  get hasPeople(): boolean {
    return this.#tables.some(({ kind }) => kind === 'people')
  }

  accounts(): Generator<FoundAccount> {
    const rows = this.#tables.flatMap(({ kind, accounts }) =>
      accounts.map((account) => [kind, JSON.parse(account) as RowAccount] as const),
    )
    return joined(rows, this.#wanted)
  }

  /** A line for each table. */
  summary(): string {
    return this.#tables.map((table) => `${shownName(table.name)}: ${counted(table)}\n`).join('')
  }
}

/** The tables of people that the accounts refer to. */
function usersOf(accounts: readonly Table[]): readonly string[] {
  const all = accounts.flatMap((table) =>
    table.accounts.flatMap((account) => (JSON.parse(account) as FoundAccount).user ?? []),
  )
  return [...new Set(all)]
}

/**
 * @returns does the export say that its accounts refer to the ids of these people?
 * @throws {ImportStopped} it says that they refer to another table
 */
function checkReferences(
  people: Table,
  accounts: readonly Table[],
  references: readonly Reference[],
): boolean {
  const theirs = references.filter(
    ({ table, column }) => column === USER && accounts.some(({ name }) => isSame(name, table)),
  )
  for (const { to } of theirs) {
    if (isSame(people.name, to)) continue
    throw new ImportStopped(
      `The accounts refer to people in ${shownName(to)}, by a foreign key of the export, and not in ${listed([people])}. If that table is the right one, name it by ${option('people')}.`,
    )
  }
  return theirs.length > 0
}

/** @throws {ImportStopped} two rows have one id: people of two databases would be one */
function checkIds(tables: readonly Table[]): void {
  const mixed = tables.find(({ isMixed }) => isMixed)
  if (!mixed) return
  throw new ImportStopped(
    `Several ${PLURALS[mixed.kind][1]} in ${shownName(mixed.name)} have one id: the file may have the tables of several databases. Import each export by itself.`,
  )
}

/** Ids that count up are the same in every table. */
function uncertain(people: Table): ImportStopped {
  const name = shownName(people.name)
  return new ImportStopped(
    `The export does not say which people its accounts refer to: it has no foreign key, and ids that count up are the same in every table. If the people are in ${listed([people])}, name it: --people ${name}.`,
  )
}

function unreferred(people: readonly Table[]): ImportStopped {
  const [first] = people
  const example = people.length === 1 && first ? `: --people ${shownName(first.name)}` : ''
  return new ImportStopped(
    `No table of people has the ids that the accounts refer to, or most of them. Found: ${listed(people)}. If its ids are the old accounts’, name it by ${option('people')}${example}.`,
  )
}

function isSame(one: string, other: string): boolean {
  return isCalled(one, other) || isCalled(other, one)
}

/** Is a table called so, with or without its schema? */
function isCalled(table: string, name: string): boolean {
  return table === name || table.endsWith(`.${name}`)
}

function option(kind: Kind): string {
  return `--${kind} <schema>.<table>`
}

function listed(tables: readonly Table[]): string {
  const shown = tables.slice(0, 12).map((table) => `${shownName(table.name)} (${counted(table)})`)
  return [...shown, ...(tables.length > 12 ? ['…'] : [])].join(', ')
}

function counted({ kind, rows }: Table): string {
  return amount(rows, PLURALS[kind])
}
