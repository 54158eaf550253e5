import type { Context, MiddlewareHandler } from 'hono'

/** One request to an OAuth endpoint, as tests may inspect it. No secret is kept. */
export interface SandboxRequest {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** Media type of the body, without parameters; empty when there was none. */
  readonly contentType: string
  /** Query and form fields by name; secrets, codes, tokens and free text read `[hidden]`. */
  readonly fields: Readonly<Record<string, string>>
  readonly status: number
  /** `ok`, `consent`, or the error code of the answer: a status of 200 alone says nothing. */
  readonly outcome: string
}

export type LogVariables = { Variables: { fields: Record<string, string>; outcome: string } }

const visible = new Set([
  'client_key',
  'client_id',
  'response_type',
  'scope',
  'redirect_uri',
  'code_challenge_method',
  'grant_type',
  'fields',
  'decision',
  'person',
])

/** Only so many are kept, so that a long-running sandbox does not grow without end. */
const maximum = 1000

/** Adds the named fields to the entry of the current request. */
export const noteFields = (
  c: Context<LogVariables>,
  entries: Iterable<readonly [string, string]>,
): void => {
  const fields = c.get('fields')
  for (const [name, value] of entries) fields[name] = visible.has(name) ? value : '[hidden]'
}

export const mediaType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Writes one entry for each request that passes, oldest first. */
export const recordTo =
  (requests: SandboxRequest[], now: () => number): MiddlewareHandler<LogVariables> =>
  async (c, next) => {
    const at = now()
    c.set('fields', {})
    c.set('outcome', 'ok')
    noteFields(c, new URL(c.req.url).searchParams)
    await next()
    if (requests.length >= maximum) requests.shift()
    requests.push({
      at,
      method: c.req.method,
      path: c.req.path,
      contentType: mediaType(c.req.raw),
      fields: c.get('fields'),
      status: c.res.status,
      outcome: c.res.status === 404 ? 'not_found' : c.get('outcome'),
    })
  }
