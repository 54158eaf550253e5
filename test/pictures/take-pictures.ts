import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createAuth } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'
import google from '@latchkey/worker/providers/google'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { ThemeConfig } from '@latchkey/worker/types'
import type { Browser, BrowserContext } from 'playwright-core'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { launchBrowser } from '../support/browser.ts'
import { PICTURED_THEMES, SITE } from './pictured-themes.ts'
import { SITE_FILES } from './site-files.ts'
import { takeSheets } from './take-sheets.ts'
import { takeShown } from './take-shown.ts'

const PICTURES = join(rootDir, 'docs/pictures')

/** Wide enough for the card with its margins. CSS pixels. */
const SIZE = { width: 560, height: 640 }

/**
 * Writes a picture of the sign-in page for each property: in the light, and beside it in the dark.
 *
 * @returns the paths of the pictures
 */
export async function takePictures(
  folder: string,
  names = Object.keys(PICTURED_THEMES),
): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    const paths: string[] = []
    for (const name of names) {
      const theme = PICTURED_THEMES[name] ?? {}
      const both = [await take(browser, theme, 'light'), await take(browser, theme, 'dark')]
      const path = join(folder, `theme-${name}.webp`)
      writeFileSync(path, await besideEachOther(browser, both))
      paths.push(path)
    }
    return paths
  } finally {
    await browser.close()
  }
}

async function take(
  browser: Browser,
  theme: ThemeConfig,
  colorScheme: 'light' | 'dark',
): Promise<Buffer> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' })
  await serve(context, theme)
  const page = await context.newPage()
  await page.goto(`${SITE}/auth/signin`)
  // On a busy machine Chromium may have no frame to show yet, and says that it cannot.
  const picture = await page.screenshot().catch(() => page.screenshot())
  await context.close()
  return picture
}

/** The site with its sign-in page, and its files; nothing else is there. */
async function serve(context: BrowserContext, theme: ThemeConfig): Promise<void> {
  const auth = createAuth({
    basePath: '/auth',
    providers: [
      videoapp(),
      google(),
      email({ from: 'sign-in@acme.example', sendVerificationRequest() {} }),
    ],
    store: memoryStore(),
    // Chromium of the tests brings it along, so that pictures are the same on every machine.
    theme: { font: 'Open Sans', ...theme },
  })
  const client = (id: string) => ({ [`AUTH_${id}_ID`]: 'id', [`AUTH_${id}_SECRET`]: 'secret' })
  const env = {
    AUTH_SECRET: 'a-secret-of-the-pictures-0123456789abcdef',
    AUTH_URL: SITE,
    ...client('VIDEO'),
    ...client('GOOGLE'),
  }
  await context.route('**', async (route) => {
    const url = new URL(route.request().url())
    const file = url.origin === SITE ? SITE_FILES[url.pathname] : undefined
    if (file !== undefined) return route.fulfill({ body: file, contentType: 'image/svg+xml' })
    if (!url.href.startsWith(`${SITE}/auth/`)) return route.abort()
    const answer = await auth.request(new Request(url), undefined, env)
    const headers = Object.fromEntries(answer.headers)
    return route.fulfill({ status: answer.status, headers, body: await answer.text() })
  })
}

async function besideEachOther(browser: Browser, pictures: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 2 * SIZE.width, height: SIZE.height } })
  const devtools = await page.context().newCDPSession(page)
  const images = pictures.map(
    (one) => `<img src="data:image/png;base64,${one.toString('base64')}">`,
  )
  await page.setContent(`<body style="margin:0;display:flex">${images.join('')}`)
  // The library takes no picture of this kind, which is a third of a PNG.
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await page.close()
  return Buffer.from(data, 'base64')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { all: { type: 'string' }, language: { type: 'string' } },
  })
  const paths = values.all
    ? await takeSheets(values.all, values.language)
    : [...(await takeShown(PICTURES)), ...(await takePictures(PICTURES))]
  for (const path of paths) console.log(path)
}
