import type { SessionClaims } from '@latchkey/session'
import { acrOf, beganAt } from '@latchkey/session/internal'
import {
  AccessDenied,
  InvalidCheck,
  OAuthAccountNotLinked,
  ProviderMisconfigured,
  StoreUnavailable,
} from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changeDocument, changePerson, readDocument, readFreed } from '../../person/documents.js'
import { MAX_WAYS, type Person, type PersonWay, withWay } from '../../person/person.js'
import { type SessionWay, wayOfSession } from '../../person/session-way.js'
import { ownerIn, readWay, wayKey } from '../../person/way-document.js'
import { isRevoked } from '../../session/revoke.js'
import { MAX_DOCUMENT } from '../../stores/ports.js'
import { dayOf } from './day-of.js'
import { sealDescribed } from './description.js'
import { hasMeans, hasStrongStep, isStrong, mayHaveBeenStrong } from './strength.js'

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
 * @throws {OAuthAccountNotLinked} the merged person signs in by two factors, and the asker has
 * proved one
 * @throws {StoreUnavailable}
 */
export async function announce(
  request: AuthRequest,
  asker: SessionClaims,
  entries: readonly PersonWay[],
): Promise<void> {
  const { sub } = asker
  const { person } = await readFreed(request, sub, () => isRevoked(request, asker))
  const began = beganAt(asker)
  const first = person
    ? []
    : await firstWay(request, { sub, began }, await wayOfSession(request, asker))
  const since = nowInSeconds(request)
  const isTwo = acrOf(asker.amr) === '2'
  // The ways that come along with a person who is merged.
  const taken: Person = { ways: entries.filter(({ from }) => from !== undefined) }
  const names = new Set(entries.map(({ way }) => way))
  await changePerson(request, sub, (person = { ways: first }) => {
    if (person.mergedInto !== undefined || person.erasing) {
      throw new InvalidCheck('The person is another one now, or is being deleted.')
    }
    // Also if the session began to add the way before that was set up.
    if (!isTwo && hasStrongStep(request, person)) {
      throw new InvalidCheck(
        'A way is added by a person who has proved all that they are asked for.',
      )
    }
    const isFurther = hasMeans(request, person, names)
    if (isStrong(request, taken) && (isTwo || isFurther || mayHaveBeenStrong(person))) {
      // Only one of their factors was proved. It must not give a session of the asker the strength
      // of two.
      throw new OAuthAccountNotLinked('A person of two factors is not taken in by another one.')
    }
    const pending = entries.filter((entry) => !isAnnounced(person, entry, since))
    if (pending.length === 0) return undefined
    const { isAlone: _, ...before } = person
    const hooks = request.features.hooks('announced')
    const changed = pending.reduce<Person>(
      (now, entry) =>
        withWay(now, entry.way, {
          ...entry,
          ...(entry.unconfirmed || (isFurther && !isTwo) ? { unconfirmed: {} } : {}),
          state: 'adding',
          since,
        }),
      hooks.reduce<Person>((now, announced) => announced(now, pending), before),
    )
    const isSmall = JSON.stringify(changed).length <= MAX_DOCUMENT - ROOM
    if (changed.ways.length <= MAX_WAYS && isSmall) return changed
    const error = new AccessDenied(
      `A person has at most ${MAX_WAYS} ways to sign in, fewer if their names are long.`,
    )
    error.code = 'too_many_ways'
    throw error
  })
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
 * @returns none if it belongs to another person meanwhile
 * @throws {ProviderMisconfigured} @throws {StoreUnavailable}
 */
export async function firstWay(
  request: AuthRequest,
  { sub, began }: { readonly sub: string; readonly began: number },
  { way, provider, described }: SessionWay,
): Promise<readonly PersonWay[]> {
  if (!request.providers.usable.has(provider)) {
    throw new ProviderMisconfigured('The provider of a session is not configured any more.')
  }
  // A person of such a way has a list.
  if (request.providers.usable.get(provider)?.type === 'webauthn') {
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
