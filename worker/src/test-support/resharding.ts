import type { Ledger as LedgerObject } from '../ledger.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { layoutOf, type Place, placesOf } from '../stores/ledger/placement.js'
import { Resharding } from '../stores/ledger/reshard.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { type SqliteRows, sqliteRows } from '../stores/ledger/sqlite-rows.js'
import { ledgerOver } from './ledger-over.js'
import { emptyDatabase } from './sqlite.js'

const now = () => Math.floor(Date.now() / 1000)

type CalledObject = Ledger & {
  handOver(from: number, to: number): Promise<boolean>
  handedFrom(count: number): Promise<void>
}

/** Objects in SQLite, each with its resharding, as the class of the ledger has them. */
export class Objects {
  readonly rows = new Map<string, SqliteRows>()
  readonly calls: string[] = []
  /** Called before each call, and after it took effect: it fails with their error. */
  fault: (call: string) => void = () => {}
  /** A call waits for it on its way there, and its answer on the way back. */
  delay: (() => Promise<unknown>) | undefined
  readonly #objects = new Map<string, { ledger: Ledger; resharding: Resharding }>()

  binding(): DurableObjectNamespace<LedgerObject> {
    return {
      idFromName: (name: string) => name,
      get: (name: string) => this.#object(name),
    } as unknown as DurableObjectNamespace<LedgerObject>
  }

  seen(...shards: number[]): Ledger {
    return durableLedger(this.binding(), shards) as Ledger
  }

  reshard(count: number, to: number): Promise<boolean> {
    const [{ name } = { name: '' }] = placesOf(layoutOf(count))
    return this.#object(name).handOver(count, to)
  }

  /** Lets every object do a step. @returns is any of them still at work? */
  async step(): Promise<boolean> {
    const all = [...this.#objects.values()]
    for (const rows of this.rows.values()) rows.sweep(now(), 10_000)
    const pauses = await Promise.all(all.map(({ resharding }) => resharding.step(now())))
    return pauses.some((pause) => pause !== undefined && pause <= 10_000)
  }

  async settle(): Promise<void> {
    for (let steps = 0; steps < 1_000 && (await this.step()); steps++);
  }

  keysIn(count: number): string[] {
    const names = placesOf(layoutOf(count)).map(({ name }) => name)
    return names.flatMap((name) => this.rows.get(name)?.after('documents', '', 10_000) ?? []).sort()
  }

  #object(name: string): CalledObject {
    const { ledger, resharding } = this.#open(name)
    const call = async <Answer>(method: string, run: () => Promise<Answer> | Answer) => {
      this.calls.push(`${name} ${method}`)
      await this.delay?.()
      this.fault(`${name} ${method}`)
      if (method !== 'forget') resharding.noteCall(now())
      const answer = await run()
      await this.delay?.()
      this.fault(`${name} ${method}`)
      return answer
    }
    const methods = Object.entries(ledger).map(([method, run]) => [
      method,
      (...args: never[]) => call(method, () => (run as (...all: never[]) => unknown)(...args)),
    ])
    return {
      ...(Object.fromEntries(methods) as Ledger),
      handOver: (from: number, to: number) =>
        call('handOver', () => resharding.start(from, to, now())),
      handedFrom: (count: number) => call('handedFrom', () => resharding.announced(count, now())),
    }
  }

  #open(name: string): { ledger: Ledger; resharding: Resharding } {
    const object = this.#objects.get(name)
    if (object) return object
    const rows = sqliteRows(emptyDatabase())
    this.rows.set(name, rows)
    const ledger = ledgerOver(rows, Date.now)
    const at = (place: Place) => this.#object(place.name)
    const resharding = new Resharding(rows, (to) => ({
      follow: (place, key, { version, content, expires }) =>
        at(place).changeDocument(key, version - 1, content, 'follows', undefined, expires),
      reshard: (place) => at(place).handOver(0, to),
      announce: (place, count) => at(place).handedFrom(count),
    }))
    const made = { ledger, resharding }
    this.#objects.set(name, made)
    return made
  }
}

/** Keys of documents of people `person-0` and so on. */
export const keys = (many: number) =>
  Array.from({ length: many }, (_, at) => `way\nperson-${at}`).sort()

/** Objects with a number of documents, written while the ledger has these numbers of objects. */
export async function filled(many: number, ...shards: number[]): Promise<Objects> {
  const objects = new Objects()
  const ledger = objects.seen(...shards)
  for (const key of keys(many)) await ledger.changeDocument(key, 0, key)
  return objects
}
