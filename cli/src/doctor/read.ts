import type { Finding } from './finding.js'

/** A variable as it was read. */
export interface Variable {
  /** A text; in a wrangler file it may be anything else too, which the service mostly does not read. */
  readonly value: unknown
  /** A file and the variable's name, such as `.dev.vars AUTH_SECRET`. */
  readonly where: string
  /** Is it in the wrangler file, which people commit? */
  readonly isInWrangler: boolean
}

export type Variables = ReadonlyMap<string, Variable>

/** A file such as `.dev.vars` or `.env`. */
export interface VariablesFile {
  /** As it is shown, from the directory in which the command runs. */
  readonly path: string
  /** Its state in git; `undefined`: it is not in a repository, or git is not installed. */
  readonly inGit: 'ignored' | 'open' | 'tracked' | undefined
}

export interface Route {
  /** `example.com/auth/*`; of a custom domain its host alone. */
  readonly pattern: string
  readonly isDomain: boolean
}

/** The part of a wrangler file about one Worker: its top, or one of its environments. */
export interface Wrangler {
  /** As it is shown. */
  readonly path: string
  readonly isJson: boolean
  /** The environment's name; `undefined`: the top of the file. */
  readonly environment: string | undefined
  /** Names of bindings. */
  readonly kv: ReadonlySet<string>
  readonly sendEmail: ReadonlySet<string>
  readonly rateLimits: ReadonlySet<string>
  readonly services: ReadonlySet<string>
  /** The class of each Durable Object's binding; `undefined`: another Worker has the class, or none is named. */
  readonly objects: ReadonlyMap<string, string | undefined>
  /** Classes with storage in SQLite after all migrations. */
  readonly sqliteClasses: ReadonlySet<string>
  readonly routes: readonly Route[]
  readonly workersDev: boolean | undefined
  readonly isObserved: boolean
  readonly redactsQueries: boolean
  /** The limit of a request's processor time, in milliseconds; `undefined`: the file has none. */
  readonly cpu: number | undefined
  /** Names that `secrets.required` lists: a deploy fails without them. */
  readonly requiredSecrets: ReadonlySet<string>
}

/** One Worker, or one app on Node, as far as files describe it. */
export interface Deployment {
  readonly wrangler: Wrangler | undefined
  /** The variables of the wrangler file, and over them those of the file of variables. */
  readonly variables: Variables
  /** The file of variables; `undefined`: there is none. */
  readonly file: VariablesFile | undefined
  /** Is a variable that is not here not set at all? Otherwise it may be a secret that only the platform has. */
  readonly isWhole: boolean
}

/** A folder as it was read. */
export interface Folder {
  /** The Worker at the top of a wrangler file first, then its environments. */
  readonly deployments: readonly Deployment[]
  /** Files that could not be read. */
  readonly unreadable: readonly Finding[]
}

/** The text of a variable; `undefined`: it is missing, empty or no text. */
export function textIn(variables: Variables, name: string): string | undefined {
  const value = variables.get(name)?.value
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** May a variable be set? It is among the variables, or may be a secret that only the platform has. */
export function mayBeSet({ variables, wrangler, isWhole }: Deployment, name: string): boolean {
  return textIn(variables, name) !== undefined || !isWhole || !!wrangler?.requiredSecrets.has(name)
}

/** The variables as the service gets them. */
export function environmentOf(variables: Variables): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...variables].map(([name, { value }]) => [name, value]))
}

/** Where a variable is, or where it belongs if it is missing. */
export function placeOf({ variables, file, wrangler }: Deployment, name: string): string {
  return variables.get(name)?.where ?? `${file?.path ?? wrangler?.path ?? '.env'} ${name}`
}

/**
 * Does this only forward to a service, or read its sessions? Then it needs no secret and no bindings of its own.
 */
export function isApp({ variables, wrangler }: Deployment): boolean {
  if (wrangler?.kv.has('SESSIONS') || wrangler?.objects.has('LEDGER')) return false
  const names = ['AUTH_WORKER_URL', 'AUTH_PUBLIC_KEYS']
  const isNamed = names.some((name) => textIn(variables, name) !== undefined)
  return isNamed || (wrangler !== undefined && wrangler.services.size > 0)
}

/** A rule looks at one deployment. It reads no file and sends no request. */
export type Rule = (deployment: Deployment, now: number) => readonly Finding[]
