/** How long a document is used without reading it again. Milliseconds. */
const FRESH = 60 * 60 * 1000
/** How long a document is used while its server cannot be reached. Milliseconds. */
const USABLE = 24 * 60 * 60 * 1000
/**
 * The most cached documents; the oldest are dropped beyond it. Two for each of a thousand companies: with fewer, a stranger who names
 * one company after the other would have them read again and again.
 */
const MAX_DOCUMENTS = 2_000

/** How long the copy is used after a failure, or a look in vain, before the next attempt. Milliseconds. */
const PAUSE = 60 * 1000

/** Times are milliseconds since the epoch. */
interface Document {
  readonly content: unknown
  readonly at: number
  /** The time of the last failure. */
  failedAt?: number
  /** The time of the last look for something that the copy lacks. */
  lookedAt?: number
}

/**
 * The documents by the fetch that read them: two services in one process share only documents that
 * they read with the same fetch. Values only, never promises: a request that ends early would leave
 * a promise on which no other request may wait.
 */
const caches = new WeakMap<typeof fetch, Map<string, Document>>()

/** The source of a document. */
export interface DocumentSource<Content> {
  /** The fetch that the cache belongs to: the provider's own, or the platform's. */
  readonly cachedBy: typeof fetch
  /** Reads and checks the document. Only its result is cached. */
  readonly read: () => Promise<Content>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * A public document of a provider, such as its discovery document or its keys: an hour old at most,
 * or up to a day when its server cannot be reached.
 *
 * @throws the error of `read`, when no copy is young enough
 */
export async function cachedDocument<Content>(
  name: string,
  { cachedBy, read, now }: DocumentSource<Content>,
): Promise<Content> {
  const document = caches.get(cachedBy)?.get(name)
  const isUsable = document && now - document.at < USABLE
  const hasJustFailed = isUsable && now - (document.failedAt ?? 0) < PAUSE
  if (document && (now - document.at < FRESH || hasJustFailed)) return document.content as Content
  try {
    return (await freshDocument(name, { cachedBy, read, now })).content as Content
  } catch (error) {
    if (!isUsable) throw error
    document.failedAt = now
    return document.content as Content
  }
}

/**
 * The current document, for a caller that misses something in the copy. It is read at most once in
 * a minute while the search fails: a stranger may have made up the name.
 *
 * @param find throws if a document lacks it
 * @returns what `find` returns; `undefined`: a look was in vain a moment ago
 * @throws the error of `read`, or of `find`
 */
export async function refetch<Content, Result>(
  name: string,
  source: DocumentSource<Content>,
  find: (content: Content) => Promise<Result>,
): Promise<Result | undefined> {
  const { cachedBy, now } = source
  const document = caches.get(cachedBy)?.get(name)
  const { lookedAt = Number.NEGATIVE_INFINITY } = document ?? {}
  if (Math.abs(now - lookedAt) < PAUSE) return undefined
  // Before anything is awaited, so that many at once are one look.
  if (document) document.lookedAt = now
  const fresh = await freshDocument(name, source, now)
  const result = await find(fresh.content as Content)
  // The copy was old, then: the next look is for something else.
  delete fresh.lookedAt
  return result
}

async function freshDocument(
  name: string,
  { cachedBy, read, now }: DocumentSource<unknown>,
  lookedAt?: number,
): Promise<Document> {
  const document: Document = {
    content: await read(),
    at: now,
    ...(lookedAt === undefined ? {} : { lookedAt }),
  }
  const cache = caches.get(cachedBy) ?? new Map<string, Document>()
  caches.set(cachedBy, cache)
  cache.delete(name)
  cache.set(name, document)
  const [oldest] = cache.keys()
  if (cache.size > MAX_DOCUMENTS && oldest !== undefined) cache.delete(oldest)
  return document
}
