import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { each, Omissions } from './omissions.ts'
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
 * @throws {OmissionError} an entry is malformed, or the page and the code do not have the same words: the message says what to write
 */
export function readErrorsPage(root: string): readonly Entry[] {
  const page = readFileSync(join(root, PAGE), 'utf8')
  return entriesOf(page, wordsOfCode(root))
}

/** @throws {OmissionError} as {@link readErrorsPage} */
export function entriesOf(
  page: string,
  words: ReadonlyMap<string, readonly Kind[]>,
): readonly Entry[] {
  const sections = page
    .split(/^### /m)
    .slice(1)
    .map((text) => text.split(/^## /m)[0] ?? '')
  const omissions = new Omissions()
  const entries = omissions.each(sections, (section) => entryOf(section, words))
  const seen = new Set<string>()
  for (const word of sections.flatMap((section) => HEADING.exec(section)?.[1] ?? [])) {
    if (seen.has(word)) omissions.add(`${PAGE} has two entries \`${word}\`. Make one of them.`)
    seen.add(word)
  }
  const absent = [...words].filter(([word]) => !seen.has(word))
  for (const [word, kinds] of absent) {
    omissions.add(`${PAGE} has no entry for the ${kinds.join(' and ')} \`${word}\`.`)
  }
  if (absent.length > 0) omissions.add(FORM)
  omissions.check()
  return entries
}

/** The word of an entry, alone in its first line. */
const HEADING = /^`([^`\n]+)`$/m

function entryOf(section: string, words: ReadonlyMap<string, readonly Kind[]>): Entry {
  const [heading = '', ...paragraphs] = section.trim().split(/\n{2,}/)
  const [, word] = HEADING.exec(heading) ?? []
  if (word === undefined) {
    throw new Error(`${PAGE}: the heading "${heading}" must be one word in code quotes.`)
  }
  const kinds = words.get(word)
  if (!kinds) {
    throw new Error(
      `${PAGE} has an entry \`${word}\`, which the code does not have. Delete it, or correct its spelling.`,
    )
  }
  const titles = ['What happened.', 'Whose it is.', 'What to do.'].entries()
  const [happened, owner, todo] = each(titles, ([at, title]) =>
    paragraphAt(word, paragraphs, title, at),
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

/** What an entry looks like. */
const FORM = `Write each entry below the heading of its kind, then run "npm run generate":

### \`word\`

**What happened.** What the service saw, and what became of the request.

**Whose it is.** The person's, The app's, The operator's, The provider's or The platform's.

**What to do.** What the reader does first, with the command or the setting.
`

/** The page as the packed command has it: `cli/words.json`, one entry a line. */
export function wordsFile(root: string): [path: string, text: string] {
  const lines = readErrorsPage(root).map((entry) => JSON.stringify(entry))
  return ['cli/words.json', `[\n${lines.join(',\n')}\n]\n`]
}
