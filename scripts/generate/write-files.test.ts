import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from './write-files.ts'

test('files are written if they are missing or differ, removed if they have no text, and otherwise not touched', () => {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-write-'))
  try {
    for (const name of ['same', 'other', 'gone']) writeFileSync(join(root, name), name)
    const { mtimeMs } = statSync(join(root, 'same'))
    const files = new Map([
      ['same', 'same'],
      ['other', 'now'],
      ['gone', undefined],
      ['folder/new', 'new'],
    ])
    expect(writeFiles(root, files)).toEqual(['wrote other', 'removed gone', 'wrote folder/new'])
    expect(readdirSync(root).sort()).toEqual(['folder', 'other', 'same'])
    expect(readFileSync(join(root, 'other'), 'utf8')).toBe('now')
    expect(readFileSync(join(root, 'folder/new'), 'utf8')).toBe('new')
    expect(statSync(join(root, 'same')).mtimeMs).toBe(mtimeMs)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
