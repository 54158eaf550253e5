import { isNamedBy } from './end-to-end.js'
import type { HostRequest } from './host-request.js'
import { lastOfEach, mergeCookies } from './merge-cookies.js'

type BrowserRequest = Pick<HostRequest, 'native' | 'cookie' | 'header'>

/** The cookies that a request's answer sets, and the Cookie header of its browser afterwards. */
interface Changes {
  readonly cookie: string
  readonly lines: readonly string[]
}

/** The cookies that answers will set. Most requests have none, and are not in the map. */
export class BrowserCookies {
  readonly #changes = new WeakMap<object, Changes>()

  /**
   * The Cookie header of a request, as the browser will send it after the answer. There is none if a
   * Connection header names it: the auth routes do not get it then, and pages must see the same user as they do.
   */
  of(request: BrowserRequest): string | null | undefined {
    const changed = this.#changes.get(request.native)?.cookie
    if (changed !== undefined) return changed
    const connection = request.header('connection')
    // Most say `keep-alive`, and each request that reads a session asks.
    const isNamed = connection && /cookie/i.test(connection) && isNamedBy(connection, 'cookie')
    return isNamed ? null : request.cookie
  }

  /** Set-Cookie lines, the last one for each cookie. */
  linesOf({ native }: BrowserRequest): readonly string[] {
    return this.#changes.get(native)?.lines ?? []
  }

  /** @returns the lines that are new */
  set(request: BrowserRequest, lines: readonly string[]): readonly string[] {
    const known = new Set(this.linesOf(request))
    const added = lines.filter((line) => !known.has(line))
    if (added.length === 0) return added
    this.#changes.set(request.native, {
      cookie: mergeCookies(this.of(request) ?? null, added),
      lines: lastOfEach([...known, ...added]),
    })
    return added
  }
}
