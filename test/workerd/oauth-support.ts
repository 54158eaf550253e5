import {
  type AuthorizationServerOptions,
  authorizationServer,
} from '@latchkey/worker/features/authorization-server'
import { Browser, location, type Service, service, type TestEnv } from './support.ts'

export const redirectUri = 'https://spa.example.com/cb'
export const audience = 'https://api.example.com/'
const verifier = 'the-verifier-of-the-tests-0123456789-abcdefghij'

/** One app of each kind, a resource for each way to sign, and API keys. */
const OPTIONS: AuthorizationServerOptions = {
  apps: {
    spa: { name: 'SPA', redirectUris: [redirectUri] },
    own: {
      name: 'Own',
      redirectUris: [redirectUri],
      firstParty: true,
      resources: { [audience]: true },
    },
    old: { name: 'Old', redirectUris: [redirectUri], alg: 'RS256' },
    tv: { name: 'Telly', device: true },
  },
  resources: {
    [audience]: { name: 'API', scopes: { 'notes:read': 'Read your notes' } },
    'https://old.example.com/': {
      name: 'Old API',
      scopes: { 'notes:read': 'Read your notes' },
      alg: 'RS256',
    },
  },
  keys: { prefix: 'acme' },
}

/** What the endpoints for programs answer. */
export type Answer = { readonly status: number } & Readonly<Record<string, string>>

/**
 * An isolate of the authorization server in workerd. Its limits by network are high, since tests ask from one.
 *
 * @param more options that replace the ones above
 */
export function isolate(
  ledgerShards = 1,
  changed: Partial<Record<keyof TestEnv, unknown>> = {},
  more: AuthorizationServerOptions = {},
) {
  const RATE_LIMIT = { limit: async () => ({ success: true }) }
  const unlimited: object = { RATE_LIMIT }
  // A feature for each one, as each isolate evaluates its own configuration.
  const features = [authorizationServer({ ...OPTIONS, ...more })]
  const of = service({ ledgerShards, features }, { ...unlimited, ...changed })
  const outsider = new Browser(of)
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await outsider.go(`/auth${path}`, init)
    const text = await answer.text()
    return { ...(text.startsWith('{') ? JSON.parse(text) : { text }), status: answer.status }
  }
  const post = (path: string, fields: Record<string, string>) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields) })
  const token = (fields: Record<string, string>) => post('/oauth/token', fields)
  return {
    of,
    outsider,
    send,
    post,
    exchange: (code: string, fields: Record<string, string> = {}) =>
      token({
        grant_type: 'authorization_code',
        client_id: 'spa',
        code_verifier: verifier,
        code,
        ...fields,
      }),
    refresh: (refresh_token = '', fields: Record<string, string> = {}) =>
      token({ grant_type: 'refresh_token', client_id: 'spa', refresh_token, ...fields }),
    userInfo: (accessToken = '') =>
      send('/oauth/userinfo', { headers: { authorization: `Bearer ${accessToken}` } }),
    revoke: (text = '') => post('/oauth/revoke', { client_id: 'spa', token: text }),
    startDevice: () =>
      post('/oauth/device', { client_id: 'tv', scope: 'openid notes:read', resource: audience }),
    poll: (device_code = '') =>
      token({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'tv',
        device_code,
      }),
    exchangeKey: (subject_token: string) =>
      token({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token,
        subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
        resource: audience,
      }),
  }
}

export type Isolate = ReturnType<typeof isolate>

/** Signs a new person in. */
export async function person({ of }: { readonly of: Service }): Promise<Browser> {
  const browser = new Browser(of)
  const username = crypto.randomUUID()
  await browser.post('/auth/callback/credentials', { username, password: 'open sesame' })
  return browser
}

/** A good request of an app. */
export async function authorizePath(changes: Record<string, string> = {}): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: 'spa',
    redirect_uri: redirectUri,
    code_challenge: text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    code_challenge_method: 'S256',
    scope: 'openid profile notes:read',
    resource: audience,
    state: 'the-state',
    ...changes,
  })
  return `/auth/oauth/authorize?${parameters}`
}

/** Answers a consent page. */
export async function decide(browser: Browser, page: Response): Promise<Response> {
  const [, request = ''] = /name="request" value="([^"]+)"/.exec(await page.text()) ?? []
  return browser.post('/auth/oauth/consent', { request, decision: 'allow' })
}

/** The code at the app's redirect URI. */
export function codeAt(answer: Response): string {
  return location(answer).searchParams.get('code') ?? ''
}

/** Lets an app in, and gets its code. */
export async function letIn(browser: Browser, changes: Record<string, string> = {}) {
  const answer = await browser.go(await authorizePath(changes))
  return codeAt(answer.status === 200 ? await decide(browser, answer) : answer)
}

/** Makes an API key of a person who has just signed in. */
export async function makeKey(browser: Browser): Promise<string> {
  const fields = { name: 'CI', scope: 'notes:read', resource: audience }
  const page = await (await browser.post('/auth/keys/create', fields)).text()
  return /<code[^>]*>([^<]+)<\/code>/.exec(page)?.[1] ?? ''
}
