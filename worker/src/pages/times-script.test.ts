import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TIMES_SCRIPT } from './times-script.js'

const NOW = Date.UTC(2026, 10, 22, 12)

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

interface Shown {
  readonly text: string
  readonly title: string
}

/** What the script makes of one time of a page. */
function show(
  dateTime: string,
  { lang = 'en', languages = ['en-GB'], dataset = {}, button = {} as { ariaLabel?: string } } = {},
): Shown & { readonly isSaid: boolean } {
  const element = {
    dateTime,
    dataset,
    textContent: dateTime.slice(0, 16).replace('T', ' '),
    title: '',
    closest: () => ({ querySelector: () => button }),
  }
  let isSaid = true
  const document = {
    documentElement: { lang },
    querySelectorAll: () => [element],
    querySelector: () => ({
      remove() {
        isSaid = false
      },
    }),
  }
  new Function('document', 'navigator', TIMES_SCRIPT)(document, { languages })
  return { text: element.textContent, title: element.title, isSaid }
}

const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

describe('the script of times', () => {
  it.each<[string, number]>([
    ['now', 0],
    ['now', 59],
    ['1 minute ago', MINUTE],
    ['59 minutes ago', HOUR - 1],
    ['1 hour ago', HOUR],
    ['23 hours ago', DAY - 1],
    ['yesterday', DAY],
    ['2 days ago', 2 * DAY],
    ['6 days ago', 6 * DAY],
    ['1 week ago', 7 * DAY],
    ['4 weeks ago', 30 * DAY],
    ['1 month ago', 31 * DAY],
    ['11 months ago', 364 * DAY],
    ['1 year ago', 366 * DAY],
    ['2 years ago', 800 * DAY],
  ])('says "%s" of %i seconds', (text, seconds) => {
    expect(show(before(seconds)).text).toBe(text)
  })

  it('does not show times to come, by a clock that is behind', () => {
    expect(show(before(-HOUR)).text).toBe('now')
    expect(show(before(-2 * DAY), { dataset: { day: '' } }).text).toBe('today')
    expect(show('2026-11-24').text).toBe('today')
  })

  it('shows only the day of a time that is known to the day', () => {
    expect(show(before(HOUR), { dataset: { day: '' } }).text).toBe('today')
    expect(show('2026-11-22').text).toBe('today')
    expect(show('2026-11-21')).toMatchObject({ text: 'yesterday', title: '21 November 2026' })
  })

  it('has the exact time in the title, and takes away that times are in UTC', () => {
    const { title, isSaid } = show(before(DAY))
    expect(title).toMatch(/^21 November 2026 at \d\d:\d\d$/)
    expect(isSaid).toBe(false)
  })

  it.each([
    ['de', ['en-US', 'de-AT'], 'vor 3 Stunden', /^22\. November 2026/],
    ['ja', ['en-US'], '3 時間前', /^2026年11月22日/],
    ['en', ['de', 'en-US'], '3 hours ago', /^November 22, 2026/],
    ['zh-Hant', ['zh-CN', 'zh-TW'], '3 小時前', /^2026年11月22日/],
    ['zh-Hans', ['zh-TW'], '3小时前', /^2026年11月22日/],
    ['pt-BR', [], 'há 3 horas', /^22 de novembro de 2026/],
    ['ar', ['en'], 'قبل 3 ساعات', /2026/],
  ] as const)(
    'speaks the language of the page, %s, as its reader writes it: %j',
    (lang, languages, text, title) => {
      const shown = show(before(3 * HOUR), { lang, languages: [...languages] })
      expect(shown.text).toBe(text)
      expect(shown.title).toMatch(title)
    },
  )

  it.each([
    ['en', ['en-US@posix', 'C']],
    ['not a language', ['en-US@posix']],
    ['en', []],
  ] as const)('goes on with an invalid language: %s, %j', (lang, languages) => {
    expect(show(before(3 * HOUR), { lang, languages: [...languages] })).toMatchObject({
      text: '3 hours ago',
      title: expect.stringContaining('November'),
    })
  })

  it('puts the reader’s time into what a button is called', () => {
    const button = { ariaLabel: 'Sign out: Firefox, 2026-11-21 12:00 UTC' }
    const { title } = show('2026-11-21T12:00:00.000Z', { button })
    expect(button.ariaLabel).toBe(`Sign out: Firefox, ${title}`)
    const none = {}
    show('2026-11-21T12:00:00.000Z', { button: none })
    expect(none).toEqual({})
  })

  it('is small, whole inside of a page, and makes no markup and no code of a text', () => {
    expect(gzipSync(TIMES_SCRIPT).length).toBeLessThan(700)
    expect(TIMES_SCRIPT).not.toMatch(/<\/?script|<!--|innerHTML|outerHTML|insertAdjacent|\beval\b/i)
  })
})
