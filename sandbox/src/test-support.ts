import { challengeOf } from './digest.js'
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js'

export const verifier = 'a-verifier-of-at-least-forty-three-characters'
export const redirectUri = 'http://localhost:8787/auth/callback/videoapp'
export const credentials = {
  client_key: 'sandbox-client-key',
  client_secret: 'sandbox-client-secret',
}
export const start = Date.UTC(2026, 10, 1)

/** A sandbox with a clock that stands still until the test moves it. */
export const sandboxAt = (options: SandboxOptions = {}) => {
  const clock = { now: start }
  return { clock, sandbox: createSandbox({ now: () => clock.now, ...options }) }
}

type Changes = Record<string, string | undefined>

const encoded = (base: Record<string, string>, changes: Changes): URLSearchParams => {
  const params = new URLSearchParams(base)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) params.delete(name)
    else params.set(name, value)
  }
  return params
}

/** A correct authorize URL; `undefined` takes a parameter away. */
export const authorizeUrl = async (changes: Changes = {}): Promise<string> => {
  const params = encoded(
    {
      client_key: credentials.client_key,
      response_type: 'code',
      scope: 'user.info.basic,user.info.profile,user.info.stats',
      redirect_uri: redirectUri,
      state: 'st4te',
      code_challenge: await challengeOf(verifier, 'base64url'),
      code_challenge_method: 'S256',
    },
    changes,
  )
  return `/v2/auth/authorize/?${params}`
}

/** Sends the consent form; without scopes given, everything that was asked for is allowed. */
export const decide = async (
  sandbox: Sandbox,
  url: string,
  fields: { person?: string; scope?: readonly string[]; decision?: string } = {},
): Promise<Response> => {
  const asked = new URL(url, 'http://sandbox').searchParams.get('scope')?.split(',') ?? []
  const body = new URLSearchParams({
    person: fields.person ?? 'ada',
    decision: fields.decision ?? 'allow',
  })
  for (const scope of fields.scope ?? asked) body.append('scope', scope)
  return sandbox.request(url, { method: 'POST', body })
}

export const codeOf = (response: Response): string =>
  new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''

export const freshCode = async (
  sandbox: Sandbox,
  fields: { person?: string; scope?: readonly string[] } = {},
): Promise<string> => codeOf(await decide(sandbox, await authorizeUrl(), fields))

export const post = async (
  sandbox: Sandbox,
  path: string,
  fields: Changes,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await sandbox.request(path, { method: 'POST', body: encoded({}, fields) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const exchange = (sandbox: Sandbox, code: string, changes: Changes = {}) =>
  post(sandbox, '/v2/oauth/token/', {
    ...credentials,
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes,
  })

export const refresh = (sandbox: Sandbox, token: unknown, changes: Changes = {}) =>
  post(sandbox, '/v2/oauth/token/', {
    ...credentials,
    grant_type: 'refresh_token',
    refresh_token: String(token),
    ...changes,
  })

export const userInfo = async (sandbox: Sandbox, token: unknown, query: string) => {
  const response = await sandbox.request(`/v2/user/info/${query}`, {
    headers: { authorization: `Bearer ${String(token)}` },
  })
  const body = (await response.json()) as {
    data: { user?: Record<string, unknown> }
    error: { code: string; message: string; log_id: string }
  }
  return { status: response.status, ...body }
}
