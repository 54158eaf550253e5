import { HTTPException } from 'hono/http-exception'
import { isRecord } from '../lib/is-record.js'
import { checkCsrf } from './csrf.js'
import { readLimited } from './read-limited.js'
import { resolveCallbackUrl } from './reply.js'
import type { AuthContext } from './scope.js'

/** The members of a request body. Has no prototype, so every member is one that was sent. */
export type Fields = Readonly<Record<string, unknown>>

/** In bytes. */
const MAX_BODY = 64 * 1024
/** How deep JSON may be nested: what walks it recursively must not run out of stack. */
const MAX_DEPTH = 32

/**
 * The body of a POST whose csrf token was checked. Where it asks to lead is checked too.
 *
 * @throws {HTTPException} 415, 413 or 400
 * @throws {MissingCSRF}
 * @throws {CallbackFailed}
 */
export async function readPost(c: AuthContext): Promise<Fields> {
  const fields = await readBody(c.req.raw)
  try {
    await checkCsrf(c.env, fields.csrfToken)
  } catch (refusal) {
    // A form that was open too long still leads there, once it is sent again.
    await keepTarget(c, fields).catch(() => {})
    throw refusal
  }
  await keepTarget(c, fields)
  return fields
}

/** In the body, or else in the query, as Auth.js has it. */
async function keepTarget(c: AuthContext, fields: Fields): Promise<void> {
  const asked = textField(fields, 'callbackUrl') ?? c.env.query.get('callbackUrl')
  if (asked !== null) c.set('callbackUrl', await resolveCallbackUrl(c.env, asked))
}

/**
 * A form or JSON object, at most 64 KiB.
 *
 * @throws {HTTPException} 415 for another media type, 413 when too long, 400 when malformed
 */
export async function readBody(request: Request): Promise<Fields> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded'
  if (!isForm && type !== 'application/json') {
    throw new HTTPException(415, { message: 'Send a form or JSON.' })
  }
  const body = await readText(request)
  return isForm ? parseForm(body) : parseJson(body)
}

/** One value of a body as text; anything else is as if it were not there. */
function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function readText(request: Request): Promise<string> {
  const bytes = await readLimited(request.body, MAX_BODY)
  if (!bytes) throw new HTTPException(413, { message: 'The body is too long.' })
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new HTTPException(400, { message: 'The body is not UTF-8.' })
  }
}

function parseForm(body: string): Fields {
  const fields = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(body)) {
    // Two values for one name could be read as either: refused rather than guessed.
    if (name in fields) throw new HTTPException(400, { message: 'A field was sent twice.' })
    fields[name] = value
  }
  return fields
}

function parseJson(body: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new HTTPException(400, { message: 'The body is not JSON.' })
  }
  if (!isRecord(value)) throw new HTTPException(400, { message: 'The body is not an object.' })
  if (isDeeper(value, MAX_DEPTH)) {
    throw new HTTPException(400, { message: 'The body is nested too deeply.' })
  }
  return Object.assign(Object.create(null), value)
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}
