import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { AxeResults, RunOnly } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EVERY_PAGE, showPage, THEMED } from '../pictures/every-page.ts'
import { launchBrowser } from '../support/browser.ts'

/** WCAG 2.2 AA, and what axe-core knows beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The checks that a color can break: in the dark nothing else is different. */
const OF_COLORS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

let browser: Browser
/** One with axe-core in every document, and one without. */
let checked: Page
let plain: Page
let page: Page

beforeAll(async () => {
  browser = await launchBrowser()
  const open = () => browser.newContext({ reducedMotion: 'reduce' })
  const withAxe = await open()
  await withAxe.addInitScript({ content: AXE })
  checked = await withAxe.newPage()
  plain = await (await open()).newPage()
})
beforeEach(() => {
  page = plain
})

afterAll(async () => {
  await browser?.close()
})

const names = Object.keys(EVERY_PAGE)

/** Shows the folded parts. */
const openAll = () =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true
  })

/** Shows the box that asks before something is taken away. Has the page one? */
const ask = () =>
  page.evaluate(() => {
    const box = document.querySelector<HTMLElement>('[popover]')
    box?.showPopover()
    return box !== null
  })

/** @param runOnly rules of axe-core, by tag or by name */
async function violations(
  runOnly: RunOnly = { type: 'tag', values: RULES },
): Promise<readonly string[]> {
  const { violations: found } = await page.evaluate(
    (only): Promise<AxeResults> =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: only,
        rules: { 'target-size': { enabled: true } },
        resultTypes: ['violations'],
      }),
    runOnly,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

test('the check finds pale text, a field without a name, a small target', async () => {
  page = checked
  await page.setContent(
    '<html lang="en"><title>x</title><main><h1 style="color:#ccc">A pale title</h1><input><a href="#a">a</a><a href="#b">b</a></main>',
  )
  const found = (await violations()).map((text) => text.split(':')[0])
  expect(found).toEqual(expect.arrayContaining(['color-contrast', 'label']))
})

// A language brings other texts and a direction. The tests on the telephone below find layouts that
// long texts break.
describe.each(['en', 'ar'])('in the language %s', (language) => {
  test.each(names)(
    '%s has no violation of WCAG 2.2 AA, in the light and in the dark',
    async (name) => {
      page = checked
      const theme = language === 'ar' ? THEMED : {}
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      await showPage(page, name, language, theme)
      await openAll()
      expect(await violations()).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await violations(OF_COLORS)).toEqual([])
      if (await ask()) expect(await violations()).toEqual([])
    },
  )
})

describe.each(['de', 'ar'])(
  'a telephone that shows everything twice as large, in %s',
  (language) => {
    test.each(names)('%s has nothing beside the screen', async (name) => {
      // 320 px at 200 %: WCAG 2.2, SC 1.4.4 and 1.4.10.
      await page.setViewportSize({ width: 160, height: 320 })
      await showPage(page, name, language, THEMED)
      await openAll()
      await ask()
      const beside = await page.evaluate(() => {
        const { clientWidth } = document.documentElement
        const isHidden = (one: Element) => one.closest('[hidden], .mark, svg, option') !== null
        return [...document.querySelectorAll('body *')].flatMap((one) => {
          const { left, right, width } = one.getBoundingClientRect()
          const isBeside = width > 0 && (left < -1 || right > clientWidth + 1)
          return isBeside && !isHidden(one) ? one.outerHTML.slice(0, 120) : []
        })
      })
      expect(beside).toEqual([])
    })
  },
)

/** The filled buttons, and the messages with what they are about. */
const looks = () =>
  page.evaluate(() => {
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true })
    const texts = (selector: string) =>
      [...document.querySelectorAll(selector)].filter(isSeen).map((one) => one.textContent?.trim())
    const field = document.querySelector('[aria-invalid]')
    const alert = document.querySelector('.alert')
    const order = field && alert && field.compareDocumentPosition(alert)
    return {
      filled: texts('.main'),
      alerts: texts('.alert'),
      notes: texts('.note'),
      title: document.querySelector('h1')?.textContent,
      isBelow: order === Node.DOCUMENT_POSITION_FOLLOWING,
    }
  })

