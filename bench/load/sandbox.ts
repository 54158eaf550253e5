import { Agent } from 'node:http'
import { type Started, start } from '../runtime.ts'
import { exchange } from './exchange.ts'
import { type Consent, ORIGIN, type Person } from './services.ts'

const CLIENT = { id: 'bench-client', secret: 'bench-secret' }

/** The stand-in for the video app, in a process of its own: its work is not measured. */
export interface Sandbox extends AsyncDisposable {
  /** The variables by which a service finds it. */
  readonly variables: Readonly<Record<string, string>>
  readonly consent: Consent
}

/** @param people that it knows */
export async function openSandbox(bundle: Started['bundle'], people: number): Promise<Sandbox> {
  const bindings = {
    ORIGIN,
    CLIENT: CLIENT.id,
    SECRET: CLIENT.secret,
    PEOPLE: String(people),
  }
  const runtime = await start([{ name: 'sandbox', bundle, settings: { bindings } }])
  const { origin, hostname, port } = await runtime.url('sandbox')
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    variables: {
      AUTH_VIDEO_ID: CLIENT.id,
      AUTH_VIDEO_SECRET: CLIENT.secret,
      AUTH_VIDEO_AUTHORIZATION_URL: `${origin}/v2/auth/authorize/`,
      AUTH_VIDEO_TOKEN_URL: `${origin}/v2/oauth/token/`,
      AUTH_VIDEO_USERINFO_URL: `${origin}/v2/user/info/`,
    },
    async consent(authorize: string, person: Person): Promise<URL> {
      const { pathname, search, searchParams } = new URL(authorize)
      const scope = searchParams.get('scope') ?? ''
      const fields = new URLSearchParams({ person: person.id, decision: 'allow', scope })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const path = pathname + search
      const request = { agent, hostname, port, method: 'POST', path, headers }
      const answer = await exchange(request, fields.toString())
      const back = URL.parse(answer.headers.location ?? '')
      if (!back?.searchParams.has('code')) {
        throw new Error(`The sandbox answered a consent with ${answer.status} ${answer.body}.`)
      }
      return back
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await runtime[Symbol.asyncDispose]()
    },
  }
}
