import { AuthError } from '@latchkey/session'

/** What the service answered; `data` is undefined where that was no JSON. */
interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly data: unknown
}

/** Asks the auth service of this origin. */
export interface Requests {
  get(path: string): Promise<Answer>
  /** Brings the csrf token of this browser along. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Answer>
  urlOf(path: string): URL
}

/**
 * Requests to the auth service at `basePath`, such as `/auth`.
 *
 * @param root an absolute URL: the app's own root, with Kit's base
 * @throws {AuthError} when `basePath` is no path; a request rejects with it when nobody answers
 */
export function requestsTo(root: URL, basePath: string, fetch: typeof globalThis.fetch): Requests {
  const base = withoutSlash(root.pathname) + withoutSlash(basePath)
  const urlOf = (path: string) => new URL(base + path, root)
  if (!basePath.startsWith('/') || urlOf('/').origin !== root.origin) {
    throw new AuthError('The basePath of the auth routes must be a path, such as /auth.')
  }

  async function ask(path: string, init: RequestInit): Promise<Answer> {
    try {
      // A redirect to elsewhere must not take a password along.
      const response = await fetch(urlOf(path), { ...init, mode: 'same-origin', cache: 'no-store' })
      return { status: response.status, ok: response.ok, data: parse(await response.text()) }
    } catch (cause) {
      throw new AuthError('The auth service cannot be reached.', { cause })
    }
  }

  const get = (path: string) => ask(path, { headers: { accept: 'application/json' } })
  return {
    urlOf,
    get,
    async post(path, fields) {
      const csrf = await get('/csrf')
      const csrfToken = textMember(csrf.data, 'csrfToken')
      if (csrfToken === undefined) return { ...csrf, ok: false }
      return ask(path, {
        method: 'POST',
        headers: { 'x-auth-return-redirect': '1' },
        body: new URLSearchParams({ ...fields, csrfToken }),
      })
    },
  }
}

/** A member of an answer that is text; anything else is as if it were not there. */
export function textMember(data: unknown, name: string): string | undefined {
  const value = memberOf(data, name)
  return typeof value === 'string' ? value : undefined
}

/** A member of an answer, whatever the answer is. */
export function memberOf(data: unknown, name: string): unknown {
  const isObject = typeof data === 'object' && data !== null
  return isObject ? (data as Record<string, unknown>)[name] : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '')
}
