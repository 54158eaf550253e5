import type { AccessToken } from '@latchkey/session'
import { McpResource, refusalResponse } from '@latchkey/session/internal'
import type { Host } from './host.js'
import type { HostConfig } from './host-config.js'
import type { HostRequest } from './host-request.js'
import { REFUSALS } from './refusal.js'
import { TokenGate, type TokenServiceConfig } from './token-gate.js'

/** An MCP server as a protected resource. */
export type McpOptions = ConstructorParameters<typeof McpResource>[0]

const OPTIONS = ['audience', 'scope', 'scopes', 'name', 'machine']

/** The headers that every answer of an MCP server has. */
const CORS = Object.entries(McpResource.cors)

/** A gate for an MCP server, made once for all requests of an app. */
export class McpGate {
  readonly #resource: McpResource
  readonly #gate: TokenGate

  /** @throws {InvalidConfiguration | TypeError} naming an option that is invalid */
  constructor(
    options: McpOptions,
    config: TokenServiceConfig | HostConfig | undefined,
    host: Pick<Host, 'tokenSource' | 'serves'>,
  ) {
    const unknown = Object.keys(options ?? {}).find((name) => !OPTIONS.includes(name))
    if (unknown !== undefined) throw new TypeError(`There is no option \`${unknown}\`.`)
    const { audience, scope, machine } = options
    this.#resource = new McpResource(options)
    const { metadata } = this.#resource
    this.#gate = new TokenGate({ audience, scope, machine }, config, {
      host,
      name: 'protectMcp',
      metadata,
    })
  }

  /**
   * The headers that an answer needs so that scripts of other origins read it; `undefined`: the request is not for the
   * MCP server, and passes on.
   */
  headersFor({ method, path }: HostRequest): readonly (readonly [string, string])[] | undefined {
    return this.#resource.placeOf(method, path) === 'elsewhere' ? undefined : CORS
  }

  /**
   * The answer to a request for the MCP server, or the token with which it goes on.
   *
   * @throws {WorkerUnavailable} if it is unknown whether the token counts
   */
  async pass(request: HostRequest): Promise<AccessToken | Response> {
    const { method, path } = request
    if (method === 'OPTIONS')
      return this.#resource.preflight(request.header('access-control-request-headers'))
    if (this.#resource.placeOf(method, path) === 'metadata') {
      const issuer = await this.#gate.issuerOf(request)
      if (issuer !== undefined) {
        return this.#resource.answerMetadata(method, issuer, this.#gate.isByHost)
      }
      const headers = { 'cache-control': 'no-store' }
      return new Response(REFUSALS['unknown-host'], { status: 400, headers })
    }
    const { token, refusal } = await this.#gate.read(request)
    return refusal ? refusalResponse(refusal, McpResource.cors) : token
  }
}
