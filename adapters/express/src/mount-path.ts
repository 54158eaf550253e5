import type { SessionRequest } from './types.js'

/** The members of an Express app that say where it is. */
interface MountingApp {
  readonly parent?: MountingApp
  /** The path at which the app itself is mounted. */
  path?(): string
}

interface ExpressMount {
  readonly app: MountingApp
  readonly path: string
  /** Has a request shown that no router stands before the app? */
  isSeen: boolean
}

/** By the configuration. `null`: there is no one path. */
const mounts = new WeakMap<object, ExpressMount | null>()

/**
 * The middleware in the form of a sub-app, which `app.use` tells its path (`mountpath`, and the event `mount`). A
 * router tells nothing.
 */
export function hearingOfMount<Middleware extends object>(
  middleware: Middleware,
  config: object,
): Middleware {
  return Object.assign(middleware, {
    handle: middleware,
    set() {},
    emit(this: { readonly mountpath?: unknown }, _event: string, app: MountingApp) {
      const path = plainPath(this.mountpath)
      const isOnly = path !== undefined && !mounts.has(config)
      mounts.set(config, isOnly ? { app, path, isSeen: false } : null)
    },
  })
}

/**
 * The path at which a configuration's auth routes are mounted, as Express gives it; empty for the
 * root. `undefined` if it is not certain: a router may stand before the app.
 *
 * @param req any request of the app
 */
export function mountPathOf(config: object, req: SessionRequest): string | undefined {
  const mount = mounts.get(config)
  if (!mount) return undefined
  const app = req.app as MountingApp | undefined
  if (app && topOf(app) === topOf(mount.app) && req.baseUrl === pathOf(app)) mount.isSeen = true
  return mount.isSeen ? pathOf(mount.app) + mount.path : undefined
}

/** The path of a mount without its wildcard: `/auth`, `/auth/*` of Express 4, `/auth/{*rest}` of Express 5. */
function plainPath(path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  const plain = path.replace(/\/\*\w*$|\/?\{\/?\*\w+\}$/, '').replace(/\/$/, '')
  return /[^\w/.~-]/.test(plain) ? undefined : plain
}

function topOf(app: MountingApp): MountingApp {
  return app.parent ? topOf(app.parent) : app
}

function pathOf(app: MountingApp): string {
  return app.path?.() ?? ''
}
