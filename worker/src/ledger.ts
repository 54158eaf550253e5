import { DurableObject } from 'cloudflare:workers'
import { Collector } from './stores/ledger/collector.js'
import { ledgerOf } from './stores/ledger/methods.js'
import type { Place } from './stores/ledger/placement.js'
import { Resharding } from './stores/ledger/reshard.js'
import { DOCUMENTS_RESHARD, LEFT_FOR } from './stores/ledger/rows.js'
import type { Ledger as LedgerMethods } from './stores/ledger/rules.js'
import { decide } from './stores/ledger/rules.js'
import { type SqliteRows, sqliteRows } from './stores/ledger/sqlite-rows.js'
import type { Leaving, Mark, RevocationLines } from './stores/ledger/types.js'
import type { Jurisdiction } from './stores/ledger-jurisdiction.js'
import { objectAt } from './stores/object-at.js'

/** The bindings that the service needs, for the `Env` of your own Worker. */
export interface AuthBindings {
  SESSIONS: KVNamespace
  LEDGER: DurableObjectNamespace<Ledger>
}

/** The interval of sweeps, in milliseconds. */
const SWEEP_INTERVAL = 60 * 60 * 1000
/**
 * The rows of a table in one sweep; the rest follow a second later, so that calls need not wait.
 */
const SWEEP_ROWS = 5_000
const SWEEP_PAUSE = 1_000
/** A document that was changed is handed over after it. Milliseconds. */
const RESHARD_PAUSE = 1_000

/** A Durable Object with the methods of the ledger, which the class below puts on its prototype. */
const Answering = DurableObject as unknown as new (
  ...args: ConstructorParameters<typeof DurableObject>
) => DurableObject & LedgerMethods

/**
 * The ledger: a Durable Object for actions that happen exactly once, and for sessions that are
 * over. Export it from the Worker's entry, bound as `LEDGER`.
 *
 * @example export { Ledger } from '@latchkey/worker/ledger'
 */
export class Ledger extends Answering {
  readonly #rows: SqliteRows
  /** Has a row with an end been written since the last check? A sweep has to delete it one day. */
  #isWritten = false
  /** Is an alarm sure to come? An object that is new in memory does not know. */
  #isAlarmSet = false
  /** Has a document been changed that is to be handed over? */
  #isUnhanded = false
  #collector: Collector | undefined
  #resharding: Resharding | undefined
  /** The jurisdiction that the ledger has moved to, if this object is outside of it. */
  #leftFor: string | undefined

