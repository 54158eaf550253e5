import { memberOf } from './client-requests.js'

/** What a tab needs to notice that who is signed in has changed elsewhere. */
export interface TabSurroundings {
  /** Hears what other tabs of this origin post, and posts to them. */
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>
  readonly document: Pick<Document, 'visibilityState' | 'addEventListener'>
  readonly window: Pick<Window, 'addEventListener'>
  /** The session that this page shows; `undefined` when it has none in its data. */
  shown(): unknown
  /** Who is signed in now; `undefined` when that cannot be known. */
  current(): Promise<unknown>
  /** Reads the page's data again. */
  refresh(): Promise<unknown>
}

/**
 * Keeps this tab and the others of this browser at one. What the client does is heard at once. What
 * a form, another device or time did is seen when someone comes back to the tab, or to the page by
 * the back button: one request then, and none in between.
 *
 * @returns what tells the other tabs
 */
export function joinTabs(surroundings: TabSurroundings): () => void {
  const { channel, document, window, refresh } = surroundings
  let isChecking = false

  async function check(): Promise<void> {
    if (isChecking || document.visibilityState !== 'visible') return
    isChecking = true
    try {
      const shown = await surroundings.shown()
      const current = shown === undefined ? undefined : await surroundings.current()
      if (current !== undefined && whoIs(current) !== whoIs(shown)) await refresh()
    } catch {
      // Nobody could be asked: what is shown stays, and the next return asks again.
    } finally {
      isChecking = false
    }
  }

  channel.addEventListener('message', () => void refresh())
  document.addEventListener('visibilitychange', () => void check())
  window.addEventListener('pageshow', (event) => void (event.persisted && check()))
  return () => channel.postMessage(CHANGED)
}

const CHANGED = 'changed'

function whoIs(session: unknown): unknown {
  if (session === null) return null
  const user = memberOf(session, 'user')
  return memberOf(user, 'id') ?? memberOf(user, 'email') ?? 'someone'
}
