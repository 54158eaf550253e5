import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Pages as a person saw them, to be looked at. Not kept in the repository. */
const screenshots = join(import.meta.dirname, '../screenshots')

/** Pictures are optional: no test compares them, and each takes a quarter of a second. */
const isAsked = process.env.LOOK !== undefined

/** Takes a picture of a page as it is, if `LOOK` is set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!isAsked) return
  mkdirSync(screenshots, { recursive: true })
  const path = join(screenshots, `${name}.png`)
  // Chromium on a busy machine sometimes has no picture yet.
  const take = () => page.screenshot({ path, fullPage: true })
  await take().catch(take)
}

/** Takes pictures of a page: on a desktop and on a phone, in the light and in the dark. */
export async function look(page: Page, name: string): Promise<void> {
  if (!isAsked) return
  // Without motion: a picture must not show half of a color transition. The light scheme comes last
  // and stays.
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const [size, width, height] of [
      ['phone', 390, 844],
      ['desktop', 1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height })
      await picture(page, `${name}-${size}-${colorScheme}`)
    }
  }
}
