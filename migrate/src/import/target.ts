import type { ImportRow } from '@latchkey/host/shared'

/** How many accounts had which result. */
export interface ImportAnswer {
  readonly added: number
  readonly known: number
  /** By their place among them. */
  readonly left: readonly (readonly [at: number, why: string])[]
}

/** The service that gets the accounts. */
export interface Target {
  /** The ids of its providers; `undefined`: they are in the code of an app, and cannot be known. */
  readonly providers: ReadonlySet<string> | undefined
  /** At most `MAX_IMPORT`. @throws {ImportStopped} */
  send(rows: readonly ImportRow[]): Promise<ImportAnswer>
  close(): Promise<void>
}

/** The import cannot go on; the message says what to do. */
export class ImportStopped extends Error {}
