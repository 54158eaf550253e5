/**
 * The parts of the process that a command may use, so that tests own them.
 */
export interface Terminal {
  /** Writes the answer of the command to standard output. */
  print(text: string): void
  /** Writes to standard error: progress, warnings, errors. */
  note(text: string): void
  /** Whether a person watches standard error. */
  readonly isWatched: boolean
  /** Whether standard output shows colors: a terminal, and no `NO_COLOR`. */
  readonly hasColor: boolean
  /** The width of standard output. `undefined`: it is not a terminal. */
  readonly columns: number | undefined
  /** `undefined`: nobody can answer, since standard input is not a terminal. A missing option is `WrongUse` then. */
  readonly ask: Questions | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The directory from which relative paths are. */
  readonly directory: string
  /** Whether `--json` was given: standard output is then one JSON document, and nothing else. */
  readonly isJson: boolean
}

/** One of the answers to a question. */
export interface Choice<T> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

/** Questions to the person at the terminal. Each throws `Failed` when the person ends it. */
export interface Questions {
  /** Yes or no; no is the default. */
  confirm(question: string): Promise<boolean>
  choose<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<T>
  /** At least one of them. */
  chooseSeveral<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<T[]>
}

/** The exit code of a command: all done, something found or failed, wrong use. */
export type ExitCode = 0 | 1 | 2

/** One word after `latchkey`. */
export interface Command {
  /** What `latchkey <name> --help` prints, in 80 columns. */
  readonly help: string
  /**
   * @param args the arguments after the command's name, without `--json` and `--help`
   * @throws WrongUse for arguments that it does not know
   * @throws Failed
   */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>
}

/** A command of another program, which gets the standard input and outputs of this one. */
export interface PassedOn {
  /**
   * @param args all arguments after `latchkey`, as they were typed
   * @throws Failed the program cannot be started
   */
  pass(args: readonly string[], terminal: Terminal): Promise<ExitCode>
}

/** The command cannot be run as it was asked to; the message says what to do instead. */
export class WrongUse extends Error {}

/**
 * It was refused, failed, or did not answer: the command ends with 1. The message says what to do,
 * and has no key and no secret.
 */
export class Failed extends Error {
  /** One word, for programs: the member `error` of the JSON document. */
  readonly error: string

  /** @param error one word, for programs, such as `Unreachable` */
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}
