import { FetchRequest, processEnv } from '@latchkey/host'
import type { Context } from 'hono'

/** Hono's request in the form that the host reads. */
export class HonoHostRequest extends FetchRequest<Context> {
  get env() {
    return processEnv ?? this.native.env ?? {}
  }

  /** The path before `/*` where the handler is mounted, with this request's parameters. */
  get mount() {
    const segments = this.native.req.routePath.split('/')
    return segments.pop() === '*' ? this.path.split('/', segments.length).join('/') : undefined
  }

  protected get peer() {
    return this.native.env?.incoming?.socket?.remoteAddress
  }

  get waitUntil() {
    try {
      const { executionCtx } = processEnv ? {} : this.native
      return executionCtx && ((work: Promise<unknown>) => executionCtx.waitUntil(work))
    } catch {
      return undefined
    }
  }

  /** Hono caches the body that the app has read through `c.req`. */
  protected override async rebuildBody() {
    const { req } = this.native
    const fields = new URLSearchParams()
    const form = await req.bodyCache.formData
    form?.forEach((value, name) => void fields.append(name, `${value}`))
    return form ? fields : req.arrayBuffer().catch(malformed)
  }
}

/** Parsed JSON that is too deep to be written again: the service refuses this with 400. */
function malformed(error: unknown): string {
  if (error instanceof RangeError) return '{'
  throw error
}
