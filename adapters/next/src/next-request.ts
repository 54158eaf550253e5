import {
  type Host,
  type HostMessage,
  type HostRequest,
  isWorkerd,
  parseCookieLine,
  RequestSession,
  targetOf,
} from '@latchkey/host'
import type { cookies } from 'next/headers.js'
import type { NextRequest } from 'next/server.js'

/** What `cookies()` gives. Next allows to set one in actions and route handlers alone. */
export type CookieJar = Awaited<ReturnType<typeof cookies>>

/** By which the proxy tells the page behind it the path and query of the browser's request. */
export const PATH_HEADER = 'x-latchkey-path'

/** By which Next itself finds the cookies that `cookies()` has set. */
const CHANGED = Symbol.for('next.mutated.cookies')

/** The framework's own words for an environment and a configuration. */
type Source = HostRequest['source']

const variables: HostRequest['env'] = globalThis.process?.env ?? {}

/** A request as components and actions know it: by `headers()`, the same object for all of them. */
export class PageRequest implements HostRequest {
  readonly native: Headers
  readonly source: Source
  readonly session: RequestSession
  readonly env = variables
  /** That of the place that asks now: an action sets cookies, and the page behind it does not. */
  jar: CookieJar | undefined
  readonly #host: Host
  readonly #sent = new Set<string>()

  /** @param headers the result of `headers()` */
  constructor(headers: Headers, source: Source, host: Host) {
    this.native = headers
    this.source = source
    this.#host = host
    this.session = new RequestSession(async () => {
      const reading = await host.read(this)
      this.setCookies()
      return reading
    })
  }

  get method(): string {
    return 'GET'
  }

  /** Path and query, as the proxy wrote them into a header. Any client can write it, so only a path of this app counts. */
  get toldTarget(): string | undefined {
    const target = this.header(PATH_HEADER)
    return target === null ? undefined : targetOf({ target })
  }

  get target(): string {
    return this.toldTarget ?? '/'
  }

  get path(): string {
    return this.target.split('?', 1)[0] ?? ''
  }

  get cookie(): string | null {
    return this.native.get('cookie')
  }

  header(name: string): string | null {
    // Next fills in this header. In development no proxy has sent it.
    if (name === 'x-forwarded-for' && this.env.NODE_ENV === 'development') return null
    return this.native.get(name)
  }

  /** Next does not tell the connection's: its URLs and headers have what a client may have claimed. */
  get scheme(): string {
    return this.env.__NEXT_EXPERIMENTAL_HTTPS ? 'https' : 'http'
  }

  get host(): string {
    return this.native.get('host') ?? ''
  }

  /** Known on Workers, whose platform writes this header. Elsewhere Next does not tell the connection's. */
  get client(): string | undefined {
    return isWorkerd ? (this.native.get('cf-connecting-ip') ?? undefined) : undefined
  }

  /** Behind Cloudflare every request has been forwarded. */
  get hasReadClient(): boolean {
    return isWorkerd
  }

  get isGone(): boolean {
    return false
  }

  /** An old session is used up by a new cookie, so the browser must be able to get one. */
  get takesNoCookies(): boolean {
    return !this.setsCookies
  }

  get setsCookies(): boolean {
    return this.jar !== undefined && isWritable(this.jar)
  }

  /** Hands the cookies that are new to Next, where it takes any. */
  setCookies(): void {
    const lines = this.#host.cookies(this).filter((line) => !this.#sent.has(line))
    if (lines.length === 0 || !this.jar || !isWritable(this.jar)) return
    for (const line of lines) {
      this.#sent.add(line)
      const { name, value, options } = parseCookieLine(line)
      // Next encodes it again.
      this.jar.set(name, decoded(value), options)
    }
  }

  message(): HostMessage {
    const { method, native: headers } = this
    return { method, headers, body: null, signal: new AbortController().signal }
  }
}

/** The request of a route handler, or of the proxy. */
export class RouteRequest extends PageRequest {
  readonly request: NextRequest
  readonly waitUntil: HostRequest['waitUntil']
  /** Next's own `basePath`. */
  readonly root: string

  /**
   * @param waitUntil the proxy's
   */
  constructor(
    request: NextRequest,
    headers: Headers,
    { source, host, root }: { source: Source; host: Host; root: string },
    waitUntil: HostRequest['waitUntil'],
  ) {
    super(headers, source, host)
    this.request = request
    this.waitUntil = waitUntil
    this.root = root
  }

  override get method(): string {
    return this.request.method
  }

  override get target(): string {
    const { pathname, search } = new URL(this.request.url)
    const isWhole = `${pathname}/`.startsWith(`${this.root}/`)
    // With `trailingSlash` Next redirects each path to the one with a slash at its end.
    const path = process.env.__NEXT_TRAILING_SLASH ? pathname.replace(/(.)\/$/, '$1') : pathname
    return (isWhole ? path : this.root + path) + search
  }

  override header(name: string): string | null {
    const value = super.header(name)
    if (name !== 'sec-fetch-dest') return value
    // Next's router asks for data. Over plain http no browser says so itself, and `headers()` does not have it.
    if (this.request.headers.has('rsc')) return 'empty'
    // Next hides that header from the proxy. A browser that asks for a page names HTML, and the router does not.
    const isProxy = this.waitUntil !== undefined
    return value === null && isProxy && this.header('accept') === '*/*' ? 'empty' : value
  }

  override get isGone(): boolean {
    return this.request.signal.aborted
  }

  /**
   * The answer is made here, and takes them. But a proxy without a matcher sees what Next itself serves too, such as
   * images, and Next puts a public `Cache-Control` in the place of ours there.
   */
  override get takesNoCookies(): boolean {
    return this.path.startsWith(`${this.root}/_next/`)
  }

  /** The handler's answer has them, and the cookies of Next only where a redirect is thrown. */
  override setCookies(isThrown = false): void {
    if (isThrown && !this.takesNoCookies) super.setCookies()
  }

  /** Has the app set cookies by `cookies()` in this request? Next's own mark of that. */
  get hasChangedJar(): boolean {
    const jar = this.jar as { [CHANGED]?: readonly unknown[] } | undefined
    return Boolean(jar?.[CHANGED]?.length)
  }

  override message(): HostMessage {
    const { request } = this
    const { method, headers, body, signal } = request
    return { method, headers, body, signal, isSpent: () => request.bodyUsed }
  }
}

const PROBE = new Error('No cookie is set by this.')

/** Next tells it only by what it throws: before it looks at the cookie, or when it looks. */
function isWritable(jar: CookieJar): boolean {
  const cookie = {
    get name(): string {
      throw PROBE
    },
    value: '',
  }
  try {
    jar.set(cookie)
  } catch (thrown) {
    return thrown === PROBE
  }
  return false
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
