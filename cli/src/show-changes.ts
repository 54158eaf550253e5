import { createTwoFilesPatch } from 'diff'
import { printableLines } from './printable.js'

/** Is it a file of variables, such as `.env` or `.env.example`? */
export function isOfVariables(path: string): boolean {
  return /(?:^|\/)[.](?:env|dev[.]vars)(?:[.][\w.-]+)?$/.test(path)
}

/**
 * The changes of one file as a patch. The values of a file of variables are hidden: people paste
 * the output of commands into issues and chats.
 */
export function showChanges(path: string, before: string, after: string): string {
  const shown = (text: string) => printableLines(isOfVariables(path) ? withoutValues(text) : text)
  const from = `a/${path}`
  return createTwoFilesPatch(from, `b/${path}`, shown(before), shown(after), undefined, undefined, {
    context: 3,
  }).replace(/^=+\n/, '')
}

/** A value may have several lines, or be commented out: of each line a name is all that is shown. */
function withoutValues(text: string): string {
  const line = /^(?=[^\r\n])([ \t]*#?[ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]*[ \t]*=)?[^\r\n]*/gm
  return text.replaceAll(line, (_, name = '') => `${name}…`)
}
