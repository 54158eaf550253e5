import type { Stored } from '../stored.js'

/** By its name: a store that an app loads beside its bundle comes from another copy of this package. */
export const LASTING: unique symbol = Symbol.for('latchkey.lasting') as never

/** Rows that outlive their process: each process that shares the store finds the rows that another one wrote. */
export interface LastingRows extends Stored {
  /** Resolves once the store is known to belong to this service; pending until then. Never rejects. */
  readonly [LASTING]: Promise<void>
}

/**
 * @param claim as of a store
 * @returns the rows, and the claim that tells them
 */
export function lasting<Claim extends (...args: never[]) => Promise<unknown>>(
  rows: Stored,
  claim: Claim,
): { readonly rows: LastingRows; readonly claim: Claim } {
  let own = () => {}
  const owned = new Promise<void>((resolve) => {
    own = resolve
  })
  const claiming = async (...args: Parameters<Claim>) => {
    const answer = await claim(...args)
    own()
    return answer
  }
  return { rows: Object.assign(rows, { [LASTING]: owned }), claim: claiming as unknown as Claim }
}

/** @returns `undefined`: a store of an app's own, or one in memory */
export function lastingRowsOf(store: object | undefined): LastingRows | undefined {
  const { rows } = (store ?? {}) as { rows?: Partial<LastingRows> }
  return rows && typeof rows === 'object' && LASTING in rows ? (rows as LastingRows) : undefined
}
