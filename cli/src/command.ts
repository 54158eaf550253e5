/**
 * The output of a command, and the parts of the process that it may read, so that tests own both.
 */
export interface Terminal {
  /** Writes the result of the command to standard output. */
  print(text: string): void
  /** Writes to standard error: progress, warnings, errors. */
  note(text: string): void
  /** Whether a person watches standard error. */
  readonly isWatched: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** The directory from which relative paths are. */
  readonly directory: string
}

/** The exit code of a command: all done, something left to do, wrong use. */
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
