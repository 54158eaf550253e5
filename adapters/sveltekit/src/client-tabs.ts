import { alone, memberOf, onReturn, type Tab } from '@latchkey/client/internal'

export type { Tab }

/**
 * Keeps this tab in step with the browser's others. Changes by the client are noticed at once,
 * others when a person returns to the tab.
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
  channel.onmessage = alone(refresh)
  const check = async () => {
    const before = await shown()
    const now = before === undefined ? before : await current()
    if (now !== undefined && whoIs(now) !== whoIs(before)) await refresh()
  }
  onReturn(tab, alone(check))
}

function whoIs(session: unknown): unknown {
  const user = memberOf(session, 'user')
  return session && (memberOf(user, 'id') ?? memberOf(user, 'email') ?? true)
}
