import type { App } from './settings.js'

/** May an app have this redirect URI? */
export function isRedirectUri(_text: string): boolean {
  return false
}

/** The redirect URI of a request, if it is one of the app's: to the letter, but for the port of a loopback host (RFC 8252, section 7.3). */
export function redirectUriFor(_app: App, _text: string): string | undefined {
  return undefined
}
