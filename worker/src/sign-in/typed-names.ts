import { AuthError, ERRORS, type ErrorType } from '../errors.js'
import { sentCsrfToken } from '../http/csrf.js'
import type { Refusal } from '../http/outcome.js'
import { type AuthRequest, looksAhead } from '../http/request.js'
import type { Typed, TypedForm, TypedNames } from '../service/sign-in-hooks.js'
import { endFlow, newestFlow, type StartedFlow, startFlow } from './flow-cookie.js'

interface TypedFlow extends StartedFlow, TypedNames {
  /** The browser has another csrf token after each sign-in and sign-out: the next person sees no name. */
  readonly csrf?: string | undefined
}

/** Stands for the provider in the cookie of the names. */
const TYPED = '/signin'
/** The sign-in page is the next that the browser asks for. Seconds. */
const MAX_AGE = 60
/** The longest name, in bytes of JSON: as long as the longest address of email. Browsers drop a cookie above 4 kB. */
const MAX_NAME = 254
/** The most fields. */
const MAX_FIELDS = 4

/**
 * Keeps the names that a user has typed for the sign-in page that shows the mistake, sealed and in
 * this browser alone: a name is personal data, and the address of a page is in logs and histories.
 */
async function keepTyped(request: AuthRequest, refusal: Refusal): Promise<void> {
  const { attempt, posted } = refusal
  if (!posted || !isShownByUs(request, refusal)) return
  const typed = typedIn(request, { of: attempt?.provider, fields: posted })
  if (!typed) return
  const before = await newestFlow<TypedFlow>(request, TYPED, () => true)
  if (before) endFlow(request, before)
  const csrf = await sentCsrfToken(request)
  await startFlow(request, { provider: TYPED, callbackUrl: '', csrf, ...typed }, {}, MAX_AGE)
}

/**
 * Names for the form that shows an error: those of the form that was sent, or else the kept ones, once.
 */
async function namesTyped(
  request: AuthRequest,
  typed?: TypedForm,
): Promise<TypedNames | undefined> {
  if (request.method === 'POST') return typed && typedIn(request, typed)
  const flow = await newestFlow<TypedFlow>(request, TYPED, () => true)
  if (flow && !looksAhead(request)) endFlow(request, flow)
  return flow && flow.csrf === (await sentCsrfToken(request)) ? flow : undefined
}

function typedIn(
  { providers }: AuthRequest,
  { of = '', fields }: TypedForm,
): TypedNames | undefined {
  const provider = providers.usable.get(of)
  if (!provider) return undefined
  const { names = [] } = provider.kind.form(provider)
  const typed = names.slice(0, MAX_FIELDS).flatMap((name) => {
    const value = fields[name]
    const isKept = typeof value === 'string' && value !== '' && bytesOf(value) <= MAX_NAME
    return isKept ? [[name, value] as const] : []
  })
  return typed.length > 0 ? { of: provider.id, names: Object.fromEntries(typed) } : undefined
}

function bytesOf(value: string): number {
  return new TextEncoder().encode(JSON.stringify(value)).length - 2
}

/** Is the answer a redirect to our own page with the form? */
function isShownByUs(
  { config, wantsJson, features }: AuthRequest,
  { error, page, shown }: Refusal,
): boolean {
  if (wantsJson || config.raw || config.pages.signIn !== undefined || page || shown) return false
  if (!(error instanceof AuthError)) return false
  const isGuarded = features.ports.guard?.codes.includes(Reflect.get(error, 'code'))
  return isGuarded || ERRORS[error.type as ErrorType]?.kind === 'signIn'
}

/** For features whose forms have a name. */
export const typedNames: Typed = { keep: keepTyped, names: namesTyped }
