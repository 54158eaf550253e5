import { createHost, type Host, type HostRequest, ofProcess } from '@latchkey/host'
import * as nextCache from 'next/cache.js'
import { cookies, headers } from 'next/headers.js'
import type { NextFetchEvent, NextRequest } from 'next/server.js'
import { PageRequest, RouteRequest } from './next-request.js'
import { configFor, hostSource } from './source.js'
import { tellOnce } from './tell-once.js'
import type { ConfigSource } from './types.js'

/** What the two entries differ in. */
export type Parts = Pick<Parameters<typeof createHost>[0], 'service' | 'wholeEntry'>

/**
 * `fetch` without the cache that Next lays around it: a page's `fetchCache` would keep a renewed session for as
 * long as the app runs, and the list of ended sessions.
 */
const uncached: typeof fetch = (input, init) => fetch(input, Object.assign({}, init, PAST_CACHE))

/** The mark of Next's own calls. `cache: 'no-store'` would not do beside `fetchCache`, and old Workers refuse it. */
const PAST_CACHE = { next: { internal: true } }

/**
 * Ends a prerender before a session is judged by the clock. With `cacheComponents` Next refuses `Date.now()` in all
 * that it renders ahead of a request. Next before 16.3 has no `io`, and did not ask for it.
 * https://nextjs.org/docs/messages/blocking-prerender-current-time
 */
const { io } = nextCache as { io?: () => Promise<void> }

/** An app: its configuration, its host, and the requests that are under way. */
export class NextApp {
  /** Next's own `basePath`. Written out, since Next's compiler puts the value here. */
  readonly root = process.env.__NEXT_ROUTER_BASEPATH ?? ''
  readonly host: Host
  readonly #source: NonNullable<HostRequest['source']>
  /** By what `headers()` gives, which is the same for everything in one request. */
  readonly #requests = new WeakMap<object, PageRequest>()

  constructor(given: ConfigSource, parts: Parts) {
    this.host = createHost({
      name: 'NextAuth',
      root: this.root,
      home: '/api/auth',
      needsService: true,
      logsAbsence: true,
      share: ofProcess,
      fetch: uncached,
      isTrustedPlatform: ({ VERCEL }) => VERCEL === '1',
      ...parts,
    })
    this.#source = hostSource(given, (native) => {
      const own = this.#requests.get(native)
      return own instanceof RouteRequest ? own.request : undefined
    })
  }

  /** The request of a component or an action, and of a handler: the one of its wrapper, if it has one. */
  async current(): Promise<PageRequest> {
    const native = await headers()
    const jar = await cookies()
    await io?.()
    const { host } = this
    const own =
      this.#requests.get(native) ?? this.#begin(new PageRequest(native, this.#source, host))
    own.jar = jar
    return own
  }

  /** The request of a route handler. @param event of the proxy */
  async arrived(request: NextRequest, event?: NextFetchEvent): Promise<RouteRequest> {
    const native = await headers()
    const waitUntil = event && ((work: Promise<unknown>) => event.waitUntil(work))
    const own = this.#begin(
      new RouteRequest(
        request,
        native,
        { source: this.#source, host: this.host, root: this.root },
        waitUntil,
      ),
    )
    own.jar = await cookies()
    return own
  }

  #begin<Own extends PageRequest>(own: Own): Own {
    this.#requests.set(own.native, own)
    tellOnce(this.host, own)
    return own
  }

  /** The page that a person without a session is sent to, as a path below {@link NextApp.root} or a URL. */
  async signInPage(own: PageRequest): Promise<string> {
    const { config, base } = await this.host.locate(own)
    return this.path(configFor(config).pages?.signIn ?? `${base}/signin`)
  }

  /** A path as in Next's own functions, without `basePath`, which is never put twice before it. */
  path(path: string): string {
    const { root } = this
    if (root === '' || !path.startsWith('/') || `${path}/`.startsWith(`${root}/`)) return path
    return root + path
  }
}
