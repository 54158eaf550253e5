import { isRecord } from '@latchkey/session/internal'
import { Hono } from 'hono/tiny'
import { OAuthCallbackError, ProviderMisconfigured } from '../../errors.js'
import { type InTime, timeLimit } from '../../http/limited-fetch.js'
import { isLoopback } from '../../lib/is-loopback.js'
import { ownDetail, printable } from '../../lib/printable.js'
import type { MiddlewareConfig, TokenSet } from '../../types.js'
import { type Exchanged, MAX_WAIT } from '../provider-answer.js'

/** The parts of a provider that running its middleware needs. */
export interface DrivenProvider extends Pick<MiddlewareConfig, 'id' | 'middleware'> {
  readonly clientId: string
  readonly clientSecret: string
}

/** The middleware's own `state` and cookies, which never reach a browser. */
export interface Carried {
  readonly state: string
  /** The cookies as one Cookie header. */
  readonly cookie: string
}

/**
 * Lets a middleware start a sign-in.
 *
 * @returns the middleware's redirect, still with its own `state`, and its state and cookies
 * @throws {ProviderMisconfigured} when it does not send the browser anywhere
 */
export async function startMiddleware(
  provider: DrivenProvider,
  redirectUri: string,
): Promise<Carried & { url: URL }> {
  try {
    const { answer } = await drive(
      provider,
      redirectUri,
      new Request(redirectUri),
      timeLimit(MAX_WAIT),
    )
    const url = URL.parse(answer.headers.get('location') ?? '')
    const state = url?.searchParams.get('state')
    if (!url || !state) throw new Error('It did not redirect to a sign-in with a state.')
    const isSafe = url.protocol === 'https:' || isLoopback(url)
    if (!isSafe) throw new Error('It redirects to something other than https.')
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0])
    return { url, state, cookie: cookies.join('; ') }
  } catch (error) {
    throw new ProviderMisconfigured(`The middleware of "${provider.id}" starts no sign-in.`, {
      cause: ownDetail({ provider: provider.id, ...describe(error, [provider.clientSecret]) }),
    })
  }
}

/**
 * Lets the middleware finish a sign-in: it exchanges the code, and fetches the profile.
 *
 * It makes its requests with the global fetch, so the promises for other providers do not hold
 * here: answers have no limit of size, redirects are followed, `customFetch` is not used, and a
 * request that is given up after ten seconds still runs on.
 *
 * @param carried what {@link startMiddleware} returned, stored where the browser cannot change it
 * @param response the parameters of the callback, already checked against our own `state`. Only the
 * code is passed on: some middlewares would take an access token from there as well
 * @throws {OAuthCallbackError} for every failure, never with a secret
 */
export async function finishMiddleware(
  provider: DrivenProvider,
  redirectUri: string,
  { state, cookie }: Carried,
  response: URLSearchParams,
  nowInSeconds: number,
  inTime = timeLimit(MAX_WAIT),
): Promise<Exchanged> {
  const url = new URL(redirectUri)
  url.search = new URLSearchParams({ code: response.get('code') ?? '', state }).toString()
  try {
    const request = new Request(url, { headers: { cookie } })
    const { found } = await drive(provider, redirectUri, request, inTime)
    if (!found) throw new Error('It did not let the sign-in through.')
    // The middlewares continue even without a token or a person.
    const tokens = tokenSet(found, nowInSeconds)
    return { tokens, profile: personIn(found) }
  } catch (error) {
    const cookies = cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1))
    const sent = [provider.clientSecret, response.get('code'), response.get('state'), state]
    throw new OAuthCallbackError(`Sign-in with "${provider.id}" failed.`, {
      cause: ownDetail({ provider: provider.id, ...describe(error, [...sent, ...cookies]) }),
    })
  }
}

/**
 * Runs a middleware in an app of its own, with a request of its own: it gets no header, parameter
 * or binding of the real request, and cookies that it sets do not reach the browser.
 */
function drive(provider: DrivenProvider, redirectUri: string, request: Request, inTime: InTime) {
  const { clientId, clientSecret, middleware } = provider
  const run = async () => {
    let found: Record<string, unknown> | undefined
    const app = new Hono()
      .get('*', middleware({ clientId, clientSecret, redirectUri }), (c) => {
        found = c.var
        return c.body(null, 204)
      })
      .onError((error) => {
        throw error
      })
    const answer = await app.fetch(request, {})
    return { answer, found }
  }
  return inTime(run())
}

function tokenSet(found: Record<string, unknown>, nowInSeconds: number): TokenSet {
  const access = tokenIn(found.token)
  // Entra's middleware puts the refresh token beside the access token.
  const refresh = tokenIn(found['refresh-token']).token ?? access.refresh_token
  const scopes = found['granted-scopes']
  if (!isText(access.token)) throw new Error('It brought no access token.')
  const expires_in = Number(access.expires_in)
  return {
    access_token: access.token,
    token_type: 'bearer',
    ...(isText(refresh) ? { refresh_token: refresh } : {}),
    ...(Array.isArray(scopes) ? { scope: scopes.filter(isText).join(' ') } : {}),
    // The package gives 0 or NaN if the lifetime is unknown.
    ...(expires_in > 0 && Number.isFinite(expires_in)
      ? { expires_in, expires_at: nowInSeconds + Math.floor(expires_in) }
      : {}),
  }
}

function tokenIn(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** The package names the variable after the provider: `user-github`. */
function personIn(found: Record<string, unknown>): Record<string, unknown> {
  const people = Object.keys(found).filter((name) => name.startsWith('user-'))
  const person = people.length === 1 ? found[people[0] as string] : undefined
  if (!isRecord(person)) throw new Error('It brought no user.')
  return person
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/**
 * The parts of a failure that may be logged. The middlewares' errors quote the provider, and
 * providers quote requests: Facebook, for one, repeats a refused access token. We do not know that
 * token, so every text that looks like one is hidden.
 */
function describe(error: unknown, secrets: readonly unknown[]): Record<string, unknown> {
  const { name, message } = error instanceof Error ? error : new Error('unknown')
  // These errors quote their input.
  if (error instanceof SyntaxError || message.includes("'in' operator")) {
    return { reason: 'The answer is not a JSON object.' }
  }
  const redacted = secrets
    .filter(isText)
    .reduce((text, one) => text.replaceAll(one, HIDDEN), message)
  const text = printable(
    redacted.replace(/[\w.~+/=-]{20,}/g, (run) => (isWord(run) ? run : HIDDEN)),
  )
  // The middleware throws an HTTPException of Hono when the provider refused.
  const isRefusal = isRecord(error) && typeof error.status === 'number'
  if (!isRefusal) return { reason: `${name}: ${text}` }
  return { reason: 'The middleware refused.', ...(text === undefined ? {} : { error: text }) }
}

const HIDDEN = '[hidden]'

/** Error codes such as `incorrect_client_credentials` are long, but have no capitals or digits. */
function isWord(run: string): boolean {
  return !/[A-Z\d]/.test(run)
}
