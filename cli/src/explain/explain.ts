import { readFileSync } from 'node:fs'
import { answer } from '../answer.js'
import { parsed } from '../arguments.js'
import { type Command, Failed, WrongUse } from '../command.js'
import { distance, nearest } from '../nearest.js'
import { printable } from '../printable.js'
import { shownEntry } from './shown-entry.js'

const HELP = `Explains a word of the log, of an error page, of an answer or of this command.

Usage: latchkey explain <word>

It prints what happened, who has to fix it, and what to do. The same text is
in docs/errors.md. Write the word as it stands, with its capital letters.

  latchkey explain StoreUnavailable
  latchkey explain sign-in-refused

--json: { word, kinds, happened, whose, todo }. kinds are of error, code, event,
warning, operator, fault, import and finding; whose is person, app, operator,
provider or platform.
Exit code: 0, 1 if there is no such word, 2 for wrong use.
`

/** An entry of docs/errors.md. */
export interface Entry {
  readonly word: string
  readonly kinds: readonly string[]
  readonly happened: string
  readonly whose: string
  /** What the page says of it, in a sentence. */
  readonly owner: string
  readonly todo: string
}

export const explain: Command = {
  help: HELP,
  async run(args, terminal) {
    const [word, ...more] = parsed(args, {}).positionals
    if (!word || more.length > 0) throw new WrongUse('Name one word, such as StoreUnavailable.')
    const entries = readEntries()
    const entry = entries.find((each) => each.word === word)
    if (!entry) throw new Failed('UnknownWord', unknown(word, entries))
    const { kinds, happened, whose, todo } = entry
    answer(terminal, { word, kinds, happened, whose, todo }, () => shownEntry(entry, terminal))
    return 0
  },
}

/** `npm run generate` makes the file of docs/errors.md; it lies beside `src` and `dist`. */
function readEntries(): readonly Entry[] {
  return JSON.parse(readFileSync(new URL('../../words.json', import.meta.url), 'utf8'))
}

/** How many are shown. */
const MOST = 3

/** @param words every word of the page, of which the nearest are shown */
export function nearestWords(asked: string, words: readonly string[]): string[] {
  const most = Math.max(1, plain(asked).length / 3)
  return nearest(asked, words, { most, distanceOf }).slice(0, MOST)
}

/** A word within the other one is nearer than most misspellings. */
function distanceOf(asked: string, word: string): number {
  const [one, other] = [plain(asked), plain(word)]
  const isPart = one.length > 3 && other.length > 3 && (one.includes(other) || other.includes(one))
  return isPart && one !== other ? 1 : distance(one, other)
}

/** Case, and the marks between the parts of a word, are not what people remember. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** Is it in the text of an entry? */
function isAbout({ happened, owner, todo }: Entry, asked: string): boolean {
  const text = asked.trim().toLowerCase()
  return text.length > 3 && [happened, owner, todo].join('\n').toLowerCase().includes(text)
}

function unknown(word: string, entries: readonly Entry[]): string {
  const near = nearestWords(
    word,
    entries.map((each) => each.word),
  )
  const shown = JSON.stringify(printable(word.slice(0, 100)))
  const about = entries.filter((each) => isAbout(each, word)).map((each) => each.word)
  const hint =
    near.length > 0
      ? `The nearest: ${near.join(', ')}.`
      : about.length > 0
        ? `It is said of: ${about.slice(0, MOST).join(', ')}.`
        : 'None is like it. All are in docs/errors.md.'
  return `${shown} is not a word of Latchkey. ${hint}`
}
