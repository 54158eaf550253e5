import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePictures } from '../pictures/take-pictures.ts'

test('npm run pictures takes a picture of a theme, with the files of the site', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-pictures-'))
  try {
    const paths = await takePictures(folder, ['logo', 'background'])
    expect(paths).toEqual(['logo', 'background'].map((name) => join(folder, `theme-${name}.webp`)))
    for (const path of paths) {
      const picture = await readFile(path)
      expect(picture.toString('latin1', 0, 4)).toBe('RIFF')
      expect(picture.toString('latin1', 8, 12)).toBe('WEBP')
      expect(picture.length).toBeGreaterThan(5_000)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
