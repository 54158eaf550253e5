import { isRecord } from '@latchkey/session/internal'
import { type AnyMethod, ledgerOf, methods } from './ledger/methods.js'
import type { Ledger } from './ledger/rules.js'
import { decide } from './ledger/rules.js'
import { Snapshot } from './snapshot.js'
import type { Stored } from './stored.js'

/** A call that other processes come in between so often is given up. */
const MAX_TRIES = 30
/** A call that waited this long for earlier ones is over for its caller. Milliseconds. */
const PATIENCE = 4_000

/** One ledger for the rows of a store, however often it is asked for: its calls for one name wait for each other. */
const ledgers = new WeakMap<Stored, Ledger>()

/**
 * A ledger whose rows are in a database that several processes share. A rule is a synchronous
 * function over rows: it runs over the rows that were read, again if it needs more, and its writes
 * count only if nothing that it read has changed meanwhile. Otherwise it runs again
 * (docs/decisions/stores.md).
 */
export function transactedLedger(stored: Stored): Ledger {
  const ledger = ledgers.get(stored) ?? newLedger(stored)
  ledgers.set(stored, ledger)
  return ledger
}

function newLedger(stored: Stored): Ledger {
  const lanes = new Map<string, Promise<unknown>>()

  async function attempt(name: keyof Ledger, args: readonly unknown[]): Promise<Attempt> {
    const snapshot = new Snapshot()
    // `null`: no row was read. Such a decision does not grow old, and no rule without a row asks for the time.
    let readAt: number | null = null
    for (let at = Date.now(); ; ) {
      const result = snapshot.run((rows) => decide(name, rows, Math.floor(at / 1000), args))
      if (snapshot.asked.length === 0) {
        if ('error' in result) throw result.error
        const { answer } = result
        const isDone = snapshot.isRead || (await stored.commit(snapshot.changes, readAt))
        return { answer, isDone }
      }
      const read = await stored.read(snapshot.asked)
      at = read.now
      readAt = at
      snapshot.add(read.answers)
    }
  }

  async function answer(name: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { answer, isDone } = await attempt(name, args)
      if (isDone) return answer
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 50)))
    }
    throw new Error('Others change the same rows faster than they can be read.')
  }

  /** Calls of this process for one name go one after the other: at once they would only be in each other's way. */
  async function inLane(name: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
    const lane = laneOf(args)
    const asked = performance.now()
    const turn = (lanes.get(lane) ?? Promise.resolve()).then(() => {
      if (performance.now() - asked > PATIENCE)
        throw new Error('The calls before it took too long.')
      return answer(name, args)
    })
    const over = turn.catch(() => {})
    lanes.set(lane, over)
    try {
      return await turn
    } finally {
      if (lanes.get(lane) === over) lanes.delete(lane)
    }
  }

  return ledgerOf(
    (name): AnyMethod =>
      (...args) =>
        methods[name].does === 'read' ? answer(name, args) : inLane(name, args),
  )
}

interface Attempt {
  readonly answer: unknown
  readonly isDone: boolean
}

/** Rows that two calls change have the same first argument: a key, a session, or whose sessions end. */
function laneOf([first]: readonly unknown[]): string {
  return isRecord(first) ? String(first.sub) : String(first)
}
