import type { Context } from 'hono'
import { type LogVariables, mediaType, noteFields } from './request-log.js'

export type Form =
  | { readonly ok: true; readonly get: (name: string) => string | undefined }
  | { readonly ok: false; readonly reason: string }

/** The name that occurs twice, if any: parameters must not repeat (RFC 6749 §3.1, §3.2). */
export const repeatedName = (params: URLSearchParams): string | undefined => {
  const seen = new Set<string>()
  for (const name of params.keys()) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

export const isForm = (request: Request): boolean =>
  mediaType(request) === 'application/x-www-form-urlencoded'

/** Reads a back-channel request: form body only, nothing in the URL, no field twice. */
export const readForm = async (c: Context<LogVariables>): Promise<Form> => {
  if (!isForm(c.req.raw)) {
    return { ok: false, reason: 'Content-Type must be application/x-www-form-urlencoded' }
  }
  if (new URL(c.req.url).search !== '') {
    return { ok: false, reason: 'parameters belong into the body, not into the URL' }
  }
  const params = new URLSearchParams(await c.req.text())
  noteFields(c, params)
  const repeated = repeatedName(params)
  if (repeated !== undefined) return { ok: false, reason: `"${repeated}" is sent twice` }
  // An empty value counts as missing (RFC 6749 §3.2).
  return { ok: true, get: (name) => params.get(name) || undefined }
}
