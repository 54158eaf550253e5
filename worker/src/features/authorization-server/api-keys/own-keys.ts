import type { SessionClaims } from '@latchkey/session'
import { AccessDenied, DamagedRecord } from '../../../errors.js'
import { DAY } from '../../../http/limits.js'
import type { Counted } from '../../../http/network-counter.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { isRevoked, ownerOf } from '../../../session/revoke.js'
import type { Life } from '../../../stores/ports.js'
import type { MadeKey } from '../../../types/api-key.js'
import { ledgerOf } from '../grant.js'
import { serverOf } from '../settings.js'
import { contentOfKey, type KeptKey, keyIn, lastUse } from './kept-key.js'
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
  const limit = asker && (await request.networks.admit(`keys of ${sub}`, MAX_MADE, created))
  if (limit && limit.wait > 0)
    throw tooManyKeys(`A person makes ${MAX_MADE} API keys a minute at most.`)
  const { prefix = '' } = serverOf(request).keys ?? {}
  const { text, id, home } = await makeKeyText(request, sub, prefix)
  const expires = created + days * DAY
  const start = text.slice(0, prefix.length + 1 + SHOWN)
  const { configured } = request.config.origin
  // A call of the operator comes to no address.
  const iss = asker ? request.issuer : configured && configured + request.config.basePath
  const about = { id, sub, iss, name, start, resource, scopes, created, expires }
  const change = { version: 0, content: await contentOfKey(request, about), expires }
  // With the session, so that an erasure that has ended it finds no key of a person who is gone.
  const life = asker ? { sid: asker.sid, owner: ownerOf(asker) } : ofItself(id)
  const made = await ledgerOf(request).liveDocument(keyOf(home, id), life, change)
  if (made.isOver) return undefined
  // Afterwards, so that requests that race cannot pass the bound together, and none passes an erasure: the object with the key
  // may be another one than that of the person, which was asked before.
  const [all, isOver] = await Promise.all([
    keysOf(request, sub),
    asker !== undefined && isRevoked(request, asker),
  ])
  if (isOver) {
    await endKeys(request, home, [id])
    return undefined
  }
  if (all.length > MAX_KEYS) {
    await endKeys(request, home, [id])
    throw tooManyKeys(`A person has ${MAX_KEYS} API keys at most.`)
  }
  return { id, key: text }
}

/**
 * The keys of a person, the oldest first. Damaged ones are left out, and logged.
 *
 * @throws {StoreUnavailable} also of one that a later version has written: who is erased must leave none
 */
export async function keysOf(request: AuthRequest, sub: string): Promise<readonly KeptKey[]> {
  const home = await homeOf(sub)
  const beginning = keyOf(home, '')
  const documents = await ledgerOf(request).documentsOf(home, ['key'])
  const read = documents.map((document) =>
    keyIn(request, document.key.slice(beginning.length), document).catch((error: Error) => {
      if (!(error instanceof DamagedRecord)) throw error
      request.config.logger.error(error)
    }),
  )
  const now = nowInSeconds(request)
  return (await Promise.all(read))
    .flatMap((one) => one ?? [])
    .filter((one) => one.sub === sub && one.expires > now)
    .toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
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
 * May the ledger be asked about a genuine key once more? Whoever has one that has ended could ask without end.
 *
 * @returns to be taken back if the key goes on
 */
export function tryKey(request: AuthRequest, { id }: NamedKey): Promise<Counted> {
  return request.networks.admit(`key:${id}`, MAX_ENDED, nowInSeconds(request))
}

/** Notes the first use of a day. A fault leaves the day before. */
export async function noteUse(
  request: AuthRequest,
  home: string,
  { id, used, version, expires }: KeptKey,
): Promise<void> {
  const today = Math.floor(nowInSeconds(request) / DAY)
  if (used === today) return
  const change = { version, last: lastUse(today), expires }
  await ledgerOf(request)
    .liveDocument(keyOf(home, id), ofItself(id), change)
    .catch((error: Error) => request.config.logger.error(error))
}

/**
 * Ends keys for good. Their access tokens are refused once the feed is heard. @throws {StoreUnavailable} call it again
 */
export async function endKeys(
  request: AuthRequest,
  home: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const until = nowInSeconds(request) + DAY
  await ledgerOf(request).endAll(
    ids,
    until,
    ids.map((id) => keyOf(home, id)),
  )
  for (const id of ids) request.revocations.add(id)
}

/**
 * Ends a key of a person, or all of them. Nothing happens to a key of another person, nor to one that is gone.
 *
 * @returns how many have ended
 * @throws {StoreUnavailable} call it again
 */
export async function endKeysOf(request: AuthRequest, sub: string, id?: string): Promise<number> {
  const own = (await keysOf(request, sub)).map((one) => one.id)
  const ended = id === undefined ? own : own.filter((one) => one === id)
  await endKeys(request, await homeOf(sub), ended)
  return ended.length
}

function tooManyKeys(message: string): AccessDenied {
  const error = new AccessDenied(message)
  error.code = 'too_many_keys'
  return error
}

function keyOf(home: string, id: string): string {
  return `key\n${home}\n${id}`
}

/** A key ends with nothing but itself: not with "everywhere", which ends sessions. */
function ofItself(id: string): Life {
  return { sid: id, owner: { sub: id, auth_time: Number.MAX_SAFE_INTEGER } }
}
