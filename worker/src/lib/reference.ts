/** Without letters that are taken for digits, or that make words. */
const LETTERS = '0123456789BCDFGHJKLMNPQRSTVWXYZ'
const FORM = /^[0-9B-DF-HJ-NP-TV-Z]{4}-[0-9B-DF-HJ-NP-TV-Z]{4}$/

/**
 * What a person can quote who met an error, to find its line in the log: random, and short enough to be read out.
 *
 * @example '7KQ2-M9XD'
 */
export function newReference(): string {
  const places = crypto.getRandomValues(new Uint8Array(8))
  const text = Array.from(places, (place) => LETTERS[place % LETTERS.length]).join('')
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Has a text the form of a reference? Then a page may show it, whoever wrote it. */
export function isReference(text: string): boolean {
  return FORM.test(text)
}
