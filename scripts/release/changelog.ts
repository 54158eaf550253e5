/** The headings of Keep a Changelog 1.1, in its order. The text of a change file begins with a heading. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const

interface Section {
  /** The heading, such as `[0.2.0] - 2026-11-23`. */
  readonly title: string
  readonly text: string
}

/**
 * The text of a change file, below the packages that it names.
 *
 * @throws {Error} when the text does not begin with a kind of change
 * @example changeOf('---\nlatchkey: minor\n---\n\nAdded: A page.\n') // ['Added', 'A page.']
 */
export function changeOf(file: string): [kind: string, text: string] {
  const text = file.replace(/^---\n[\s\S]*?\n---\n/, '').trim()
  const [, kind = '', rest = ''] = /^(\w+): ([\s\S]+)$/.exec(text) ?? []
  if (KINDS.some((one) => one === kind)) return [kind, rest]
  throw new Error(`"${text}" begins with none of: ${KINDS.map((one) => `${one}:`).join(' ')}`)
}

/**
 * The changelog with a section for a new version: the text below "Unreleased", and the change
 * files' texts.
 *
 * @param date of the release, such as `2026-11-23`
 * @param link to the page of the version
 * @throws {Error} when nothing has changed, or the version is there
 */
export function withVersion(
  changelog: string,
  changeFiles: readonly string[],
  version: string,
  date: string,
  link: string,
): string {
  const sections = sectionsOf(changelog)
  const unreleased = sections.find(({ title }) => title === '[Unreleased]')
  if (!unreleased) throw new Error('The changelog has no section "[Unreleased]".')
  if (sections.some(({ title }) => title.startsWith(`[${version}]`))) {
    throw new Error(`The changelog has ${version} already.`)
  }
  const entries = changeFiles.map(changeOf)
  const lists = KINDS.map((kind) => {
    const listed = listsOf(unreleased.text).get(kind) ?? []
    const added = entries.flatMap(([one, text]) => (one === kind ? [`- ${indented(text)}`] : []))
    return [`### ${kind}`, [...listed, ...added].join('\n')] as const
  }).filter(([, list]) => list !== '')
  if (lists.length === 0) throw new Error('Nothing has changed since the last version.')
  const text = lists.map(([heading, list]) => `${heading}\n\n${list}\n`).join('\n')
  const begun = `## [Unreleased]\n\n## [${version}] - ${date}\n\n${text}`
  const rest = changelog.replace(`## [Unreleased]\n${unreleased.text}`, () => `${begun}\n`)
  return `${rest.trimEnd()}\n${/^\[.+\]: /m.test(changelog) ? '' : '\n'}[${version}]: ${link}\n`
}

/**
 * What the changelog says of a version, for the notes of its release.
 *
 * @returns `undefined` when the version has no section with a date
 */
export function notesOf(changelog: string, version: string): string | undefined {
  const found = sectionsOf(changelog).find(({ title }) =>
    new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`).test(title),
  )
  return found?.text.replaceAll(/^\[.+\]: .*$/gm, '').trim()
}

function sectionsOf(changelog: string): Section[] {
  return [...changelog.matchAll(/^## (.+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm)].map(
    ([, title = '', text = '']) => ({ title, text }),
  )
}

/** The entries of a section by their kind, each with its lines. */
function listsOf(text: string): Map<string, string[]> {
  const parts = text.split(/^### /m).slice(1)
  return new Map(
    parts.map((part) => {
      const [kind = '', ...lines] = part.split('\n')
      return [kind, [lines.join('\n').trim()]]
    }),
  )
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}
