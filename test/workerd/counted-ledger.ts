/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from 'cloudflare:test'
import { bindings } from './support.ts'

/**
 * Counts the rows that all objects write, with their index entries, and those of the audit log by themselves.
 *
 * @returns the counts, and a function that ends the counting
 */
export async function countRows(): Promise<{
  written: number
  audited: number
  restore: () => void
}> {
  const stub = bindings.LEDGER.get(bindings.LEDGER.idFromName('counts'))
  await stub.isRevoked('so that the object is there')
  const count = { written: 0, audited: 0, restore: () => {} }
  count.restore = await runInDurableObject(stub, (_, state) => {
    // The objects of the tests share one isolate.
    const sql = Object.getPrototypeOf(state.storage.sql) as SqlStorage
    const { exec } = sql
    sql.exec = function (this: SqlStorage, ...asked: Parameters<typeof exec>) {
      const cursor = exec.apply(this, asked)
      // A new object makes its tables.
      if (!asked[0].startsWith('CREATE')) count.written += cursor.rowsWritten
      if (/^INSERT.* audit/.test(asked[0])) count.audited += cursor.rowsWritten
      return cursor
    } as typeof exec
    return () => {
      sql.exec = exec
    }
  })
  return count
}

/** The binding of the ledger, with a list of its calls, without those for the feed, which each isolate makes by itself. */
export function countingLedger() {
  const calls: string[] = []
  const { LEDGER } = bindings
  const get: typeof LEDGER.get = (...asked) =>
    new Proxy(LEDGER.get(...asked), {
      get(stub, name) {
        const member: unknown = Reflect.get(stub, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          if (name !== 'revokedSince' && name !== 'collect') calls.push(String(name))
          return Reflect.apply(member, stub, given)
        }
      },
    })
  const ledger = { get, idFromName: (name: string) => LEDGER.idFromName(name) }
  return { ledger, calls }
}
