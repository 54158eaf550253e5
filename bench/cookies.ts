import { encode } from '@auth/core/jwt'
import { cookieValues } from '@latchkey/session/internal'
import { Auth, type AuthConfig } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'

/** The person that every contestant has signed in. */
const ADA = {
  id: '5f0a4b6e-3f51-4c35-9a53-0d3f6a1c2b7d',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  image: 'https://example.com/ada.png',
}

/** One cookie as a browser sends it back. */
export interface Cookie {
  readonly name: string
  readonly value: string
}

/** The session cookie of the service itself, after an ordinary sign-in. */
export function latchkeyCookie(origin: string, secret: string): Promise<Cookie> {
  const config = {
    secret,
    basePath: '/auth',
    session: { tokenMaxAge: 3600 },
    providers: [credentials({ credentials: { name: {} }, authorize: () => ADA })],
  }
  return signInAt(origin, config, 'ada')
}

/** Signs in at a service with credentials in a field `name`. */
export async function signInAt(
  origin: string,
  config: AuthConfig & { readonly basePath: string },
  name: string,
): Promise<Cookie> {
  const base = origin + config.basePath
  const asked = await Auth(new Request(`${base}/csrf`), config)
  const { csrfToken } = (await asked.json()) as { csrfToken: string }
  const cookie = asked.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const body = new URLSearchParams({ csrfToken, name })
  const init = { method: 'POST', headers: { cookie }, body }
  const answer = await Auth(new Request(`${base}/callback/credentials`, init), config)
  const cookieName = sessionCookieName(origin, 'auth.session-token', '__Host-')
  const [value] = answer.headers.getSetCookie().flatMap((line) => {
    return cookieValues(line, cookieName)
  })
  if (value === undefined) throw new Error('Signing in set no session cookie.')
  return { name: cookieName, value }
}

/** The session cookie of Auth.js for the same person. */
export async function authJsCookie(origin: string, secret: string): Promise<Cookie> {
  const name = sessionCookieName(origin, 'authjs.session-token', '__Secure-')
  const { id, name: fullName, email, image } = ADA
  const token = { name: fullName, email, picture: image, sub: id }
  return { name, value: await encode({ token, secret, salt: name, maxAge: 30 * 24 * 60 * 60 }) }
}

/**
 * The least that the contract's required header and claims allow, in bytes: every value that can be
 * chosen freely (user id, provider id) is one character long, and the user id occurs once.
 */
export function smallestCookie({ value }: Cookie): number {
  const [header = '', payload = '', signature = ''] = value.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const least = { ...claims, sub: 'u', amr: ['p'] }
  return [header, Buffer.from(JSON.stringify(least)).toString('base64url'), signature].join('.')
    .length
}

function sessionCookieName(origin: string, name: string, prefix: string): string {
  return origin.startsWith('https:') ? prefix + name : name
}
