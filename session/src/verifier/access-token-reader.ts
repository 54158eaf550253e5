import type { TokenVerifyKeys } from '../token/access-keys.js'
import {
  type AccessClaims,
  type AccessTokenFault,
  accessTokenStanding,
  isLikeAccessToken,
  type MachineClaims,
  namedAlg,
  verifyAccessToken,
} from '../token/access-token.js'
import { parseApiKey } from '../token/api-key.js'
import { CLOCK_SKEW } from '../token/claims.js'
import { isAtLeast, isFresh } from '../token/is-enough.js'
import type { PresentedKey } from './exchange-key.js'
import type { FeedReader } from './feed-reader.js'
import { type HeldKey, KeyExchange } from './key-exchange.js'
import { areCurrent, type KeySource, waitForKeys } from './key-source.js'
import type { WaitUntil } from './poller.js'
import type { RevocationList } from './revocations.js'
import { SeenTokens } from './session-token-verifier.js'
import type { Named } from './sessions-in-use.js'
import {
  hasScopes,
  refusalOf,
  type TokenNeeds,
  type TokenRefusal,
  type TokenRefusalReason,
} from './token-refusal.js'
import { type WorkerAddress, type WorkerClient, WorkerUnavailable } from './worker-client.js'

/**
 * A good access token, of a user or of a machine. Frozen, since every request with the same token gets the same object. It is
 * the `AuthInfo` of `@modelcontextprotocol/server` as it stands.
 */
export type AccessToken = SharedToken &
  (
    | { readonly machine: false; readonly claims: AccessClaims }
    /** An app that acts for itself; only a verifier that takes machines returns it. */
    | { readonly machine: true; readonly claims: MachineClaims }
  )

interface SharedToken {
  /** The token itself; of an API key the one that it was exchanged for. */
  readonly token: string
  /** Stable id of the user; of a machine `machine:` and the id of its app. */
  readonly sub: string
  /** The app that has the token; `api-key` for an API key. */
  readonly clientId: string
  readonly scopes: string[]
  /** Seconds since the epoch. */
  readonly expiresAt: number
  /** The resource that the token is for. */
  readonly resource: URL
  readonly extra: { readonly sub: string }
  /** The address of the resource's metadata, if it has some. */
  readonly resourceMetadataUrl?: string
}

/** The result of reading an `Authorization` header. Frozen. */
export type TokenReading =
  | { readonly token: AccessToken; readonly refusal: null }
  | { readonly token: null; readonly refusal: TokenRefusal }

/** Where a request is, for an app that answers under several names. */
export interface TokenPlace {
  /** `https://example.com/*` for any path of an origin. */
  readonly issuer: string
  /** The service to ask about an API key, instead of the verifier's own. */
  readonly address?: WorkerAddress | undefined
}

/** The tokens that a verifier takes: those of users alone (`false`), of machines too (`true`), of machines alone (`'only'`). */
export type TakesMachines = boolean | 'only'

/** The parts of a reader of access tokens. */
export interface TokenReaderParts {
  readonly audience: string
  readonly machine: TakesMachines
  readonly keys: KeySource<TokenVerifyKeys>
  readonly feed: FeedReader | undefined
  readonly client: WorkerClient | undefined
  readonly cacheSize: number
  readonly now: () => number
  /** Grants and sessions that ended in this process, known without the feed. */
  readonly ended?: RevocationList | undefined
  /** The address of the resource's metadata. */
  readonly metadata?: string | undefined
}

/** A request's credential, and the needs of its route. */
interface Question {
  readonly authorization: string
  readonly place: TokenPlace
  readonly needs: TokenNeeds
  readonly waitUntil: WaitUntil | undefined
}

/** A grant or a session that may have ended, in the form that a list of endings takes. */
type Life = Parameters<RevocationList['has']>[0]

/** A token whose signature and claims are good. */
interface Genuine {
  readonly claims: AccessClaims | MachineClaims
  /** A machine has none. */
  readonly grant: Life | undefined
  /** An API key has none: an end to all sessions of its user does not end it. */
  readonly session: Life | undefined
  /** What the service is asked about, if its feed is too long to be read. */
  readonly named: readonly (Named & { readonly iat: number })[]
  readonly reading: TokenReading & { readonly refusal: null }
  /** The answer about the API key that the token was exchanged for. */
  readonly key: HeldKey | undefined
  /** When it stops to count. Milliseconds. */
  readonly until: number
}

