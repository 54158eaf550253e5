/** A file that an app needs. */
export interface Planned {
  /** Below the folder, with slashes. */
  readonly path: string
  readonly text: string
  /** Default: 0o644. */
  readonly mode?: number
  /**
   * The text that a file that is there already needs to have. Left out: {@link text}.
   *
   * @returns the same text: nothing has to change
   */
  readonly merged?: (present: string) => string | Promise<string>
}

/** The input of each kind. */
export interface Wanted {
  /** Absolute. */
  readonly folder: string
  readonly providers: readonly ChosenProvider[]
  /** A file below the folder; `undefined`: it is not there. */
  readonly present: (path: string) => Promise<string | undefined>
}

/** A provider of the sign-in page. */
export interface ChosenProvider {
  readonly id: string
  /** The name of its function in the code. */
  readonly name: string
  /** Its variables, with values if it has any that work at once. */
  readonly variables: readonly (readonly [name: string, value: string])[]
}

/** What `init` writes for a kind of app. */
export interface Plan {
  readonly files: readonly Planned[]
  /** The commands that come next, in the folder. */
  readonly next: readonly string[]
  /** The address at which the app runs then. */
  readonly url: string
  /** The page that a person opens first, below {@link url}. */
  readonly first: string
  readonly basePath: string
}

/** A kind of app. */
export interface Kind {
  readonly summary: string
  /** @throws {WrongUse} the folder has no such app */
  plan(wanted: Wanted): Promise<Plan>
}
