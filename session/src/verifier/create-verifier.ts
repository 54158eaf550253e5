import { sessionTokens } from '../token/cookie.js'
import { isSkipped } from '../token/skipped.js'
import { FeedReader } from './feed-reader.js'
import { fixedKeys, PublishedKeys, sessionKeysOf } from './key-source.js'
import { cookieNamesOf, limitsOf, serviceOf, throttled, type VerifierOptions } from './options.js'
import type { WaitUntil } from './poller.js'
import type { Reading } from './reading.js'
import type { RevocationList } from './revocations.js'
import { SessionReader } from './session-reader.js'
import { type WorkerAddress, WorkerClient, WorkerUnavailable } from './worker-client.js'

/** How one read of a verifier differs from the others. */
export interface ReadOptions {
  /**
   * Another issuer than the verifier's own, for an app that answers under several names;
   * `https://example.com/*` for any path of an origin.
   */
  readonly issuer?: string | undefined
  /** Ask the service: its ledger has every ended session at once. Needs `worker`. */
  readonly online?: boolean | undefined
  /** A Worker's `ctx.waitUntil`, if the platform stops a request's work after its answer. */
  readonly waitUntil?: WaitUntil | undefined
  /**
   * The service to ask about this request's session instead of `worker`: one in the same process
   * that is configured for each request. Needs `worker`.
   */
  readonly service?: WorkerAddress | undefined
  /**
   * The request's `Secure-Session-Skipped` header. A browser says by it that it could not renew a bound
   * session just now: without a session cookie it is then unknown whose request it is.
   */
  readonly skipped?: string | null | undefined
}

/** Reads sessions. Make one and reuse it. */
export interface Verifier {
  /**
   * The session of a request, by its Cookie header. Answers without a promise if the token was
   * seen before.
   *
   * @throws {WorkerUnavailable} rejects when a token must be renewed, or the keys be looked up, and
   * the service does not answer, and for a browser without a cookie that has `skipped` the renewal of a
   * bound session: it is then unknown whether a user is signed in
   */
  read(cookieHeader: string | null | undefined, options?: ReadOptions): Reading | Promise<Reading>
  /** Ends the timer that fetches the feed of ended sessions. From then on requests fetch it. */
  close(): void
}

const SKIPPED = 'The browser could not renew its bound session just now.'

const NO_OPTIONS: ReadOptions = Object.freeze({})

/**
 * A verifier of sessions: it verifies locally, with public keys, and still refuses ended sessions
 * within seconds.
 *
 * @example
 * const verifier = createVerifier({ worker: 'https://example.com/auth' })
 * const { session } = await verifier.read(request.headers.get('cookie'))
 * @throws {TypeError} when the options do not say by which keys, or for which issuer, to verify
 * @throws {SecretError} when the secret is too short
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return createReader(options)
}

/**
 * The same for a process that has the service.
 *
 * @param ended what it hears without the feed of tokens that are to be renewed
 */
export function createReader(options: VerifierOptions, ended?: RevocationList): Verifier {
  const { secret, publicKeys, fetch, now = Date.now } = options
  const { issuer: own, service } = serviceOf(options)
  const { maxDelay, maxAge, cacheSize } = limitsOf(options)
  const nameOf = cookieNamesOf(options)
  const onError = throttled(options.onError, now)
  if (secret !== undefined && publicKeys !== undefined) {
    throw new TypeError('A verifier takes a secret or publicKeys, not both.')
  }
  const hasKeys = secret !== undefined || publicKeys !== undefined
  if (!hasKeys && !service) {
    throw new TypeError('A verifier needs a secret, publicKeys or a worker.')
  }
  const client = service && new WorkerClient({ ...service, fetch, now })
  const keys =
    hasKeys || !client
      ? fixedKeys({ secret, publicKeys })
      : new PublishedKeys({ load: sessionKeysOf(client), maxAge, now, onError })
  const feed = client && new FeedReader({ client, keys, maxDelay, now, onError })
  const reader = new SessionReader({ keys, feed, client, cacheSize, now, ended })
  const ownName = own === undefined ? '' : nameOf(own)

  return {
    read(cookieHeader, options = NO_OPTIONS) {
      const { issuer = own, online = false, waitUntil, service: address, skipped } = options
      if (issuer === undefined) throw new TypeError('The verifier does not know its issuer.')
      if (online && !client) throw new TypeError('To read a session online it takes a worker.')
      const name = issuer === own ? ownName : nameOf(issuer)
      // Hardly a request has it.
      if (skipped && isSkipped(skipped) && sessionTokens(cookieHeader, name).length === 0) {
        return Promise.reject(new WorkerUnavailable(SKIPPED))
      }
      const reading = online
        ? undefined
        : reader.recall(cookieHeader, issuer, name, waitUntil, address)
      return reading ?? reader.read({ cookieHeader, issuer, name, online, waitUntil, address })
    },
    close: () => feed?.close(),
  }
}
