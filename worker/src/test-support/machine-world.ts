import { createAuth } from '../core.js'
import { authorizationServer } from '../features/authorization-server/index.js'
import type { AuthorizationServerOptions } from '../features/authorization-server/options.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig, Environment } from '../types.js'
import { configWith } from './browser.js'
import { issuer, type ProgramAnswer, resource } from './oauth.js'
import { asStore } from './own-ledger.js'
import { accountsAt } from './people.js'

/** Two APIs for the tests of machines. */
export const other = 'https://more.example/'
const RESOURCES = {
  [resource]: { scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' } },
  [other]: { scopes: { 'more:read': 'Read more' } },
} satisfies AuthorizationServerOptions['resources']

/** A service with these apps, made by the options that its operator writes. */
export function machineWorld({
  options = {},
  store = memoryStore(),
  config: changes = {},
  env = {},
}: {
  options?: AuthorizationServerOptions
  store?: Stores
  config?: Partial<AuthConfig>
  env?: Environment
} = {}) {
  const warnings: (readonly [code: string, detail: string | undefined])[] = []
  const errors: Error[] = []
  const lines: object[] = []
  const work: Promise<unknown>[] = []
  const { features = [], ...rest } = changes
  const config = configWith({
    store: asStore(store),
    providers: [accountsAt('one')],
    logger: {
      error: (error) => void errors.push(error),
      warn: (code, detail) => void warnings.push([code, detail]),
      info: (line) => void lines.push(line),
    },
    ...rest,
    features: [authorizationServer({ resources: RESOURCES, ...options }), ...features],
  })
  const auth = createAuth(config)
  const context = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) }
  const answer = (request: Request) => auth.fetch(request, env, context)

  async function send(path: string, init: RequestInit = {}): Promise<ProgramAnswer> {
    const response = await answer(new Request(issuer + path, init))
    const text = await response.text()
    const body = (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>
    return {
      status: response.status,
      headers: response.headers,
      body,
      error: body.error as string | undefined,
      accessToken: String(body.access_token),
      refreshToken: String(body.refresh_token),
    }
  }

  const post = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) => send(path, { method: 'POST', body: new URLSearchParams(fields), headers })

  return {
    auth,
    config,
    env,
    context,
    answer,
    send,
    post,
    warnings,
    errors,
    lines,
    /** Asks the token endpoint. */
    token: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      post('/oauth/token', fields, headers),
    async settled() {
      while (work.length > 0) await Promise.all(work.splice(0))
    },
  }
}

export type MachineWorld = ReturnType<typeof machineWorld>
