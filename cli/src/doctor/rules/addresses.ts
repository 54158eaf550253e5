import { parseAuthUrl } from '@latchkey/host/shared'
import { textIn, type Variables } from '../read.js'

/** Does the host always mean the machine that asks? */
export function isLocal({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** An address that the service accepts as its own; `undefined`: it is malformed. */
export function addressOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  try {
    parseAuthUrl(text)
    return new URL(text)
  } catch {
    return undefined
  }
}

/** `AUTH_URL`; `undefined`: it is missing or malformed. */
export function ownUrl(variables: Variables): URL | undefined {
  return addressOf(textIn(variables, 'AUTH_URL'))
}

/** `AUTH_URL` if other machines reach it, so that people depend on it. */
export function publicUrl(variables: Variables): URL | undefined {
  const url = ownUrl(variables)
  return url && !isLocal(url) ? url : undefined
}

/** Is it the host, or a domain above it? A dot in front has no meaning (RFC 6265, 5.2.3). */
export function isAbove(domain: string, host: string): boolean {
  const name = domain.toLowerCase().replace(/^\./, '')
  return name !== '' && `.${host}`.endsWith(`.${name}`)
}

/** The base path of an address; `undefined`: it has none, and a default counts. */
export function basePathOf({ pathname }: URL): string | undefined {
  return pathname.replace(/\/+$/, '') || undefined
}
