import { encode } from 'jose/base64url'
import {
  PROOF_HEADER,
  type ProofKey,
  proofInput,
  proofKeyOf,
  type Statement,
} from '../shared/app-proof.js'

/** The part of a statement about a request that is not its time. */
type Said = Pick<Statement, 'origin' | 'client'>

/**
 * Proves to the service that a request comes from this app, by a key that both have: `AUTH_APP_KEY`, or
 * else `AUTH_SECRET`. Every key that the app has signs, so that secrets can be rotated in any order.
 */
export class Prover {
  readonly #secrets: readonly string[]
  /** The way to the service. */
  readonly fetch: typeof fetch
  #keys: readonly ProofKey[] | undefined

  /**
   * @param secrets without any, nothing is proved
   * @param send the adapter's, which stands in for the global one
   */
  constructor(secrets: readonly string[], send?: typeof fetch) {
    this.#secrets = secrets
    // Workers refuse a `fetch` that is called as a method.
    this.fetch = (...all) => (send ?? fetch)(...all)
  }

  /** Adds the proof to the headers of a request to the service. */
  async sign(
    url: URL,
    {
      method = 'GET',
      headers,
    }: { readonly method?: string | undefined; readonly headers: Headers },
    said: Said,
  ): Promise<void> {
    // A browser may have sent this header itself.
    headers.delete(PROOF_HEADER)
    if (this.#secrets.length === 0) return
    // The keys are kept, not the promise: in a Worker the request that made it may be broken off.
    this.#keys ??= await Promise.all(this.#secrets.map((secret) => proofKeyOf(secret)))
    const statement: Statement = {
      ...said,
      time: Math.floor(Date.now() / 1000),
      nonce: encode(crypto.getRandomValues(new Uint8Array(16))),
    }
    const text = encode(JSON.stringify(statement))
    const input = proofInput(method, url.pathname, text)
    const signatures = this.#keys.map(async ({ id, key }) => {
      const mac = await crypto.subtle.sign('HMAC', key, input)
      return [id, encode(new Uint8Array(mac))]
    })
    headers.set(PROOF_HEADER, [text, ...(await Promise.all(signatures)).flat()].join('.'))
  }

  /**
   * `fetch` for a verifier's own calls: the service is to answer for the issuer of the session that is
   * read. Without a key it is the platform's.
   *
   * @param address the service's
   */
  fetchOf(address: string): typeof fetch {
    if (this.#secrets.length === 0) return this.fetch
    const { origin: own } = new URL(address)
    return async (input, init) => {
      const headers = new Headers(init?.headers)
      const scheme = headers.get('x-forwarded-proto')
      const origin = `${scheme}://${headers.get('x-forwarded-host')}`
      // Asked by its own name the service needs no proof.
      if (origin !== own) await this.sign(new URL(String(input)), { headers }, { origin })
      return this.fetch(input, { ...init, headers })
    }
  }
}
