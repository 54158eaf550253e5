import type { AuthRequest } from '../../http/request.js'

/** A string of structured headers (RFC 9651, 3.3.3). Our values need no escapes. */
const QUOTED = /^"([^"\\]*)"$/

/**
 * A header with one text, which counts in quotes, as the draft has it, and bare, as Chromium 156 sends it.
 *
 * @returns `undefined`: it is missing or empty
 */
export function headerText(
  { original }: AuthRequest,
  name: 'secure-session-response' | 'sec-secure-session-id',
): string | undefined {
  const value = original.headers.get(name)?.trim() ?? ''
  const quoted = QUOTED.exec(value)?.[1]
  return (quoted ?? value) || undefined
}

/** Gives the browser the challenge of its next proof. */
export function setChallenge(request: AuthRequest, challenge: string, identifier: string): void {
  request.setHeaders.set('secure-session-challenge', `"${challenge}";id="${identifier}"`)
}

/** Asks the browser to make a key, and to register it. */
export function setRegistration(request: AuthRequest, challenge: string): void {
  const path = `${request.config.basePath}/bound/register`
  request.setHeaders.set(
    'secure-session-registration',
    `(ES256 RS256);path="${path}";challenge="${challenge}"`,
  )
}
