import { AuthError, type Session } from '@latchkey/session'
import { type Browser, textIn } from './answer.js'
import { flowOf, type SignIn, type SignOut } from './flow.js'
import { askBy, checkedPath, unreachable } from './service.js'
import { alone, onReturn, type Tab } from './tabs.js'

/** The session as a page knows it: `loading` until the service has answered for the first time. */
export type SessionState =
  | { readonly status: 'loading'; readonly data: null }
  | { readonly status: 'authenticated'; readonly data: Session }
  | { readonly status: 'unauthenticated'; readonly data: null }

/** Options of `createClient`. */
export interface ClientOptions {
  /** The path of the auth routes; default: `/auth`. */
  readonly basePath?: string | undefined
  /** The session that the server has read: the client then asks for nothing. */
  readonly session?: Session | null | undefined
}

/** Options of `update`. */
export interface UpdateOptions {
  /** `true`: apps renew older tokens of the session before they count again. */
  readonly refresh?: boolean | undefined
}

/** The session of one page, and what changes it. */
export interface Client {
  /** The same object until the session changes. */
  get(): SessionState
  /** Calls the listener when the session changes. @returns a function that ends it */
  subscribe(listener: () => void): () => void
  /** Asks the service for the session, and keeps it. @throws {AuthError} when it cannot be known now */
  getSession(): Promise<Session | null>
  /**
   * Changes the session by the app's callbacks; without arguments it is `getSession()`. With `refresh` the callbacks are asked again
   * also without `data`, and what the session said before counts nowhere any more.
   *
   * @throws {AuthError} when there is an argument and nobody is signed in, or it cannot be known
   * @example await update(undefined, { refresh: true })
   */
  update(data?: unknown, options?: UpdateOptions): Promise<Session | null>
  /**
   * Signs in. A provider of the type `credentials` gets the fields in `options`, `passkey` asks the
   * browser, and any other opens its own page. Without a provider, or with an unknown one, the
   * sign-in page opens.
   *
   * Resolves to `undefined` when the browser goes to another page, also after an error, which the
   * sign-in page shows. With `redirect: false` the page stays, and the promise resolves to the outcome.
   *
   * @throws {AuthError} when the service cannot be reached
   * @example await signIn('github', { redirectTo: '/inbox' })
   */
  readonly signIn: SignIn
  /**
   * Ends the session, here and in the other tabs.
   *
   * @throws {AuthError} when the service cannot be reached
   * @example await signOut({ redirectTo: '/' })
   */
  readonly signOut: SignOut
}

/** The browser of this page; on a server none of its functions is read. */
export type Page = Browser & Tab & { readonly BroadcastChannel: typeof BroadcastChannel }

/** @param data `undefined`: not known yet */
function stateOf(data: Session | null | undefined): SessionState {
  const known = data === null ? 'unauthenticated' : 'loading'
  return { status: data ? 'authenticated' : known, data: data ?? null } as SessionState
}

/** @throws {AuthError} when `basePath` is not a path */
export function openClient(
  { basePath = '/auth', session }: ClientOptions = {},
  page = globalThis as unknown as Page,
): Client {
  const ask = askBy(page)
  const listeners = new Set<() => void>()
  let state = stateOf(session)
  /** The number of the last request, and of the one with the answer that is kept. */
  let asked = 0
  let answered = 0
  let channel: BroadcastChannel | undefined
  let listening: AbortController
  /** Was there a time without a listener, in which the session may have changed? */
  let isDeaf: boolean | undefined

  checkedPath(basePath)
  const at = (path = basePath) => page.location.origin + checkedPath(path).replace(/\/$/, '')

  function keep(data: Session | null, order = ++asked): void {
    if (order < answered) return
    answered = order
    const next = stateOf(data)
    if (JSON.stringify(next) !== JSON.stringify(state)) {
      state = next
      // Each by itself: one may throw, or leave and come again, and the others and the caller go on.
      listeners.forEach(queueMicrotask)
    }
  }

  /** Asks for the session, and keeps it. @returns the session that the page has now */
  async function read(body?: object): Promise<Session | null> {
    const order = ++asked
    const answer = await ask(`${at()}/session`, body)
    const data = answer.data as Session | null
    // An app may leave the user out of its session; `expires` is in each.
    if (!answer.ok || (data !== null && !data.expires)) unreachable(answer)
    keep(data, order)
    // A later request may have been read by the service before this change.
    return body && order < answered ? read() : state.data
  }

  const check = alone(read)

  /** One channel for the life of the page. Older browsers have none, and some pages must not use one. */
  const tabs = (use: (channel: BroadcastChannel) => void): void => {
    try {
      channel ??= new page.BroadcastChannel('latchkey')
      use(channel)
    } catch {}
  }

  const announce = () => tabs((channel) => channel.postMessage(''))

  const flow = flowOf({ browser: page, ask, at }, (leaves, path) => {
    announce()
    return leaves || (path === '/signout' ? keep(null) : read())
  })
  return {
    get: () => state,
    subscribe(listener) {
      const changed = () => {
        if (listeners.has(changed)) listener()
      }
      if (!listeners.size) {
        listening = new AbortController()
        // Also while an earlier request is pending, whose answer may be from before the change.
        tabs((channel) => channel.addEventListener('message', check, listening))
        onReturn(page, check, listening)
        if (isDeaf || state.status === 'loading') check()
      }
      listeners.add(changed)
      return () => {
        if (!listeners.delete(changed) || listeners.size) return
        listening.abort()
        // From now on the page misses changes, unless it listens again at once.
        queueMicrotask(() => {
          isDeaf = !listeners.size
        })
      }
    },
    getSession: () => read(),
    async update(data, options) {
      if (data === undefined && !options?.refresh) return read()
      const begun = await ask(`${at()}/csrf`)
      const session = await read({ ...options, csrfToken: textIn(begun.data, 'csrfToken'), data })
      if (!session) throw new AuthError('No session')
      announce()
      return session
    },
    ...flow,
  }
}
