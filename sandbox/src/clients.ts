/** How a client writes its S256 challenge: RFC 7636's base64url, or lower-case hex. */
export type ChallengeEncoding = 'base64url' | 'hex'

/** An app registered at the sandbox. */
export interface SandboxClient {
  readonly clientKey: string
  readonly clientSecret: string
  /**
   * `web`: public https addresses. `desktop`: `localhost` or `127.0.0.1` with a port, http allowed.
   * Either way at most 10, each absolute, static, under 512 characters, no query and no fragment.
   */
  readonly type: 'web' | 'desktop'
  readonly redirectUris: readonly string[]
  /** Default `base64url`. The real video app expects `hex` from desktop apps. */
  readonly challenge?: ChallengeEncoding
  /** Shown on the consent page. Default: the client key. */
  readonly name?: string
  /** Clients of one developer see the same `union_id`. Default `sandbox-developer`. */
  readonly developer?: string
}

/** The default client: the app of `npm start` on this machine. */
export const defaultClient: SandboxClient = {
  clientKey: 'sandbox-client-key',
  clientSecret: 'sandbox-client-secret',
  type: 'desktop',
  redirectUris: [
    'http://localhost:8787/auth/callback/videoapp',
    'http://127.0.0.1:8787/auth/callback/videoapp',
  ],
  challenge: 'base64url',
  name: 'Local development app',
}

/** True for addresses that only this machine can reach. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname.startsWith('127.') ||
  hostname === '[::1]'

const parse = (uri: string): URL | undefined => {
  try {
    return new URL(uri)
  } catch {
    return undefined
  }
}

/** The colon and digits as written: `URL` drops a default port, a registration may state it. */
const hasPort = (uri: string): boolean => /^https?:\/\/[^/]+:\d+(\/|$)/.test(uri)

/** The reason why a redirect URI cannot be registered, or undefined when it can. */
export const redirectUriProblem = (
  uri: string,
  type: SandboxClient['type'],
): string | undefined => {
  const url = parse(uri)
  if (!url || !/^https?:\/\//.test(uri)) return 'must be an absolute http(s) URL'
  if (/[\s\\]/.test(uri)) return 'must not hold spaces or backslashes'
  if (uri.length >= 512) return 'must be shorter than 512 characters'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('?')) return 'must not have a query'
  if (uri.includes('*')) return 'must be static, without wildcards'
  if (url.username || url.password) return 'must not hold credentials'
  if (type === 'desktop') {
    if (url.hostname !== 'localhost' && url.hostname !== '127.0.0.1') {
      return 'must be on localhost or 127.0.0.1 (this is a desktop client)'
    }
    return hasPort(uri) ? undefined : 'must name a port (this is a desktop client)'
  }
  if (isLoopback(url.hostname)) return 'must not be on localhost (this is a web client)'
  return url.protocol === 'https:' ? undefined : 'must start with https:// (this is a web client)'
}

/**
 * Refuses a client that the real registration form would refuse.
 * @throws {TypeError} that names the client, the address and the rule.
 */
export const registerClients = (
  clients: readonly SandboxClient[],
): ReadonlyMap<string, SandboxClient> => {
  const registered = new Map<string, SandboxClient>()
  for (const client of clients) {
    const fail = (reason: string): never => {
      throw new TypeError(`Sandbox client "${client.clientKey}": ${reason}`)
    }
    if (!client.clientKey) fail('clientKey is empty')
    if (!client.clientSecret) fail('clientSecret is empty')
    if (registered.has(client.clientKey)) fail('is registered twice')
    if (client.redirectUris.length === 0) fail('has no redirect URI')
    if (client.redirectUris.length > 10) fail('has more than 10 redirect URIs')
    for (const uri of client.redirectUris) {
      const problem = redirectUriProblem(uri, client.type)
      if (problem) fail(`redirect URI "${uri}" ${problem}`)
    }
    registered.set(client.clientKey, client)
  }
  return registered
}
