import type { SafeRedirect } from '../../config/safe-redirect.js'
import { isPrivateUse, isRedirectUri, redirectUriFor } from './redirect-uri.js'
import type { App } from './settings.js'

declare const registered: unique symbol

/** An address of an app that the app has registered: {@link registeredUri} and {@link originUriOf} alone make one. */
export type RedirectUri = string & { readonly [registered]: true }

/** The redirect URI of a request, if it is one of the app's. */
export function registeredUri(app: App, text: string): RedirectUri | undefined {
  return redirectUriFor(app, text) as RedirectUri | undefined
}

/**
 * A redirect URI with an answer in its query. The registered part stays as it is, to the letter: an app may
 * compare it. It may be of a scheme of the app's own, such as `com.example.app:/callback`.
 *
 * @param answer members without a value are left out
 */
export function answerAt(
  uri: RedirectUri,
  answer: Readonly<Record<string, string | undefined>>,
): SafeRedirect {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(answer)) {
    if (value !== undefined) parameters.set(name, value)
  }
  if (parameters.size === 0) return uri as string as SafeRedirect
  const before = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${before}${parameters}` as string as SafeRedirect
}

/** Where a redirect URI leads, as people and browsers name it. */
export interface Destination {
  /** Its host, with a port that is not the usual one; of an app's own scheme the scheme. */
  readonly name: string
  /** Is it an app on the person's own device? Any other app there may answer in its place (RFC 8252, section 8.6). */
  readonly isHere: boolean
}

/** @param uri a redirect URI */
export function destinationOf(uri: string): Destination {
  const { protocol, host } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') {
    return { name: protocol.slice(0, -1), isHere: true }
  }
  return { name: host, isHere: protocol === 'http:' }
}

/**
 * An address of an app to which a browser goes after a sign-out: it has the origin of one of the app's redirect URIs, of
 * which one for this machine may have any port. A scheme has no origin: such an address is to the letter one of the app's.
 *
 * @param isShown has the app shown a sign-in of its own? Otherwise no browser goes to a scheme
 * @returns `undefined`: it is not the app's
 */
export function originUriOf(
  { redirectUris }: App,
  text: string,
  isShown: boolean,
): RedirectUri | undefined {
  if (isPrivateUse(text)) {
    return isShown && redirectUris.includes(text) ? (text as RedirectUri) : undefined
  }
  const url = isRedirectUri(text) ? URL.parse(text) : null
  if (!url) return undefined
  const isOwn = redirectUris.some((one) => {
    const { origin, protocol, hostname } = new URL(one)
    if (protocol === 'http:') return url.protocol === protocol && url.hostname === hostname
    return url.origin === origin
  })
  return isOwn ? (text as RedirectUri) : undefined
}
