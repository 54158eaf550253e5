import { expect } from 'vitest'

/** The limits for answers of the service under test. */
export interface Allowed {
  /** The origins that a request may be answered for. */
  readonly own: (request: Request) => readonly string[]
  /** Origins that redirects may lead to besides. */
  readonly trusted: RegExp
  /** The authorization endpoint of each provider that has one, by id. */
  readonly authorization: Readonly<Record<string, string>>
  /** Beginnings of the names of its cookies, without `__Host-`. */
  readonly cookies: readonly string[]
  /** The scripts that its pages may have; by default the scripts that the page's policy names. */
  readonly scripts?: readonly string[] | 'of its policy'
  /** The pictures that its pages may have in themselves: `data:` URLs. */
  readonly pictures?: readonly string[]
}

/** The answers that caches may keep: they depend on no cookie. */
const PUBLIC = /\/(?:jwks\.json|revocations)$/

const SET_COOKIE =
  /^(?<prefix>__Host-|__Secure-)?(?<name>[\w.-]+)=(?<value>[\w.~%*'()!-]*)(?:; Max-Age=(?<age>\d+))?(?:; Domain=auth[.]example)?; Path=\/; HttpOnly(?<secure>; Secure)?; SameSite=Lax$/

/**
 * Checks every answer, for any request: its status, its redirect, its headers, its cookies, its
 * body.
 */
export async function expectSound(
  request: Request,
  answer: Response,
  allowed: Allowed,
): Promise<void> {
  const { pathname } = new URL(request.url)
  const { status, headers } = answer
  const body = new TextDecoder().decode(await answer.arrayBuffer())

  // A change of a session without a visible record was not stored, and its sender must get an error.
  const isUpdate = request.method === 'POST' && /^\/[\w/]*session$/.test(pathname)
  // The page of a configuration error has a route of its own; a prefetch gets an answer to come
  // again.
  const isMeant =
    (status === 503 && isUpdate) ||
    (status === 500 && pathname === '/auth/error' && body.startsWith('<!DOCTYPE')) ||
    (status === 503 && /pre(?:fetch|render)/.test(purposeOf(request)))
  // Browsers have no passkeys for addresses in numbers, which the log says.
  const isInNumbers = allowed.own(request).some((own) => /^\[|\d$/.test(new URL(own).hostname))
  const hasNone = status === 500 && pathname === '/auth/passkey/options' && isInNumbers
  if (!isMeant && !hasNone) expect(status).toBeLessThan(500)
  expect([200, 302, 303, 400, 401, 403, 404, 405, 408, 413, 415, 429, 500, 503]).toContain(status)

  const location = headers.get('location')
  expect(location !== null).toBe(status === 302 || status === 303)
  const told: unknown = isJson(headers) && body !== '' ? JSON.parse(body) : undefined
  for (const target of [location, ...urlsIn(told), ...urlsOf(body, headers, allowed)]) {
    if (target === null) continue
    expect(target).toMatch(/^[\x21-\x7e]+$/)
    const url = new URL(target, allowed.own(request)[0])
    expect(url.href.includes('error=Configuration') && !isUnknown(request)).toBe(false)
    expectAllowed(request, url, allowed)
  }

  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('strict-origin')
  const lines = headers.getSetCookie()
  const isPublic = PUBLIC.test(pathname) && lines.length === 0
  const cache = headers.get('cache-control') ?? ''
  expect(cache === 'private, no-store' || (isPublic && /^public, max-age=\d+$/.test(cache))).toBe(
    true,
  )
  if (headers.get('content-type')?.startsWith('text/html')) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const policy = headers.get('content-security-policy') ?? ''
    const scripts =
      allowed.scripts === 'of its policy' ? await hashedScripts(body, policy) : allowed.scripts
    const page = (scripts ?? []).reduce(
      (rest, script) => rest.replace(`<script>${script}</script>`, ''),
      body,
    )
    expect(page).not.toMatch(/<script|\son\w+=|http-equiv|javascript:/i)
  }
  expect(body).not.toMatch(/\bat .*(?:\.ts|\.js|node:internal).*:\d+/)
  if (status === 405) expect(headers.get('allow')).toMatch(/^(?:GET, HEAD(?:, POST)?|POST)$/)

  for (const line of lines) {
    const { name = '', prefix = '', secure, age } = SET_COOKIE.exec(line)?.groups ?? {}
    expect(line).toMatch(SET_COOKIE)
    expect(allowed.cookies.some((own) => name === own || name.startsWith(`${own}.`))).toBe(true)
    expect(prefix === '').toBe(secure === undefined)
    expect(Number(age ?? 0)).toBeLessThanOrEqual(400 * 24 * 60 * 60)
    expect(line.length).toBeLessThanOrEqual(4_096)
  }
  const names = lines.map((line) => line.slice(0, line.indexOf('=')))
  expect(new Set(names).size).toBe(names.length)
  if (request.method === 'HEAD') expect(lines).toEqual([])
}

/** The scripts of a page with hashes in its Content-Security-Policy. */
async function hashedScripts(body: string, policy: string): Promise<string[]> {
  const scripts = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code = '']) => code)
  const hashes = await Promise.all(
    scripts.map(async (code) => {
      const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code))
      return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    }),
  )
  return scripts.filter((_, at) => policy.includes(`'sha256-${hashes[at]}'`))
}

