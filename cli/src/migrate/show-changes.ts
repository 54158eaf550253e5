import { createTwoFilesPatch } from 'diff'
import { isOfVariables } from './variables.js'

/**
 * The changes of one file as a patch. Of a file of variables the values are not shown: people paste what a
 * command prints into issues and chats.
 */
export function showChanges(path: string, before: string, after: string): string {
  const shown = (text: string) =>
    isOfVariables(path)
      ? text.replaceAll(/^([ \t]*(?:export[ \t]+)?\w+[ \t]*=)[^\r\n]+/gm, '$1…')
      : text
  const from = `a/${path}`
  return createTwoFilesPatch(from, `b/${path}`, shown(before), shown(after), undefined, undefined, {
    context: 3,
  }).replace(/^=+\n/, '')
}
