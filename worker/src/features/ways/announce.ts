import type { SessionClaims } from '@latchkey/session'
import { acrOf, beganAt } from '@latchkey/session/issue'
import {
  AccessDenied,
  InvalidCheck,
  ProviderMisconfigured,
  StoreUnavailable,
} from '../../errors.js'
import { findProvider } from '../../http/find-provider.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import {
  changeDocument,
  changePerson,
  readDocument,
  readFreed,
  readPerson,
} from '../../person/documents.js'
import { isBlocked, MAX_WAYS, type Person, type PersonWay, withWay } from '../../person/person.js'
import { ownerIn, personKey, readWay, wayKey } from '../../person/way-document.js'
import { isRevoked } from '../../session/revoke.js'
import { type SessionWay, wayOfSession } from '../../session/session-way.js'
import { MAX_DOCUMENT } from '../../stores/ledger/types.js'
import { dayOf } from './day-of.js'
import { sealDescribed } from './description.js'
import { hasMeans, hasStrongStep } from './strength.js'

/** The room that a list keeps for later, so that every way in it can be removed. Characters. */
const ROOM = 8_192

/** How often a document is read again after a faster request. */
const TRIES = 20

/** An entry by another request is as good as our own for this long. Seconds. */
const FRESH = 60

/**
 * Writes a new way into a person's list, before it becomes theirs. A person who has had only one
 * way gets a list, with that way in it.
 *
 * @throws {AccessDenied} they have too many
 * @throws {InvalidCheck} the person no longer exists, or is asked for more than the asker has
 * proved
 * @throws {StoreUnavailable}
 */
export async function announce(
  request: AuthRequest,
  asker: SessionClaims,
  entries: readonly PersonWay[],
): Promise<void> {
  const { sub } = asker
  const isOver = () => isRevoked(request, asker)
  const { person: before } = await readFreed(request, sub, isOver)
  const began = beganAt(asker)
  const first = before
    ? []
    : await firstWay(request, { sub, began, isOver }, await wayOfSession(request, asker))
  const since = nowInSeconds(request)
  const isTwo = acrOf(asker.amr) === '2'
  const names = new Set(entries.map(({ way }) => way))
  const { person: begun, isChanged } = await changePerson(request, sub, (known) => {
    const person = known ?? { ways: first }
    // An erased person must not come back.
    const isErased = !known && before !== undefined
    if (isErased || person.mergedInto !== undefined || person.erasing || isBlocked(person)) {
      throw new InvalidCheck('The person is another one now, or is being deleted, or is blocked.')
    }
    // Also if the session began to add the way before that was set up.
    if (!isTwo && hasStrongStep(request, person)) {
      throw new InvalidCheck(
        'A way is added by a person who has proved all that they are asked for.',
      )
    }
    const isFurther = hasMeans(request, person, names)
    const pending = entries.filter((entry) => !isAnnounced(person, entry, since))
    if (pending.length === 0) return undefined
    const { isAlone: _, ...rest } = person
    const hooks = request.features.hooks('person', 'announced')
    const changed = pending.reduce<Person>(
      (now, entry) =>
        withWay(now, entry.way, {
          ...entry,
          ...(entry.unconfirmed || (isFurther && !isTwo) ? { unconfirmed: {} } : {}),
          state: 'adding',
          since,
        }),
      hooks.reduce<Person>((now, announced) => announced(now, pending), rest),
    )
    const isSmall = JSON.stringify(changed).length <= MAX_DOCUMENT - ROOM
    if (changed.ways.length <= MAX_WAYS && isSmall) return changed
    const error = new AccessDenied(
      `A person has at most ${MAX_WAYS} ways to sign in, fewer if their names are long.`,
    )
    error.code = 'too_many_ways'
    throw error
  })
  if (before || !begun || !isChanged || !(await isOver())) return
  await takeBack(request, sub, begun)
  throw endedMeanwhile()
}

/**
 * Takes back the first list of a person whose session has ended meanwhile: if they were erased before it was written, no
 * erasure would ever delete it. The document of their way stays, since another request may rely on it.
 *
 * @returns `false`: another request has changed the list since
 * @throws {StoreUnavailable}
 */
export async function takeBack(request: AuthRequest, sub: string, begun: Person): Promise<boolean> {
  const { version, person } = await readPerson(request, sub)
  const isSame = JSON.stringify(person) === JSON.stringify(begun)
  return isSame && (await changeDocument(request, personKey(sub), version, null))
}

/** Is it in the list, by another request of the person? */
function isAnnounced({ ways }: Person, { way, from }: PersonWay, now: number): boolean {
  const entry = ways.find((one) => one.way === way)
  if (!entry || entry.state === 'removing') return false
  return entry.state === undefined || (entry.from === from && now - (entry.since ?? 0) < FRESH)
}

/**
 * The one way of a person without a list. From now on the way's own document says that a list
 * exists.
 *
 * @param began when their session began. Seconds since the epoch
 * @param isOver has their session ended? Asked after the caller has found no list: perhaps they were erased
 * @returns none if it belongs to another person meanwhile
 * @throws {InvalidCheck} their session has ended
 * @throws {ProviderMisconfigured} @throws {StoreUnavailable}
 */
export async function firstWay(
  request: AuthRequest,
  {
    sub,
    began,
    isOver,
  }: { readonly sub: string; readonly began: number; isOver(): Promise<boolean> },
  { way, provider, described }: SessionWay,
): Promise<readonly PersonWay[]> {
  if (await isOver()) throw endedMeanwhile()
  const known = await findProvider(request, provider)
  if (!known) {
    throw new ProviderMisconfigured('The provider of a session is not configured any more.')
  }
  // A person of such a way has a list.
  if (known.type === 'webauthn') {
    throw new InvalidCheck('The person of a way no longer exists.')
  }
  const key = wayKey(way)
  const first = { owner: sub, first: true }
  for (let tries = 0; tries < TRIES; tries++) {
    const document = await readDocument(request, key)
    const entry = readWay(document)
    if (entry && ownerIn(entry) !== sub) return []
    if (!entry && !(await changeDocument(request, key, document?.version ?? 0, first))) continue
    const sealed = await sealDescribed(request, way, described)
    return [{ way, provider, added: null, used: dayOf(began), sealed }]
  }
  throw new StoreUnavailable('A way is being changed all the time.')
}

/** The refusal of a change whose session has ended since it began. */
export function endedMeanwhile(): InvalidCheck {
  return new InvalidCheck('The session has ended meanwhile.')
}
