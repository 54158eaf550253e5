import { readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchorOf } from '../scripts/anchor-of.ts'

/** docs/README.md lists every page: guides, reference and reasons. No other place does. */
export const INDEX = 'docs/README.md'
/** The pages of decisions, by the rooms of the house. */
const DECISIONS = 'docs/decisions/README.md'

/** A heading of the index with the pages below it, or a heading of the second order with its own. */
export interface Group {
  readonly title: string
  readonly pages: Entry[]
  readonly groups: Group[]
}

interface Entry {
  readonly title: string
  /** The path of the file, from the root of the repository. */
  readonly path: string
}

/** The groups of docs/README.md, and the decisions, which have a group of their own. */
export function readNavigation(root: string): Group[] {
  const index = { title: 'Decisions', path: DECISIONS }
  const rooms = groupsOf(root, DECISIONS).flatMap(({ pages }) => pages)
  return [...groupsOf(root, INDEX), { title: 'Decisions', pages: [index, ...rooms], groups: [] }]
}

function groupsOf(root: string, index: string): Group[] {
  const found: Group[] = []
  for (const line of read(root, index).split('\n')) {
    const [, marks = '', title = ''] = /^(##+) (.+)$/.exec(line) ?? []
    const siblings = marks === '##' ? found : found.at(-1)?.groups
    if (marks) siblings?.push({ title, pages: [], groups: [] })
    const [, name = '', target = ''] = /^- \[([^\]]+)\]\(([^)#]+\.md)\)/.exec(line) ?? []
    const last = found.at(-1)
    const page = { title: name.replaceAll('`', ''), path: from(index, target) }
    if (name) (last?.groups.at(-1) ?? last)?.pages.push(page)
  }
  return found
}

/** Every page of the site, by its file: those of the navigation, and the index. */
export function pagesOf(groups: readonly Group[]): string[] {
  const listed = groups.flatMap(({ pages, groups }) => [
    ...pages.map(({ path }) => path),
    ...pagesOf(groups),
  ])
  return [...new Set([INDEX, ...listed])]
}

/** The address of a page's file on the site: `docs/email.md` is `email.md`, `adapters/hono/README.md` is `hono.md`. */
export function addressOf(path: string): string {
  if (path === INDEX) return 'index.md'
  if (path === 'README.md') return 'introduction.md'
  // The guide of the client has the address without a folder.
  const short = path.replace(/^docs\//, '').replace(/^(?:adapters\/|(?=client\/))/, 'packages/')
  return short.replace(/\/README\.md$/, '.md').toLowerCase()
}

interface Heading {
  readonly line: number
  readonly order: number
  readonly text: string
  readonly anchor: string
}

/** A line of code that begins with `#` is not a heading. */
function headingsOf(text: string): Heading[] {
  const times = new Map<string, number>()
  const found: Heading[] = []
  for (const [line, words] of withoutCode(text).split('\n').entries()) {
    const [, marks = '', heading = ''] = /^(#+) (.+)$/.exec(words) ?? []
    if (marks === '') continue
    const anchor = anchorOf(heading)
    const time = times.get(anchor) ?? 0
    times.set(anchor, time + 1)
    found.push({
      line,
      order: marks.length,
      text: heading,
      anchor: time ? `${anchor}-${time}` : anchor,
    })
  }
  return found
}

export function anchorsOf(text: string): Set<string> {
  return new Set(headingsOf(text).map(({ anchor }) => anchor))
}

/** The text with as many lines, of which those in fences are empty. */
function withoutCode(text: string): string {
  return text.replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, (code) =>
    code.replaceAll(/[^\n]+/g, ''),
  )
}

/** Links and pictures of a page that lead nowhere: to no file, or to no heading of one. */
export function brokenLinks(root: string, path: string): string[] {
  const prose = withoutCode(read(root, path)).replaceAll(/`[^`\n]*`/g, '')
  const links = [
    ...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?[^)]*\)/g),
    ...prose.matchAll(/ (?:src|srcset)="(?!https?:)([^"]+)"/g),
  ]
  return links.flatMap(([link, target = '', anchor]) => {
    const file = target === '' ? path : from(path, target)
    const kind = kindOf(join(root, file))
    if (kind === undefined) return link
    if (anchor === undefined) return []
    return kind === 'file' && anchorsOf(read(root, file)).has(anchor) ? [] : link
  })
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && (found.isDirectory() ? 'folder' : 'file')
}

/** The target of a link, from the root of the repository. */
export function from(path: string, target: string): string {
  return normalize(join(dirname(path), target)).replace(/\/$/, '')
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
