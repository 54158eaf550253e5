import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AdapterFactory,
  type AdapterPayload,
  type ClientAuthMethod,
  type ClientMetadata,
  Provider,
} from 'oidc-provider'
import { recordRequests, type SeenRequest } from './oidc-requests.ts'
import { ACCOUNTS, askPerson } from './oidc-sign-in-page.ts'

/** A client as the app under test is configured with it. */
interface TestClient {
  readonly id: string
  readonly secret: string
  /** The private key of a client that signs its requests. */
  readonly key?: JsonWebKey & { readonly kid: string }
}

/** How each client authenticates. */
const METHODS = {
  basic: 'client_secret_basic',
  post: 'client_secret_post',
  jwt: 'private_key_jwt',
  // The provider posts its answers to this client.
  form: 'client_secret_basic',
} as const

export type ClientName = keyof typeof METHODS

export interface OidcProvider {
  readonly issuer: string
  readonly clients: Readonly<Record<ClientName, TestClient>>
  /** Oldest first; tests that run elsewhere read them at `{issuer}/seen`. */
  readonly seen: readonly SeenRequest[]
  /**
   * Registers an app's callbacks, which are known once the app has its port.
   *
   * @param own the provider's id in the app, if it is not one of the usual ones
   * @param base the path of the auth routes. Default: `/auth`
   */
  registerApp(origin: string, own?: string, base?: string): Promise<void>
  stop(): Promise<void>
}

/** Every character that a form encodes differently (RFC 6749, section 2.3.1). */
const SECRET = 'a secret: 100% + more/less & "quoted"'

/**
 * Starts `oidc-provider`, the certified implementation, on a free port of this machine. It demands
 * PKCE of every client and rotates refresh tokens.
 *
 * @param methods the client authentication that it offers
 * @param isOfCompany ID tokens have the address, and logout tokens are sent to `<origin>/auth/backchannel-logout/<own>`
 */
export async function startOidcProvider(
  methods: readonly ClientAuthMethod[] = Object.values(METHODS),
  isOfCompany = false,
): Promise<OidcProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = memoryAdapter()
  const provider = new Provider(issuer, {
    adapter,
    clientAuthMethods: methods,
    jwks: { keys: [newKey('RS256'), newKey('ES256')] },
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => true },
    claims: { profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !isOfCompany,
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...ACCOUNTS[accountId] }),
    }),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: isOfCompany },
      revocation: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
    },
    // Without its guard against addresses of this machine, where the apps under test are.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // So short a life makes the app refresh the access token at its first use.
    ttl: { ...lasting(600), AccessToken: 30 },
    renderError(ctx, out) {
      ctx.type = 'text'
      ctx.body = JSON.stringify(out)
    },
  })
  const seen = recordRequests(provider)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer)
    if (pathname === '/seen') return response.end(JSON.stringify(seen))
    if (!pathname.startsWith('/interaction/')) return answer(request, response)
    askPerson(provider, request, response).catch((error: unknown) =>
      response.writeHead(500).end(`${error}`),
    )
  })
  const key = { ...newKey('ES256'), kid: 'the-client-key' }
  const clients: OidcProvider['clients'] = {
    basic: { id: 'basic-client', secret: SECRET },
    post: { id: 'post-client', secret: SECRET },
    jwt: { id: 'jwt-client', secret: '', key },
    form: { id: 'form-client', secret: SECRET },
  }
  return {
    issuer,
    clients,
    seen,
    async registerApp(origin, own = 'oidc', base = '/auth') {
      for (const name of Object.keys(METHODS) as ClientName[]) {
        // The provider's id in the app: the client's name, or that of the shipped Worker.
        const redirectUris = [name, own].map((id) => `${origin}${base}/callback/${id}`)
        const logout = { backchannel_logout_uri: `${origin}${base}/backchannel-logout/${own}` }
        const metadata = {
          ...metadataOf(name, clients[name], redirectUris),
          ...(isOfCompany ? { ...logout, backchannel_logout_session_required: true } : {}),
        }
        await adapter('Client').upsert(metadata.client_id, metadata)
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function metadataOf(name: ClientName, client: TestClient, redirectUris: string[]): ClientMetadata {
  const { d: _, ...publicKey } = client.key ?? {}
  return {
    client_id: client.id,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_modes: [name === 'form' ? 'form_post' : 'query'],
    token_endpoint_auth_method: METHODS[name],
    ...(client.key
      ? { jwks: { keys: [publicKey] }, id_token_signed_response_alg: 'ES256' }
      : { client_secret: client.secret }),
  }
}

/** The provider's storage, in memory. The provider itself checks whether an entry has ended. */
function memoryAdapter(): AdapterFactory {
  const entries = new Map<string, AdapterPayload>()
  return (model) => ({
    async upsert(id, payload) {
      entries.set(`${model}:${id}`, payload)
    },
    find: async (id) => entries.get(`${model}:${id}`),
    findByUid: async (uid) => [...entries.values()].find((entry) => entry.uid === uid),
    findByUserCode: async () => undefined,
    async consume(id) {
      const entry = entries.get(`${model}:${id}`)
      if (entry) entry.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [name, entry] of entries) if (entry.grantId === grantId) entries.delete(name)
    },
  })
}

/** Lifetimes, in seconds, of everything that this provider issues. */
function lasting(seconds: number): Record<string, number> {
  const models = ['AuthorizationCode', 'IdToken', 'RefreshToken', 'Interaction', 'Session', 'Grant']
  return Object.fromEntries(models.map((model) => [model, seconds]))
}

function newKey(alg: 'RS256' | 'ES256'): JsonWebKey {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig' }
}
