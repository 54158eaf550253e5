import { DamagedRecord, StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { randomToken } from '../../lib/base64url.js'
import { changeDocument, contentOfPerson, readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { personKey } from '../../person/way-document.js'
import { factorOf } from './demand.js'
import { openKey, sealKey } from './factor-key.js'
import type { PersonFactor } from './kept-factor.js'
import { hashOfRecoveryCode } from './recovery-codes.js'
import { isTotp, stepOfCode } from './totp.js'

// The factor is in the document of its person, whose every change is a compare-and-set: used codes
// stay used, and a removed factor stays away, with any other writes at the same time.

/** How often a code is judged again after a change of the person. */
const TRIES = 50

/**
 * Judges a code, of an app or for recovery, and uses it up: it is right for exactly one of any
 * number of parallel tries, and an app's code no longer works once a later one was right.
 *
 * @param read the person, as this request has read them
 * @returns `undefined`: it is wrong, or was used, or the person has no factor
 * @throws {StoreUnavailable} it may be used up
 */
export async function useCode(
  request: AuthRequest,
  sub: string,
  typed: string,
  read: ReadPerson,
): Promise<{ readonly by: 'app' | 'recovery'; readonly document: ReadPerson } | undefined> {
  const code = typed.replace(/\s/g, '')
  const isApp = isTotp(code)
  for (let tries = 0; tries < TRIES; tries++) {
    const { version, person } = tries === 0 ? read : await readPerson(request, sub)
    const factor = factorOf(person)
    if (!person || !factor) return undefined
    const key = await openKey(request, sub, factor)
    const change = isApp
      ? await afterApp(request, factor, key, code)
      : await afterRecovery(sub, factor, code)
    if (!change) return undefined
    // Sealed by the newest secret wherever it can be read.
    const sealed = key ? await sealKey(request, sub, key) : factor.sealed
    const used = { ...person, factor: { ...factor, sealed, ...change, mark: randomToken(9) } }
    if (await changeDocument(request, personKey(sub), version, contentOfPerson(used))) {
      return {
        by: isApp ? 'app' : 'recovery',
        document: { version: version + 1, person: used },
      }
    }
  }
  throw new StoreUnavailable('A second factor changes all the time.')
}

async function afterApp(
  request: AuthRequest,
  { step: last }: PersonFactor,
  key: Uint8Array<ArrayBuffer> | undefined,
  code: string,
): Promise<Partial<PersonFactor> | undefined> {
  if (!key) {
    request.config.logger.error(
      new DamagedRecord('A second factor is sealed with a secret that is no longer in use.'),
    )
    return undefined
  }
  const step = await stepOfCode(key, code, nowInSeconds(request), last)
  return step === undefined ? undefined : { step }
}

async function afterRecovery(
  sub: string,
  { recovery }: PersonFactor,
  code: string,
): Promise<Partial<PersonFactor> | undefined> {
  const hash = await hashOfRecoveryCode(sub, code)
  const left = recovery.filter((one) => one !== hash)
  return left.length < recovery.length ? { recovery: left } : undefined
}
