import type { ExitCode, Terminal } from './command.js'
import { jsonOf } from './printable.js'

/**
 * Prints the answer of a command: the value as one JSON document with `--json`, else its text.
 *
 * @param text of lines that end with a line feed; text from outside is `printable` in it
 */
export function answer(terminal: Terminal, value: unknown, text: () => string): void {
  terminal.print(terminal.isJson ? `${jsonOf(value)}\n` : text())
}

/** Says why a command ends, and with which code it ends. */
export function refuse(
  { isJson, print, note }: Pick<Terminal, 'isJson' | 'print' | 'note'>,
  code: ExitCode,
  { error, message }: { readonly error: string; readonly message: string },
  hint = '',
): ExitCode {
  if (isJson) print(`${jsonOf({ error, message })}\n`)
  else note(`${message}\n${hint}`)
  return code
}
