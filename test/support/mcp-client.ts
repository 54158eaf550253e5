import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'

/** Where the client gets its codes. Nothing listens there. */
export const REDIRECT = 'http://127.0.0.1/callback'

/** A browser of a person who signs in with a password. */
export class Person {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  /** @param origin of the service, whose base path is `/auth` */
  constructor(origin: string) {
    this.#origin = origin
  }

  async signIn(username: string): Promise<void> {
    const csrfToken = await this.csrfToken()
    await this.ask('/auth/callback/credentials', { csrfToken, username, password: 'x' })
  }

  /** Allows an app, and gets the address at which the browser ends. */
  async allow(url: URL): Promise<URL> {
    const page = await this.ask(url.pathname + url.search)
    const shown = await page.text()
    const request = /name="request" value="([^"]+)"/.exec(shown)?.[1]
    if (request === undefined) return new URL(page.headers.get('location') ?? shown)
    const fields = { csrfToken: await this.csrfToken(), request, decision: 'allow' }
    const answer = await this.ask('/auth/oauth/consent', fields)
    return new URL(answer.headers.get('location') ?? '')
  }

  async endAllApps(app: string): Promise<void> {
    await this.ask('/auth/apps/remove', { csrfToken: await this.csrfToken(), app })
  }

  /** The Cookie header that this browser sends. */
  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  async ask(path: string, fields?: Record<string, string>): Promise<Response> {
    const answer = await fetch(this.#origin + path, {
      redirect: 'manual',
      headers: { cookie: this.cookie },
      ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }

  async csrfToken(): Promise<string> {
    const { csrfToken } = (await (await this.ask('/auth/csrf')).json()) as { csrfToken: string }
    return csrfToken
  }
}

/** What an MCP client keeps. */
export class Kept implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT
  readonly clientMetadataUrl?: string
  readonly #clientId: string | undefined
  /** Where the client has sent its user. */
  asked: URL | undefined
  stored: OAuthTokens | undefined
  #verifier = ''

  constructor(client: { readonly id: string } | { readonly document: string }) {
    this.#clientId = 'id' in client ? client.id : undefined
    if ('document' in client) this.clientMetadataUrl = client.document
  }

  get clientMetadata() {
    return { client_name: 'The client of the test', redirect_uris: [REDIRECT] }
  }
  #information: { client_id: string } | undefined
  clientInformation() {
    return this.#clientId === undefined ? this.#information : { client_id: this.#clientId }
  }
  saveClientInformation(information: { client_id: string }) {
    this.#information = information
  }
  tokens() {
    return this.stored
  }
  saveTokens(tokens: OAuthTokens) {
    this.stored = tokens
  }
  invalidateCredentials(scope: string) {
    if (scope === 'tokens' || scope === 'all') this.stored = undefined
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
}

/**
 * Connects, and sends the person to allow the client if it has to ask.
 *
 * @param url of the MCP server
 */
export async function connectTo(
  url: string,
  kept: Kept,
  person: Person,
  mode: 'legacy' | 'auto' = 'auto',
): Promise<Client> {
  const transportOf = (authProvider: Kept) =>
    new StreamableHTTPClientTransport(new URL(url), { authProvider })
  const options = { versionNegotiation: { mode } }
  const first = new Client({ name: 'test', version: '1.0.0' }, options)
  const transport = transportOf(kept)
  try {
    await first.connect(transport)
    return first
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  await transport.finishAuth((await person.allow(kept.asked as URL)).searchParams)
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(transportOf(kept))
  return client
}

/** The text that a tool answers. */
export async function textOf(client: Client, name = 'who'): Promise<string> {
  const { content } = await client.callTool({ name })
  return (content as { text: string }[])[0]?.text ?? ''
}
