/** No `sub` has a control character. */
const MARK = '\u0001'

/**
 * Replaces the `sub` in the cut-off of an erased person: a name that nobody without the secret can
 * make from their `sub`.
 *
 * @param pid their name in tokens
 */
export function erasedName(pid: string): string {
  return MARK + pid
}

/** The name in tokens of somebody who was erased; `undefined` for a `sub`. */
export function erasedPid(name: string): string | undefined {
  return name.startsWith(MARK) ? name.slice(MARK.length) : undefined
}
