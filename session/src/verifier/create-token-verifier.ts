import {
  type AccessToken,
  AccessTokenReader,
  type TakesMachines,
  type TokenPlace,
  type TokenReaderParts,
  type TokenReading,
} from './access-token-reader.js'
import { FeedReader } from './feed-reader.js'
import { fixedKeys, PublishedKeys, sessionKeysOf } from './key-source.js'
import { limitsOf, serviceOf, throttled, type VerifierOptions } from './options.js'
import type { WaitUntil } from './poller.js'
import { checkAudience, checkMachine } from './read-guard.js'
import { DerivedTokenKeys, givenTokenKeys, importTokenKeys } from './token-keys.js'
import type { TokenNeeds } from './token-refusal.js'
import { WorkerClient } from './worker-client.js'

export type { AccessToken, TokenReading }

/** How access tokens are verified. One of `secret`, `publicKeys` and `worker` gives the keys. */
export interface AccessVerifierOptions
  extends Pick<
    VerifierOptions,
    'secret' | 'worker' | 'issuer' | 'revocation' | 'fetch' | 'now' | 'onError'
  > {
  /** The resource that tokens must be for: their `aud` to the letter, an absolute URI. */
  readonly audience: string
  /**
   * The public keys, what `/oauth/jwks.json` answers, as an object or as JSON text. Default: the keys that `worker`
   * publishes.
   */
  readonly publicKeys?: unknown
  /**
   * The tokens of machines, which are apps that act for themselves: `true` takes them too, `'only'` takes no others. Default
   * `false`: a token that counts is a user's.
   */
  readonly machine?: TakesMachines | undefined
}

/** What one read of a verifier asks for. */
export interface ReadTokenOptions extends TokenNeeds {
  /** A Worker's `ctx.waitUntil`, if the platform stops a request's work after its answer. */
  readonly waitUntil?: WaitUntil | undefined
}

/** Reads access tokens. Make one for each audience and reuse it. */
export interface TokenVerifier {
  /**
   * The access token, or the API key, of a request. Answers without a promise if the token was seen before.
   *
   * @param authorization the value of the `Authorization` header. Tokens in queries and bodies do not count.
   * @param needs the scopes, the freshness and the strength that the route asks for
   * @throws {WorkerUnavailable} rejects if it is unknown whether the token counts, since the service does not answer
   * @example
   * const { token, refusal } = await verifier.read(request.headers.get('authorization'), { scope: 'notes:read' })
   */
  read(
    authorization: string | null | undefined,
    needs?: ReadTokenOptions,
  ): TokenReading | Promise<TokenReading>
  /** Ends the timer that fetches the feed of endings. From then on requests fetch it. */
  close(): void
}

/** Further options of a verifier, for an app that runs the service or answers under several names. */
export interface TokenReaderOptions extends AccessVerifierOptions {
  readonly ended?: TokenReaderParts['ended']
  readonly metadata?: string | undefined
}

const NO_NEEDS: ReadTokenOptions = Object.freeze({})

/**
 * A verifier of access tokens (RFC 9068) for one resource. It verifies locally, with public keys, and still refuses the
 * tokens of a grant that has ended within seconds. With a `worker` it takes API keys too.
 *
 * @example
 * const verifier = createTokenVerifier({ worker: 'https://example.com/auth', audience: 'https://api.example.com/' })
 * const { token, refusal } = await verifier.read(request.headers.get('authorization'))
 * if (refusal) return new Response(null, { status: refusal.status, headers: { 'www-authenticate': refusal.challenge } })
 * @throws {TypeError} when the options do not say by which keys, for which issuer or for which audience to verify
 * @throws {SecretError} when the secret is too short
 * @throws {KeyError} when `publicKeys` has no key of access tokens
 */
export function createTokenVerifier(options: AccessVerifierOptions): TokenVerifier {
  const { issuer } = serviceOf(options)
  if (issuer === undefined) throw new TypeError('A verifier of access tokens needs the issuer.')
  const { reader, close } = createTokenReader(options)
  const place: TokenPlace = { issuer }
  return {
    read: (authorization, needs = NO_NEEDS) =>
      reader.read(authorization, needs, needs.waitUntil, place),
    close,
  }
}

/** The parts of a verifier, for each read to name its issuer. @throws as {@link createTokenVerifier} */
export function createTokenReader(options: TokenReaderOptions): {
  readonly reader: AccessTokenReader
  readonly close: () => void
} {
  const { secret, publicKeys, audience, fetch, now = Date.now, ended, metadata } = options
  const machine = checkMachine(options.machine)
  const { service } = serviceOf(options)
  const { maxDelay, maxAge, cacheSize } = limitsOf(options)
  const onError = throttled(options.onError, now)
  checkAudience(audience)
  if (secret !== undefined && publicKeys !== undefined) {
    throw new TypeError('A verifier takes a secret or publicKeys, not both.')
  }
  const client = service && new WorkerClient({ ...service, fetch, now })
  const load = async () => importTokenKeys(await client?.fetchKeys('/oauth/jwks.json'))
  const published = client && new PublishedKeys({ load, maxAge, now, onError })
  const keys =
    secret !== undefined
      ? new DerivedTokenKeys(secret, published)
      : publicKeys === undefined
        ? published
        : givenTokenKeys(publicKeys)
  if (!keys) throw new TypeError('A verifier needs a secret, publicKeys or a worker.')
  const feed = client && new FeedReader({ client, keys: feedKeys(client), maxDelay, now, onError })
  const parts = { audience, machine, keys, feed, client, cacheSize, now, ended, metadata }
  return { reader: new AccessTokenReader(parts), close: () => feed?.close() }

  /** The feed is signed with a key of sessions, which none of the others is. */
  function feedKeys(client: WorkerClient) {
    if (secret !== undefined) return fixedKeys({ secret })
    return new PublishedKeys({ load: sessionKeysOf(client), maxAge, now, onError })
  }
}
