import {
  type CompactVerifyResult,
  compactVerify,
  createLocalJWKSet,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from 'jose/errors'
import { cachedDocument, refetch } from './cached-document.js'
import { fetchDocument } from './limited-fetch.js'

/** Every algorithm of a signature that is asymmetric: with a public key nobody signs. */
export const ASYMMETRIC: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

/** The public keys that somebody publishes at an address (RFC 7517). */
export interface KeysAt {
  readonly address: string
  /** The fetch that the copy belongs to: that of the configuration, or the platform's. */
  readonly cachedBy: typeof fetch
  /** The same with limits. */
  readonly fetch: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The keys of the document that count. It throws if there are none. Default: the whole document. */
  readonly usable?: (document: Record<string, unknown>) => JSONWebKeySet
  /** Makes the error for keys that cannot be read. Default: that of the attempt. */
  readonly unreadable?: (error: unknown) => Error
}

/** Tries to read a published document. */
export async function reading<Content>(
  { unreadable }: Pick<KeysAt, 'unreadable'>,
  read: () => Promise<Content>,
): Promise<Content> {
  if (!unreadable) return read()
  return read().catch((error: unknown) => Promise.reject(unreadable(error)))
}

/** What a key has signed. */
export interface SignedByKey {
  readonly payload: Uint8Array
  /** The issuer of the key, if its owner names one for each key. */
  readonly keyIssuer: string | undefined
}

/** The copy of a set: finds the key of a header. */
interface Copy {
  readonly find: ReturnType<typeof createLocalJWKSet>
  /** By the ids of keys. */
  readonly issuers: ReadonlyMap<unknown, string>
}

/**
 * The content of a JWS in its compact form that one of the published keys has signed. The keys are read once an hour, and used for
 * a day while they cannot be read. If no key has the id that the header names, they are read again, once a minute at most: a
 * stranger may have made up the id.
 *
 * @param algorithms those that count, of {@link ASYMMETRIC}
 * @throws when no key has signed it; what `unreadable` says when there are no keys
 * @example const { payload } = await verifyByKeysAt({ address, cachedBy, fetch, now }, token, ['ES256'])
 */
export async function verifyByKeysAt(
  { address, cachedBy, fetch, now, usable = asKeySet, ...more }: KeysAt,
  jws: string,
  algorithms: readonly string[],
): Promise<SignedByKey> {
  let wasRead = false
  const source = {
    ...{ cachedBy, now },
    read: (): Promise<Copy> =>
      reading(more, async () => {
        const set = usable(await fetchDocument(fetch, address))
        const find = createLocalJWKSet(set)
        const issuers = set.keys.flatMap(({ kid, issuer }: JWK & { issuer?: unknown }) =>
          typeof issuer === 'string' ? [[kid, issuer] as const] : [],
        )
        wasRead = true
        return { find, issuers: new Map(issuers) }
      }),
  }
  // A caller that takes only some keys has a copy of its own: another one would have keys that do not count.
  const name = usable === asKeySet ? address : `usable ${address}`
  const verify = async ({ find, issuers }: Copy): Promise<SignedByKey> => {
    const { payload, protectedHeader } = await verifyByKeys(find, jws, algorithms)
    return { payload, keyIssuer: issuers.get(protectedHeader.kid) }
  }
  const copy = await cachedDocument(name, source)
  try {
    return await verify(copy)
  } catch (error) {
    // The owner may have changed the keys, unless they were read just now.
    if (!(error instanceof JWKSNoMatchingKey) || wasRead) throw error
    const result = await refetch(name, source, verify)
    if (!result) throw error
    return result
  }
}

/** The most keys that one signature is tried with. */
const MAX_TRIED = 20

/** @param find of a set of keys: `createLocalJWKSet` */
export async function verifyByKeys(
  find: Copy['find'],
  jws: string,
  algorithms: readonly string[],
): Promise<CompactVerifyResult> {
  const options = { algorithms: [...algorithms] }
  try {
    return await compactVerify(jws, find, options)
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error
    // A header without the id of a key may mean each of them. The owner of the set may be a stranger.
    let tried = 0
    for await (const key of error) {
      if (tried++ === MAX_TRIED) break
      const verified = await compactVerify(jws, key, options).catch(() => undefined)
      if (verified) return verified
    }
    throw error
  }
}

function asKeySet(document: Record<string, unknown>): JSONWebKeySet {
  return document as unknown as JSONWebKeySet
}