const BEARER = /^bearer +/i

/** Longer headers are refused before anything is looked at: no token and no key is as long. */
const MAX_HEADER = 8_192 + 64

/** Reads access tokens and API keys: at once if possible, and otherwise with calls to the service. */
export class AccessTokenReader {
  readonly #parts: TokenReaderParts
  readonly #exchange: KeyExchange | undefined
  /** By the whole header. Dropped together with the keys. */
  #seen: { readonly keys: TokenVerifyKeys; readonly tokens: SeenTokens<Genuine> } | undefined

  constructor(parts: TokenReaderParts) {
    const { client, now, cacheSize } = parts
    this.#parts = parts
    this.#exchange = client && new KeyExchange({ client, now, size: cacheSize })
  }

  /**
   * The token of an `Authorization` header. Answers without a promise if it was seen before.
   *
   * @throws {WorkerUnavailable} rejects if it is unknown whether the token counts
   */
  read(
    authorization: string | null | undefined,
    needs: TokenNeeds,
    waitUntil: WaitUntil | undefined,
    place: TokenPlace,
  ): TokenReading | Promise<TokenReading> {
    if (typeof authorization !== 'string') return this.#refuse('no-token', needs)
    const time = this.#parts.now()
    const known = this.#recall(authorization, time, waitUntil)
    if (known !== undefined && !this.#mayExchange(known, time))
      return this.#judge(known, needs, place, time)
    if (!BEARER.test(authorization)) return this.#refuse('no-token', needs)
    return this.#examine({ authorization, place, needs, waitUntil })
  }

  /** A token that was seen before. @returns `undefined` if more has to be done */
  #recall(
    authorization: string,
    time: number,
    waitUntil: WaitUntil | undefined,
  ): Genuine | undefined {
    const seen = this.#seen
    const known = seen?.tokens.get(authorization)
    if (seen === undefined || known === undefined) return undefined
    if (time >= known.until || !areCurrent(this.#parts, seen.keys, time, waitUntil))
      return undefined
    const { feed } = this.#parts
    return feed !== undefined && mustAsk(feed, known, time) ? undefined : known
  }

  async #examine({ authorization, ...question }: Question): Promise<TokenReading> {
    const { needs, place } = question
    if (authorization.length > MAX_HEADER) return this.#refuse('not-a-jws', needs)
    const credential = authorization.replace(BEARER, '')
    if (credential === '') return this.#refuse('no-token', needs)
    const key = await this.#exchanged(credential, question)
    const found = await this.#find(authorization, credential, key, question)
    if (typeof found === 'string') return this.#refuse(found, needs)
    const { now } = this.#parts
    if (!key || !this.#mayExchange(found, now())) return this.#judge(found, needs, place, now())
    // The claims of its user were refreshed. The key is exchanged again, and the client of the API does not notice.
    const presented = this.#presented(credential, place)
    const again = await this.#exchange?.again(presented, key, question.waitUntil)
    const fresh = await this.#find(authorization, credential, again, question)
    if (typeof fresh === 'string') return this.#refuse(fresh, needs)
    return this.#judge(fresh, needs, place, now())
  }

  /** The token of a credential, when it is known whether it has ended. */
  async #find(
    authorization: string,
    credential: string,
    key: HeldKey | undefined,
    { place, waitUntil }: Omit<Question, 'authorization'>,
  ): Promise<Genuine | TokenRefusalReason> {
    const token = key ? key.token : credential
    if (token === undefined) return 'api-key'
    const found = isLikeAccessToken(token) ? await this.#verify(token, waitUntil) : 'not-a-jws'
    if (typeof found === 'string') return found
    const { now, feed } = this.#parts
    const genuine = this.#genuine(token, found.claims, key)
    const fault = this.#faultOf(genuine, place, now())
    if (fault !== undefined) return fault
    found.tokens.set(authorization, genuine)
    if (feed) await this.#hear(feed, genuine, waitUntil)
    return genuine
  }

  /** Is an API key to be exchanged again, since the claims of its user were refreshed? */
  #mayExchange(genuine: Genuine, time: number): boolean {
    const { key } = genuine
    return key !== undefined && (key.againAt ?? 0) <= time && this.#isStale(genuine)
  }

