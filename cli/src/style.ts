import { styleText } from 'node:util'
import type { Terminal } from './command.js'

type Format = Parameters<typeof styleText>[0]

/** Colors a text, if the terminal has colors. Text from outside is `printable` before. */
export type Style = (format: Format, text: string) => string

/** @example const style = styleOf(terminal); style('bold', 'Sessions') */
export function styleOf({ hasColor }: Pick<Terminal, 'hasColor'>): Style {
  // The terminal is known already: Node would ask standard output again.
  return (format, text) => (hasColor ? styleText(format, text, { validateStream: false }) : text)
}
