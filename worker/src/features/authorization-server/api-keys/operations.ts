import { isRecord } from '@latchkey/session/internal'
import { AccessDenied, InvalidConfiguration } from '../../../errors.js'
import { DAY } from '../../../http/limits.js'
import { logEvent } from '../../../http/log-event.js'
import type { AuthRequest } from '../../../http/request.js'
import { readPerson } from '../../../person/documents.js'
import { isBlocked } from '../../../person/person.js'
import { isSubject } from '../../../person/subject.js'
import { checkBlocked } from '../../../sign-in/approve.js'
import { serverOf } from '../settings.js'
import type { ListedKey, MadeKey } from '../types.js'
import type { KeptKey } from './kept-key.js'
import { endKeysOf, keysOf, makeKey } from './own-keys.js'
import { wantedKey } from './wanted-key.js'

/** The API keys of a person, without secrets, the oldest first. @throws {StoreUnavailable} */
export async function listedKeys(request: AuthRequest, sub: string): Promise<readonly ListedKey[]> {
  return (await keysOf(request, sub)).map(listed)
}

/** As {@link listedKeys}, for the operator. */
export function listKeysOf(request: AuthRequest, sub: string): Promise<readonly ListedKey[]> {
  checkOn(request)
  return listedKeys(request, sub)
}

/**
 * Makes a key of a person for the operator.
 *
 * @throws {TypeError} naming what is wrong
 * @throws {AccessDenied} the person has too many, or is blocked
 * @throws {StoreUnavailable}
 */
export async function createKeyOf(
  request: AuthRequest,
  sub: string,
  asked: unknown,
): Promise<MadeKey> {
  checkOn(request)
  // A machine has tokens of its own, and no keys.
  if (!isSubject(sub)) throw new TypeError('createKey: Name a person by their `sub`.')
  const wanted = wantedKey(serverOf(request), isRecord(asked) ? asked : {})
  if (typeof wanted === 'string') throw new TypeError(`createKey: ${wanted}`)
  const made = await makeKey(request, sub, wanted)
  // Read afterwards, so that a key and a block or an erasure at once leave none: these end the keys that they find.
  const read = await readPerson(request, sub)
  if (isBlocked(read.person) || read.person?.erasing) await endKeysOf(request, sub, made?.id)
  checkBlocked(read)
  if (!made || read.person?.erasing) throw new AccessDenied('The person is being erased.')
  await logEvent(request, { event: 'key-created', sub, by: 'operator' })
  return made
}

/** Ends a key of a person, or all of them, for the operator. @throws {StoreUnavailable} */
export async function endKeyOf(request: AuthRequest, sub: string, id?: string): Promise<void> {
  checkOn(request)
  const count = await endKeysOf(request, sub, id)
  if (count > 0) await logEvent(request, { event: 'keys-ended', sub, count, by: 'operator' })
}

/** @throws {InvalidConfiguration} */
function checkOn(request: AuthRequest): void {
  if (serverOf(request).keys) return
  throw new InvalidConfiguration(
    'API keys are off: set AUTH_KEYS_PREFIX, or `keys` of authorizationServer().',
  )
}

function listed({ id, name, start, resource, scopes, created, expires, used }: KeptKey): ListedKey {
  const lastUsed = used === null ? null : timeOf(used * DAY)
  return {
    ...{ id, name, start, resource, scopes },
    ...{ created: timeOf(created), expires: timeOf(expires), lastUsed },
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
