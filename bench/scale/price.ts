import type { Figures } from './simulate.js'
import { objectsOf, type Size } from './sizes.js'

export const MONTH = 30 * 24 * 60 * 60

/** Bytes of a session's record in KV, with its key, and of a row in the ledger (docs/scale.md). */
const RECORD = 1_500
const ROW = 123

/** GB for which an object is billed while it is active: all the time, with calls in every second. */
const MEMORY = 0.128

/** Dollars for a million (docs/scale.md), and for a GB and month. */
export const PRICES = {
  call: 0.15,
  duration: 12.5,
  rowWritten: 1,
  kvRead: 0.5,
  kvWrite: 5,
  kvKept: 0.5,
  rowsKept: 0.2,
}

/** Dollars a month for KV and the ledger, without the requests to the Worker itself. */
export function monthlyPrice(size: Size, figures: Figures): number {
  const { objects, groups, replicas } = objectsOf(size)
  const { calls, toCollectors, rowsWritten, rowsAdded, rowsKept, kvReads, kvWrites } = figures
  const aSecond =
    (calls.mean * objects + toCollectors) * PRICES.call +
    (rowsWritten + rowsAdded) * objects * PRICES.rowWritten +
    kvReads * PRICES.kvRead +
    kvWrites * PRICES.kvWrite
  const kept = size.sessions * RECORD * PRICES.kvKept + rowsKept * objects * ROW * PRICES.rowsKept
  const active = (objects + groups * replicas) * MEMORY * MONTH * PRICES.duration
  return (aSecond * MONTH + active) / 1e6 + kept / 1e9
}