describe('the first things that a person sees', () => {
  test.each(names)('%s has one filled button at most', async (name) => {
    await showPage(page, name, 'en', {})
    const { filled } = await looks()
    expect(filled.length).toBeLessThanOrEqual(1)
  })

  test.each([
    'sign-in-own-password',
    'sign-in-wrong-password',
    'sign-in-wrong-address',
    'sign-in-company-unknown',
    'account-password-wrong',
    'account-password-short',
  ])('%s says what is wrong below the field', async (name) => {
    await showPage(page, name, 'en', {})
    expect(await looks()).toMatchObject({ alerts: [expect.any(String)], isBelow: true })
  })

  test('a mail that has expired leaves one thing to do, and no search in the spam folder', async () => {
    await showPage(page, 'code-over', 'en', {})
    expect(await looks()).toMatchObject({ filled: ['Send a new email'] })
    expect(await page.locator('main').textContent()).not.toMatch(/spam|on its way/)
  })

  test('the page of a second factor says in its title what to type', async () => {
    await showPage(page, 'factor', 'en', {})
    expect(await looks()).toMatchObject({ title: 'Enter the code from your authenticator app' })
    await showPage(page, 'factor-recovery', 'en', {})
    expect(await looks()).toMatchObject({ title: 'Use a recovery code' })
  })

  test('the code of a device stands in a note, and not in an alert', async () => {
    await showPage(page, 'consent-device', 'en', {})
    const { alerts, notes } = await looks()
    expect(alerts).toEqual([])
    expect(notes).toEqual([expect.stringContaining('KQWT-MXDB')])
  })

  test('a blocked person has no button to a sign-in that is refused again', async () => {
    await showPage(page, 'error-blocked', 'en', {})
    expect(await looks()).toMatchObject({ filled: [] })
    await showPage(page, 'error-blocked', 'en', THEMED)
    expect(await looks()).toMatchObject({ filled: ['Help'] })
  })
})

describe('a telephone of today', () => {
  beforeEach(() => page.setViewportSize({ width: 390, height: 844 }))

  test.each(['en', 'de', 'ar'])(
    'the eight pages of an account are one row that scrolls, with the open one in sight, in %s',
    async (language) => {
      await showPage(page, 'account-seven', language, {})
      const { tops, isInSight, beside } = await page.evaluate(() => {
        const links = [...document.querySelectorAll('.tabs a')]
        // The last one is open.
        document.querySelector('.tabs [aria-current]')?.removeAttribute('aria-current')
        const last = links.at(-1) as Element
        last.setAttribute('aria-current', 'page')
        last.scrollIntoView({ inline: 'nearest', block: 'nearest' })
        const { left, right } = last.getBoundingClientRect()
        return {
          tops: [...new Set(links.map((one) => one.getBoundingClientRect().top))],
          isInSight: left >= 0 && right <= innerWidth,
          beside: document.documentElement.scrollWidth - innerWidth,
        }
      })
      expect(tops).toHaveLength(1)
      expect(isInSight).toBe(true)
      expect(beside).toBe(0)
    },
  )

  test('eight providers with mail, password and passkey fit on one screen, with one question', async () => {
    await showPage(page, 'sign-in-eight', 'en', {})
    const { height, separators, forms } = await page.evaluate(() => ({
      height: document.querySelector('main')?.getBoundingClientRect().height ?? 0,
      separators: document.querySelectorAll('.or').length,
      forms: [...document.querySelectorAll('input')].filter((one) => one.checkVisibility()).length,
    }))
    expect(height).toBeLessThan(860)
    expect([separators, forms]).toEqual([1, 1])
  })

  test('passkeys alone leave no gap where the page said that they need a script', async () => {
    await showPage(page, 'sign-in-passkeys-alone', 'en', { name: 'Acme' })
    const gap = await page.evaluate(() => {
      const [form, link] = ['form:last-of-type', '.back'].map((one) =>
        document.querySelector(`main > ${one}`)?.getBoundingClientRect(),
      )
      return (link?.top ?? 0) - (form?.bottom ?? 0)
    })
    expect(gap).toBeGreaterThan(0)
    expect(gap).toBeLessThan(40)
  })
})

