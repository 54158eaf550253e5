import { createHost, FetchRequest } from '@latchkey/session/adapter'
import type { Context } from 'hono'
import { getRuntimeKey } from 'hono/adapter'

const isWorkers = getRuntimeKey() === 'workerd'
const rethrow = (error: unknown) => Promise.reject(error)
/** The variables of the process; on Workers each request brings its own. */
export const processEnv = isWorkers ? undefined : (globalThis.process?.env ?? {})

/** Answers the auth routes and reads sessions, for all of this process. */
export const host = createHost({
  name: 'authHandler',
  needsService: true,
  // With `catch` a Worker that forwards can be bundled without the package.
  async service() {
    const { createAuth } = await import('@latchkey/worker').catch(rethrow)
    const { memoryStore } = await import('@latchkey/worker/stores/memory').catch(rethrow)
    return { createAuth, memoryStore, loadStore }
  },
})

/** By a name that no bundler follows, since a Worker has no such store. */
const loadStore = (kind: string) => import(/* @vite-ignore */ `@latchkey/worker/stores/${kind}`)

/** Hono's request in the form that the host reads. */
export class HonoHostRequest extends FetchRequest<Context> {
  /** Cloudflare routes requests by their host, so a client cannot make one up. */
  readonly hostIs = isWorkers ? 'routed' : undefined

  get env() {
    return processEnv ?? this.native.env ?? {}
  }

  /** The path before `/*` where the handler is mounted, with this request's parameters. */
  get mount() {
    const segments = this.native.req.routePath.split('/')
    return segments.pop() === '*' ? this.path.split('/', segments.length).join('/') : undefined
  }

  get client() {
    if (isWorkers) return this.header('cf-connecting-ip') ?? undefined
    return this.native.env?.incoming?.socket?.remoteAddress
  }

  get waitUntil() {
    try {
      const { executionCtx } = isWorkers ? this.native : {}
      return executionCtx && ((work: Promise<unknown>) => executionCtx.waitUntil(work))
    } catch {
      return undefined
    }
  }

  /** Hono caches the body that the app has read through `c.req`. */
  protected override async bodyAgain() {
    const { req } = this.native
    const fields = new URLSearchParams()
    const form = await req.bodyCache.formData
    form?.forEach((value, name) => void fields.append(name, `${value}`))
    return form ? fields : req.arrayBuffer().catch(malformed)
  }
}

/** JSON that the app has parsed and nobody can write again, so deep is it: the service refuses this with 400. */
function malformed(error: unknown): string {
  if (error instanceof RangeError) return '{'
  throw error
}
