import { AuthError, CredentialsSignin } from '@latchkey/session'
import {
  endToEndHeaders,
  type PublicOrigin,
  readLimitedText,
  within,
} from '@latchkey/session/adapter'
import { error, redirect } from '@sveltejs/kit'
import { type ActionForm, readActionForm } from './action-form.js'
import { appBase } from './app-base.js'
import type { AuthApp } from './auth-app.js'
import type { AuthRequest } from './auth-request.js'
import { REFUSALS } from './auth-routes.js'
import type { AuthResult } from './client-flow.js'
import { refuseOtherSites } from './same-site.js'
import type { Service } from './service.js'
import type { Settings } from './settings.js'

/** A form action under way: its form was sent by one of the app's own pages. */
export interface ActionCall {
  readonly request: AuthRequest
  readonly settings: Settings
  readonly service: Service
  readonly origin: PublicOrigin
  readonly form: ActionForm
  /** Where to go afterwards, as far as the service agrees. */
  readonly callbackUrl: string
}

/** @throws {AuthError} without a service, and Kit's errors for a request that is refused */
export async function beginAction(app: AuthApp, request: AuthRequest): Promise<ActionCall> {
  const settings = await request.settings()
  const service = request.serviceOf(settings)
  if (!service) {
    throw new AuthError('ComponentKitAuth needs `providers`, `worker` or AUTH_WORKER_URL.')
  }
  const origin = request.originOf(settings)
  app.warnOf(origin, request.event, settings)
  if (typeof origin === 'string') error(400, REFUSALS[origin])
  const given = request.event.request
  refuseOtherSites(given, origin.origin)
  const form = await readActionForm(given)
  const callbackUrl = form.redirectTo ?? ownReferer(given, origin.origin) ?? `${appBase}/`
  return { request, settings, service, origin, form, callbackUrl }
}

/**
 * Posts fields to a route of the service, with this browser's csrf token, and hands its cookies on.
 *
 * @throws {CredentialsSignin} when the service says so
 */
export async function post(call: ActionCall, route: string, fields: URLSearchParams) {
  const body = new URLSearchParams(fields)
  body.set('csrfToken', await csrfToken(call))
  body.set('callbackUrl', call.callbackUrl)
  const headers = headersOf(call)
  headers.set('content-type', 'application/x-www-form-urlencoded')
  headers.set('origin', call.origin.origin)
  headers.set('x-auth-return-redirect', '1')
  const response = await ask(call, { route, method: 'POST', headers, body: body.toString() })
  return outcome(response)
}

/** A JSON object that the service answers. @throws Kit's error 503 when it does not */
export async function get(call: ActionCall, route: string): Promise<object> {
  const response = await ask(call, { route, method: 'GET', headers: headersOf(call) })
  const answer = response.ok ? parsed(await textOf(response)) : undefined
  if (answer) return answer
  await response.body?.cancel().catch(() => {})
  error(503, 'Sign-in is not available just now. Please try again in a moment.')
}

/** An answer of the service, with an address in any case. */
export type Outcome = AuthResult & { readonly url: string }

/** Leads the browser on, or tells the page what happened if its form asks for that. */
export function conclude({ form }: ActionCall, result: Outcome): AuthResult {
  if (form.wantsOutcome) return { ...result, url: result.ok ? result.url : null }
  // Kit 3 leads to a provider only with this; Kit 2 always does.
  redirect(303, result.url, { external: true })
}

async function ask(
  { request, service, settings, origin }: ActionCall,
  call: { route: string; method: string; headers: Headers; body?: string },
): Promise<Response> {
  const response = await request.ask(service, settings, { ...call, origin })
  request.setCookies(response.headers.getSetCookie())
  return response
}

/** The browser's own headers, less what speaks of its form. */
function headersOf({ request }: ActionCall): Headers {
  const headers = endToEndHeaders(request.event.request.headers)
  for (const name of [...headers.keys()]) {
    if (/^(?:content-|if-|sec-|x-sveltekit-|origin$|range$|accept$)/.test(name))
      headers.delete(name)
  }
  headers.set('accept', 'application/json')
  // With the cookies that the service has set a moment ago.
  if (request.cookies) headers.set('cookie', request.cookies)
  return headers
}

async function csrfToken(call: ActionCall): Promise<string> {
  const { csrfToken } = (await get(call, '/csrf')) as { csrfToken?: unknown }
  return String(csrfToken)
}

/** @throws {CredentialsSignin} and Kit's error for an answer without an address to go to */
async function outcome(response: Response): Promise<Outcome> {
  const { status, ok, headers } = response
  const text = await textOf(response)
  const { url, error: word, code } = textMembers(parsed(text))
  if (word === 'CredentialsSignin') {
    const refused = new CredentialsSignin('The credentials were refused.')
    const retryAfter = Number(headers.get('retry-after'))
    if (retryAfter > 0) refused.retryAfter = retryAfter
    throw Object.assign(refused, { code: code ?? 'credentials' })
  }
  if (url !== undefined) return { url, ok, status, error: word, code }
  if (ok || status < 400) error(502, 'The auth service answered with something else.')
  error(status, refusal(text))
}

/** A refusal of the service is a short sentence. */
function refusal(text: string): string {
  return /^[\w .,'-]{1,100}$/.test(text) ? text : 'The auth service refused the form.'
}

/** Longer answers are as none, and so are those that take longer or break off. Bytes and milliseconds. */
const LIMITS = { size: 256 * 1024, time: 15_000 }

async function textOf(response: Response): Promise<string> {
  const text = readLimitedText(response, LIMITS.size).catch(() => undefined)
  return (await within(LIMITS.time, text)) ?? ''
}

/** The object that a text stands for. */
function parsed(text: string): object | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}

function textMembers(answer: object = {}): Partial<Record<'url' | 'error' | 'code', string>> {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => typeof value === 'string'))
}

/** The page that the form is on. */
function ownReferer({ headers }: Request, origin: string): string | undefined {
  const referer = headers.get('referer')
  return referer && URL.canParse(referer) && new URL(referer).origin === origin
    ? referer
    : undefined
}
