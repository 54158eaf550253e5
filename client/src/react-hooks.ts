import type { Session } from '@latchkey/session'
import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { type Client, type ClientOptions, openClient, type SessionState } from './store.js'

/** Properties of `<SessionProvider>`. */
export interface SessionProviderProps {
  /** The session that the server has read. A different one in a later render replaces it. */
  readonly session?: Session | null | undefined
  /** The path of the auth routes; it does not change while the page lives. */
  readonly basePath?: string | undefined
  readonly children?: ReactNode
}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** `true`: only a signed-in user sees the page. Anybody else is sent to the sign-in page. */
  readonly required?: boolean | undefined
  /** Called once, instead of opening the sign-in page. */
  readonly onUnauthenticated?: (() => void) | undefined
}

/** The session of the page, and the function that changes it. */
export type SessionUse = SessionState & Pick<Client, 'update'>

/** The types of `useSession`: with `required` the status is `loading` until a user is signed in. */
export interface UseSession {
  (
    options: UseSessionOptions & { readonly required: true },
  ): Exclude<SessionUse, { readonly status: 'unauthenticated' }>
  (options?: UseSessionOptions): SessionUse
}

/** What the entry adds to the properties of its components. */
export interface OfPage {
  /** The base path if no provider names one. */
  readonly home: string
}

/** A client, and what the server's HTML shows. */
interface Held {
  readonly client: Client
  /** Where the service's pages are. */
  readonly basePath: string | undefined
  readonly first: SessionState
  /** The server's session, as text. */
  readonly given?: string | undefined
}

const Provided = createContext<Held | undefined>(undefined)
/** The clients of the providers on this page; the last one counts. */
const provided = new Set<Held>()
/** The client of a page without a provider. */
let own: Held | undefined

function open(options: ClientOptions): Held {
  const client = openClient(options)
  const { basePath, session } = options
  return { client, basePath, first: client.get(), given: JSON.stringify(session) }
}

function ownClient(basePath: string): Held {
  own ??= open({ basePath })
  return own
}

/** The client of this page. @param home the base path if no provider names one */
export function clientOfPage(home: string): Client {
  return ([...provided].at(-1) ?? ownClient(home)).client
}

/** The base path for a component's links, without a slash at its end. @param home if no provider names one */
export function useBasePath(home: string): string {
  return (useContext(Provided)?.basePath ?? home).replace(/\/$/, '')
}

/** The provider of each entry for React: it keeps the session that the server has read for the components below it. */
export function ProviderOfSession({ children, ...options }: SessionProviderProps) {
  const [held, hold] = useState(() => open(options))
  const given = JSON.stringify(options.session)
  // Another client, so that no earlier answer can take the place of the later session.
  if (given && given !== held.given) hold(open(options))
  // Before any effect of a component below, which may ask for the session.
  useInsertionEffect(() => {
    provided.add(held)
    return () => void provided.delete(held)
  }, [held])
  // React 18 has no provider but this one.
  return createElement(Provided.Provider, { value: held }, children)
}

/** The session for a component, by the client of the nearest provider, or otherwise by the one of the page. */
export function useSessionOfPage(
  home: string,
  { required, onUnauthenticated }: UseSessionOptions = {},
) {
  const { client, first } = useContext(Provided) ?? ownClient(home)
  const { data, status } = useSyncExternalStore(client.subscribe, client.get, () => first)
  const isOut = required === true && status === 'unauthenticated'
  const isCalled = useRef(false)
  useEffect(() => {
    const isFirst = isOut && !isCalled.current
    isCalled.current = isOut
    if (!isFirst) return
    if (onUnauthenticated) onUnauthenticated()
    else void client.signIn()
  })
  return { data, status: isOut ? 'loading' : status, update: client.update }
}
