import type { ServerResponse } from 'node:http'
import { createHost, type HostRequest, inProcess, replaceCookies } from '@latchkey/host'
import { keepPrivate } from './keep-private.js'
import { mountOf } from './mount.js'
import { mountPathOf } from './mount-path.js'
import { toMessage } from './to-message.js'
import type { MiddlewareAuthConfig, SessionRequest } from './types.js'

/** Answers the auth routes and reads sessions, for all of this process. */
export const host = createHost({
  name: 'MiddlewareAuth',
  service: inProcess(async () => ({
    ...(await import('@latchkey/worker')),
    ...(await import('@latchkey/worker/stores/memory')),
    loadStore: (kind) => import(/* @vite-ignore */ `@latchkey/worker/stores/${kind}`),
  })),
  isEnvironmentFirst: true,
  // A developer sees the error at the first request, before any sign-in.
  checksAlways: true,
  needsService: true,
})

/** Read once, since reading it takes longer than recalling a session. */
const { env } = process

/** Express's request in the form that the host reads. */
export class ExpressHostRequest implements HostRequest {
  readonly native: SessionRequest
  readonly source: MiddlewareAuthConfig | undefined

  constructor(native: SessionRequest, source: MiddlewareAuthConfig | undefined) {
    this.native = native
    this.source = source
  }

  get env(): NodeJS.ProcessEnv {
    return env
  }
  get method(): string {
    return this.native.method ?? 'GET'
  }
  get target(): string {
    return this.native.originalUrl ?? this.native.url ?? '/'
  }
  get path(): string {
    return mountOf(this.native).path
  }
  get mount(): string {
    return mountOf(this.native).mount
  }
  baseOf(config: object): string | undefined {
    return mountPathOf(config, this.native)
  }
  get cookie(): string | undefined {
    return this.native.headers.cookie
  }
  header(name: string): string | undefined {
    return this.native.headers[name]?.toString()
  }
  get scheme(): string {
    return (this.native.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http'
  }
  get host(): string {
    return this.native.headers.host ?? ''
  }

  /** Express's own decision, by the app's setting `trust proxy`. */
  get isFromProxy(): boolean {
    const { app, socket } = this.native
    const trusts = app?.get('trust proxy fn')
    return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true
  }

  get client(): string | undefined {
    const { ip } = this.native as { ip?: unknown }
    return typeof ip === 'string' ? ip : undefined
  }
  get takesNoCookies(): boolean {
    const { res } = this.native
    return res === undefined || res.headersSent
  }
  get isAnswered(): boolean {
    return this.native.res?.headersSent === true
  }
  get isGone(): boolean {
    return this.native.res?.destroyed === true
  }
  message() {
    return toMessage(this.native)
  }
}

/**
 * Adds Set-Cookie lines to those of the app, and keeps the answer from shared caches. A line replaces an earlier one for
 * the same cookie.
 */
export function setCookies(res: ServerResponse, lines: readonly string[]): void {
  if (lines.length === 0) return
  const present = [res.getHeader('set-cookie') ?? []].flat().map(String)
  res.setHeader('Set-Cookie', replaceCookies(present, lines))
  keepPrivate(res)
}
