import oidc from '@latchkey/worker/providers/oidc'
import type { OAuthUserConfig, OIDCConfig } from '@latchkey/worker/types'
import { inject } from 'vitest'
import type { ClientName } from '../support/oidc-provider.ts'
import type { SeenRequest } from '../support/oidc-requests.ts'
import { type Browser, location, type Service, service } from './support.ts'

const { issuer, clients } = inject('openid')

/** The private key of the private_key_jwt client. */
const key = await crypto.subtle.importKey(
  'jwk',
  clients.jwt.key as JsonWebKey,
  { name: 'ECDSA', namedCurve: 'P-256' },
  false,
  ['sign'],
)

/** The options of a client beside its id and secret. */
const NEEDS: Readonly<Record<ClientName, OAuthUserConfig>> = {
  basic: {},
  post: {},
  jwt: {
    client: { token_endpoint_auth_method: 'private_key_jwt' },
    token: { clientPrivateKey: { key, kid: clients.jwt.key?.kid ?? '' } },
  },
  form: { authorization: { params: { response_mode: 'form_post' } } },
}

/** The service with one OpenID provider, named like its client. */
export function appWith(name: ClientName, options: OAuthUserConfig = {}): Service {
  const { id, secret } = clients[name]
  const client = { id: name, issuer, clientId: id, clientSecret: secret }
  const provider: OIDCConfig = oidc({ ...client, ...NEEDS[name], ...options })
  return service({ providers: [provider] })
}

/** The result of `work`, and the requests to the provider meanwhile. */
export async function seenDuring<T>(
  work: () => Promise<T>,
  at = issuer,
): Promise<[result: T, seen: SeenRequest[]]> {
  const all = async () => (await fetch(`${at}/seen`)).json<SeenRequest[]>()
  const before = (await all()).length
  const result = await work()
  return [result, (await all()).slice(before)]
}

/** The provider's answer to the browser: a redirect, or a page that posts. */
interface Back {
  readonly to: URL
  readonly page: string
}

/** Plays a person's browser at the provider, until it is sent back to the app. */
export async function choose(start: URL, account: string): Promise<Back> {
  const cookies = new Map<string, string>()
  const go = async (url: URL, init: RequestInit = {}): Promise<Back> => {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const to = new URL(answer.headers.get('location') ?? '', url)
    // Read to its end: an unread answer occupies one of the few connections.
    return { to, page: await answer.text() }
  }
  const asked = await go(start)
  await go(asked.to)
  const chosen = await go(asked.to, { method: 'POST', body: new URLSearchParams({ account }) })
  return go(chosen.to)
}

/** Starts a sign-in and chooses an account: the path that the provider sends the browser back to. */
export async function callbackOf(browser: Browser, name: string, account = 'ada'): Promise<string> {
  const start = location(await browser.post(`/auth/signin/${name}`, { callbackUrl: '/inbox' }))
  if (start.pathname !== '/auth') throw new Error(`No sign-in was started: ${start}`)
  const { pathname, search } = (await choose(start, account)).to
  return pathname + search
}

export async function signIn(browser: Browser, name: string, account?: string): Promise<Response> {
  return browser.go(await callbackOf(browser, name, account))
}

export function requestsTo(route: string, seen: readonly SeenRequest[]): SeenRequest[] {
  return seen.filter((request) => request.route === route)
}

export function errorOf(answer: Response): string | null {
  return location(answer).searchParams.get('error')
}
