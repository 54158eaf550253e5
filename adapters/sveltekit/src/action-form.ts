import { readLimited } from '@latchkey/session/internal'
import { error } from '@sveltejs/kit'
import { bodyOf } from './body-of.js'

/** In bytes, as the service has it. */
const MAX_BODY = 64 * 1024

const PARAMETER = 'authorizationParams-'
/** Fields that are the action's own business. */
const CONTROLS = new Set(['providerId', 'redirectTo', 'redirect'])

/** What a sign-in or sign-out form says. */
export interface ActionForm {
  readonly providerId: string | undefined
  readonly redirectTo: string | undefined
  /** `redirect=false`: the page wants the outcome. */
  readonly wantsOutcome: boolean
  readonly authorizationParams: URLSearchParams
  /** The provider's own fields. */
  readonly fields: URLSearchParams
}

/**
 * The form of an action. Two values for one field could be read as either, and a file is no credential:
 * both are refused.
 *
 * @throws Kit's error 400, 413 or 415
 */
export async function readActionForm(request: Request): Promise<ActionForm> {
  const form = new Map<string, string>()
  for (const [name, value] of await formData(request)) {
    if (typeof value !== 'string') error(400, 'A file was sent where text is expected.')
    if (form.has(name)) error(400, 'A field was sent twice.')
    form.set(name, value)
  }
  const fields = new URLSearchParams()
  const authorizationParams = new URLSearchParams()
  for (const [name, value] of form) {
    if (name.startsWith(PARAMETER)) authorizationParams.set(name.slice(PARAMETER.length), value)
    else if (!CONTROLS.has(name)) fields.set(name, value)
  }
  return {
    providerId: form.get('providerId') || undefined,
    redirectTo: form.get('redirectTo') || undefined,
    wantsOutcome: form.get('redirect') === 'false',
    authorizationParams,
    fields,
  }
}

async function formData(request: Request): Promise<FormData> {
  if (request.bodyUsed) {
    throw new TypeError(
      'The form was read before: read it from `event.request.clone()`, so that signIn and signOut can.',
    )
  }
  const type = request.headers.get('content-type') ?? ''
  if (!/^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(type)) {
    error(415, 'Send a form.')
  }
  // A body's length may be left out, or be wrong: it is counted.
  const bytes = await readLimited(bodyOf(request), MAX_BODY)
  if (!bytes) error(413, 'The form is too long.')
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    error(400, 'The form cannot be read.')
  }
}