test('in forced colors each button and field has an edge, and the focused element an outline', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  await showPage(page, 'sign-in-many', 'en', {})
  await openAll()
  const edges = await page.evaluate(() =>
    [...document.querySelectorAll('.button:not([hidden] *), input:not([type=hidden])')].map(
      (one) => {
        ;(one as HTMLElement).focus({ focusVisible: true } as FocusOptions)
        const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor, outlineWidth } =
          getComputedStyle(one)
        const isSeen = borderTopColor !== backgroundColor && borderTopStyle === 'solid'
        return [isSeen, borderTopWidth, outlineWidth]
      },
    ),
  )
  expect(edges.length).toBeGreaterThan(8)
  for (const edge of edges) expect(edge).toEqual([true, '1px', '2px'])
  await page.emulateMedia({ forcedColors: null })
})

test.each([
  ['reduce', false],
  ['no-preference', true],
] as const)('motion preferred: %s', async (reducedMotion, moves) => {
  await page.emulateMedia({ reducedMotion })
  await showPage(page, 'code', 'en', {})
  const durations = await page.evaluate(() =>
    [...document.querySelectorAll('.button')].map(
      (one) => getComputedStyle(one).transitionDuration,
    ),
  )
  expect(durations.some((duration) => duration !== '0s')).toBe(moves)
  await page.emulateMedia({ reducedMotion: 'reduce' })
})

/**
 * The controls that a keyboard reaches, by the names that are read out, until it leaves the page.
 */
async function walk(): Promise<string[]> {
  const names: string[] = []
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const one = document.activeElement as HTMLElement | null
      if (!one || one === document.body) return null
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      const isSeen = outlineStyle === 'solid' && outlineWidth === '2px'
      const label = (one as HTMLInputElement).labels?.[0]?.textContent
      return `${isSeen ? '' : 'unseen: '}${one.getAttribute('aria-label') ?? label ?? one.textContent}`
    })
    if (name === null) break
    names.push(name.trim())
  }
  return names
}

test('the keyboard alone leads through the sign-in page in the order in which it is read', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await showPage(page, 'sign-in', 'en', THEMED)
  expect(await walk()).toEqual([
    'Continue with Video App',
    'Email address',
    'Send me a sign-in link',
    'terms',
    'Back to Acme',
    'Terms',
    'Privacy',
    'Help',
  ])
})

test('by the keyboard alone a person signs in, ends all sessions at once, and removes a way after a question', async () => {
  const sent: string[] = []
  const note = (request: { method(): string; url(): string; postData(): string | null }) => {
    if (request.method() === 'POST')
      sent.push(`${new URL(request.url()).pathname} ${request.postData()}`)
  }
  page.on('request', note)
  await showPage(page, 'sign-in', 'en', {})
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('ada@example.com')
  await page.keyboard.press('Enter')
  await expect.poll(() => sent.at(-1)).toContain('/auth/signin/email')
  expect(sent.at(-1)).toContain('email=ada%40example.com')

  await showPage(page, 'account-sessions', 'en', {})
  const walkTo = async (name: string | RegExp) => {
    const button = page.getByRole('button', { name, exact: true })
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press('Tab')
      if (await button.evaluate((one) => one === document.activeElement)) return
    }
  }
  await walkTo('Sign out everywhere')
  await page.keyboard.press('Enter')
  await expect.poll(() => sent.at(-1)).toContain('/auth/sessions/revoke')
  expect(sent.at(-1)).toContain('session=all')

  await showPage(page, 'account-ways', 'en', {})
  await walkTo(/^Remove: Google/)
  await page.keyboard.press('Enter')
  const box = page.getByRole('dialog', { name: /^Remove: Google/ })
  await box.waitFor()
  // The harmless button has the focus, and Escape leads back to the first button.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
  await page.keyboard.press('Escape')
  expect(await box.isVisible()).toBe(false)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Shift+Tab')
  expect(sent).toHaveLength(2)
  await page.keyboard.press('Enter')
  await expect.poll(() => sent.at(-1)).toContain('/auth/ways/remove')
  expect(sent.at(-1)).toContain('way=way-0')
  page.off('request', note)
})

test.each(['sign-in', 'code-wrong', 'account-one-way'])(
  'the text of a screen reader on the page %s',
  async (name) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await showPage(page, name, 'en', {})
    const shown = await page.locator('body').ariaSnapshot()
    // A time counts from today.
    expect(shown.replace(/\d+ \w+ ago|yesterday|last \w+/g, 'a while ago')).toMatchSnapshot()
  },
)
