import { decodeJwt } from 'jose'

/**
 * The issuer that the session token in a Cookie header names, unverified: it decides which service
 * is asked, and that service verifies the token.
 */
export function issuerIn(cookieHeader: string | null): string | undefined {
  const cookies = (cookieHeader ?? '')
    .split(';')
    .map((cookie) => cookie.slice(cookie.indexOf('=') + 1))
  for (const token of [...cookies, cookies.join('')]) {
    const issuer = issuerOf(token)
    if (issuer !== undefined) return issuer
  }
  return undefined
}

function issuerOf(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}
