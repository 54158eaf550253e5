import { encode } from '@auth/core/jwt'
import { cookieHeader, forEach, type Person, SECRET } from './contestant.ts'

const name = 'authjs.session-token'

/** Sessions of Auth.js as it keeps them without a database: sealed in the cookie. */
export function signInWithAuthJs(people: readonly Person[]): Promise<string[]> {
  return forEach(people, async ({ id, name: fullName, email, image }) => {
    const token = { name: fullName, email, picture: image, sub: id }
    const value = await encode({ token, secret: SECRET, salt: name, maxAge: 30 * 24 * 60 * 60 })
    return cookieHeader({ name, value })
  })
}
