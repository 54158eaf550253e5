import type { SessionClaims } from '@latchkey/session'
import { AccessDenied, DamagedRecord } from '../../../errors.js'
import { DAY } from '../../../http/limits.js'
import { logEvent } from '../../../http/log-event.js'
import type { Counted } from '../../../http/process-counter.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { isBarred } from '../../../person/documents.js'
import { personKey } from '../../../person/way-document.js'
import { ownerOf } from '../../../session/revoke.js'
import { wholeList } from '../../../stores/whole-list.js'
import { ledgerOf, ofItself } from '../grant-ledger.js'
import { serverOf } from '../settings.js'
import type { MadeKey } from '../types.js'
import { contentOfKey, type KeptKey, keyIn, lastUse } from './kept-key.js'
import { keepsHome, keptHome, takeHome } from './key-home.js'
import { homeOf, makeKeyText, type NamedKey } from './key-text.js'
import type { AskedKey } from './wanted-key.js'

/** The most keys of a person. */
const MAX_KEYS = 50

/**
 * Questions about a key that has ended, in a minute, which this process takes to the ledger. One under way counts until the
 * ledger has answered that the key goes on.
 */
const MAX_ENDED = 300

/** The most keys that a person makes in a minute, which this process counts: the rows of one that was ended stay for a while. */
const MAX_MADE = 100

/** A key that has so many days left ends soon. */
export const SOON = 7

/** The letters of a key after its prefix that its person may see again. */
const SHOWN = 4

/**
 * Makes an API key of a person.
 *
 * @param asker the session that asks for it; left out: the operator does
 * @returns `undefined`: the session is over
 * @throws {AccessDenied} with `too_many_keys`
 * @throws {StoreUnavailable} there may be a key that nothing has shown
 */
export async function makeKey(
  request: AuthRequest,
  sub: string,
  { name, resource, scopes, days }: AskedKey,
  asker?: SessionClaims,
): Promise<MadeKey | undefined> {
  const created = nowInSeconds(request)
  const limit = asker && (await request.counts.admit(`keys of ${sub}`, MAX_MADE, created))
  if (limit && limit.wait > 0)
    throw tooManyKeys(`A person makes ${MAX_MADE} API keys a minute at most.`)
  const { prefix = '' } = serverOf(request).keys ?? {}
  const session = asker && { sid: asker.sid, owner: ownerOf(asker) }
  const home = await takeHome(request, sub, session)
  if (home === undefined) return undefined
  const { text, id } = await makeKeyText(request, home, prefix)
  const expires = created + days * DAY
  const start = text.slice(0, prefix.length + 1 + SHOWN)
  const { configured } = request.config.origin
  // A call of the operator comes to no address.
  const iss = asker ? request.issuer : configured && configured + request.config.basePath
  const about = { id, sub, iss, name, start, resource, scopes, created, expires }
  const change = { version: 0, content: await contentOfKey(request, about), expires }
  // With the session, so that an erasure that has ended it finds no key of a person who is gone.
  const made = await ledgerOf(request).liveDocument(
    keyOf(home, id),
    session ?? ofItself(id),
    change,
  )
  if (made.isOver) return undefined
  // Afterwards, so that requests that race cannot pass the bound together, and none passes an erasure: the object with the key
  // may be another one than that of the person, which was asked before.
  const [all, isKept] = await Promise.all([
    keysAt(request, sub, home),
    keepsHome(request, sub, session, home),
  ])
  // One that is not listed, or whose home is not the person's any more, would never be found again: they were erased meanwhile.
  if (!isKept || !all.some((one) => one.id === id)) {
    await endKeys(request, [{ home, id }])
    return undefined
  }
  if (all.length > MAX_KEYS) {
    await endKeys(request, [{ home, id }])
    throw tooManyKeys(`A person has ${MAX_KEYS} API keys at most.`)
  }
  return { id, key: text }
}

/** A key, and the home that has it. */
type OwnKey = KeptKey & NamedKey

/**
 * All keys of a person, the oldest first: in their own home, and those of earlier versions in the home that they shared with
 * strangers. Damaged ones are left out, and logged.
 *
 * @throws {StoreUnavailable} also of one that a later version has written: who is erased must leave none
 */
export async function keysOf(request: AuthRequest, sub: string): Promise<readonly OwnKey[]> {
  return keysAt(request, sub, await keptHome(request, sub))
}

/** The same. @param own the home of the person; left out: they have none */
async function keysAt(
  request: AuthRequest,
  sub: string,
  own: string | undefined,
): Promise<readonly OwnKey[]> {
  const homes = new Set([...(own === undefined ? [] : [own]), await homeOf(sub)])
  const now = nowInSeconds(request)
  const lists = [...homes].map((home) => keysIn(request, home))
  return (await Promise.all(lists))
    .flat()
    .filter((one) => one.sub === sub && one.expires > now)
    .toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
}

