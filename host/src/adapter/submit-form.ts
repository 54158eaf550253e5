import { CredentialsSignin } from '@latchkey/session'
import { within } from '@latchkey/session/internal'
import type { Warn } from './origin-warnings.js'
import { ownReferer } from './own-referer.js'
import { type TypesById, typesIn } from './provider-types.js'
import { readText } from './read-text.js'
import { Refusal } from './refusal.js'

/** The contents of a sign-in or sign-out form. */
export interface ActionForm {
  readonly action: 'signIn' | 'signOut'
  readonly providerId?: string | undefined
  /** Adds the provider to the ways of the signed-in user. */
  readonly link?: boolean
  /** The target afterwards, if the service allows it. */
  readonly redirectTo?: string | undefined
  readonly authorizationParams?: URLSearchParams
  /** The provider's own fields. */
  readonly fields?: URLSearchParams
}

/** The outcome of a form. */
export interface AuthResult {
  /** A public error word, such as `Configuration`. */
  readonly error: string | undefined
  /** Details of the error. */
  readonly code: string | undefined
  /** The HTTP status of the service's answer. */
  readonly status: number
  readonly ok: boolean
  /** The next URL: with an OAuth provider, its page. */
  readonly url: string
}

type Init = { method: string; headers: Headers; body?: string }

/** Everything that sending a form needs. */
export interface Submission {
  /** The browser's own headers, end to end. */
  readonly headers: Headers
  /** The app's origin. */
  readonly origin: string
  /** Public address of the auth routes. */
  readonly page: string
  /** The app's root, for a form without a target. */
  readonly home: string
  readonly warn: Warn
  /** @param load asks the service for its providers */
  typesBy(load: () => Promise<TypesById>): Promise<TypesById>
  /** Calls the service, with the browser's cookies and those that this answer will set. */
  ask(route: string, init: Init): Promise<Response>
}

/** A form that is being sent. */
interface Sent extends Submission {
  readonly form: ActionForm
  readonly callbackUrl: string
}

/**
 * Sends a form of one of the app's own pages to the service, with this browser's csrf token.
 *
 * @param read reads the form; called once the request is known to be the app's own
 * @throws {CredentialsSignin} when the credentials are wrong, with their `code`
 * @throws {Refusal} for a request that is refused
 * @throws {WorkerUnavailable} when the service does not answer
 * @example const { url } = await submitForm(await host.submission(request), readForm)
 */
export async function submitForm(
  submission: Submission,
  read: () => Promise<ActionForm>,
): Promise<AuthResult> {
  const { headers, origin, home } = submission
  refuseOtherSites(headers, origin)
  const form = await read()
  const callbackUrl = form.redirectTo ?? ownReferer(headers.get('referer'), origin)?.href ?? home
  const sent: Sent = { ...submission, form, callbackUrl }
  const result = await (form.action === 'signOut' ? postForm(sent, '/signout', []) : signIn(sent))
  return { ...result, url: safeWithoutHost(result.url, submission) }
}

/**
 * The service's URL, or the app's root if the URL would lead to another host without its own, and without the app's base
 * path: frameworks make a URL of their host relative. The service may be an earlier version.
 */
function safeWithoutHost(url: string, { origin, home }: Submission): string {
  const { origin: target, pathname } = new URL(url, origin)
  const isCut = (path: string) => path.startsWith('//')
  const isOwn = target === origin
  return isOwn && (isCut(pathname) || isCut(pathname.slice(home.length - 1))) ? origin + home : url
}

/**
 * Sends data to `callbacks.jwt` of the service, as a page of the app's own does.
 *
 * @throws {Refusal} for a request that is refused
 * @throws {WorkerUnavailable} when the service does not answer
 */
export async function submitUpdate(submission: Submission, data: unknown): Promise<void> {
  const { headers, origin } = submission
  refuseOtherSites(headers, origin)
  const response = await post(submission, '/session', 'application/json', (csrfToken) =>
    JSON.stringify({ csrfToken, data }),
  )
  const { ok, status } = response
  const text = await textOf(response)
  if (!ok) throw new Refusal(status, refusal(text))
}

/**
 * Refuses a form of another site. A form action fetches the csrf token for its user, so the token
 * proves nothing here; the browser's own headers on the source of the form do (OWASP, cross-site
 * request forgery: Fetch Metadata). Frameworks have a check of their own, which apps may switch
 * off.
 *
 * @param origin the app's own
 * @throws {Refusal} 403
 */
function refuseOtherSites(headers: Headers, origin: string): void {
  const site = headers.get('sec-fetch-site')
  const isOwn = site === null ? headers.get('origin') === origin : site === 'same-origin'
  if (!isOwn) throw new Refusal(403, 'The form comes from another site.')
}

