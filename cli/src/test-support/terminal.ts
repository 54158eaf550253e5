import type { Terminal } from '../command.js'

/** A terminal that keeps what a command writes: piped, without a person, unless a test says otherwise. */
export function terminalOf(
  parts: Partial<Terminal> = {},
): Terminal & { readonly printed: () => string; readonly noted: () => string } {
  let printed = ''
  let noted = ''
  return {
    print: (text) => {
      printed += text
    },
    note: (text) => {
      noted += text
    },
    isWatched: false,
    hasColor: false,
    columns: undefined,
    ask: undefined,
    env: {},
    directory: '/',
    isJson: false,
    ...parts,
    printed: () => printed,
    noted: () => noted,
  }
}
