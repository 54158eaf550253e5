import {
  type CreationOptions,
  createAuthenticator,
  type RequestOptions,
} from '@latchkey/session/testing'
import { createAuth, customFetch, type VerificationRequest } from '@latchkey/worker'
import { type AuthBindings, Ledger as ServiceLedger } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import passkey from '@latchkey/worker/providers/passkey'

// A Worker that signs a person in by its own service, in one way after the other, and answers with
// the ledger and KV calls of each. Each person is new and comes from a new network.

/** The calls and rows that a step of a sign-in used. */
export interface Use {
  /** Without the queries for ended sessions, which each isolate makes every few seconds. */
  ledgerCalls: number
  rowsWritten: number
  kvWrites: number
}

export type Step = 'OAuth' | 'mail' | 'link' | 'code' | 'password' | 'passkey'

interface Env extends AuthBindings {
  readonly AUTH_SECRET: string
}

let used: Use = nothing()
let mail: VerificationRequest | undefined

/** The counter is in the Worker's isolate, which is the ledger's as well. */
export class Ledger extends ServiceLedger {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env)
    const sql = Object.getPrototypeOf(state.storage.sql) as SqlStorage
    const { exec } = sql
    sql.exec = function (this: SqlStorage, ...asked: Parameters<typeof exec>) {
      const cursor = exec.apply(this, asked)
      used.rowsWritten += cursor.rowsWritten
      return cursor
    } as typeof exec
  }
}

const ORIGIN = 'https://example.com'
const at = 'https://provider.example'
const auth = createAuth<Env>({
  basePath: '/auth',
  trustedOrigins: [ORIGIN],
  // Silences the warning that requests for mails are not limited, which is intended here.
  logger: { warn: () => {}, info: () => {} },
  providers: [
    {
      id: 'oauth',
      name: 'OAuth',
      type: 'oauth',
      clientId: 'bench',
      clientSecret: 'bench',
      authorization: `${at}/authorize`,
      token: `${at}/token`,
      userinfo: `${at}/userinfo`,
      [customFetch]: async (input) =>
        String(input).endsWith('/token')
          ? Response.json({ access_token: 'bench', token_type: 'Bearer' })
          : Response.json({ sub: crypto.randomUUID() }),
    },
    email({
      from: 'bench@example.com',
      sendVerificationRequest(request) {
        mail = request
      },
    }),
    credentials({
      credentials: { username: {} },
      authorize: ({ username }) => ({ id: String(username) }),
    }),
    passkey({ rpName: 'Bench' }),
  ],
})

export default {
  async fetch(_: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const found: Record<Step, Use>[] = []
    while (found.length < 5) found.push(await signInInAllWays(counted(env), ctx))
    return Response.json(found)
  },
}

async function signInInAllWays(env: Env, ctx: ExecutionContext): Promise<Record<Step, Use>> {
  const browser = new Browser((request) => auth.fetch(request, env, ctx))
  const name = crypto.randomUUID()
  const ask = (address: string) => browser.submit('/auth/signin/email', { email: address })
  const OAuth = await use(async () => {
    const state = (await browser.submit('/auth/signin/oauth')).searchParams.get('state') ?? ''
    const back = new URLSearchParams({ code: 'bench', state })
    await browser.signIn(`/auth/callback/oauth?${back}`)
  })
  const asked = await use(() => ask(`link.${name}@example.com`))
  const link = await use(() => browser.signIn(mail?.url ?? ''))
  const flow = (await ask(`code.${name}@example.com`)).searchParams.get('flow') ?? ''
  const code = await use(() =>
    browser.signIn('/auth/callback/email', { flow, code: mail?.code ?? '' }),
  )
  const password = await use(() => browser.signIn('/auth/callback/credentials', { username: name }))
  const key = createAuthenticator({ origin: ORIGIN })
  const credential = async (purpose: string) => {
    const asked = await browser.ask('/auth/passkey/options', { for: purpose })
    const { publicKey } = await asked.json<{ publicKey: CreationOptions & RequestOptions }>()
    const made = purpose === 'sign-in' ? key.get(publicKey) : key.create(publicKey)
    return { credential: JSON.stringify(await made) }
  }
  await browser.signIn('/auth/callback/passkey', await credential('sign-up'))
  const proof = await credential('sign-in')
  const byKey = await use(() => browser.signIn('/auth/callback/passkey', proof))
  return { OAuth, mail: asked, link, code, password, passkey: byKey }
}

async function use(work: () => Promise<unknown>): Promise<Use> {
  used = nothing()
  await work()
  return { ...used }
}

/** A browser that keeps its cookies, in a network of its own. */
class Browser {
  readonly #jar = new Map<string, string>()
  readonly #network = `2001:db8:${crypto.randomUUID().slice(9, 18).replace('-', ':')}::1`
  readonly #answer: (request: Request) => Promise<Response> | Response

  constructor(answer: (request: Request) => Promise<Response> | Response) {
    this.#answer = answer
  }

  /** @throws {Error} if the step does not sign in */
  async signIn(path: string, fields?: Record<string, string>): Promise<void> {
    this.forget()
    if (fields) await this.submit(path, fields)
    else await this.#send(path)
    if (![...this.#jar.keys()].some((name) => name.includes('session-token')))
      throw new Error(`${path} signed no user in.`)
  }

  forget(): void {
    for (const name of this.#jar.keys()) if (name.includes('session-token')) this.#jar.delete(name)
  }

  async ask(path: string, fields: Record<string, string> = {}): Promise<Response> {
    const { csrfToken } = await (await this.#send('/auth/csrf')).json<{ csrfToken: string }>()
    const body = new URLSearchParams({ ...fields, csrfToken, callbackUrl: '/' })
    return this.#send(path, { method: 'POST', body })
  }

  /** @returns the address that the answer redirects to */
  async submit(path: string, fields: Record<string, string> = {}): Promise<URL> {
    const answer = await this.ask(path, fields)
    return new URL(answer.headers.get('location') ?? '', ORIGIN)
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'cf-connecting-ip': this.#network }
    const answer = await this.#answer(new Request(new URL(path, ORIGIN), { ...init, headers }))
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? []
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    return answer
  }
}

function nothing(): Use {
  return { ledgerCalls: 0, rowsWritten: 0, kvWrites: 0 }
}

/** The same bindings, with a count of their calls. */
function counted(env: Env): Env {
  const LEDGER = watched(env.LEDGER, (method, open) => {
    if (method !== 'get') return open()
    return watched(open() as object, (called, call) => {
      if (called !== 'revokedSince') used.ledgerCalls++
      return call()
    })
  })
  const SESSIONS = watched(env.SESSIONS, (method, call) => {
    if (method === 'put' || method === 'delete') used.kvWrites++
    return call()
  })
  return { ...env, LEDGER, SESSIONS }
}

function watched<Target extends object>(
  target: Target,
  see: (method: string | symbol, call: () => unknown) => unknown,
): Target {
  return new Proxy(target, {
    get(_, method) {
      const member: unknown = Reflect.get(target, method)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => see(method, () => Reflect.apply(member, target, args))
    },
  })
}