async function signIn(sent: Sent): Promise<AuthResult> {
  const { providerId: id, link, fields = [], authorizationParams } = sent.form
  if (id === undefined) return signInPage(sent)
  // An app hands on what a form has in the place of the provider's name.
  if (typeof id !== 'string') throw new Refusal(400, 'A file was sent where text is expected.')
  const query = authorizationParams?.size ? `?${authorizationParams}` : ''
  if (link) return postForm(sent, `/ways/add${query}`, [...fields, ['provider', id]])
  const types = await sent.typesBy(async () => typesIn(await get(sent, '/providers')))
  const type = types.get(id)
  if (type === undefined) {
    sent.warn('unknown-provider', unknownProvider(id, types))
    return { ...signInPage(sent), ...UNKNOWN }
  }
  // Without a password, the form of that provider asks for a mail.
  const isPassword = type === 'password' && sent.form.fields?.has('password')
  if (type === 'credentials' || isPassword) {
    return postForm(sent, `/callback/${encodeURIComponent(id)}`, fields)
  }
  return postForm(sent, `/signin/${encodeURIComponent(id)}${query}`, fields)
}

/** As the service has it. */
const UNKNOWN = { ok: false, status: 400, error: 'Configuration' } as const

/** A client can send any name, which must not forge a line of the log. */
function unknownProvider(id: string, types: TypesById): string {
  const name = id.replace(/[^\x20-\x7e]/g, '?').slice(0, 50)
  const configured = [...types.keys()].join(', ') || 'none'
  return `A form names the provider "${name}", which is not configured. Configured are: ${configured}.`
}

/** The page on which a person chooses a provider, or one of their own for a fresh sign-in. */
function signInPage({ page, callbackUrl, form }: Sent): AuthResult {
  const url = new URL(`${page}/signin`)
  url.searchParams.set('callbackUrl', callbackUrl)
  for (const name of ['maxAge', 'acr']) {
    const value = form.fields?.get(name)
    if (value) url.searchParams.set(name, value)
  }
  return { url: url.href, ok: true, status: 200, error: undefined, code: undefined }
}

async function postForm(
  sent: Sent,
  route: string,
  fields: Iterable<[string, string]>,
): Promise<AuthResult> {
  const body = new URLSearchParams([...fields])
  const answer = await post(sent, route, 'application/x-www-form-urlencoded', (csrfToken) => {
    body.set('csrfToken', csrfToken)
    body.set('callbackUrl', sent.callbackUrl)
    return body.toString()
  })
  return resultOf(answer)
}

/** Posts to a route of the service, with this browser's csrf token. */
async function post(
  sent: Submission,
  route: string,
  type: string,
  bodyOf: (csrfToken: string) => string,
): Promise<Response> {
  const { csrfToken } = (await get(sent, '/csrf')) as { csrfToken?: unknown }
  const headers = headersOf(sent)
  headers.set('content-type', type)
  headers.set('origin', sent.origin)
  headers.set('x-auth-return-redirect', '1')
  return sent.ask(route, { method: 'POST', headers, body: bodyOf(String(csrfToken)) })
}

/** The service's answer as a JSON object. @throws {Refusal} 503 when it is not one */
async function get(sent: Submission, route: string): Promise<object> {
  const response = await sent.ask(route, { method: 'GET', headers: headersOf(sent) })
  const answer = response.ok ? parsed(await textOf(response)) : undefined
  if (answer) return answer
  await response.body?.cancel().catch(() => {})
  throw new Refusal(503, 'Sign-in is not available just now. Please try again in a moment.')
}

/** The browser's own headers, without those that describe its form. */
function headersOf(sent: Submission): Headers {
  const headers = new Headers(sent.headers)
  for (const name of sent.headers.keys()) {
    if (/^(?:content-|if-|sec-|x-sveltekit-|origin$|range$|accept$)/.test(name))
      headers.delete(name)
  }
  headers.set('accept', 'application/json')
  return headers
}

/** @throws {CredentialsSignin | Refusal} for wrong credentials, and an answer without a URL */
async function resultOf(response: Response): Promise<AuthResult> {
  const { status, ok, headers } = response
  const text = await textOf(response)
  const { url, error, code } = textMembers(parsed(text))
  if (error === 'CredentialsSignin') {
    const refused = new CredentialsSignin('The credentials were refused.')
    const retryAfter = Number(headers.get('retry-after'))
    if (retryAfter > 0) refused.retryAfter = retryAfter
    // Frameworks log what an action throws, and anybody can type a wrong password.
    refused.stack = `${refused.name}: ${refused.message}`
    throw Object.assign(refused, { code: code ?? 'credentials' })
  }
  if (url !== undefined) return { url, ok, status, error, code }
  if (ok || status < 400) throw new Refusal(502, 'The auth service answered with something else.')
  throw new Refusal(status, refusal(text))
}

/** A refusal of the service is a short sentence. */
function refusal(text: string): string {
  return /^[\w .,'-]{1,100}$/.test(text) ? text : 'The auth service refused the form.'
}

/** Limits of an answer: longer, slower or aborted ones count as none. Bytes and milliseconds. */
const LIMITS = { size: 256 * 1024, time: 15_000 }

async function textOf(response: Response): Promise<string> {
  const text = readText(response, LIMITS.size).catch(() => undefined)
  return (await within(LIMITS.time, text)) ?? ''
}

/** The JSON object in a text. */
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
