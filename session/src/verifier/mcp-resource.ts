import type { TakesMachines } from './access-token-reader.js'
import { allowedHeaders } from './allowed-headers.js'
import { readGuard } from './read-guard.js'
import { readScopes } from './token-refusal.js'

/** An MCP server as a protected resource. */
export interface McpOptions {
  /** The address of the MCP server: tokens must be for it, to the letter. */
  readonly audience: string
  /** The scopes that every request needs, separated by spaces. Default: none. */
  readonly scope?: string | undefined
  /** All scopes that clients may ask for. Default: those of `scope`. */
  readonly scopes?: readonly string[] | undefined
  /** What people call it. Default: clients show its address. */
  readonly name?: string | undefined
  /** The tokens of machines: `true` takes them too, `'only'` takes no others. Default `false`: those of users alone. */
  readonly machine?: TakesMachines | undefined
}

/** What a request is to an MCP server. */
export type McpPlace = 'metadata' | 'guarded' | 'elsewhere'

/** The metadata answers these methods alone. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** A cookie does not count here, so there is nothing to protect from scripts of any origin. */
const CORS: Readonly<Record<string, string>> = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, MCP-Session-Id',
})

const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-max-age': '600',
}

const HEADERS = 'Authorization, Content-Type, MCP-Protocol-Version, MCP-Session-Id, Last-Event-ID'

/** The headers from which an address of the service follows. A cache must not give the answer of one host to a request for another. */
const BY_HOST = 'Host, X-Forwarded-Host, X-Forwarded-Proto'

/** The paths and the metadata of an MCP server (RFC 9728). */
export class McpResource {
  /** The headers of each answer, so that scripts of any origin read it. */
  static readonly cors = CORS
  /** The address of the metadata. */
  readonly metadata: string
  readonly #metadataPath: string
  readonly #base: string
  readonly #audience: string
  /** Members of the metadata that an option decides. */
  readonly #members: object

  /** @throws {TypeError} when an option is invalid */
  constructor({ audience, scope, scopes, name }: McpOptions) {
    // An app without types may pass any value as `scope`. Only a text counts.
    const asked = scope === undefined || typeof scope === 'string' ? scope : ''
    const { scopes: needed } = readGuard({ audience, scope: asked })
    const { origin, pathname, search } = new URL(audience)
    this.#audience = audience
    // RFC 9728, 3.1: between the host and the path.
    this.#metadataPath = WELL_KNOWN + (pathname === '/' ? '' : pathname)
    this.metadata = origin + this.#metadataPath + search
    this.#base = plain(pathname).replace(/\/$/, '')
    // A server may say that there are none to ask for.
    const isNone = Array.isArray(scopes) && scopes.length === 0
    const listed =
      scopes === undefined || isNone ? scopes : readScopes(Array.isArray(scopes) && scopes)
    if (!needed || (scopes !== undefined && !listed)) {
      throw new TypeError('`scope` and `scopes` must name scopes, such as notes:read.')
    }
    if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
      throw new TypeError('`name` must be a text.')
    }
    const supported = listed ?? needed
    this.#members = {
      ...(supported.length > 0 ? { scopes_supported: supported } : {}),
      // Left out of the JSON without one.
      resource_name: name,
    }
  }

  /**
   * @param path raw or decoded. More spellings are guarded than any framework routes to the server: in upper case,
   *   with escapes, with slashes twice, with a fragment, which some routers take off.
   */
  placeOf(method: string, path: string): McpPlace {
    if (path === this.#metadataPath && METHODS.includes(method)) return 'metadata'
    const plainPath = plain(path)
    const base = this.#base
    return plainPath === base || plainPath.startsWith(`${base}/`) ? 'guarded' : 'elsewhere'
  }

  /**
   * The answer to a request for the metadata (RFC 9728, section 2).
   *
   * @param isByHost does the issuer follow from the request?
   */
  answerMetadata(method: string, issuer: string, isByHost: boolean): Response {
    const document = {
      resource: this.#audience,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...this.#members,
    }
    const headers = {
      ...CORS,
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      ...(isByHost ? { vary: BY_HOST } : {}),
    }
    return new Response(method === 'HEAD' ? null : JSON.stringify(document), { headers })
  }

  /**
   * The answer to a browser that asks whether a script may send a request.
   *
   * @param asked the value of `Access-Control-Request-Headers`
   */
  preflight(asked: string | null | undefined): Response {
    const headers = { ...PREFLIGHT, 'access-control-allow-headers': allowedHeaders(HEADERS, asked) }
    return new Response(null, { status: 204, headers })
  }
}

function plain(path: string): string {
  return path
    .replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[?#].*$/s, '')
    .replace(/[/\\]+/g, '/')
    .toLowerCase()
}
