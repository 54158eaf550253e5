import { deriveSessionKeys, signSessionToken } from '@latchkey/session/issue'
import { cookieHeader, forEach, ORIGIN, type Person, SECRET, type Session } from './contestant.ts'

export const ISSUER = `${ORIGIN}/auth`
export const SESSION_COOKIE = 'auth.session-token'

/** Tokens as the service issues them, except that they outlive the bench. */
async function sessionTokensOf(people: readonly Person[]): Promise<string[]> {
  const { signing } = await deriveSessionKeys([SECRET])
  const now = Math.floor(Date.now() / 1000)
  return forEach(people, (user) => {
    const claims = {
      iss: ISSUER,
      sub: user.id,
      sid: crypto.randomUUID().replaceAll('-', ''),
      iat: now,
      exp: now + 3600,
      auth_time: now,
      sexp: now + 30 * 24 * 60 * 60,
      amr: ['videoapp'],
      session: { user },
    }
    return signSessionToken(claims, signing)
  })
}

export async function publicKey(): Promise<CryptoKey> {
  const { verify } = await deriveSessionKeys([SECRET])
  const [key] = verify.values()
  if (!key) throw new Error('The secret gave no key.')
  return key.publicKey
}

const cookie = new RegExp(`(?:^|; )${SESSION_COOKIE.replace('.', '[.]')}=([^;]*)`)

/** The token of a Cookie header, found by a simple search. */
export function tokenIn(header: string | undefined): string {
  return cookie.exec(header ?? '')?.[1] ?? ''
}

/** The parts of a token that the bare signature checks need. */
export function partsOf(token: string) {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return {
    signed: Buffer.from(`${header}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
    sessionOf: (): Session => JSON.parse(Buffer.from(payload, 'base64url').toString()).session,
  }
}

export async function signInWithTokens(people: readonly Person[]): Promise<string[]> {
  const tokens = await sessionTokensOf(people)
  return tokens.map((value) => cookieHeader({ name: SESSION_COOKIE, value }))
}
