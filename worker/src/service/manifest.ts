import type { OperationScope } from './operations.js'

/**
 * What others must know of a capability, as data: `features/<name>/manifest.ts`. No code of the Worker evaluates it, so a
 * text costs no byte: `npm run generate` makes the tables of it that the core, the session package, the command, the
 * documentation and the tests read.
 */
export interface Manifest {
  /** The folder, and the end of the import path. */
  readonly name: string
  /** What it is for: its row in docs/features.md. */
  readonly use: string
  /** Its value is a function of its options, such as `operate()`, and `createAuth` has it only if it is listed. */
  readonly isFunction?: true
  /** Options of the configuration that it alone reads, such as `subject` or `pages.newUser`. */
  readonly options?: readonly string[]
  /** Options of providers that it alone reads. */
  readonly providerOptions?: readonly string[]
  /** Variables that it alone reads, with what each is for; two with a comma between them have one text. */
  readonly variables?: Readonly<Record<string, string>>
  /**
   * Variables with a name of the operator's own in the middle: what they begin with, such as `AUTH_APP_<ID>_`, and how they
   * may end, as {@link variables}.
   */
  readonly forms?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The `type` of providers that need it. */
  readonly kinds?: readonly string[]
  /** The `type` of plain provider objects that need it. A function in their place brings it along. */
  readonly plainKinds?: readonly string[]
  /** The one id of providers of a `type`, which no other may have: readers of `amr` know it as two factors. */
  readonly ids?: Readonly<Record<string, string>>
  /** A further reason to need it, for docs/features.md. */
  readonly askedBy?: string
  /** Members of a person's document that it understands. A person with a member that nobody understands is refused. */
  readonly members?: readonly string[]
  /** The lists that it adds to an export of a person. */
  readonly exported?: readonly string[]
  /** Methods for the operator, by their names. */
  readonly methods?: Readonly<Record<string, Method>>
  /** Paths below the base path, which an app that forwards leaves to the service. */
  readonly routes?: readonly string[]
  /** Has it a table of texts? `apart`: with translations of its own, since it comes by import alone. */
  readonly texts?: true | 'apart'
  /** A script of its pages: its source in `worker/browser`, the file that has its text, and what it does. */
  readonly script?: Readonly<Record<'source' | 'file' | 'does', string>>
  /** Events of the log. */
  readonly events?: readonly string[]
  /** Warnings of the log. */
  readonly warnings?: readonly string[]
  /** Codes of `AccessDenied`. */
  readonly denials?: readonly string[]
  /** What takes the place of a plugin of better-auth, by its function. */
  readonly plugins?: Readonly<Record<string, string>>
}

/** A method of `createAuth()` and of `AuthService`. */
interface Method {
  /** The kinds of its arguments (`service/operations.ts`). */
  readonly takes: readonly string[]
  /** The scope of the operator API that it needs. Left out: that API does not have it. */
  readonly scope?: OperationScope
  /** It never throws: the reason is in its answer. */
  readonly isSafe?: true
  /** What it is for, and its result: a schema of openapi.json, with `[]` or `| null`. For methods with a scope. */
  readonly summary?: string
  readonly result?: string
  /** It changes nothing, though its scope is `manage`. */
  readonly isRead?: true
  /** The event of its record in the audit log, if it changes something of a person. */
  readonly event?: string
  /** Why the service may not have it, as the command says it. */
  readonly off?: string
}
