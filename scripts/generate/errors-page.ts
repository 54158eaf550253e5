import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kind, wordsOfCode } from './words-of-code.ts'

/** The parties of the second paragraph, by its first words. */
const PARTIES = ['person', 'app', 'operator', 'provider', 'platform'] as const

/** An entry of docs/errors.md, as `latchkey explain` has it. */
export interface Entry {
  readonly word: string
  readonly kinds: readonly Kind[]
  readonly happened: string
  readonly whose: (typeof PARTIES)[number]
  /** The whole paragraph, for people. */
  readonly owner: string
  readonly todo: string
}

export const PAGE = 'docs/errors.md'

/**
 * The entries of docs/errors.md in their order.
 *
 * @throws {Error} an entry is malformed, or the page and the code do not have the same words: the message says what to write
 */
export function readErrorsPage(root: string): readonly Entry[] {
  const page = readFileSync(join(root, PAGE), 'utf8')
  return entriesOf(page, wordsOfCode(root))
}

/** @throws {Error} as {@link readErrorsPage} */
export function entriesOf(
  page: string,
  words: ReadonlyMap<string, readonly Kind[]>,
): readonly Entry[] {
  const sections = page
    .split(/^### /m)
    .slice(1)
    .map((text) => text.split(/^## /m)[0] ?? '')
  const entries = sections.map((section) => entryOf(section, words))
  const seen = new Set<string>()
  for (const { word } of entries) {
    if (seen.has(word)) throw new Error(`${PAGE} has two entries \`${word}\`. Make one of them.`)
    seen.add(word)
  }
  for (const [word, kinds] of words) {
    if (!seen.has(word)) throw new Error(missing(word, kinds))
  }
  return entries
}

function entryOf(section: string, words: ReadonlyMap<string, readonly Kind[]>): Entry {
  const [heading = '', ...paragraphs] = section.trim().split(/\n{2,}/)
  const [, word] = /^`([^`\n]+)`$/.exec(heading) ?? []
  if (word === undefined) {
    throw new Error(`${PAGE}: the heading "${heading}" must be one word in code quotes.`)
  }
  const kinds = words.get(word)
  if (!kinds) {
    throw new Error(
      `${PAGE} has an entry \`${word}\`, which the code does not have. Delete it, or correct its spelling.`,
    )
  }
  const [happened, owner, todo] = ['What happened.', 'Whose it is.', 'What to do.'].map(
    (title, at) => paragraphAt(word, paragraphs, title, at),
  ) as [string, string, string]
  if (paragraphs.length > 3) {
    throw new Error(`${PAGE}: the entry \`${word}\` must have three paragraphs, and no more.`)
  }
  const whose = PARTIES.find((party) => owner.startsWith(`The ${party}'s`))
  if (!whose) {
    throw new Error(
      `${PAGE}: paragraph 2 of \`${word}\` must begin with The ${PARTIES.join("'s, The ")}'s.`,
    )
  }
  return { word, kinds, happened, whose, owner, todo }
}

function paragraphAt(word: string, paragraphs: readonly string[], title: string, at: number) {
  const paragraph = paragraphs[at] ?? ''
  const text = paragraph.slice(`**${title}** `.length)
  if (paragraph.startsWith(`**${title}** `) && text !== '') return text.replaceAll('\n', ' ')
  throw new Error(`${PAGE}: paragraph ${at + 1} of \`${word}\` must begin with **${title}**`)
}

function missing(word: string, kinds: readonly Kind[]): string {
  return `${PAGE} has no entry for the ${kinds.join(' and ')} \`${word}\`. Write it below the heading of its kind, then run "npm run generate":

### \`${word}\`

**What happened.** What the service saw, and what became of the request.

**Whose it is.** The person's, The app's, The operator's, The provider's or The platform's.

**What to do.** What the reader does first, with the command or the setting.
`
}

/** The page as the packed command has it: `cli/words.json`, one entry a line. */
export function wordsFile(root: string): [path: string, text: string] {
  const lines = readErrorsPage(root).map((entry) => JSON.stringify(entry))
  return ['cli/words.json', `[\n${lines.join(',\n')}\n]\n`]
}
