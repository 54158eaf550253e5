import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../support/browser.ts'
import { showPage } from './every-page.ts'

/** The pages that the README and the site show first, by the names of their pictures. */
const SHOWN = { 'sign-in': 'sign-in-shown', account: 'account-shown' } as const

/** The README has two pictures side by side. CSS pixels. */
const SIZE = { width: 600, height: 808 }

/**
 * Writes a picture of the sign-in page and of the account page, each in the light and in the dark.
 *
 * @returns the paths of the pictures
 */
export async function takeShown(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' })
    // A session was last used two days ago, whenever the pictures are taken.
    await page.clock.setFixedTime('2026-11-23T10:00:00.000Z')
    const devtools = await page.context().newCDPSession(page)
    const paths: string[] = []
    for (const [name, state] of Object.entries(SHOWN)) {
      // Chromium of the tests brings the font along, so that pictures are the same on every machine.
      await showPage(page, state, 'en', { name: 'Acme', font: 'Open Sans' })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const path = join(folder, `${name}-${colorScheme}.webp`)
        // Playwright takes no picture of this kind, which is a third of a PNG.
        const webp = { format: 'webp', quality: 80 } as const
        const { data } = await devtools.send('Page.captureScreenshot', webp)
        writeFileSync(path, Buffer.from(data, 'base64'))
        paths.push(path)
      }
    }
    return paths
  } finally {
    await browser.close()
  }
}
