import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { expect, onTestFinished } from 'vitest'
import { createAuth } from '../index.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { Browser } from './browser.js'
import { issuer } from './oauth.js'
import { OPTIONS, oauthPeople } from './oauth-people.js'

export const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** What an app has heard: a request, and what `jose` says of its token. */
interface Heard {
  readonly headers: Readonly<Record<string, unknown>>
  readonly fields: readonly string[]
  readonly token: string
  readonly header: JWTHeaderParameters
  readonly claims: JWTPayload
}

/**
 * An app of somebody else, at an address of this machine: it keeps a session for each ID token, and ends it by a logout token, which
 * it validates as OpenID Connect Back-Channel Logout 1.0, section 2.6, says. `jose` does the work.
 *
 * @param readKeys the keys that its provider publishes
 */
export async function startApp(clientId: string, readKeys: () => Promise<JSONWebKeySet>) {
  const sessions = new Map<string, { readonly sub: string }>()
  const used = new Set<string>()
  const heard: Heard[] = []
  const app = { status: undefined as number | undefined }
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  const verify = async (token: string, typ: string) => {
    keys ??= createLocalJWKSet(await readKeys())
    const requiredClaims = ['iat', 'exp', 'sub']
    return jwtVerify(token, keys, { issuer, audience: clientId, typ, requiredClaims })
  }
  async function hear(headers: Heard['headers'], body: string): Promise<number> {
    const form = new URLSearchParams(body)
    const token = form.get('logout_token') ?? ''
    const { payload } = await verify(token, 'logout+jwt')
    const { jti, nonce, events, sid } = payload
    const event = (events as Record<string, unknown> | undefined)?.[EVENT]
    if (typeof jti !== 'string' || used.has(jti) || nonce !== undefined) return 400
    if (typeof event !== 'object' || event === null || typeof sid !== 'string') return 400
    const header = decodeProtectedHeader(token) as JWTHeaderParameters
    heard.push({ headers, fields: [...form.keys()], token, header, claims: payload })
    if (app.status !== undefined) return app.status
    used.add(jti)
    if (sessions.get(sid)?.sub === payload.sub) sessions.delete(sid)
    return 200
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    const status = await hear(request.headers, body).catch(() => 400)
    response.writeHead(status, { 'cache-control': 'no-store' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(app, {
    /** The same without a connection, where timers are the test's own. */
    fetch: (async (_url: unknown, { headers, body }: { headers: object; body: string }) => {
      const status = await hear({ ...headers }, body).catch(() => 400)
      return new Response(null, { status })
    }) as unknown as typeof fetch,
    url: `http://127.0.0.1:${port}/backchannel`,
    sessions,
    heard,
    /** Begins a session by an ID token. @returns its `sid` */
    async begin(idToken: string | undefined): Promise<string> {
      const { payload } = await verify(idToken ?? '', 'JWT')
      sessions.set(String(payload.sid), { sub: String(payload.sub) })
      return String(payload.sid)
    },
  })
}

const AT_OWN = { client_id: 'own', redirect_uri: 'https://own.example/cb', scope: 'openid' }

/**
 * A service, and the app `own`, which hears of sessions that end. The work after answers is collected.
 *
 * @param own further options of that app
 * @param isHere is the app asked without a connection?
 */
export async function logoutWorld({
  own = {},
  isHere = false,
  apps = {},
  changes = {},
  inner,
}: {
  own?: object
  isHere?: boolean
  apps?: object
  changes?: Partial<AuthConfig>
  inner?: Stores
} = {}) {
  const readKeys = async () =>
    (await (await nobody().get('/auth/oauth/jwks.json')).json()) as JSONWebKeySet
  const app = await startApp('own', readKeys)
  const all = {
    ...OPTIONS.apps,
    own: { ...OPTIONS.apps.own, backchannelLogoutUri: app.url, ...own },
    ...apps,
  }
  const options = { ...OPTIONS, apps: all, ...(isHere ? { fetch: app.fetch } : {}) }
  const warnings: string[] = []
  /** A process of the service: one of several over the same stores. */
  const process = (stores?: Stores) => {
    const world = oauthPeople(options, changes, stores ? { inner: stores } : {})
    const work: Promise<unknown>[] = []
    const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
    Object.assign(world.config.logger as object, {
      warn(code: string, text: string) {
        if (code !== 'app-resources') warnings.push(`${code} ${text}`)
      },
    })
    const auth = createAuth(world.config)
    const answer = (request: Request) => auth.fetch(request, undefined, context)
    return {
      ...world,
      auth,
      context,
      nobody: () => new Browser(world.config, { answer }),
      signIn: (name: string, one = new Browser(world.config, { answer })) =>
        world.signIn('one', name, one),
      /** Waits for the work after the answers. */
      async settle() {
        while (work.length > 0) await Promise.all(work.splice(0))
      },
      /** The notes in the ledger. */
      rows: () => world.inner.ledger.documentsOf('outbox', ['logout']),
    }
  }
  const first = process(inner)
  const nobody = first.nobody
  return {
    ...first,
    app,
    warnings,
    process,
    /** Signs the person of a browser in at an app. @returns the tokens of the app */
    async enter(one: Browser, fields: Partial<Record<keyof typeof AT_OWN, string>> = {}) {
      const asked = { ...AT_OWN, ...fields }
      const { code } = await first.letIn(one, asked)
      return first.exchange(code, { client_id: asked.client_id })
    },
    /** The same at the app that hears. @returns the `sid` of its session */
    async enterOwn(one: Browser, scope = 'openid') {
      const { code } = await first.letIn(one, { ...AT_OWN, scope })
      const { id_token } = await first.exchange(code, { client_id: 'own' })
      return app.begin(id_token)
    },
    /** Ada signs in, at the app too, and out while the app is down. @returns her browser, after the app could not be reached */
    async missed(): Promise<Browser> {
      const ada = await first.signIn('ada')
      await this.enterOwn(ada)
      app.status = 500
      await ada.submit('/auth/signout')
      await expect.poll(async () => (await first.rows())[0]?.version).toBe(2)
      return ada
    },
  }
}
