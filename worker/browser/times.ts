/**
 * What a page that shows times does in the browser: it says how long ago each was, in the page's language and by the
 * reader's clock, with the exact time beside a pointer that rests there. Without it they are in UTC, which the page
 * says. "npm run generate" makes the text of it that the pages have.
 *
 * A time without hours is a day of UTC. A time with `data-day` is shown as a day only.
 */
function showTimes(): void {
  const { lang } = document.documentElement
  /**
   * An invalid tag has no format: some browsers name the locale of their system, such as
   * `en-US@posix`.
   */
  function writing(tag: string): string | undefined {
    try {
      const { language, script } = new Intl.Locale(tag).maximize()
      return [language, script].join()
    } catch {
      return undefined
    }
  }
  const own = writing(lang)
  // The reader's own variant of the page's language: a day stands before its month, or after it.
  const locale = own && (navigator.languages.find((tag) => writing(tag) === own) ?? lang)
  const now = new Date()

  /** Days since the epoch, by the reader's calendar. */
  const dayOf = (time: Date) =>
    Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000

  function ago(count: number, unit: Intl.RelativeTimeFormatUnit): string {
    // "Yesterday" is known of days alone: seven days ago is not always last week.
    const numeric = unit === 'day' || unit === 'second' ? 'auto' : 'always'
    return new Intl.RelativeTimeFormat(locale, { numeric }).format(-Math.trunc(count), unit)
  }

  /** @param days by a clock that is behind, less than none */
  function daysAgo(days: number): string {
    if (days < 7) return ago(Math.max(0, days), 'day')
    if (days < 31) return ago(days / 7, 'week')
    return days < 365 ? ago(days / 30.44, 'month') : ago(days / 365.25, 'year')
  }

  function timeText(time: Date, isDay: boolean): string {
    const minutes = (now.getTime() - time.getTime()) / 60_000
    if (isDay || minutes >= 1440) return daysAgo(dayOf(now) - dayOf(time))
    if (minutes < 1) return ago(0, 'second')
    return minutes < 60 ? ago(minutes, 'minute') : ago(minutes / 60, 'hour')
  }

  for (const element of document.querySelectorAll('time')) {
    const time = new Date(element.dateTime)
    const isDate = element.dateTime.length < 11
    const written = element.textContent.concat(' UTC')
    const exact = time.toLocaleString(locale, {
      dateStyle: 'long',
      ...(isDate ? { timeZone: 'UTC' } : { timeStyle: 'short' }),
    })
    element.textContent = isDate
      ? daysAgo(Math.trunc(now.getTime() / 86_400_000) - time.getTime() / 86_400_000)
      : timeText(time, 'day' in element.dataset)
    element.title = exact
    // Read out by screen readers: of two on one day each is to be told apart.
    const button = element.closest('.session')?.querySelector('button')
    const label = button?.ariaLabel
    if (label) button.ariaLabel = label.replace(written, exact)
  }
  document.querySelector('[data-utc]')?.remove()
}

showTimes()
