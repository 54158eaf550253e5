import type { SessionRequest } from './types.js'

/** A body that the app's own parser has already read, as it would be sent. */
export interface ParsedBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  /** `undefined`: the type in the request's header. */
  readonly type: string | undefined
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * The result of `express.json`, `urlencoded`, `raw` and `text`, serialized again; `undefined` while
 * the stream is unread, whatever `req.body` is: Express 4 sets it to `{}`.
 */
export function parsedBody(req: SessionRequest): ParsedBody | undefined {
  if (!req.readableDidRead) return undefined
  const { body } = req
  const type = mediaType(req)
  if (body === undefined || body === null) return { body: '', type: undefined }
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), type: undefined }
  // A parser has decoded it from whatever charset it was in.
  if (typeof body === 'string') return { body, type: `${type}; charset=utf-8` }
  try {
    if (type === FORM) return { body: formOf(body), type: FORM }
    return { body: JSON.stringify(body), type: undefined }
  } catch (error) {
    // A parser that does not recurse can read a body too deep to walk through: the stack ends.
    if (error instanceof RangeError) return MALFORMED
    throw error
  }
}

/** The service refuses it with 400, as it does such a body itself. */
const MALFORMED: ParsedBody = { body: '{', type: 'application/json' }

function mediaType(req: SessionRequest): string {
  return (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Fields as a browser writes them; nested ones in the form that Express's parser reads. */
function formOf(body: object): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) append(form, name, value)
  return form.toString()
}

function append(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== 'object')
    // A field that was sent twice is sent twice again, and then refused.
    for (const [index, item] of value.entries()) {
      append(form, isFlat ? name : `${name}[${index}]`, item)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) append(form, `${name}[${key}]`, member)
  } else {
    form.append(name, value === undefined || value === null ? '' : String(value))
  }
}
