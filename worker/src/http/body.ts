import { isRecord, readLimited } from '@latchkey/session/internal'
import { BadRequest } from '../lib/bad-request.js'

/** The members of a request body. Has no prototype, so every member is one that was sent. */
export type Fields = Readonly<Record<string, unknown>>

/** In bytes. */
const MAX_BODY = 64 * 1024
/** How deep JSON may be nested: what walks it recursively must not run out of stack. */
const MAX_DEPTH = 32

/**
 * A form or JSON object, at most 64 KiB.
 *
 * @throws {BadRequest} 415 for another media type, 413 when too long, 400 when malformed
 */
export async function readBody(request: Request): Promise<Fields> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded'
  if (!isForm && type !== 'application/json') {
    throw new BadRequest(415, 'Send a form or JSON.')
  }
  const body = await readText(request)
  return isForm ? parseForm(body) : parseJson(body)
}

async function readText(request: Request): Promise<string> {
  const bytes = await readLimited(request.body, MAX_BODY)
  if (!bytes) throw new BadRequest(413, 'The body is too long.')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new BadRequest(400, 'The body is not UTF-8.')
  }
}

function parseForm(body: string): Fields {
  const fields = Object.create(null) as Record<string, unknown>
  for (const [name, value] of new URLSearchParams(body)) {
    // Two values for one name could be read as either: refused rather than guessed.
    if (name in fields) throw new BadRequest(400, 'A field was sent twice.')
    fields[name] = value
  }
  return fields
}

function parseJson(body: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new BadRequest(400, 'The body is not JSON.')
  }
  if (!isRecord(value)) throw new BadRequest(400, 'The body is not an object.')
  if (isDeeper(value, MAX_DEPTH)) {
    throw new BadRequest(400, 'The body is nested too deeply.')
  }
  return Object.assign(Object.create(null), value)
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}
