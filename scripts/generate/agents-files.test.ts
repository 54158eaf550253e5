import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brokenLinks, pagesOf, readNavigation } from '../../site/pages.ts'
import { llmsIndex, llmsPages, skillFile } from './agents-files.ts'

const root = join(import.meta.dirname, '../..')
const groups = readNavigation(root)

describe('llms.txt', () => {
  const [, text] = llmsIndex(root)

  test('has a title, a summary, and a line for each page of the navigation', () => {
    expect(text).toMatch(/^# Latchkey\n\n> /)
    const links = Array.from(text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm), ([, path]) => path)
    const pages = pagesOf(groups).filter((path) => path !== 'docs/README.md')
    expect([...new Set(links)].toSorted()).toEqual(pages.toSorted())
  })

  test('says of a page what the navigation says of it, without a link in a link', () => {
    expect(text).toContain('(docs/deploy-node.md): a proxy, systemd, a container')
    expect(text).not.toMatch(/^- .*\]\(.*\]\(/m)
  })

  test('has links that lead to files', () => {
    expect(brokenLinks(root, 'llms.txt')).toEqual([])
  })
})

test('llms-full.txt has the guides and the reference, and neither reasons nor decisions', () => {
  const [, text] = llmsPages(root)
  expect(text).toContain('<!-- docs/quick-start-next.md -->\n\n# Next.js in five minutes\n')
  expect(text).toContain('<!-- docs/configuration.md -->')
  expect(text).not.toContain('<!-- docs/decisions/')
  expect(text).not.toContain('<!-- docs/threat-model.md -->')
})

describe('the skill', () => {
  const [path, text] = skillFile(root)

  test('has no block that is not the code of a page, but the settings of the sandbox', () => {
    const marks = text.match(/<!-- code: /g) ?? []
    const blocks = text.match(/^```\w+$/gm) ?? []
    expect(marks.length).toBeGreaterThan(10)
    expect(blocks).toHaveLength(marks.length + 1)
    expect(text).not.toMatch(/^```\w+\n```$/m)
    const settings = /^AUTH_VIDEO_ID=[\s\S]*?\n```$/m.exec(text)?.[0].replace(/\n```$/, '') ?? '?'
    expect(readFileSync(join(root, 'docs/quick-start-express.md'), 'utf8')).toContain(settings)
  })

  test('has a name and a description, by which an agent chooses it', () => {
    expect(text).toMatch(/^---\nname: latchkey\ndescription: .{50,1024}\n---\n/)
  })

  test('has links that lead to files and headings', () => {
    expect(brokenLinks(root, path)).toEqual([])
  })
})
