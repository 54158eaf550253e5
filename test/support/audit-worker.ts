import { createAuth } from '@latchkey/worker'
import { operate, Ledger as Standard } from '@latchkey/worker/features/operate'
import { Ledger as Core } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'

export { Core }

/** The ledger with the audit log, which a test can stop. */
export class Ledger extends Standard {
  /** Restarts the object, as when the platform moves it: it loses its memory and its calls. */
  die(): void {
    this.ctx.abort('The object restarts.')
  }
}

interface Env {
  readonly LEDGER: DurableObjectNamespace<Ledger>
  readonly SESSIONS: KVNamespace
}

/** A question to an isolate: one call of an object, or many events at once. */
export interface Asked {
  readonly chain?: string
  /** A method of the object, and its arguments. */
  readonly call?: readonly [method: string, ...args: unknown[]]
  /** The codes of events that are recorded at once. */
  readonly events?: readonly string[]
  /** People who sign in at once. Then the operator ends their sessions, and blocks them. */
  readonly people?: readonly string[]
}

/** How many events the service has answered, how often the operator tried to block, and how many records were lost. */
export interface Answered {
  readonly signedIn: number
  readonly tries: number
  readonly lost: number
}

let lost = 0
const auth = createAuth<Env>({
  basePath: '/auth',
  providers: [
    credentials({
      credentials: { username: {} },
      authorize: ({ username }) => ({ id: String(username), name: String(username) }),
    }),
  ],
  subject: ({ account }) => account.providerAccountId,
  features: [operate()],
  logger: {
    error(error) {
      if (error.name === 'audit-lost') lost++
    },
    warn() {},
    info() {},
  },
})

const ORIGIN = 'https://auth.example'

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { chain = '', call, events = [], people = [] } = (await request.json()) as Asked
    const object = () => env.LEDGER.get(env.LEDGER.idFromName(chain))
    if (call) {
      const [method, ...args] = call
      const stub = object() as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
      return Response.json((await stub[method]?.(...args)) ?? null)
    }
    await Promise.all(events.map((code, at) => recordOnce(object, chain, code, at % 3 === 0)))
    const answered = { signedIn: 0, tries: 0 }
    await Promise.all(
      people.map(async (sub) => {
        await untilDone(() => signIn(sub, env, ctx))
        answered.signedIn++
        await untilDone(() => auth.endSessions({ sub }, env, ctx))
        await untilDone(() => {
          answered.tries++
          return auth.blockPerson({ sub, reason: 'A test.' }, env, ctx)
        })
      }),
    )
    return Response.json({ ...answered, lost })
  },
}

/** Records one event, also if its object dies meanwhile: then the call may have been done. */
async function recordOnce(
  object: () => DurableObjectStub<Ledger>,
  chain: string,
  code: string,
  isLost: boolean,
): Promise<void> {
  const nonce = crypto.randomUUID()
  const entry = { time: new Date().toISOString(), event: 'sign-in', code }
  const record = () => object().record(chain, entry, nonce)
  // The answer is lost on its way, and the caller asks again beside it.
  if (isLost) record().catch(() => undefined)
  await untilDone(record)
}

async function untilDone(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await act()
      return
    } catch (error) {
      if (tries === 20) throw error
    }
  }
}

async function signIn(sub: string, env: Env, ctx: ExecutionContext): Promise<void> {
  const headers = new Headers({ 'cf-connecting-ip': `2001:db8:${sub.slice(7)}::1` })
  const go = (path: string, init: RequestInit = {}) =>
    auth.fetch(new Request(ORIGIN + path, { redirect: 'manual', ...init, headers }), env, ctx)
  const form = await go('/auth/csrf')
  const { csrfToken } = (await form.json()) as { csrfToken: string }
  headers.set('cookie', cookiesOf(form))
  headers.set('origin', ORIGIN)
  const body = new URLSearchParams({ csrfToken, username: sub })
  const answer = await go('/auth/callback/credentials', { method: 'POST', body })
  if (!cookiesOf(answer).includes('session-token=e')) throw new Error(`${answer.status}`)
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}
