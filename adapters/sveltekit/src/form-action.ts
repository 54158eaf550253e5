import type { AuthResult } from '@latchkey/client/internal'
import { type ActionForm, type Host, readRequestBody, submitForm } from '@latchkey/host'
import { error, redirect } from '@sveltejs/kit'
import { bodyOf } from './body-of.js'
import { type KitRequest, throwAsKit } from './kit-request.js'

const PARAMETER = 'authorizationParams-'
/** The action's own fields. */
const CONTROLS = new Set(['providerId', 'redirectTo', 'redirect', 'link'])

type Fields = ReadonlyMap<string, string>

/**
 * The form actions `signIn` and `signOut`: they redirect the browser, or return the outcome to the
 * page where its form has `redirect=false`.
 *
 * @throws {CredentialsSignin} and Kit's errors for a request that is refused
 */
export async function runAction(
  action: ActionForm['action'],
  request: KitRequest,
  host: Host,
): Promise<AuthResult> {
  let fields: Fields = new Map()
  const read = async () => {
    fields = await fieldsOf(request.native.request)
    return { action, ...formOf(fields) }
  }
  const sent = host.submission(request).then((submission) => submitForm(submission, read))
  const result = await sent.finally(() => request.forgetSession()).catch(throwAsKit)
  if (fields.get('redirect') === 'false') return { ...result, url: result.ok ? result.url : null }
  // Kit 3 redirects to another origin only with this; Kit 2 always does.
  redirect(303, result.url, { external: true })
}

function formOf(given: Fields): Omit<ActionForm, 'action'> {
  const fields = new URLSearchParams()
  const authorizationParams = new URLSearchParams()
  for (const [name, value] of given) {
    if (name.startsWith(PARAMETER)) authorizationParams.set(name.slice(PARAMETER.length), value)
    else if (!CONTROLS.has(name)) fields.set(name, value)
  }
  return {
    providerId: given.get('providerId') || undefined,
    redirectTo: given.get('redirectTo') || undefined,
    link: given.get('link') === 'true',
    authorizationParams,
    fields,
  }
}

/**
 * The fields of a form. Two values for one could be read as either, and a file is not a credential:
 * both are refused.
 *
 * @throws Kit's error 400, 408, 413 or 415
 */
async function fieldsOf(request: Request): Promise<Fields> {
  const fields = new Map<string, string>()
  for (const [name, value] of await formData(request)) {
    if (typeof value !== 'string') error(400, 'A file was sent where text is expected.')
    if (fields.has(name)) error(400, 'A field was sent twice.')
    fields.set(name, value)
  }
  return fields
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
  // The bytes are counted, since a body's length may be missing or wrong.
  const bytes = await readRequestBody(request.headers, bodyOf(request))
  if (bytes === 413) error(413, 'The form is too long.')
  if (bytes === 408) error(408, 'The form came too slowly.')
  if (bytes === 400) error(400, 'The form broke off.')
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    error(400, 'The form cannot be read.')
  }
}
