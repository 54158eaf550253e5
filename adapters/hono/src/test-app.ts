import type { AuthConfig } from '@latchkey/worker'
import type { Hono } from 'hono'
import { binding, ORIGIN, providers, quiet, SECRET } from '../../../test/contracts/adapters/app.js'
import type { AuthHandlerConfig } from './index.js'

export { binding, ORIGIN, SECRET }

/**
 * A configuration with a logger of its own, so that it does not count as a copy of another one. A
 * copy shares the state of its original, which may be from another test with a clock that stood
 * still.
 */
export function inProcess(more: Partial<AuthConfig> = {}): AuthHandlerConfig {
  return { secret: SECRET, providers, logger: { ...quiet }, ...more }
}

/** Both ways to serve the auth routes. */
export const modes: readonly (readonly [name: string, config: () => AuthHandlerConfig])[] = [
  ['in process', () => inProcess()],
  ['forwarded', () => ({ worker: binding(), logger: quiet })],
]

/** A browser at an app, which keeps cookies and does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #app: Hono
  readonly #origin: string

  constructor(app: Hono, origin = ORIGIN) {
    this.#app = app
    this.#origin = origin
  }

  async go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.cookies.size > 0) headers.set('cookie', this.cookie)
    const answer = await this.#app.request(this.#origin + path, { ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  async post(path: string, base = '/auth', fields: Record<string, string> = {}): Promise<Response> {
    const { csrfToken } = (await (await this.go(`${base}/csrf`)).json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken, ...fields })
    return this.go(base + path, { method: 'POST', body })
  }

  signIn(base = '/auth'): Promise<Response> {
    return this.post('/callback/credentials', base, { username: 'ann', password: 'right' })
  }

  get cookie(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }
}
