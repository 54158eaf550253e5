import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import {
  addressOf,
  anchorsOf,
  brokenLinks,
  pagesOf,
  readNavigation,
  withSections,
} from '../../site/pages.ts'

/** What the site is made of, without building it: `npm run site` does that. */
const groups = readNavigation(rootDir)
const pages = pagesOf(groups)
const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')

describe('the navigation, which docs/README.md is', () => {
  test('has every page of docs, and the README of every package and example', () => {
    const wanted = globSync(
      ['docs/**/*.md', '{adapters,examples}/*/README.md', '{session,worker,cli,bench}/README.md'],
      { cwd: rootDir },
    )
    expect(wanted.filter((page) => !pages.includes(page))).toEqual([])
  })

  test('has each page once, at an address of its own', () => {
    const listed = groups.flatMap((group) => [group, ...group.groups]).flatMap(({ pages }) => pages)
    expect(listed.length).toBeGreaterThan(80)
    expect(listed).toHaveLength(pages.length - 1)
    expect(new Set(pages.map(addressOf)).size).toBe(pages.length)
  })

  test('has the three readers, each with pages, and every decision', () => {
    const titles = groups.filter(({ pages }) => pages.length > 0).map(({ title }) => title)
    expect(titles).toEqual([
      'Start here',
      'For the developer',
      'For the security engineer',
      'For the operator',
      'For the contributor',
      'Decisions',
    ])
    const decisions = globSync('docs/decisions/0*.md', { cwd: rootDir })
    const rooms = groups.at(-1)?.groups.map(({ pages }) => pages.map(({ path }) => path))
    expect(rooms?.flat().toSorted()).toEqual(decisions.toSorted())
  })
})

test.each(globSync('docs/quick-start-*.md', { cwd: rootDir }))(
  '%s has the steps of a README, and no copy of them',
  (page) => {
    const text = read(page)
    const whole = withSections(rootDir, page, text)
    expect(text).not.toContain('```')
    expect(whole).toContain('```sh\n')
    expect(whole).toMatch(/```[jt]s\n/)
  },
)

test('every row of figures on the page that compares is one of bench/README.md, and of the table that it names', () => {
  const [figures = '', opinions] = read('docs/compare.md').split('## What is decided otherwise')
  const rows = figures.match(/^\|.*\|$/gm) ?? []
  const measured = new Set(read('bench/README.md').match(/^\|.*\|$/gm))
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !measured.has(row))).toEqual([])
  expect(opinions?.match(/\d/g) ?? []).toEqual([])
})

describe('a link', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-site-'))
    write('docs/other.md', '# Other\n\n## Here `too`\n\n```sh\n# a comment\n```\n\n## Here too\n')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function write(path: string, text: string): void {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  function brokenIn(text: string): string[] {
    write('docs/page.md', text)
    return brokenLinks(folder, 'docs/page.md')
  }

  it.each([
    '[a](other.md)',
    '[a](other.md#here-too)',
    '[the second of two](other.md#here-too-1)',
    '# Own\n\n[a](#own)',
    '[a folder](../docs)',
    '[elsewhere](https://example.com/nothing#there)',
    '[a person](mailto:ada@example.com)',
    '`[code](nothing.md)`',
    '```md\n[code](nothing.md)\n```',
  ])('leads somewhere: %j', (text) => {
    expect(brokenIn(text)).toEqual([])
  })

  it.each([
    ['to a file that is not there', '](nothing.md)'],
    ['to a picture that is not there', '](pictures/nothing.png)'],
    ['to a heading that is not there', '](other.md#nowhere)'],
    ['to a comment in code, which looks like a heading', '](other.md#a-comment)'],
    ['to a heading of its own page that is not there', '](#nowhere)'],
    ['to a heading of a folder', '](../docs#here)'],
  ])('%s is broken', (_, link) => {
    expect(brokenIn(`Text [a${link} and ![b${link}`)).toEqual([link, link])
  })

  const marked = (link: string) => `<!-- The site has the section here. -->\n${link}\n`

  it('to a section that the site has in its place: links of the section lead where they led', () => {
    write(
      'packages/a/README.md',
      '# A\n\n## Steps\n\nSee [below](#more), [deeper](#deeper) and [b](../b.md#b).\n\n### Deeper\n\n## More\n',
    )
    const whole = withSections(
      folder,
      'docs/x.md',
      marked('[Steps](../packages/a/README.md#steps)'),
    )
    expect(whole.trim()).toBe(
      'See [below](../packages/a/README.md#more), [deeper](#deeper) and [b](../packages/b.md#b).\n\n### Deeper',
    )
  })

  it('to a section that is not there is named', () => {
    const page = marked('[Steps](other.md#steps)')
    expect(() => withSections(folder, 'docs/x.md', page)).toThrow(
      'other.md#steps, which is not there',
    )
  })

  it('leads to anchors as the repository makes them', () => {
    expect([...anchorsOf('# On Node: `AUTH_STORE`\n## A & b\n')]).toEqual([
      'on-node-auth_store',
      'a--b',
    ])
  })
})
