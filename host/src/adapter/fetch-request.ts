import { isWorkerd } from '@latchkey/session/internal'
import type { Environment } from '../shared/environment.js'
import type { HostConfigSource } from './host-config.js'
import type { HostMessage, HostRequest } from './host-request.js'

const { process } = globalThis as { process?: { env?: Environment } }

/** The variables of the process; `undefined` on Workers, where each request brings its own. */
export const processEnv: Environment | undefined = isWorkerd ? undefined : (process?.env ?? {})

/**
 * The members of a standard `Request`, on Workers and in a process, for frameworks that have one. The
 * framework adds the others.
 */
export abstract class FetchRequest<Native extends object> implements HostRequest {
  readonly native: Native
  readonly request: Request
  readonly source: HostConfigSource | undefined
  abstract readonly env: Environment
  /** The address at the other end of the connection. Not read on Workers. */
  protected abstract readonly peer: string | undefined
  /** Cloudflare routes requests by their host, so a client cannot make one up. */
  readonly hostIs: HostRequest['hostIs'] = isWorkerd ? 'routed' : undefined
  readonly hasReadClient = isWorkerd

  constructor(native: Native, request: Request, source: HostConfigSource | undefined) {
    this.native = native
    this.request = request
    this.source = source
  }

  get method(): string {
    return this.request.method
  }

  get target(): string {
    const { url } = this.request
    return url.slice(endOfHost(url))
  }

  get path(): string {
    // No client sends a fragment, and routers take one off.
    return this.target.split(/[?#]/, 1)[0] ?? ''
  }

  get cookie(): string | null {
    return this.request.headers.get('cookie')
  }

  header(name: string): string | null {
    return this.request.headers.get(name)
  }

  get scheme(): string {
    const { url } = this.request
    return url.slice(0, url.indexOf(':'))
  }

  get host(): string {
    const { url } = this.request
    return url.slice(url.indexOf('//') + 2, endOfHost(url))
  }

  get client(): string | undefined {
    return isWorkerd ? (this.header('cf-connecting-ip') ?? undefined) : this.peer
  }

  get isGone(): boolean {
    return this.request.signal.aborted
  }

  /** The body that the app has read, if its framework keeps that. */
  protected rebuildBody?(): Promise<BodyInit>

  async message(): Promise<HostMessage> {
    const { request } = this
    const { method, headers, body, signal } = request
    if (!request.bodyUsed || !this.rebuildBody) {
      return { method, headers, body, signal, isSpent: () => request.bodyUsed }
    }
    const rest = new Headers(headers)
    // These headers describe the bytes that the app has read.
    for (const name of ['content-length', 'content-encoding']) rest.delete(name)
    return { method, headers: rest, body: await this.rebuildBody(), signal }
  }
}

/** Parsing with `URL` would take longer than reading a session. */
function endOfHost(url: string): number {
  const at = url.indexOf('/', url.indexOf('//') + 2)
  return at === -1 ? url.length : at
}
