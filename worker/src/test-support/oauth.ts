import { createHash, randomUUID } from 'node:crypto'
import { createAuth } from '../core.js'
import { sealCode } from '../features/authorization-server/code.js'
import {
  type Authorization,
  type Code,
  drawHandle,
} from '../features/authorization-server/grant.js'
import { authorizationServer } from '../features/authorization-server/index.js'
import type { App, Resource, Server } from '../features/authorization-server/settings.js'
import type { AuthRequest } from '../http/request.js'
import type { Feature } from '../service/feature.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { configWith, origin } from './browser.js'
import { asStore } from './own-ledger.js'
import { accountsAt } from './people.js'

export const issuer = `${origin}/auth`
export const verifier = 'the-verifier-of-the-tests-0123456789-abcdefghij'
export const challenge = createHash('sha256').update(verifier).digest('base64url')
export const redirectUri = 'https://app.example/callback'
export const resource = 'https://api.example/'
export const clientSecret = 'the-secret-of-the-confidential-app-0123456789'

function app(id: string, changes: Partial<App> = {}): App {
  const redirectUris = [redirectUri]
  const none = { secrets: [], isFirstParty: false, isDevice: false, alg: 'ES256' } as const
  return { id, name: id, redirectUris, ...none, ...changes }
}

function resourceAt(uri: string, changes: Partial<Resource> = {}): Resource {
  const scopes = new Map([
    ['notes:read', 'Read your notes'],
    ['notes:write', 'Change your notes'],
  ])
  return { uri, name: new URL(uri).host, scopes, isOpen: false, alg: 'EdDSA', ...changes }
}

/** A public app, a confidential one and another public one, and two resources. */
export function serverWith(changes: Partial<Server> = {}): Server {
  const apps = [app('spa'), app('other'), app('web', { secrets: [clientSecret] })]
  const resources = [resourceAt(resource), resourceAt('https://more.example/', { alg: 'ES256' })]
  return {
    apps: new Map(apps.map((one) => [one.id, one])),
    resources: new Map(resources.map((one) => [one.uri, one])),
    keys: undefined,
    fetch: undefined,
    hasDevices: false,
    isOpen: false,
    algs: { idTokens: ['ES256'], accessTokens: ['EdDSA', 'ES256'] },
    ...changes,
  }
}

/** What the token endpoint, and its neighbors, answer. */
export interface ProgramAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  readonly error: string | undefined
  readonly accessToken: string
  readonly refreshToken: string
}

/**
 * One isolate of a service with the authorization server. Work inside it has a request, as handlers have.
 *
 * @param server its settings: those of the feature, without its options; `off`: there are none
 */
export function oauthIsolate({
  store = memoryStore(),
  server = serverWith(),
  config: changes = {},
}: {
  store?: Stores
  server?: Server | 'off'
  config?: Partial<AuthConfig>
} = {}) {
  const warnings: (readonly [code: string, detail: string | undefined])[] = []
  const errors: Error[] = []
  const work: Promise<unknown>[] = []
  const inside = new Map<string, (request: AuthRequest) => Promise<unknown>>()
  const entry: Feature = {
    name: 'inside',
    pages: {
      routes: {
        '/inside': {
          async GET(request) {
            await inside.get(request.query.get('id') ?? '')?.(request)
            return { kind: 'json', body: {} }
          },
          isData: true,
        },
      },
    },
  }
  const feature: Feature = {
    ...authorizationServer(),
    configure: () => (server === 'off' ? undefined : server),
  }
  const config = configWith({
    store: asStore(store),
    providers: [accountsAt('one')],
    logger: {
      error: (error) => void errors.push(error),
      warn: (code, detail) => void warnings.push([code, detail]),
      info: () => {},
    },
    ...changes,
    features: [feature, entry],
  })
  const auth = createAuth(config)
  const context = { waitUntil: (promise: Promise<unknown>) => void work.push(promise) }
  const answer = (request: Request) => auth.fetch(request, undefined, context)

  /** Runs work with a request of this isolate. */
  async function within<Result>(run: (request: AuthRequest) => Promise<Result>): Promise<Result> {
    let result: { readonly value: Result } | { readonly failure: unknown } | undefined
    const id = randomUUID()
    inside.set(id, async (request) => {
      result = await run(request).then(
        (value) => ({ value }),
        (failure: unknown) => ({ failure }),
      )
    })
    await answer(new Request(`${issuer}/inside?id=${id}`))
    inside.delete(id)
    if (!result) throw new Error('The work was not run.')
    if ('failure' in result) throw result.failure
    return result.value
  }

  async function send(path: string, init: RequestInit): Promise<ProgramAnswer> {
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

  /** A code for `ada`, of a session that began a moment ago. */
  const code = (changes: Partial<Code> = {}) =>
    within(async (request) => sealCode(request, codeFor(request, changes)))

  const exchange = (text: string, fields: Record<string, string> = {}) =>
    post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'spa',
      code_verifier: verifier,
      redirect_uri: redirectUri,
      code: text,
      ...fields,
    })

  return {
    store: asStore(store),
    config,
    answer,
    warnings,
    errors,
    within,
    send,
    post,
    code,
    exchange,
    /** A grant that has just begun. */
    async grant(changes: Partial<Code> = {}) {
      return exchange(await code(changes), changes.app ? { client_id: changes.app } : {})
    },
    refresh: (refresh_token: string, fields: Record<string, string> = {}) =>
      post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: 'spa',
        refresh_token,
        ...fields,
      }),
    revoke: (token: string, fields: Record<string, string> = {}) =>
      post('/oauth/revoke', { client_id: 'spa', token, ...fields }),
    userInfo: (token: string) =>
      send('/oauth/userinfo', { headers: { authorization: `Bearer ${token}` } }),
    async settled() {
      while (work.length > 0) await Promise.all(work.splice(0))
    },
  }
}

export type OAuthIsolate = ReturnType<typeof oauthIsolate>

/** What `ada` has decided, unless the test says otherwise. */
export function authorizationFor(
  request: AuthRequest,
  changes: Partial<Authorization> = {},
): Authorization {
  const now = Math.floor(request.config.now() / 1000)
  const { sub = 'ada' } = changes
  const isOffline = changes.scopes?.includes('offline_access') === true
  return {
    handle: drawHandle(request, sub),
    sub,
    app: 'spa',
    resource,
    scopes: ['openid', 'profile', 'notes:read'],
    began: now - 10,
    authTime: now - 10,
    amr: ['one'],
    pid: undefined,
    sid: isOffline ? undefined : drawHandle(request, sub),
    session: drawHandle(request, sub),
    sexp: now + (isOffline ? 365 : 30) * 86_400,
    profile: { name: 'Ada', email: 'ada@people.example', email_verified: true },
    ...changes,
  }
}

function codeFor(request: AuthRequest, changes: Partial<Code>): Code {
  return {
    ...authorizationFor(request, changes),
    redirectUri,
    challenge,
    nonce: undefined,
    ...changes,
  }
}

/** The claims of a token; its signature is not checked. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
