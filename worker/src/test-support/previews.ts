import { createAuth } from '../index.js'
import type { AuthConfig, Provider } from '../types.js'
import { Browser, configWith, locationOf } from './browser.js'
import { providerAt, type TestIssuer } from './issuer.js'

export const proxyOrigin = 'https://auth.example.com'
export const previewOrigin = 'https://pr-7.shop.pages.dev'

/** What both services have, as the documentation says. */
export const shared = {
  AUTH_SECRET: 'a-secret-of-proxy-and-previews-0123456789',
  AUTH_REDIRECT_PROXY_URL: `${proxyOrigin}/auth`,
  AUTH_TRUSTED_ORIGINS: 'https://*.shop.pages.dev,http://localhost:*,http://127.0.0.1:*',
}

/** A service at an origin, and a browser with the cookies of that origin. */
export interface Place {
  readonly at: string
  readonly browser: Browser
  /** Messages of the errors in its log. */
  readonly said: () => string[]
}

/** @param env changes of what both have; `undefined` leaves a variable out */
export function placeAt(
  at: string,
  providers: readonly Provider[],
  env: Record<string, string | undefined> = {},
  changes: Partial<AuthConfig> = {},
): Place {
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const auth = createAuth(configWith({ secret: [], providers, logger, ...changes }))
  const variables = { ...shared, ...env }
  const answer = (request: Request) => auth.fetch(request, variables)
  const browser = new Browser(configWith(), { at, answer })
  return { at, browser, said: () => errors.map(({ message }) => message) }
}

/** A proxy and a preview with the same environment, and the same provider. */
export function proxyAndPreview(issuer: TestIssuer, at = previewOrigin) {
  const providers = [providerAt(issuer)]
  return { proxy: placeAt(proxyOrigin, providers), preview: placeAt(at, providers) }
}

/** The path and query to which a service has redirected the browser. */
export function pathOf(answer: Response): string {
  const url = new URL(locationOf(answer))
  return url.pathname + url.search
}

/** The provider's answer to a sign-in that was started, as the browser brings it to the redirect URI. */
export function answerTo(started: URL, changes: Record<string, string> = {}): string {
  const { searchParams } = started
  const of = (name: string) => searchParams.get(name) ?? ''
  // A test issuer's code is the nonce.
  const answer = { code: of('nonce') || 'the-code', state: of('state'), ...changes }
  return `${new URL(of('redirect_uri')).pathname}?${new URLSearchParams(answer)}`
}
