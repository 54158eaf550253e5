/** A mail, as far as a visitor reads it. */
export interface ReadMail {
  readonly to: string
  readonly text: string
}

/** A browser without scripts, which signs in by mail. */
export class Visitor {
  readonly #origin: string
  readonly #ask: (request: Request) => Promise<Response> | Response
  readonly jar = new Map<string, string>()

  constructor(origin: string, ask: (request: Request) => Promise<Response> | Response = fetch) {
    this.#origin = origin
    this.#ask = ask
  }

  get cookie(): string {
    return [...this.jar].map((pair) => pair.join('=')).join('; ')
  }

  async go(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.#origin)
    const headers = new Headers(init.headers)
    headers.set('cookie', this.cookie)
    const answer = await this.#ask(new Request(url, { ...init, headers, redirect: 'manual' }))
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return answer
  }

  /** A form of the app itself, as a browser sends it. */
  post(path: string, fields: Readonly<Record<string, string>>, from = this.#origin) {
    const body = new URLSearchParams(fields)
    return this.go(path, { method: 'POST', body, headers: { origin: from } })
  }

  async csrfToken(): Promise<string> {
    return ((await (await this.go('/auth/csrf')).json()) as { csrfToken: string }).csrfToken
  }

  /** @param mailTo waits for the newest mail to an address */
  async signIn(email: string, mailTo: (email: string) => Promise<ReadMail>): Promise<void> {
    const csrfToken = await this.csrfToken()
    await this.post('/auth/signin/email', { csrfToken, email })
    const link = linkIn(await mailTo(email))
    const answer = await this.go(link.pathname + link.search)
    if (!this.jar.has('auth.session-token')) throw new Error(`No sign-in: ${answer.status}`)
  }

  async signOut(): Promise<void> {
    await this.post('/auth/signout', { csrfToken: await this.csrfToken() })
  }

  /** As `update(data, { refresh: true })` of the client. */
  async update(data: object): Promise<unknown> {
    const body = JSON.stringify({ csrfToken: await this.csrfToken(), data, refresh: true })
    const headers = { 'content-type': 'application/json', origin: this.#origin }
    return (await this.go('/auth/session', { method: 'POST', body, headers })).json()
  }
}

/** The first link of a mail. */
export function linkIn({ text }: ReadMail): URL {
  return new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '')
}
