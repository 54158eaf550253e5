/** The browser's functions that a tab needs to notice that a person returns to it. */
export interface Tab {
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener'>
  readonly addEventListener: Window['addEventListener']
}

/**
 * Checks when a person returns to this tab, or to the page by the back button: changes by a form,
 * another device or time are noticed then, by one request, and none in between.
 *
 * @param options end it, by their signal
 */
export function onReturn(
  tab: Tab,
  check: () => unknown,
  options?: { readonly signal: AbortSignal },
): void {
  const returned = ({ persisted = true }: { readonly persisted?: boolean }) => {
    if (persisted && tab.document.visibilityState === 'visible') check()
  }
  tab.document.addEventListener('visibilitychange', returned as EventListener, options)
  tab.addEventListener('pageshow', returned, options)
}

/**
 * One check at a time. A check that fails changes nothing: without an answer the page stays as it
 * is, and the next return asks again.
 *
 * @returns begins a check, unless one runs. With news, of which the one that runs may not know, one more
 * follows it, however often it is called
 */
export function alone(check: () => Promise<unknown>): (news?: unknown) => Promise<void> {
  /** The requests that run or wait. */
  let checks = 0
  return async (news) => {
    if (checks) checks = news ? 2 : checks
    else for (checks = 1; checks; checks--) await check().catch(() => {})
  }
}
