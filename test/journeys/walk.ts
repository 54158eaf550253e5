import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getSession } from '@latchkey/express'
import { createAuth, customFetch } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'
import { memoryStore } from '@latchkey/worker/stores/memory'

// A process of its own walks the journeys of docs/architecture.md, and prints as JSON in which of our files a function ran.

const origin = 'http://localhost:8787'
const root = fileURLToPath(new URL('../..', import.meta.url))
const provider = 'https://provider.example'
const mails: string[] = []

/** A service that has every feature, all unused. */
const auth = createAuth({
  basePath: '/auth',
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  store: memoryStore(),
  logger: { error: (error) => console.error(error), warn() {} },
  providers: [
    {
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      clientId: 'client',
      clientSecret: 'client-secret',
      authorization: `${provider}/authorize`,
      token: `${provider}/token`,
      userinfo: `${provider}/me`,
      profile: ({ id }: { id: string }) => ({ id }),
      [customFetch]: async (input: RequestInfo | URL) =>
        Response.json(
          String(input).endsWith('/me')
            ? { id: 'ada' }
            : { access_token: 'token', token_type: 'Bearer' },
        ),
    },
    email({
      from: 'auth@example.com',
      sendVerificationRequest: ({ url }) => void mails.push(url),
    }),
  ],
})

const jar = new Map<string, string>()

async function go(path: string, fields?: Record<string, string>): Promise<Response> {
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
  const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
  const response = await auth.request(new URL(path, origin).href, { ...form, headers: { cookie } })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (line.includes('Max-Age=0')) jar.delete(name)
    else jar.set(name, value)
  }
  return response
}

async function csrfToken(): Promise<string> {
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  return csrfToken
}

/** The app's log. It reads no feed meanwhile, which would run beside the journey. */
const app = {
  worker: `${origin}/auth`,
  publicKeys: await (await go('/auth/jwks.json')).json(),
  revocation: { maxDelay: 3_600 },
}
globalThis.fetch = async (input, init) => auth.fetch(new Request(input, init))

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
const ran: Record<string, string[]> = {}

/** Takes a step of a journey twice, since the first one also fills the caches of the process. */
async function walk(name: string, prepare: () => Promise<() => Promise<string>>): Promise<void> {
  await (await prepare())()
  const step = await prepare()
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const answer = await step()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  if (process.argv.includes('--answers')) console.error(name, answer)
  ran[name] = result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count)))
    .flatMap(({ url }) => (url.startsWith('file:') ? relative(root, fileURLToPath(url)) : []))
    .filter((file) => /^(session|host|worker|adapters\/\w+)\/src\//.test(file))
    .sort()
}

const where = (response: Response) => `${response.status} ${response.headers.get('location')}`

await walk('start', async () => {
  const form = { csrfToken: await csrfToken(), callbackUrl: '/inbox' }
  return async () => where(await go('/auth/signin/plain', form))
})

await walk('callback', async () => {
  jar.clear()
  const form = { csrfToken: await csrfToken(), callbackUrl: '/inbox' }
  const started = await go('/auth/signin/plain', form)
  const state = new URL(started.headers.get('location') ?? '').searchParams.get('state')
  return async () => where(await go(`/auth/callback/plain?code=code&state=${state}`))
})

await walk('account', async () => async () => `${(await go('/auth/account')).status}`)

await walk('read', async () => {
  const [name = ''] = [...jar.keys()].filter((name) => name.endsWith('session-token'))
  const headers = { host: 'localhost:8787', cookie: `${name}=${jar.get(name)}` }
  const req = { headers, url: '/inbox', method: 'GET', socket: {}, get: () => undefined }
  return async () => JSON.stringify(await getSession(req as never, app as never))
})

await walk('mail', async () => {
  jar.clear()
  const form = { csrfToken: await csrfToken(), callbackUrl: '/inbox', email: 'ada@example.com' }
  await go('/auth/signin/email', form)
  const link = new URL(mails.at(-1) ?? '')
  return async () => where(await go(link.pathname + link.search))
})

console.log(JSON.stringify(ran))
process.exit()
