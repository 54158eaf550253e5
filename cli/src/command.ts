/** Where a command writes, and what it may know of the process, so that tests own both. */
export interface Terminal {
  /** Writes to standard output: what the command was asked for. */
  print(text: string): void
  /** Writes to standard error: progress, warnings, errors. */
  note(text: string): void
  /** Whether a person watches standard error. */
  readonly isWatched: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** The directory from which relative paths are. */
  readonly directory: string
}

/** What a command ends with: all done, something is left to do, wrong use. */
export type ExitCode = 0 | 1 | 2

/** One word after `latchkey`. */
export interface Command {
  /** What `latchkey <name> --help` prints. */
  readonly help: string
  /**
   * @param args the arguments after the command's name
   * @throws WrongUse for arguments that it does not know
   */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>
}

/** The command cannot be run as it was asked to; the message says what to do instead. */
export class WrongUse extends Error {}
