/**
 * Without vowels, which make words, and without digits, so that a stranger cannot have a page show
 * a telephone number.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const FORM = /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/

/**
 * A code that a user can quote after an error, to find its line in the log: random, and short
 * enough to be read out.
 *
 * @example 'KQWT-MXDB'
 */
export function newReference(): string {
  const places = crypto.getRandomValues(new Uint8Array(8))
  const text = Array.from(places, (place) => LETTERS[place % LETTERS.length]).join('')
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Has a text the form of a reference? Then a page may show it, also if a stranger wrote it. */
export function isReference(text: string): boolean {
  return FORM.test(text)
}
