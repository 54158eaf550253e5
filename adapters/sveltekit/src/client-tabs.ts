import { memberOf } from './client-answer.js'

/** The browser's functions that a tab needs to notice a sign-in or sign-out elsewhere. */
export interface Tab {
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener'>
  readonly addEventListener: Window['addEventListener']
}

/**
 * Keeps this tab in step with the browser's others. Changes by the client are noticed at once.
 * Changes by a form, another device or time are noticed when a person returns to the tab, or to the
 * page by the back button: by one request then, and none in between.
 *
 * @param channel receives messages of other tabs of this origin
 * @param shown the session that this page shows; `undefined` when it has none in its data
 * @param current reads the current session; `undefined` when it cannot be known
 * @param refresh reads the page's data again
 */
export function joinTabs(
  channel: Pick<BroadcastChannel, 'onmessage'>,
  tab: Tab,
  shown: () => unknown,
  current: () => Promise<unknown>,
  refresh: () => Promise<unknown>,
): void {
  let isChecking = false

  async function check({ persisted = true }: { persisted?: boolean }): Promise<void> {
    if (!persisted || isChecking || tab.document.visibilityState !== 'visible') return
    isChecking = true
    try {
      const before = await shown()
      const now = before === undefined ? before : await current()
      if (now !== undefined && whoIs(now) !== whoIs(before)) await refresh()
    } catch {
      // The service did not answer: the page stays unchanged, and the next return asks again.
    }
    isChecking = false
  }

  channel.onmessage = refresh
  tab.document.addEventListener('visibilitychange', check as EventListener)
  tab.addEventListener('pageshow', check)
}

function whoIs(session: unknown): unknown {
  const user = memberOf(session, 'user')
  return session && (memberOf(user, 'id') ?? memberOf(user, 'email') ?? true)
}