function expectAllowed(request: Request, url: URL, allowed: Allowed): void {
  const { pathname } = new URL(request.url)
  // A form that adds a way names the provider.
  const added = Object.keys(allowed.authorization).find((one) =>
    url.href.startsWith(`${allowed.authorization[one]}?`),
  )
  const isAdding = pathname === '/auth/ways/add'
  const id = (isAdding ? added : /^\/auth\/signin\/([^/]+)$/.exec(pathname)?.[1]) ?? ''
  const endpoint = request.method === 'POST' ? allowed.authorization[id] : undefined
  if (endpoint !== undefined && url.href.startsWith(`${endpoint}?`)) {
    const { searchParams } = url
    const redirectUri = new URL(searchParams.get('redirect_uri') ?? '')
    expect(allowed.own(request)).toContain(redirectUri.origin)
    expect(redirectUri.pathname).toBe(`/auth/callback/${id}`)
    for (const name of ['redirect_uri', 'state', 'response_type', 'code_challenge']) {
      expect(searchParams.getAll(name)).toHaveLength(1)
    }
    expect(searchParams.get('response_type')).toBe('code')
    return
  }
  const isAllowed = allowed.own(request).includes(url.origin) || allowed.trusted.test(url.origin)
  expect(isAllowed ? '' : url.href).toBe('')
}

/** A request with an unknown provider gets the error word of all mistakes in settings. */
function isUnknown(request: Request): boolean {
  const { pathname, searchParams } = new URL(request.url)
  return /\/(?:signin|callback)\/|\/ways\/add$/.test(pathname) || searchParams.has('error')
}

function purposeOf({ headers }: Request): string {
  return `${headers.get('sec-purpose')} ${headers.get('purpose')}`
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true
}

/** The addresses in an answer of JSON. */
function urlsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' && /url$/i.test(name) ? [one] : urlsIn(one),
  )
}

/** The addresses in a page. */
function urlsOf(body: string, headers: Headers, { pictures = [] }: Allowed): string[] {
  if (!headers.get('content-type')?.startsWith('text/html')) return []
  // The empty icon is in the page itself.
  const addresses = /\s(?:href|action|src|formaction)="(?!data:,")([^"]*)"/g
  const others = pictures.reduce(
    (rest, one) => rest.replaceAll(`<img class="logo" src="${one}"`, ''),
    body,
  )
  return [...others.matchAll(addresses)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
}