  constructor(state: DurableObjectState, env: unknown) {
    super(state, env as never)
    const { sql } = state.storage
    const rows = sqliteRows((statement, ...values) => sql.exec(statement, ...values).toArray())
    this.#rows = {
      ...rows,
      put: (table, key, row) => {
        if (row.expires !== null) this.#isWritten = true
        if (table === 'unhanded') this.#isUnhanded = true
        rows.put(table, key, row)
      },
    }
    const notes = rows.keys('handovers', '')
    if (notes.includes(DOCUMENTS_RESHARD)) this.#resharding = this.#makeResharding()
    this.#leftFor = notes.find((note) => note.startsWith(LEFT_FOR))?.slice(LEFT_FOR.length)
  }

  static {
    // Other isolates can call methods of the prototype only.
    const methods = ledgerOf(
      (name) =>
        function (this: Ledger, ...args) {
          return this.#answer(name, args)
        },
    )
    Object.assign(Ledger.prototype, methods)
  }

  /** Decides synchronously, so that no other call comes in between, and only then waits. */
  async #answer(name: keyof LedgerMethods, args: readonly unknown[]): Promise<unknown> {
    this.demandUse()
    const answer = decide(name, this.#rows, seconds(), args)
    // People are also forgotten if a number is no longer in use.
    if (name !== 'forget') this.#resharding?.noteCall(seconds())
    if (this.#isUnhanded) await this.#reshardSoon()
    if (this.#isWritten) {
      this.#isWritten = false
      await this.#scheduleSweep()
    }
    return answer
  }

  /**
   * The recent endings of other objects, together: see {@link Collector}. An object with this work
   * has no rows.
   *
   * @param since seconds
   * @param isFirst the caller knows nothing yet
   * @param mark of the answer that the caller had last
   */
  collect(
    since: number,
    places: readonly Place[],
    isFirst = false,
    mark?: Mark,
  ): Promise<RevocationLines> {
    this.#collector ??= new Collector((place, from) => {
      return objectAt(this.#objects, place).revokedSince(from)
    }, Date.now)
    return this.#collector.since(since, places, isFirst, mark)
  }

  /**
   * Hands the documents over to another number of objects: see {@link Resharding}.
   *
   * @param from the number of which this object is the first; 0: it is announced to no other one
   * @returns is anything left? Then it goes on by itself
   */
  async handOver(from: number, to: number): Promise<boolean> {
    this.demandUse()
    this.#resharding ??= this.#makeResharding()
    this.#resharding.noteCall(seconds())
    const isLeft = this.#resharding.start(from, to, seconds())
    if (isLeft) await this.#reshardSoon()
    return isLeft
  }

  /**
   * Notes that the objects of another number have copies of the documents here, so that a person is forgotten
   * there as well.
   */
  async handedFrom(count: number): Promise<void> {
    this.demandUse()
    const resharding = this.#resharding ?? this.#makeResharding()
    resharding.announced(count, seconds())
    await this.#scheduleSweep()
  }

  /**
   * Marks an object that the ledger leaves, because its rows are to be in a jurisdiction. The mark is all that is stored here.
   *
   * @param isLeft marks it if it is empty; `false` takes the mark away. Absent: it is only asked
   * @returns the state after it
   */
  async leaveFor(jurisdiction: Jurisdiction, isLeft?: boolean): Promise<Leaving> {
    const key = LEFT_FOR + jurisdiction
    if (isLeft === false && this.#leftFor === jurisdiction) {
      this.#rows.delete('handovers', key)
      this.#leftFor = undefined
    }
    if (this.#leftFor !== undefined) return this.#leftFor === jurisdiction ? 'left' : 'used'
    const { sql } = this.ctx.storage
    // A class that extends this one has it too.
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
    )
    for (const { name } of tables.toArray()) {
      if (sql.exec(`SELECT 1 FROM "${name}" LIMIT 1`).toArray().length > 0) return 'used'
    }
    if (!isLeft) return 'empty'
    const none = { count: 0, after: null, others: 0, next: 0, behind: 0 }
    this.#rows.put('handovers', key, { ...none, seen: seconds(), expires: null })
    this.#leftFor = jurisdiction
    return 'left'
  }

  /**
   * Every method that reads or writes calls it first.
   *
   * @throws {Error} the ledger has moved to a jurisdiction, and a service without it asks
   */
  protected demandUse(): void {
    if (this.#leftFor === undefined) return
    throw new Error(`The ledger has moved: set AUTH_LEDGER_JURISDICTION=${this.#leftFor} again.`)
  }

  /** The objects of the ledger, which are where this one is. */
  get #objects(): AuthBindings['LEDGER'] {
    const { LEDGER } = this.env as AuthBindings
    const { jurisdiction } = this.ctx.id
    return jurisdiction ? LEDGER.jurisdiction(jurisdiction as Jurisdiction) : LEDGER
  }

  #makeResharding(): Resharding {
    const at = ({ name }: Place) => objectAt(this.#objects, { name })
    return new Resharding(this.#rows, (to) => ({
      follow: (place, key, { version, content, expires }) =>
        (at(place) as unknown as LedgerMethods).changeDocument(
          key,
          version - 1,
          content,
          'follows',
          undefined,
          expires,
        ),
      reshard: (place) => at(place).handOver(0, to),
      announce: (place, from) => at(place).handedFrom(from),
    }))
  }

  override async alarm(): Promise<void> {
    if (this.#leftFor !== undefined) return
    this.#isAlarmSet = false
    const now = seconds()
    const first = this.#rows.sweep(now, SWEEP_ROWS)
    const sweep = first === undefined ? [] : [first <= now ? SWEEP_PAUSE : SWEEP_INTERVAL]
    const resharding = (await this.#resharding?.step(now)) ?? []
    const others = await this.alsoAtAlarm()
    const next = [...[sweep, resharding].flat().map((pause) => Date.now() + pause), ...others]
    // A call that came meanwhile may have set an earlier one.
    const alarm = (await this.ctx.storage.getAlarm()) ?? Number.POSITIVE_INFINITY
    if (Math.min(...next) < alarm) await this.ctx.storage.setAlarm(Math.min(...next))
  }

  /**
   * Other work of the alarm, for a class that extends this one. It never rejects, since a sweep would fail with it.
   *
   * @returns when each of it has to run next, in milliseconds since the epoch
   */
  protected async alsoAtAlarm(): Promise<readonly number[]> {
    return []
  }

  async #reshardSoon(): Promise<void> {
    this.#isUnhanded = false
    const alarm = await this.ctx.storage.getAlarm()
    const soon = Date.now() + RESHARD_PAUSE
    if (alarm === null || alarm > soon) await this.ctx.storage.setAlarm(soon)
  }

  async #scheduleSweep(): Promise<void> {
    if (this.#isAlarmSet) return
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(Date.now() + SWEEP_INTERVAL)
    }
    this.#isAlarmSet = true
  }
}

/** Since the epoch. */
function seconds(): number {
  return Math.floor(Date.now() / 1000)
}
