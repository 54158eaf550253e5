import { memberOf } from './client-flow.js'

/** What a tab needs of a browser to notice that who is signed in has changed elsewhere. */
export interface Tab {
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener'>
  readonly addEventListener: Window['addEventListener']
}

/**
 * Keeps this tab and the others of this browser at one. What the client does is heard at once. What
 * a form, another device or time did is seen when someone comes back to the tab, or to the page by
 * the back button: one request then, and none in between.
 *
 * @param channel hears what other tabs of this origin post
 * @param shown the session that this page shows; `undefined` when it has none in its data
 * @param current who is signed in now; `undefined` when that cannot be known
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
      // Nobody could be asked: what is shown stays, and the next return asks again.
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
