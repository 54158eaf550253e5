import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OPTIONS } from '@latchkey/host/shared'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { PICTURED_THEMES } from '../pictures/pictured-themes.ts'

const folder = join(rootDir, 'docs/pictures')
const page = readFileSync(join(rootDir, 'docs/pages.md'), 'utf8')
// Texts have a page of their own.
const properties = OPTIONS.theme.split(' ').filter((name) => name !== 'copy')

/** The largest picture. Bytes. */
const MAX_PICTURE = 40_000

test('each property of the theme has a section with its picture', () => {
  expect(Object.keys(PICTURED_THEMES).sort()).toEqual(properties.toSorted())
  for (const name of properties) {
    const [, section = ''] = page.split(`\n## \`${name}\`\n`)
    expect(section, name).toMatch(
      new RegExp(`^\n!\\[[^\\]]{20,}\\]\\(pictures/theme-${name}\\.webp\\)\n`),
    )
  }
})

test('no picture is large, or left from before', () => {
  const themes = readdirSync(folder).filter((name) => name.startsWith('theme-'))
  expect(themes.sort()).toEqual(properties.map((name) => `theme-${name}.webp`).sort())
  for (const name of themes) {
    const { size } = statSync(join(folder, name))
    expect(size, name).toBeGreaterThan(1_000)
    expect(size, name).toBeLessThanOrEqual(MAX_PICTURE)
  }
})

test('each color of the theme is in the table, with its custom property', () => {
  for (const name of OPTIONS.themeColors.split(' ')) {
    expect(page).toContain(`| \`${name}\` | \`--${name}\` |`)
  }
})
