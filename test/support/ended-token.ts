import { deriveSessionKeys, signSessionToken } from '@latchkey/session/issue'

/**
 * The same session with a token that has ended, as a Cookie header: no test has to wait until a
 * token ends, nor finish before it does.
 *
 * @param secret the service's, or another one for a forged token
 */
export async function endedToken(cookie: string, secret: string): Promise<string> {
  const [, name = '', token = ''] = /((?:__Host-)?auth\.session-token)=([^;]+)/.exec(cookie) ?? []
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const now = Math.floor(Date.now() / 1000)
  const { signing } = await deriveSessionKeys([secret])
  const past = { ...claims, iat: now - 400, auth_time: now - 400, exp: now - 100 }
  return `${name}=${await signSessionToken(past, signing)}`
}
