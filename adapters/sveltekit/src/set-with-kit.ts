import type { CookieAttributes, KitEvent } from './types.js'

/** Sets a cookie through Kit, by the Set-Cookie line of the service: attributes that all of its cookies have. */
export function setWithKit(cookies: KitEvent['cookies'], line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const at = pair.indexOf('=')
  const given = new Map(attributes.map((text) => splitAt(text, text.indexOf('='))))
  const maxAge = given.get('max-age')
  const domain = given.get('domain')
  const options: CookieAttributes = {
    path: given.get('path') ?? '/',
    httpOnly: given.has('httponly'),
    secure: given.has('secure'),
    sameSite: /^none$/i.test(given.get('samesite') ?? '') ? 'none' : 'lax',
    ...(given.has('partitioned') ? { partitioned: true } : {}),
    ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
    ...(domain === undefined ? {} : { domain }),
    // The value is not encoded again.
    encode: (value) => value,
  }
  cookies.set(pair.slice(0, at), pair.slice(at + 1), options)
}

function splitAt(text: string, at: number): [name: string, value: string] {
  return at === -1
    ? [text.toLowerCase(), '']
    : [text.slice(0, at).toLowerCase(), text.slice(at + 1)]
}
