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
 */
export function alone(check: () => Promise<unknown>): () => Promise<unknown> {
  let pending: Promise<unknown> | undefined
  const done = () => {
    pending = undefined
  }
  return () => (pending ??= check().then(done, done))
}
