import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { addressOf, anchorsOf, brokenLinks, pagesOf, readNavigation } from '../../site/pages.ts'

/** The sources of the site, without building it: `npm run site` does that. */
const groups = readNavigation(rootDir)
const pages = pagesOf(groups)
const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')

describe('the navigation, which docs/README.md is', () => {
  test('has every page of docs, and the README of every package and example', () => {
    const wanted = globSync(
      [
        'docs/**/*.md',
        '{adapters,examples}/*/README.md',
        '{session,client,worker,cli,migrate,bench}/README.md',
      ],
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

  test('has guides, reference and reasons apart, each with pages, and the decisions of every room', () => {
    const titles = groups.filter((group) => pagesOf([group]).length > 1).map(({ title }) => title)
    expect(titles).toEqual(['Start here', 'Guides', 'Reference', 'Reasons', 'Decisions'])
    const decisions = globSync('docs/decisions/*.md', { cwd: rootDir })
    const listed = groups.at(-1)?.pages.map(({ path }) => path)
    expect(listed?.toSorted()).toEqual(decisions.toSorted())
  })
})

test('no page of docs has more than 250 lines, but the list of words, which is searched and not read', () => {
  const long = globSync('docs/**/*.md', { cwd: rootDir }).filter(
    (page) => read(page).split('\n').length > 251,
  )
  expect(long.toSorted()).toEqual(['docs/errors.md'])
})

test.each(globSync('docs/quick-start-*.md', { cwd: rootDir }))(
  '%s leads to a name, a role, a guarded page and a sign-out button, and the stopwatch follows it',
  (page) => {
    expect(walks.filter((walk) => walk.page === page && !walk.goesOn)).toHaveLength(1)
    const text = read(page)
    expect(text).toMatch(/Hello \$?\{.*user[?]?[.]name/)
    expect(text).toMatch(/role: .* \? 'admin' : 'member'/)
    expect(text).toMatch(/requireSession\(\{ redirectTo|redirect\(303, '\/auth\/signin/)
    expect(text).toMatch(/<button id="sign-out">|<SignOut /)
  },
)

test('every row of figures on the page that compares is one of bench/README.md, and of the table that it names', () => {
  const [figures = '', others = ''] = read('docs/compare.md').split('## Different decisions')
  const [opinions, published = ''] = others.split('## Published by others')
  const rows = figures.match(/^\|.*\|$/gm) ?? []
  const measured = new Set(read('bench/README.md').match(/^\|.*\|$/gm))
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter((row) => !measured.has(row))).toEqual([])
  expect(opinions?.match(/\d/g) ?? []).toEqual([])
  // What others say of themselves has its source in each row.
  const [claims = ''] = published.split('\n## ')
  const rowsOfOthers = (claims.match(/^\|.*\|$/gm) ?? []).slice(2)
  expect(rowsOfOthers.length).toBeGreaterThan(1)
  expect(rowsOfOthers.filter((row) => !/\]\(https:\/\/\S+\) \|$/.test(row))).toEqual([])
})

test('the figures of the README are those of bench/README.md', () => {
  const rowsOf = (page: string) =>
    (read(page).match(/^\|.*\|$/gm) ?? []).map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  const bench = rowsOf('bench/README.md')
  const measured = (name: string) => bench.find(([title]) => title === name) ?? []
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const [, ours, , , cached, others] = measured(
    'an app that reads the session, requests a second beside the same app without',
  ).map(Number.parseFloat)
  const [, ...letIn] = measured('let in with the cookies from before a sign-out')
  const [ourShare, otherShare, cachedShare] = letIn
    .slice(0, 3)
    .map((cell) => cell.replaceAll(',', '').split(' of ').map(Number))
    .map(([some = 0, all = 0]) => percent(some / all))
  const [, ...served] = measured("requests in a second of workerd's processor time")
  const shown = rowsOf('README.md').slice(-3)
  expect(shown.map(([, ...figures]) => figures)).toEqual([
    [ours, others, cached].map((share) => percent(share ?? 0)),
    [ourShare, otherShare, cachedShare],
    served.slice(0, 3),
  ])
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
    ['to a picture in HTML that is not there', ' src="./pictures/nothing.png"'],
    ['to a picture for the dark that is not there', ' srcset="./pictures/nothing.png"'],
    ['to a heading that is not there', '](other.md#nowhere)'],
    ['to a comment in code, which looks like a heading', '](other.md#a-comment)'],
    ['to a heading of its own page that is not there', '](#nowhere)'],
    ['to a heading of a folder', '](../docs#here)'],
  ])('%s is broken', (_, link) => {
    expect(brokenIn(`Text [a${link} and ![b${link}`)).toEqual([link, link])
  })

  it('leads to anchors as the repository makes them', () => {
    expect([...anchorsOf('# On Node: `AUTH_STORE`\n## A & b\n')]).toEqual([
      'on-node-auth_store',
      'a--b',
    ])
  })
})
