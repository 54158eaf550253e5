/** Why a fault that no test notices is none. */
export interface Argument {
  /** The line of the source in which the fault begins, without indentation. */
  readonly line: string
  /** What takes the place of the code; left out: any fault in that line. */
  readonly to?: string
  readonly why: string
}

/** By file. A run fails for an argument that nothing needs any more. */
export const argued: Readonly<Record<string, readonly Argument[]>> = {}
