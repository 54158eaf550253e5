/** A cookie to set, in its parts. */
export interface RawCookie {
  readonly name: string
  readonly value: string
  readonly options: {
    readonly path: string
    readonly httpOnly: boolean
    readonly secure: boolean
    readonly sameSite: 'lax'
    /** Seconds; left out, the cookie lives as long as the browser is open. */
    readonly maxAge?: number
    readonly domain?: string
  }
}

/** A response in parts, for a framework that sets cookies and redirects in its own way. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly redirect?: string
  readonly cookies: readonly RawCookie[]
  readonly body: string
}

export async function toRawResponse(response: Response): Promise<RawResponse> {
  const headers = new Headers(response.headers)
  const cookies = headers.getSetCookie().map(parseOwnCookie)
  headers.delete('set-cookie')
  const location = headers.get('location')
  headers.delete('location')
  return {
    status: response.status,
    headers,
    ...(location === null ? {} : { redirect: location }),
    cookies,
    body: await response.text(),
  }
}

/** Reads back a line that this service wrote itself: `name=value; Attribute; Attribute=value`. */
function parseOwnCookie(line: string): RawCookie {
  const [pair = '', ...attributes] = line.split('; ')
  const at = pair.indexOf('=')
  const domain = attributes.find((attribute) => attribute.startsWith('Domain='))?.slice(7)
  const maxAge = attributes.find((attribute) => attribute.startsWith('Max-Age='))?.slice(8)
  return {
    name: pair.slice(0, at),
    value: decodeURIComponent(pair.slice(at + 1)),
    options: {
      path: '/',
      httpOnly: true,
      secure: attributes.includes('Secure'),
      sameSite: 'lax',
      ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
      ...(domain === undefined ? {} : { domain }),
    },
  }
}
