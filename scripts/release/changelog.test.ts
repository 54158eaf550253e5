import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { rootDir } from '../wrangler-dev.ts'
import { changeOf, notesOf, withVersion } from './changelog.ts'
import { changeFiles } from './version.ts'

const changelog = `# Changelog

Words.

## [Unreleased]

### Changed

- What was written by hand
  goes on.

## [0.1.0] - 2026-11-22

### Added

- All of it.
`
const file = (text: string) => `---\n'@latchkey/worker': minor\n---\n\n${text}\n`
const link = 'https://git.example/v0.2.0'

describe('a new version in the changelog', () => {
  it('has the unreleased section and the texts of the change files, by kind', () => {
    const files = [file('Security: A hole\nis closed.'), file('Changed: This too.')]
    expect(withVersion(changelog, files, '0.2.0', '2026-11-23', link)).toBe(`# Changelog

Words.

## [Unreleased]

## [0.2.0] - 2026-11-23

### Changed

- What was written by hand
  goes on.
- This too.

### Security

- A hole
  is closed.

## [0.1.0] - 2026-11-22

### Added

- All of it.

[0.2.0]: ${link}
`)
  })

  it('adds its link below those of the versions before', () => {
    const once = withVersion(changelog, [], '0.2.0', '2026-11-23', link)
    const twice = withVersion(once, [file('Fixed: It.')], '0.2.1', '2026-11-24', `${link}1`)
    expect(twice.trim().split('\n').slice(-2)).toEqual([`[0.2.0]: ${link}`, `[0.2.1]: ${link}1`])
  })

  it('is refused where nothing has changed, or the version is there', () => {
    const once = withVersion(changelog, [], '0.2.0', '2026-11-23', link)
    expect(() => withVersion(once, [], '0.3.0', '2026-11-24', link)).toThrow('Nothing has changed')
    expect(() => withVersion(changelog, [], '0.1.0', '2026-11-24', link)).toThrow('has 0.1.0')
  })
})

test('the notes of a release are its section, without links', () => {
  const once = withVersion(changelog, [], '0.2.0', '2026-11-23', link)
  expect(notesOf(once, '0.1.0')).toBe('### Added\n\n- All of it.')
  expect(notesOf(once, '0.2.0')).toMatch(
    /^### Changed\n\n- What was written by hand\n {2}goes on\.$/,
  )
  expect(notesOf(once, '0.3.0')).toBeUndefined()
  expect(notesOf(once, 'Unreleased')).toBeUndefined()
})

test('a change file says which kind of change it is', () => {
  expect(changeOf(file('Added: A page.'))).toEqual(['Added', 'A page.'])
  expect(() => changeOf(file('A page.'))).toThrow('begins with none of: Added: Changed:')
})

test('every change file of this repository can become a line of the changelog', () => {
  for (const file of changeFiles(rootDir)) {
    expect(() => changeOf(readFileSync(file, 'utf8')), file).not.toThrow()
  }
  const text = readFileSync(join(rootDir, 'CHANGELOG.md'), 'utf8')
  const headings = text.match(/^### .*$/gm) ?? []
  const kinds = 'Added|Changed|Deprecated|Removed|Fixed|Security'
  expect(headings.filter((one) => !new RegExp(`^### (?:${kinds})$`).test(one))).toEqual([])
  expect(text.match(/^## .*$/gm)?.[0]).toBe('## [Unreleased]')
})
