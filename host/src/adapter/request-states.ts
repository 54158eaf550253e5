import type { Reading } from '@latchkey/session'
import { isNamedBy } from './end-to-end.js'
import type { HostRequest } from './host-request.js'
import { lastOfEach, mergeCookies } from './merge-cookies.js'

type BrowserRequest = Pick<HostRequest, 'native' | 'cookie' | 'header'>

/** What has happened to a request. */
interface RequestState {
  /** The cookies that its answer sets, and the Cookie header of its browser afterwards. */
  cookies?: { readonly header: string; readonly lines: readonly string[] }
  /** The question about a session of another library, or its answer. */
  oldSession?: Promise<Reading>
  /** The service did not answer: it is unknown whether a user is signed in. */
  isUnanswered?: true
  /** Headers of the service about keys of browsers, by name, for an answer in which the app signs in. */
  told?: Map<string, string>
  /** The log says that another key has signed its token. */
  isForeign?: true
}

/** The state of each request for which anything has happened: most have none. */
export class RequestStates {
  readonly #states = new WeakMap<object, RequestState>()

  /** @returns `undefined`: nothing has happened */
  get({ native }: Pick<HostRequest, 'native'>): Readonly<RequestState> | undefined {
    return this.#states.get(native)
  }

  /** The same, to be changed. */
  of({ native }: Pick<HostRequest, 'native'>): RequestState {
    const state = this.#states.get(native) ?? {}
    this.#states.set(native, state)
    return state
  }

  /**
   * The Cookie header of a request, as the browser will send it after the answer. There is none if a
   * Connection header names it: the auth routes do not get it then, and pages must see the same user as they do.
   */
  cookie(request: BrowserRequest): string | null | undefined {
    const changed = this.get(request)?.cookies
    if (changed !== undefined) return changed.header
    const connection = request.header('connection')
    // Most say `keep-alive`, and each request that reads a session asks.
    const isNamed = connection && /cookie/i.test(connection) && isNamedBy(connection, 'cookie')
    return isNamed ? null : request.cookie
  }

  /** Set-Cookie lines, the last one for each cookie. */
  linesOf(request: BrowserRequest): readonly string[] {
    return this.get(request)?.cookies?.lines ?? []
  }

  /** @returns the lines that are new */
  setCookies(request: BrowserRequest, lines: readonly string[]): readonly string[] {
    const known = new Set(this.linesOf(request))
    const added = lines.filter((line) => !known.has(line))
    if (added.length === 0) return added
    const header = mergeCookies(this.cookie(request) ?? null, added)
    this.of(request).cookies = { header, lines: lastOfEach([...known, ...added]) }
    return added
  }
}
