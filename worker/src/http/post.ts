import type { SessionNeeds } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { MissingCSRF } from '../errors.js'
import { type Fields, readBody } from './body.js'
import { checkCsrf } from './csrf.js'
import { type Outcome, refusing } from './outcome.js'
import type { AuthRequest } from './request.js'
import { needsIn, resolveCallbackUrl } from './targets.js'

/** The contents of a POST whose csrf token was checked. */
export interface Form {
  readonly fields: Fields
  /** The target that it asks for, checked: in the body, or else in the query, as Auth.js has it. */
  readonly callbackUrl: SafeRedirect | undefined
  /** How fresh and how strong a sign-in it asks for. */
  readonly needs: SessionNeeds
}

/**
 * Answers a POST whose csrf token is the one of its browser, and that a person sends where one is needed. An
 * error keeps the callbackUrl.
 *
 * @param staleAnswer answers a form that its browser had open before it signed in or out, such as the second of two
 *   clicks, and changes nothing. `undefined`: it is refused like any other
 * @throws {BadRequest} 415, 413 or 400
 * @throws {CallbackFailed}
 */
export async function answerPost(
  request: AuthRequest,
  handle: (form: Form) => Outcome | Promise<Outcome>,
  staleAnswer?: (request: AuthRequest, form: Form) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const fields = await readBody(request.original)
  const needs = needsIn((name) => fields[name])
  try {
    await checkCsrf(request, fields.csrfToken)
  } catch (error) {
    // A form that was open too long keeps its callbackUrl, for when it is sent again.
    const callbackUrl = await targetIn(request, fields).catch(() => undefined)
    const isStale = error instanceof MissingCSRF && error.isStale
    const answer =
      isStale &&
      (await staleAnswer?.(request, { fields, callbackUrl, needs }).catch(() => undefined))
    if (answer) return answer
    return { kind: 'refusal', error, callbackUrl, needs }
  }
  const callbackUrl = await targetIn(request, fields)
  return refusing({ callbackUrl, needs, posted: fields }, () => {
    const form = { fields, callbackUrl, needs }
    const { guard } = request.features.ports
    if (!guard || !needsHuman(request, fields)) return handle(form)
    return guard.check(request, fields).then(() => handle(form))
  })
}

/** Does the form do what a stranger must not do without end? */
function needsHuman({ route, routeId, providers }: AuthRequest, fields: Fields): boolean {
  const id = routeId || (fields.provider as string)
  return route.needsHuman?.(providers.usable.get(id)?.kind, fields) === true
}

async function targetIn(request: AuthRequest, fields: Fields): Promise<SafeRedirect | undefined> {
  const asked = textField(fields, 'callbackUrl') ?? request.query.get('callbackUrl')
  return asked === null ? undefined : resolveCallbackUrl(request, asked)
}

/** One value of a body as text; any other value counts as absent. */
function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
