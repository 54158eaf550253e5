/** Without vowels, which make words. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

/**
 * Four letters by which a person tells a mail from an older one: in its subject, and on the page
 * that waits for it. It follows from the id of the flow, which is not secret, and it opens nothing.
 *
 * @param flow ends in random characters
 * @example 'KQWT'
 */
export function markOf(flow: string): string {
  return Array.from(flow.slice(-4), (one) => LETTERS[one.charCodeAt(0) % LETTERS.length]).join('')
}
