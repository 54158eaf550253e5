import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import type { Person } from '../../person/person.js'
import { isCredential } from '../../person/way-document.js'
import type { WayKind } from '../../service/account-hooks.js'
import { openDescribed } from '../ways/description.js'
import { standingWays } from '../ways/list.js'
import { MAX_NAME } from '../ways/rename.js'
import type { ExportedPasskey } from './types.js'

/** Passkeys among the ways of a person. */
export const passkeyWays: WayKind = {
  type: 'webauthn',
  is: isCredential,
  name: 'Passkey',
  used(way, { passkey: now }) {
    const { passkey } = way
    if (!passkey || !now) return way
    // Another request may have seen a greater counter.
    if (passkey.counter >= now.counter && passkey.bs === now.bs) return way
    const counter = Math.max(passkey.counter, now.counter)
    return { ...way, passkey: { ...passkey, counter, bs: now.bs } }
  },
  labels: {
    none: 'noPasskeys',
    only: 'onlyPasskey',
    onlyAdvice: 'onlyPasskeyAdvice',
    nameLabel: 'passkeyName',
  },
  about: ({ passkey }) => (passkey?.bs ? 'synced' : 'onOneDevice'),
  async accepted(request, person, claims) {
    const rpId = rpIdHere(request)
    const accepted = acceptedOf(person)
    if (rpId === undefined || accepted.length === 0) return []
    const called = await calledNow(request, person, claims)
    return accepted.map((one) => ({ rpId, ...one, ...called }))
  },
}

/**
 * What a password manager calls the person (WebAuthn Level 3, section 5.1.10.4): their address, if they have one, and the name
 * that the page shows. The address of the session may have been removed since it began.
 *
 * @returns `undefined`: the service knows no name and no address, so the browser keeps its own
 */
async function calledNow(
  request: AuthRequest,
  { ways }: Person,
  { session }: SessionClaims,
): Promise<{ readonly name: string; readonly displayName: string } | undefined> {
  const user = isRecord(session.user) ? session.user : {}
  const kept = ways.filter(({ state }) => state === undefined)
  const described = await Promise.all(kept.map((way) => openDescribed(request, way)))
  const addresses = described.flatMap(({ address }) => address ?? [])
  const address = addresses.find((one) => one === user.email) ?? addresses[0]
  const shown = typeof user.name === 'string' ? [...user.name].slice(0, MAX_NAME).join('') : ''
  const name = address ?? shown
  return name === '' ? undefined : { name, displayName: shown || name }
}

/** The domain of the passkeys. @returns `undefined`: there are none, or pages of this origin cannot use them */
export function rpIdHere(request: AuthRequest): string | undefined {
  const provider = request.providers.usable.get('passkey')
  try {
    return provider?.kind.rpId?.(request, provider)
  } catch {
    return undefined
  }
}

/**
 * The passkeys that a page reports to the browser: for each user handle, the credentials that sign
 * in (WebAuthn Level 3, section 5.1.10.3). All ids are in base64url. Merged people have several
 * handles.
 *
 * A handle is listed even if its last passkey was removed. A passkey that is being added is listed
 * too, so that the browser does not hide it.
 */
function acceptedOf({ handle, ways }: Person) {
  const byHandle = new Map<string, string[]>(handle === undefined ? [] : [[handle, []]])
  for (const { passkey, state } of ways) {
    if (!passkey || state === 'removing') continue
    byHandle.set(passkey.handle, [...(byHandle.get(passkey.handle) ?? []), passkey.id])
  }
  return [...byHandle].map(([userId, ids]) => ({ userId, allAcceptedCredentialIds: ids }))
}

/** The passkeys of a person, for the operator. @throws {StoreUnavailable} */
export async function passkeysOf(
  request: AuthRequest,
  sub: string,
  person: Person,
): Promise<readonly ExportedPasskey[]> {
  const ways = await standingWays(request, sub, person)
  return ways.flatMap(({ entry: { passkey }, listed: { provider: _, ...way } }) => {
    if (!passkey) return []
    const { aaguid, be, bs, transports = [] } = passkey
    return [{ ...way, aaguid, backupEligible: be, backedUp: bs, transports }]
  })
}
