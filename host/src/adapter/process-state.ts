/** Change the number when the kept values change: two releases may run in one process. */
const KEY = Symbol.for('latchkey.process-state.1')

/** Gives a value of this name, and makes it at the first call. */
export type Share = <Value>(name: string, make: () => Value) => Value

/**
 * A value that all copies of this module in one process share. A framework may bundle the module several
 * times, once for its routes and once for its pages, and again after each change in development.
 *
 * @param make called once for each name
 * @example ofProcess('names', () => new Set())
 */
export const ofProcess: Share = <Value>(name: string, make: () => Value) => {
  const scope = globalThis as { [KEY]?: Map<string, unknown> }
  scope[KEY] ??= new Map()
  if (!scope[KEY].has(name)) scope[KEY].set(name, make())
  return scope[KEY].get(name) as Value
}
