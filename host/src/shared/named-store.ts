import { AuthError } from '@latchkey/session'
import { type Environment, textOf } from './environment.js'
import { InvalidConfiguration } from './invalid-configuration.js'

/** The kinds of stores that `AUTH_STORE` can name: entries of the service's package, `stores/<kind>`. */
type StoreKind = 'sqlite' | 'postgres' | 'redis'

/** The value of `AUTH_STORE`, in which there may be a password: it is for the store alone. */
export interface NamedStore {
  readonly kind: StoreKind
  readonly value: string
  /** `AUTH_STORE_PREFIX`: what names in the database begin with. */
  readonly prefix?: string
}

/** A store, as a configuration has it. */
export interface ServiceStore {
  readonly sessions: object
  readonly rows: object
  /**
   * The service calls it before anything else, if other services could be led to the store.
   *
   * @throws {AuthError} it is another service's
   */
  claim?(mark: never): Promise<unknown>
}

/** A store that is opened by its name. */
export interface OpenedStore extends ServiceStore {
  /** @throws {Error} it cannot be used now, and the next call tries again */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Loads the entry of a kind: `import('@latchkey/worker/stores/<kind>')`. */
export type LoadStore<Store extends OpenedStore = OpenedStore> = (
  kind: StoreKind,
) => Promise<{ openStore(value: string, options?: { readonly prefix?: string }): Store }>

const BEGINNINGS: readonly (readonly [RegExp, StoreKind])[] = [
  [/^postgres(?:ql)?:[/][/]/, 'postgres'],
  [/^rediss?:[/][/]/, 'redis'],
]

/**
 * `AUTH_STORE`: where an app on Node keeps sessions when it serves the auth routes itself.
 *
 * @throws {InvalidConfiguration} without the value, in which there may be a password
 */
export function namedStoreIn(env: Environment): NamedStore | undefined {
  const value = textOf(env, 'AUTH_STORE')
  if (value === undefined) return undefined
  const prefix = textOf(env, 'AUTH_STORE_PREFIX')
  const more = prefix === undefined ? {} : { prefix }
  if (/^file:./.test(value)) return { kind: 'sqlite', value, ...more }
  const kind = BEGINNINGS.find(([beginning]) => beginning.test(value))?.[1]
  if (kind && URL.canParse(value)) return { kind, value, ...more }
  throw new InvalidConfiguration(
    'AUTH_STORE must be file:<path>, or a whole URL that begins with postgres:// or redis://. In a URL, signs of a password that separate its parts are escaped: # is %23, / is %2F.',
  )
}

/**
 * Opens the store that `AUTH_STORE` names. While the store cannot be reached, a call to it fails
 * with that error, and the next call tries again.
 *
 * @throws {AuthError} that names the missing package: the service's, or the driver
 */
export async function openNamedStore<Store extends OpenedStore>(
  { kind, value, ...options }: NamedStore,
  load: LoadStore<Store>,
): Promise<Store> {
  try {
    const { openStore } = await load(kind)
    return openStore(value, options)
  } catch (error) {
    throw new AuthError(`AUTH_STORE cannot be used. ${reasonOf(error)}`)
  }
}

/** Repeats only our own messages: a driver's message may have the URL in it. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === InvalidConfiguration.type) return error.message
  const { code } = error as { code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND') {
    return 'Its code is in @latchkey/worker, which this process does not find: npm install @latchkey/worker, also beside a bundle.'
  }
  return `The store could not be loaded${typeof code === 'string' ? ` (${code})` : ''}.`
}
