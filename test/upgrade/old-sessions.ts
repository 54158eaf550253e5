import { createHmac, hkdfSync } from 'node:crypto'
import { EncryptJWT } from 'jose'
import type { Cookies } from './browser.ts'

/** The secret of the app that people come from. */
export const OLD_SECRET = 'the-secret-of-the-old-app-0123456789abcdef'

/** A session of Auth.js, as its cookie has it. @param since seconds since the epoch */
export async function authjsSession(sub: string, since: number): Promise<Cookies> {
  const name = '__Secure-authjs.session-token'
  const info = `Auth.js Generated Encryption Key (${name})`
  const key = new Uint8Array(hkdfSync('sha256', OLD_SECRET, name, info, 64))
  const claims = { sub, name: sub, email: `${sub}@mail.example`, picture: null, jti: `of ${sub}` }
  const token = await new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
    .setIssuedAt(since)
    .setExpirationTime(since + 30 * 24 * 60 * 60)
    .encrypt(key)
  return { [name]: token }
}

/** A session of better-auth with a copy of its contents. @param since seconds since the epoch */
export function betterAuthSession(id: string, since: number): Cookies {
  const token = `token-of-${id}`
  const [createdAt, expiresAt] = [since, since + 30 * 24 * 60 * 60].map((time) => time * 1000)
  const session = {
    session: { token, userId: id, createdAt, expiresAt },
    user: { id, name: id, email: `${id}@mail.example`, image: null },
  }
  const signature = macOf(JSON.stringify({ ...session, expiresAt }), 'base64url')
  const copy = Buffer.from(JSON.stringify({ session, expiresAt, signature }))
  return {
    '__Secure-better-auth.session_token': encodeURIComponent(`${token}.${macOf(token, 'base64')}`),
    '__Secure-better-auth.session_data': copy.toString('base64url'),
  }
}

function macOf(text: string, encoding: 'base64' | 'base64url'): string {
  return createHmac('sha256', OLD_SECRET).update(text).digest(encoding)
}
