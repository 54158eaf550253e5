import { readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { type Group, INDEX, pagesOf, readNavigation } from '../../site/pages.ts'

/** The file for agents that set Latchkey up. Its code is that of the pages, which tests run. */
const SKILL = 'skills/latchkey/SKILL.md'

/** What an agent that uses Latchkey does not need: reasons, measurements, and how the project works. */
const LEFT_OUT = ['Reasons', 'Decisions']

const SUMMARY = `# Latchkey

> Sign-in for web apps, on Cloudflare or Node: OAuth and OpenID providers, passkeys, email, passwords, and companies by their own
> provider. It needs no user database. A session is a signed token that each app verifies locally with a public key, in JavaScript,
> Python or Go, and a sign-out reaches every app within 15 seconds.
`

/**
 * `llms.txt` (https://llmstxt.org): a line for each page that docs/README.md lists, with what that list says of it. Links
 * are relative, so they work in a clone and on the site.
 */
export function llmsIndex(root: string): [path: string, text: string] {
  const groups = readNavigation(root)
  const notes = notesOf(root)
  const lines = (group: Group): string[] => [
    ...group.pages.map(({ title, path }) => {
      const note = notes.get(path)
      return `- [${title}](${path})${note ? `: ${note}` : ''}`
    }),
    ...group.groups.flatMap((inner) => lines(inner)),
  ]
  const section = (group: Group) => [`## ${group.title}`, '', ...lines(group), '']
  const main = groups.filter(({ title }) => !LEFT_OUT.includes(title))
  const rest = groups.filter(({ title }) => LEFT_OUT.includes(title)).flatMap(lines)
  const text = [
    SUMMARY,
    `[The skill](${SKILL}) has the steps for each framework. [llms-full.txt](llms-full.txt) has all pages but the optional ones in one file of 1 MB: search it rather than read it. Each page begins with \`<!-- docs/name.md -->\`.`,
    'These pages describe Latchkey, not Auth.js or better-auth: names that look alike may differ.',
    '',
    ...main.flatMap(section),
    '## Optional',
    '',
    ...rest,
    '',
  ].join('\n')
  return ['llms.txt', text]
}

/** `llms-full.txt`: the pages of `llms.txt` but the optional ones, one after the other, each below its path. */
export function llmsPages(root: string): [path: string, text: string] {
  const groups = readNavigation(root).filter(({ title }) => !LEFT_OUT.includes(title))
  const paths = pagesOf(groups).filter((path) => path !== INDEX && path !== 'CHANGELOG.md')
  const pages = paths.map((path) => `<!-- ${path} -->\n\n${read(root, path).trim()}\n`)
  return ['llms-full.txt', `${SUMMARY}\n${pages.join('\n')}`]
}

/** What the list says of a page behind its link. */
function notesOf(root: string): Map<string, string> {
  const lines = read(root, INDEX).matchAll(/^- \[[^\]]+\]\(([^)#]+)\)[:,] (.+)$/gm)
  return new Map(
    Array.from(lines, ([, target = '', note = '']) => {
      const words = note.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      return [normalize(join(dirname(INDEX), target)), words]
    }),
  )
}

/** The skill, in which each block below a line `<!-- code: page, first line -->` is the block of that page. */
export function skillFile(root: string): [path: string, text: string] {
  const text = read(root, SKILL).replaceAll(
    /(<!-- code: (\S+), (.+) -->\n\n)```[\s\S]*?\n```\n/g,
    (_, mark: string, page: string, first: string) =>
      mark + codeOf(root, normalize(join(dirname(SKILL), page)), first),
  )
  return [SKILL, text]
}

function codeOf(root: string, page: string, first: string): string {
  const blocks = read(root, page).match(/^```\w+\n[\s\S]*?\n```\n/gm) ?? []
  const block = blocks.find((one) => one.split('\n')[1] === first)
  if (!block) {
    const path = relative(root, join(root, page))
    throw new Error(
      `${SKILL} wants the code of ${path} that begins with "${first}", which is not there.`,
    )
  }
  return block
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
