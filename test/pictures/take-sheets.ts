import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { EVERY_PAGE, showPage, THEMED } from './every-page.ts'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

/**
 * Writes a sheet for each page: as it is on phones above, on desktops below, in English on the left and in another
 * language, with a theme, on the right; each in the light and in the dark.
 *
 * @returns the paths of the sheets
 */
export async function takeSheets(
  folder: string,
  language = 'ar',
  names = Object.keys(EVERY_PAGE),
): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    const paths: string[] = []
    for (const name of names) {
      const pictures: Buffer[] = []
      for (const size of [PHONE, DESKTOP]) {
        pictures.push(...(await take(page, name, 'en', size)))
        pictures.push(...(await take(page, name, language, size)))
      }
      const path = join(folder, `${name}.png`)
      writeFileSync(path, await sheetOf(browser, pictures))
      paths.push(path)
    }
    return paths
  } finally {
    await browser.close()
  }
}

/** In the light, and in the dark. */
async function take(
  page: Page,
  name: string,
  language: string,
  size: typeof PHONE,
): Promise<Buffer[]> {
  // Chromium of the tests brings the font along, so that pictures are the same on every machine.
  const theme = { font: 'Open Sans', ...(language === 'en' ? {} : THEMED) }
  await page.setViewportSize(size)
  await showPage(page, name, language, theme)
  const pictures: Buffer[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    pictures.push(await page.screenshot({ fullPage: true }))
  }
  return pictures
}

async function sheetOf(browser: Browser, pictures: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 4 * PHONE.width, height: 100 } })
  const images = pictures.map((one, index) => {
    const width = index < 4 ? PHONE.width : 2 * PHONE.width
    return `<img width="${width}" src="data:image/png;base64,${one.toString('base64')}">`
  })
  await page.setContent(
    `<body style="margin:0;display:flex;flex-wrap:wrap;align-items:start;background:#888">${images.join('')}`,
  )
  const sheet = await page.screenshot({ fullPage: true })
  await page.close()
  return sheet
}
