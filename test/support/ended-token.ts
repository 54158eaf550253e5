import { deriveSessionKeys, signSessionToken } from '@latchkey/session/issue'

/**
 * The same session with a token that has ended, as a Cookie header: no test has to wait until a
 * token ends, nor finish before it does.
 *
 * @param secret the service's, or another one for a forged token
 */
export function endedToken(cookie: string, secret: string): Promise<string> {
  return tokenThatSays(cookie, secret, (now) => ({
    iat: now - 400,
    auth_time: now - 400,
    exp: now - 100,
  }))
}

/** The same session with a good token, after a sign-in of this age, in seconds. */
export function earlierSignIn(cookie: string, secret: string, seconds: number): Promise<string> {
  return tokenThatSays(cookie, secret, (now) => ({ auth_time: now - seconds }))
}

async function tokenThatSays(
  cookie: string,
  secret: string,
  changes: (now: number) => object,
): Promise<string> {
  const [, name = '', token = ''] = /((?:__Host-)?auth\.session-token)=([^;]+)/.exec(cookie) ?? []
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const { signing } = await deriveSessionKeys([secret])
  const changed = { ...claims, ...changes(Math.floor(Date.now() / 1000)) }
  return `${name}=${await signSessionToken(changed, signing)}`
}
