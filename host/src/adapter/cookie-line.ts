/** A cookie in the form that the cookie functions of frameworks take: attributes that all of the service's cookies have. */
export interface CookieLine {
  readonly name: string
  /** As it is in the line. */
  readonly value: string
  readonly options: {
    readonly path: string
    readonly httpOnly: boolean
    readonly secure: boolean
    readonly sameSite: 'lax' | 'none'
    readonly partitioned?: boolean
    /** Seconds. */
    readonly maxAge?: number
    readonly domain?: string
  }
}

/** Takes a Set-Cookie line of the service apart. */
export function parseCookieLine(line: string): CookieLine {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const at = pair.indexOf('=')
  const given = new Map(attributes.map((text) => splitAt(text, text.indexOf('='))))
  const maxAge = given.get('max-age')
  const domain = given.get('domain')
  const options = {
    path: given.get('path') ?? '/',
    httpOnly: given.has('httponly'),
    secure: given.has('secure'),
    sameSite: /^none$/i.test(given.get('samesite') ?? '') ? ('none' as const) : ('lax' as const),
    ...(given.has('partitioned') ? { partitioned: true } : {}),
    ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
    ...(domain === undefined ? {} : { domain }),
  }
  return { name: pair.slice(0, at), value: pair.slice(at + 1), options }
}

function splitAt(text: string, at: number): [name: string, value: string] {
  return at === -1
    ? [text.toLowerCase(), '']
    : [text.slice(0, at).toLowerCase(), text.slice(at + 1)]
}