  /** Was the token issued before the claims of its user were refreshed? */
  #isStale({ claims }: Genuine): boolean {
    const { feed, ended } = this.#parts
    // No claims of a machine are refreshed.
    if (claims.machine) return false
    const { sub, sid = '', pid, key_pid = '', iat } = claims
    const token = { sub, sid, pid: pid ?? key_pid, iat }
    return feed?.list.isStale(token) === true || ended?.isStale(token) === true
  }

  /** Waits until it is known here whether the grant has ended. @throws {WorkerUnavailable} */
  async #hear(feed: FeedReader, genuine: Genuine, waitUntil: WaitUntil | undefined): Promise<void> {
    const { now } = this.#parts
    await feed.refreshIfDue(now(), waitUntil)
    if (hasEnded(feed.list, genuine)) return
    // Both at the same time, which is one question.
    const news = genuine.named.filter((one) => feed.mustAsk(one, now()))
    await Promise.all(news.map((one) => feed.askAbout(one)))
  }

  /** The answer about an API key; `undefined` for any other text, and if there is no service to ask. */
  async #exchanged(
    text: string,
    { place, waitUntil }: Omit<Question, 'authorization'>,
  ): Promise<HeldKey | undefined> {
    if (this.#exchange === undefined || parseApiKey(text) === undefined) return undefined
    return this.#exchange.of(this.#presented(text, place), waitUntil)
  }

  #presented(key: string, { issuer, address }: TokenPlace): PresentedKey {
    return { key, resource: this.#parts.audience, issuer, address }
  }

  /** @throws {WorkerUnavailable} if its key is not known, and cannot be looked up */
  async #verify(token: string, waitUntil: WaitUntil | undefined) {
    const { keys, now } = this.#parts
    await waitForKeys(this.#parts, waitUntil)
    const found = await this.#verifyBy(token)
    if (found !== 'unknown-key') return found
    if (await keys.lookFor(now(), waitUntil, namedAlg(token))) return this.#verifyBy(token)
    throw new WorkerUnavailable('The key of an access token cannot be looked up now.')
  }

  async #verifyBy(token: string): Promise<
    | {
        readonly claims: AccessClaims | MachineClaims
        readonly tokens: SeenTokens<Genuine>
      }
    | AccessTokenFault
  > {
    const { keys, tokens } = this.#usableKeys()
    const found = await verifyAccessToken(token, keys)
    if (typeof found === 'string') return found
    const { claims, notBefore } = found
    // Time only moves forward, so this is not checked again.
    if (notBefore > this.#parts.now() / 1000 + CLOCK_SKEW) return 'not-yet-valid'
    return { claims, tokens }
  }

  /** @throws {WorkerUnavailable} when there are no keys */
  #usableKeys() {
    const { keys, now, cacheSize } = this.#parts
    const usable = keys.usable(now())
    if (!usable) throw new WorkerUnavailable('The keys of access tokens are not known.')
    if (this.#seen?.keys !== usable) {
      this.#seen = { keys: usable, tokens: new SeenTokens(cacheSize) }
    }
    return this.#seen
  }

  #genuine(token: string, claims: AccessClaims | MachineClaims, key: HeldKey | undefined): Genuine {
    const reading = Object.freeze({ token: this.#tokenOf(token, claims), refusal: null })
    // A clock that differs from the service's must not make a key cost more calls.
    const until = key?.until ?? claims.exp * 1000
    if (claims.machine) {
      const { sub, pid, began, iat, jti } = claims
      const session = { sid: '', sub, pid, auth_time: began, began }
      return {
        ...{ claims, grant: undefined, session, named: [{ sid: jti, pid, iat }], reading },
        ...{ key, until },
      }
    }
    const { grant, sid, sub, pid, key_pid, auth_time, began, iat } = claims
    const named = pid === undefined ? { iat } : { pid, iat }
    const asked = key_pid === undefined ? named : { pid: key_pid, iat }
    const isPersonal = pid !== undefined || sid !== undefined
    return {
      claims,
      // No cut-off names a user without a name.
      grant: { sid: grant, sub: '', auth_time, began },
      // A grant beyond its session is spared by no cut-off.
      session: isPersonal ? { ...named, sid: sid ?? '', sub, auth_time, began } : undefined,
      named: [grant, ...(sid === undefined ? [] : [sid])].map((one) => ({ ...asked, sid: one })),
      ...{ reading, key, until },
    }
  }

  #tokenOf(token: string, claims: AccessClaims | MachineClaims): AccessToken {
    const { metadata } = this.#parts
    const { sub, client_id: clientId, scope, exp: expiresAt, aud } = claims
    const scopes = scope === undefined ? [] : scope.split(' ')
    Object.freeze(scopes)
    return Object.freeze({
      token,
      sub,
      clientId,
      scopes,
      expiresAt,
      // A URL cannot be frozen, and one request must not change another one's.
      get resource() {
        return new URL(aud)
      },
      ...(claims.machine ? { machine: true, claims } : { machine: false, claims }),
      extra: Object.freeze({ sub }),
      ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
    })
  }

  #judge(genuine: Genuine, needs: TokenNeeds, place: TokenPlace, time: number): TokenReading {
    const reason = this.#faultOf(genuine, place, time) ?? lackOf(genuine, needs, time)
    return reason === undefined ? genuine.reading : this.#refuse(reason, needs)
  }

  #faultOf(genuine: Genuine, { issuer }: TokenPlace, time: number): TokenRefusalReason | undefined {
    const { audience, feed, ended, machine } = this.#parts
    const { claims, until } = genuine
    const now = time / 1000
    if (machine !== true && (machine === 'only') !== (claims.machine === true)) return 'machine'
    const state = accessTokenStanding(claims, { issuer, audience, now, until: until / 1000 })
    if (state !== 'live') return state
    // A service whose sessions have shorter tokens may list endings for a shorter time.
    const begin = until / 1000 - (claims.exp - claims.iat)
    if (feed && begin + feed.maxLife <= now) return 'expired'
    const isOver = hasEnded(feed?.list, genuine) || hasEnded(ended, genuine)
    if (isOver) return 'grant-ended'
    return genuine.key === undefined && this.#isStale(genuine) ? 'stale' : undefined
  }

  #refuse(reason: TokenRefusalReason, needs: TokenNeeds): TokenReading {
    const refusal = refusalOf(reason, needs, this.#parts.metadata)
    return Object.freeze({ token: null, refusal })
  }
}

