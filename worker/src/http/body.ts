import { readRequestBody } from '@latchkey/host/shared'
import { isRecord } from '@latchkey/session/internal'
import { BadRequest } from '../lib/bad-request.js'

/** The members of a request body. Has no prototype, so every member is one that was sent. */
export type Fields = Readonly<Record<string, unknown>>

/** How deep JSON may be nested: what walks it recursively must not run out of stack. */
const MAX_DEPTH = 32

/**
 * A form or JSON object, at most 64 KiB.
 *
 * @throws {BadRequest} 415 for another media type, 413 when too long, 408 when too slow, 400 when malformed or cut short
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

/** At most 64 KiB. @throws {BadRequest} 413, 408 or 400 */
export async function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readRequestBody(request.headers, request.body)
  if (bytes === 413) throw new BadRequest(413, 'The body is too long.')
  if (bytes === 408) throw new BadRequest(408, 'The body came too slowly.')
  if (bytes === 400) throw new BadRequest(400, 'The body broke off.')
  return bytes
}

async function readText(request: Request): Promise<string> {
  const bytes = await readBytes(request)
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
  for (const member of Object.values(value)) checkNested(member, MAX_DEPTH - 1)
  return Object.assign(Object.create(null), value)
}

/**
 * A nested value must not be deep, and must not contain names that a merge would take for a
 * prototype (CWE-1321): callbacks, and the libraries that they use, copy it member by member.
 *
 * @throws {BadRequest}
 */
function checkNested(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw new BadRequest(400, 'The body is nested too deeply.')
  refusePrototypes(value)
  for (const member of Object.values(value)) checkNested(member, depth - 1)
}

/**
 * Refuses an object of a stranger's with a member that reaches the prototype of what it is merged into.
 *
 * @throws {BadRequest}
 */
export function refusePrototypes(value: object): void {
  const maker: unknown = Object.hasOwn(value, 'constructor') && value.constructor
  if (Object.hasOwn(value, '__proto__') || (isRecord(maker) && Object.hasOwn(maker, 'prototype'))) {
    throw new BadRequest(400, 'The body has a member that is not accepted.')
  }
}