/** The keys in a home, also those of others. */
async function keysIn(request: AuthRequest, home: string): Promise<readonly OwnKey[]> {
  const beginning = keyOf(home, '')
  const documents = await wholeList(ledgerOf(request), home, ['key'])
  const read = documents.map(async (document) => {
    try {
      return { home, ...(await keyIn(request, document.key.slice(beginning.length), document)) }
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      request.config.logger.error(error)
      return []
    }
  })
  return (await Promise.all(read)).flat()
}

/**
 * A genuine key, if it has not ended: by the ledger, with one call. @throws {StoreUnavailable} @throws {DamagedRecord}
 */
export async function liveKey(
  request: AuthRequest,
  { id, home }: NamedKey,
): Promise<KeptKey | undefined> {
  const document = await ledgerOf(request).document(keyOf(home, id))
  if (typeof document?.content !== 'string') return undefined
  const key = await keyIn(request, id, document)
  return key.expires > nowInSeconds(request) ? key : undefined
}

/**
 * A genuine key, if it has not ended, and its person is neither blocked nor erased: an ending of theirs may have failed before it
 * has reached the key, or may not have seen it. Two calls.
 *
 * @throws {StoreUnavailable} @throws {DamagedRecord}
 */
export async function usableKey(
  request: AuthRequest,
  named: NamedKey & { readonly secret: number },
): Promise<KeptKey | undefined> {
  const key = await liveKey(request, named)
  if (!key) return undefined
  const { id, sub, created } = key
  // An erasure leaves its end under a name for each secret in use: that which has made the key is one of them.
  const pid = (await request.keys.pseudonyms.all(sub))[named.secret]
  const owner = { sub: id, auth_time: created, ...(pid === undefined ? {} : { pid }) }
  const { isOver, document } = await ledgerOf(request).liveDocument(personKey(sub), {
    sid: id,
    owner,
  })
  return isOver || isBarred(document) ? undefined : key
}

/**
 * May the ledger be asked about a genuine key once more? The owner of an ended key could ask without end.
 *
 * @returns to be taken back if the key goes on
 */
export function tryKey(request: AuthRequest, { id }: NamedKey): Promise<Counted> {
  return request.counts.admit(`key:${id}`, MAX_ENDED, nowInSeconds(request))
}

/**
 * Notes the first use of a day, and announces once that the key ends soon: at the first use of its last days, which is written
 * anyway. A write that fails leaves the day before, so that the next use announces it. A key without a use in these days is not announced.
 */
export async function noteUse(
  request: AuthRequest,
  home: string,
  { id, sub, created, used, version, expires }: KeptKey,
): Promise<void> {
  const today = dayOf(nowInSeconds(request))
  if (used === today) return
  const change = { version, last: lastUse(today), expires }
  try {
    const { isChanged } = await ledgerOf(request).liveDocument(
      keyOf(home, id),
      ofItself(id),
      change,
    )
    const soon = dayOf(expires) - SOON
    // Its person knows a key that was made for so short a time.
    const isKnown = Math.max(dayOf(created), used ?? 0) >= soon
    if (!isChanged || today < soon || isKnown) return
    await logEvent(request, { event: 'key-ends-soon', sub })
  } catch (error) {
    request.config.logger.error(error as Error)
  }
}

/**
 * Ends keys for good. Their access tokens are refused once the feed is heard. @throws {StoreUnavailable} call it again
 */
export async function endKeys(request: AuthRequest, keys: readonly NamedKey[]): Promise<void> {
  if (keys.length === 0) return
  const until = nowInSeconds(request) + DAY
  const ids = keys.map(({ id }) => id)
  const documents = keys.map(({ home, id }) => keyOf(home, id))
  await ledgerOf(request).endAll(ids, until, documents)
  for (const id of ids) request.revocations.add(id)
}

/**
 * Ends a key of a person, or all of them. Nothing happens to a key of another person, nor to one that is gone.
 *
 * @returns how many have ended
 * @throws {StoreUnavailable} call it again
 */
export async function endKeysOf(request: AuthRequest, sub: string, id?: string): Promise<number> {
  const own = await keysOf(request, sub)
  const ended = id === undefined ? own : own.filter((one) => one.id === id)
  await endKeys(request, ended)
  return ended.length
}

function tooManyKeys(message: string): AccessDenied {
  const error = new AccessDenied(message)
  error.code = 'too_many_keys'
  return error
}

/** The day of a time, counted from the epoch. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY)
}

function keyOf(home: string, id: string): string {
  return `key\n${home}\n${id}`
}
