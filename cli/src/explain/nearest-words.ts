/** How many are shown. */
const MOST = 3
/** The longest text that is compared: no word is near to a longer one. */
const LONGEST = 50

/**
 * The words that a person may have meant: by few changed letters, in any case, or since one is a part of the other. The
 * nearest first.
 *
 * @example nearestWords('acess-denied', ['access_denied', 'sign-in']) // ['access_denied']
 */
export function nearestWords(asked: string, words: readonly string[]): string[] {
  const wanted = plain(asked)
  if (wanted === '' || wanted.length > LONGEST) return []
  return words
    .map((word) => ({ word, distance: distanceOf(wanted, plain(word)) }))
    .filter(({ distance }) => distance <= Math.max(1, wanted.length / 3))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MOST)
    .map(({ word }) => word)
}

/** Case, and the marks between the parts of a word, are not what people remember. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** A word within the other one is nearer than most misspellings. */
function distanceOf(one: string, other: string): number {
  const isPart = one.length > 3 && other.length > 3 && (one.includes(other) || other.includes(one))
  return isPart && one !== other ? 1 : changesBetween(one, other)
}

/** The changes of one letter between two texts (Levenshtein), which are short. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1]
    for (let at = 0; at < other.length; at++) {
      const changed = (row[at] ?? 0) + (letter === other[at] ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