/** Is the grant over, or the session that it belongs to? */
function hasEnded(list: RevocationList | undefined, { grant, session }: Genuine): boolean {
  if (list === undefined) return false
  const ends = [grant, session]
  return ends.some((one) => one !== undefined && list.has(one))
}

/** Must the service be asked whether a grant goes on, since its feed is too long to be read? */
function mustAsk(feed: FeedReader, { named }: Genuine, time: number): boolean {
  let isAny = false
  // Each counts as in use from now on.
  for (const one of named) isAny = feed.mustAsk(one, time) || isAny
  return isAny
}

const NEEDS: readonly string[] = ['scope', 'maxAge', 'acr', 'waitUntil']

/** What the token lacks of the needs. Invalid needs are never met. @param time milliseconds */
function lackOf(
  { claims, reading }: Genuine,
  needs: TokenNeeds,
  time: number,
): TokenRefusalReason | undefined {
  const { maxAge, acr } = needs
  // A misspelled name would ask for nothing.
  for (const name in needs) if (!NEEDS.includes(name)) return 'scope'
  if (!hasScopes(reading.token.scopes, needs)) return 'scope'
  // A machine has never signed in.
  const signIn = claims.machine ? undefined : claims
  if (maxAge !== undefined && !(signIn && isFresh(signIn, time, maxAge))) return 'max-age'
  return acr === undefined || (signIn && isAtLeast(signIn.acr, acr)) ? undefined : 'acr'
}
