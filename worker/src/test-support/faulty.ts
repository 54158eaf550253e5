import type { Ledger } from '../stores/ledger/rules.js'
import { memoryStore } from '../stores/memory.js'
import type { SessionStore, Stores } from '../stores/ports.js'
import { asStore, ownLedger } from './own-ledger.js'

export type StoreMethod = keyof SessionStore | keyof Ledger

/** A call that fails, and one that never ends. */
export const fails = () => Promise.reject(new Error('The store is down.'))
export const hangs = () => new Promise<never>(() => {})

type Method = (...args: unknown[]) => Promise<unknown>

/**
 * A store whose calls are recorded, and fail as the test says: `faults.set('put', fails)` until
 * `faults.delete('put')`. A fault is given the call's arguments.
 *
 * @param inner the store for calls without a fault
 */
export function faulty(inner: Stores = memoryStore()) {
  const calls: { readonly name: string; readonly args: readonly unknown[] }[] = []
  const faults = new Map<StoreMethod, Method>()
  const watched = <Part extends object>(part: Part): Part => {
    const methods = Object.entries(part as Record<string, Method>).map(([name, run]) => {
      const watch: Method = (...args) => {
        calls.push({ name, args })
        const fault = faults.get(name as StoreMethod)
        return fault ? fault(...args) : run(...args)
      }
      return [name, watch]
    })
    return Object.fromEntries(methods) as Part
  }
  const ledger = ownLedger(watched(inner.ledger))
  const store = asStore({ sessions: watched(inner.sessions), ledger })
  return { store, inner, calls, faults }
}
