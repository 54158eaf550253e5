import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadWords } from '../../worker/src/languages/load.ts'
import { EVERY_PAGE, showPage, THEMED } from '../pictures/every-page.ts'
import { launchBrowser } from '../support/browser.ts'

/** WCAG 2.2 AA, and what axe-core knows beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  browser = await launchBrowser()
  context = await browser.newContext({ reducedMotion: 'reduce' })
  page = await context.newPage()
})

afterAll(async () => {
  await browser?.close()
})

const names = Object.keys(EVERY_PAGE)

async function violations(): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations: found } = await page.evaluate(
    (values): Promise<AxeResults> =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: { type: 'tag', values },
        rules: { 'target-size': { enabled: true } },
        resultTypes: ['violations'],
      }),
    RULES,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

describe.each(['en', 'de', 'ar'])('in the language %s', (language) => {
  test.each(names)(
    '%s has no violation of WCAG 2.2 AA, in the light and in the dark',
    async (name) => {
      const words = await loadWords(language, undefined)
      const theme = language === 'ar' ? THEMED : {}
      await page.setViewportSize({ width: 1280, height: 800 })
      await showPage(page, name, words, theme)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations()).toEqual([])
      }
    },
  )
})
