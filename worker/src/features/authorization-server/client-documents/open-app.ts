import { fetchPublic } from '#document-fetch'
import { limitedFetch, timeLimit } from '../../../http/limited-fetch.js'
import { HOUR, waitInLedger } from '../../../http/limits.js'
import type { AuthRequest } from '../../../http/request.js'
import { keyOfSub } from '../../../lib/key-of-sub.js'
import type { AttemptLimit } from '../../../stores/ledger/types.js'
import { type App, serverOf } from '../settings.js'
import { isDocumentUrl, isOwnHost } from './document-url.js'
import { keepFor } from './keep-for.js'
import { DocumentFault, readDocument } from './read-document.js'

/** From the first byte of the question to the last one of the answer. Milliseconds. */
const MAX_WAIT = 5_000
/** Bytes. */
const MAX_DOCUMENT = 10 * 1024

/** How many documents a person may have us fetch. */
const LIMITS: readonly AttemptLimit[] = [{ name: 'documents', max: 60, period: HOUR }]

/** The key of a person's fetches in the ledger. */
export async function documentsOf(sub: string): Promise<string> {
  return `documents:${await keyOfSub(sub)}`
}

interface Kept {
  readonly app: App
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** More documents are not kept: the oldest ones go. Each has less than {@link MAX_DOCUMENT}. */
const MAX_KEPT = 100

/**
 * The documents that this isolate has read. With a fetch from the configuration they are kept by the ledger and the issuer,
 * since a configuration that is made for each request may bring a new fetch each time. Values, and no promises: a request
 * may end in the middle.
 */
const kept = new WeakMap<object, Map<string, Kept>>()

/**
 * The app that the metadata document at its `client_id` describes, fetched or from this isolate's memory.
 *
 * @param sub the signed-in person, whose fetches are counted
 * @returns `undefined`: it cannot be used, for a reason that the log alone says
 * @throws {StoreUnavailable}
 */
export async function openApp(
  request: AuthRequest,
  clientId: string,
  sub: string,
): Promise<App | undefined> {
  const server = serverOf(request)
  if (!server.isOpen) return undefined
  if (!isDocumentUrl(clientId) || isOwnHost(request, clientId)) {
    return refuse(request, 'Its client_id is not an address that a document may be fetched from.')
  }
  const now = request.config.now()
  const fetch = server.fetch ?? fetchPublic
  const owner = server.fetch ? request.revocations : fetch
  const name = server.fetch ? `${request.issuer} ${clientId}` : clientId
  const cache = kept.get(owner) ?? new Map<string, Kept>()
  kept.set(owner, cache)
  const before = cache.get(name)
  if (before && before.until > now) return before.app
  if ((await waitInLedger(request, [await documentsOf(sub)], LIMITS)) > 0) {
    return refuse(request, 'One person has asked for more than 60 documents in an hour.')
  }
  try {
    const ask = limitedFetch(fetch, timeLimit(MAX_WAIT), MAX_DOCUMENT)
    const answer = await ask(clientId, { headers: { accept: 'application/json' } })
    const app = await readDocument(clientId, answer)
    keep(cache, name, { app, until: now + keepFor(answer.headers) * 1_000 })
    return app
  } catch (error) {
    return refuse(request, reasonOf(error), new URL(clientId).host)
  }
}

function keep(cache: Map<string, Kept>, name: string, entry: Kept): void {
  cache.delete(name)
  cache.set(name, entry)
  const [oldest] = cache.keys()
  if (cache.size > MAX_KEPT && oldest !== undefined) cache.delete(oldest)
}

/** Every cause has the same page, so that nobody explores a network by it. */
function refuse({ config }: AuthRequest, reason: string, host?: string): undefined {
  const where = host === undefined ? '' : ` of ${host}`
  config.logger.warn('client-document', `The app${where} is not known. ${reason}`)
}

/** Our own words: those of the platform may name addresses. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error
  const isOurs =
    error instanceof DocumentFault || name === 'NotPublic' || name === 'ProviderAnswerError'
  return isOurs ? message : 'Its document could not be fetched in 5 seconds.'
}
