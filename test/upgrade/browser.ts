import { type Ask, type Deployed, ORIGIN } from './deployed.ts'

/** The stored form of a browser: its cookies. */
export type Cookies = Readonly<Record<string, string>>

/** The Worker that a browser visits, and the clock that both have. */
export type At = Pick<Ask, 'now' | 'env'> & { readonly headers?: Readonly<Record<string, string>> }

/** A browser in front of a Worker, which does not follow redirects by itself. */
export class Browser {
  readonly #cookies: Map<string, string>
  readonly #worker: Deployed

  constructor(worker: Deployed, cookies: Cookies = {}) {
    this.#worker = worker
    this.#cookies = new Map(Object.entries(cookies))
  }

  get cookies(): Cookies {
    return Object.fromEntries(this.#cookies)
  }

  async go(path: string, at: At, init: Omit<RequestInit, 'headers'> = {}): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...at.headers }
    const answer = await this.#worker.ask(path, { ...at, ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const name = pair.slice(0, pair.indexOf('='))
      if (/; Max-Age=0(?:;|$)/.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(name.length + 1))
    }
    return answer
  }

  /** A form with the csrf token of this browser. */
  async post(path: string, fields: Record<string, string>, at: At): Promise<Response> {
    const csrf = await this.go('/auth/csrf', at)
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken, ...fields })
    return this.go(path, at, { method: 'POST', body })
  }

  signIn(username: string, at: At, password = 'right'): Promise<Response> {
    return this.post(
      '/auth/callback/credentials',
      { username, password, callbackUrl: '/inbox' },
      at,
    )
  }

  /** Starts a sign-in at a provider. @returns the path by which the person comes back */
  async start(provider: string, person: string, at: At): Promise<string> {
    const answer = await this.post(`/auth/signin/${provider}`, { callbackUrl: '/inbox' }, at)
    return wayBack(provider, person, answer)
  }

  /** Adds a provider's account to the signed-in user. */
  async add(provider: string, person: string, at: At): Promise<Response> {
    const fields = { provider, callbackUrl: '/inbox' }
    const answer = await this.post('/auth/ways/add', fields, at)
    return this.go(wayBack(provider, person, answer), at)
  }

  /** Posts JSON with the csrf token of this browser. */
  async postJson(path: string, fields: object, at: At): Promise<Response> {
    const csrf = await this.go('/auth/csrf', at)
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const headers = { ...at.headers, 'content-type': 'application/json' }
    const body = JSON.stringify({ csrfToken, ...fields })
    return this.go(path, { ...at, headers }, { method: 'POST', body })
  }

  async signInAt(provider: string, person: string, at: At): Promise<Response> {
    return this.go(await this.start(provider, person, at), at)
  }

  async session(at: At): Promise<Seen | null> {
    return (await (await this.go('/auth/session', at)).json()) as Seen | null
  }

  /** The provider's access token, as the app gets it. */
  async token(at: At): Promise<{ ok: boolean; accessToken?: string; reason?: string }> {
    return (await (await this.go('/test/token', at)).json()) as never
  }

  /** The claims in the session cookie; its signature is not checked. */
  get claims(): Claims {
    const found = [...this.#cookies].filter(([name]) => name.includes('session-token'))
    const [header = '', payload = ''] = found
      .map(([, value]) => value)
      .join('')
      .split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    return { ...read(payload), kid: read(header).kid }
  }
}

type Claims = Record<string, unknown> & {
  readonly sub: string
  readonly sid: string
  readonly kid: string
  readonly session: { readonly user: { readonly id?: string } }
}

/** The parts of a session that these tests compare. */
export interface Seen {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string | null
  }
  readonly expires: string
  readonly plan?: string
  readonly nickname?: string
  readonly notes?: string
}

/** The path by which a person comes back from a provider. */
function wayBack(provider: string, person: string, sentThere: Response): string {
  const { searchParams } = locationOf(sentThere)
  const [state, nonce, challenge] = ['state', 'nonce', 'code_challenge'].map(
    (name) => searchParams.get(name) ?? '',
  )
  const code = [person, nonce, challenge].join('~')
  const back = new URLSearchParams({ code, state: state as string })
  return `/auth/callback/${provider}?${back}`
}

export function locationOf(answer: Response): URL {
  return new URL(answer.headers.get('location') ?? '', ORIGIN)
}

export const isSignedIn = (answer: Response) => locationOf(answer).pathname === '/inbox'
