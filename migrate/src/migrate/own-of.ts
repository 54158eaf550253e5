/**
 * A table's entry by a name from outside: `constructor` and `__proto__` are in every
 * object.
 */
export function ownOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: string,
): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
