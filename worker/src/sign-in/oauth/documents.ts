/** For how long a document is used without asking again. Milliseconds. */
const FRESH = 60 * 60 * 1000
/** For how long a document is used when its server cannot be reached. Milliseconds. */
const USABLE = 24 * 60 * 60 * 1000
/** More than this many, and the oldest go. */
const MAX_DOCUMENTS = 100

/** After a failure the copy is used for so long before the server is asked again. Milliseconds. */
const PAUSE = 60 * 1000

/** Times are milliseconds since the epoch. */
interface Document {
  readonly content: unknown
  readonly at: number
  /** When its server failed last. */
  failedAt?: number
}

/**
 * What was read, by the fetch that read it: two services in one process share what they read in
 * the same way and nothing else. Values only, never promises: a request that ends early would
 * leave a promise behind that no other request may wait for.
 */
const caches = new WeakMap<typeof fetch, Map<string, Document>>()

/** Where a document comes from. */
export interface DocumentSource<Content> {
  /** Whose cache it is: the provider's own fetch, or the platform's. */
  readonly cachedBy: typeof fetch
  /** Gets and checks the document. Only what it returns is kept. */
  readonly read: () => Promise<Content>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * A public document of a provider, such as its discovery document or its keys: an hour old at most,
 * or up to a day when its server cannot be reached.
 *
 * @throws what `read` throws, when there is no copy that is young enough
 */
export async function cachedDocument<Content>(
  name: string,
  { cachedBy, read, now }: DocumentSource<Content>,
): Promise<Content> {
  const known = caches.get(cachedBy)?.get(name)
  const isUsable = known && now - known.at < USABLE
  const hasJustFailed = isUsable && now - (known.failedAt ?? 0) < PAUSE
  if (known && (now - known.at < FRESH || hasJustFailed)) return known.content as Content
  try {
    return await freshDocument(name, { cachedBy, read, now })
  } catch (error) {
    if (!isUsable) throw error
    known.failedAt = now
    return known.content as Content
  }
}

/** The document as it is now, for what the copy does not have. */
export async function freshDocument<Content>(
  name: string,
  { cachedBy, read, now }: DocumentSource<Content>,
): Promise<Content> {
  const content = await read()
  const cache = caches.get(cachedBy) ?? new Map<string, Document>()
  caches.set(cachedBy, cache)
  cache.delete(name)
  cache.set(name, { content, at: now })
  const [oldest] = cache.keys()
  if (cache.size > MAX_DOCUMENTS && oldest !== undefined) cache.delete(oldest)
  return content
}
