import { ownOf } from './own-of.js'

/** Variables that have another name here. */
export const RENAMED: Readonly<Record<string, string>> = {
  BETTER_AUTH_URL: 'AUTH_URL',
  NEXTAUTH_SECRET: 'AUTH_SECRET',
  NEXTAUTH_URL: 'AUTH_URL',
}

/** A variable's name, and the text behind it up to the end of its line. */
const VARIABLE = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=([^\r\n]*)/gm

/**
 * The variables of such a file, without the quotes around their values and the text behind them.
 */
export function variablesOf(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(VARIABLE)].map(([, name = '', value = '']): [string, string] => [
    name,
    /^[ \t]*(?:"([^"]*)"|'([^']*)'|([^#]*))/.exec(value)?.slice(1).join('').trim() ?? '',
  ])
  return new Map(pairs)
}

/**
 * Changes the names of variables; a variable whose new name is there already stays as it is.
 *
 * @returns the text, and a sentence for each renamed variable
 */
export function changeVariables(text: string): { text: string; changed: readonly string[] } {
  const present = new Set([...text.matchAll(VARIABLE)].map(([, name]) => name))
  const changed: string[] = []
  const out = text.replaceAll(
    /^([ \t]*(?:export[ \t]+)?)(\w+)(?=[ \t]*=)/gm,
    (whole, before, name) => {
      const other = ownOf(RENAMED, name)
      if (other === undefined || present.has(other)) return whole
      changed.push(`${name} is ${other} now`)
      return before + other
    },
  )
  return { text: out, changed }
}

/** Adds an empty variable at the top of an example of such a file. */
export function addVariable(path: string, text: string, name: string): string {
  const isExample = /[.](?:example|sample|template)$/.test(path)
  return isExample && !variablesOf(text).has(name) ? `${name}=\n${text}` : text
}
