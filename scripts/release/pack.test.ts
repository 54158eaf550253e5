import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packRelease, reasonsAgainst } from './pack.ts'
import { publishRelease } from './publish.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  write('package.json', { name: 'repository', private: true, workspaces: ['a', 'b', 'c'] })
  write('a/package.json', { name: '@x/a', version: '0.3.0', dependencies: { '@x/b': '^0.3.0' } })
  write('b/package.json', { name: '@x/b', version: '0.3.0' })
  write('c/package.json', { name: '@x/c', version: '0.9.0', private: true })
  for (const folder of ['a', 'b']) mkdirSync(join(root, folder, 'dist'))
  writeFileSync(
    join(root, 'CHANGELOG.md'),
    '# Changelog\n\n## [0.3.0] - 2026-11-23\n\nAll of it.\n',
  )
  mkdirSync(join(root, '.changeset'))
  writeFileSync(join(root, '.changeset/README.md'), '# Change files\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, manifest: object): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify(manifest))
}

describe('a release', () => {
  it('can be made where nothing speaks against it', () => {
    expect(reasonsAgainst(root)).toEqual([])
  })

  it.each<[string, () => void, RegExp]>([
    [
      'packages differ',
      () => write('b/package.json', { name: '@x/b', version: '0.2.0' }),
      /several/,
    ],
    ['the changelog lacks it', () => writeFileSync(join(root, 'CHANGELOG.md'), ''), /no section/],
    [
      'a change waits for a version',
      () => cpSync(join(root, '.changeset/README.md'), join(root, '.changeset/new.md')),
      /new\.md waits/,
    ],
    [
      'a package is not built',
      () => rmSync(join(root, 'a/dist'), { recursive: true }),
      /^a is not/,
    ],
  ])('is refused if %s, and leaves existing files', (_, spoil, reason) => {
    mkdirSync(join(root, 'release'))
    writeFileSync(join(root, 'release/kept'), '')
    spoil()
    expect(() => packRelease(root, join(root, 'release'), false)).toThrow(reason)
    expect(readFileSync(join(root, 'release/kept'), 'utf8')).toBe('')
  })

  it('is not published if a tarball is missing: none is sent', () => {
    mkdirSync(join(root, 'release'))
    writeFileSync(join(root, 'release/x-b-0.3.0.tgz'), '')
    const registry = 'http://127.0.0.1:9/'
    expect(() => publishRelease(root, join(root, 'release'), registry)).toThrow(
      'x-a-0.3.0.tgz is missing',
    )
  })

  it('is not published if the registry does not list its versions', () => {
    mkdirSync(join(root, 'release'))
    for (const name of ['x-a', 'x-b']) writeFileSync(join(root, `release/${name}-0.3.0.tgz`), '')
    expect(() => publishRelease(root, join(root, 'release'), 'http://127.0.0.1:9/')).toThrow(
      'does not say whether it has @x/b@0.3.0',
    )
  })
})
