import { isLoopback } from '../lib/is-loopback.js'
import { cachedDocument } from './cached-document.js'
import { fetchDocument } from './limited-fetch.js'
import { type KeysAt, reading } from './published-keys.js'

/**
 * Where an issuer of tokens publishes its keys, by its discovery document (OpenID Connect Discovery 1.0, section 4), which is kept as
 * its keys are. A sign-in of an OpenID provider needs more of that document, and reads it by the feature `openid`.
 *
 * @param issuer as its tokens name it
 * @throws when the document cannot be read, is not the issuer's own, or has no address of keys
 * @example const keys = { ...source, address: await keysAddressOf('https://token.actions.githubusercontent.com', source) }
 */
export function keysAddressOf(
  issuer: string,
  { cachedBy, fetch, now, ...more }: Omit<KeysAt, 'address' | 'usable'>,
): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  return cachedDocument(`keys of ${address}`, {
    cachedBy,
    read: () =>
      reading(more, async () => {
        const document = await fetchDocument(fetch, address)
        if (!isSameIssuer(document.issuer, issuer)) {
          throw new TypeError('The discovery document belongs to another issuer.')
        }
        const url = typeof document.jwks_uri === 'string' ? URL.parse(document.jwks_uri) : null
        const isOwnMachine = url && isLoopback(new URL(issuer)) && isLoopback(url)
        if (url?.protocol === 'https:' || isOwnMachine) return (url as URL).href
        throw new TypeError('The discovery document has no valid jwks_uri.')
      }),
    now,
  })
}

/** Does a document name the issuer (RFC 8414, section 3.3)? Some add a slash to its end. */
export function isSameIssuer(named: unknown, issuer: string): named is string {
  return typeof named === 'string' && named.replace(/\/$/, '') === issuer.replace(/\/$/, '')
}
