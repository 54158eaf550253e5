import { knownDevice } from '../../http/device-cookie.js'
import { DAY, networkName, triesBy, triesFrom, waitInLedger } from '../../http/limits.js'
import { tryByNetwork } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'

/** A try of a password, as the limits see it. */
export interface PasswordTry {
  /** Seconds to wait; 0: go ahead. */
  readonly wait: number
  /** Has this browser signed in with the address before, as this person? */
  isKnownTo(sub: string): boolean
  /** Counts another password of the same request. @returns seconds to wait; 0: go ahead */
  again(): Promise<number>
  /** To be called when the password was right. */
  forgive(): Promise<void>
  /** The same for a signed-in person, whose next sign-in forgives the rest. */
  takeBack(): void
}

/**
 * May a password be tried with an address, whether it has an account or not? Counted before it is known if it is right, so that
 * many at once cannot pass: as tries of credentials are.
 *
 * @param name the key of the address, in the ledger; for a text that is not an address, that text
 * @param isAddress no person has such a text, so strangers who type it do not share one count
 * @throws {StoreUnavailable}
 */
export async function tryPassword(
  request: AuthRequest,
  name: string,
  isAddress: boolean,
): Promise<PasswordTry> {
  const { ledger } = request.stores
  const [device, key] = await Promise.all([
    isAddress ? knownDevice(request, name) : undefined,
    countOf(request, name),
  ])
  const here = await tryByNetwork(request, key)
  const limits =
    here.wait > 0
      ? []
      : device
        ? triesBy(device.count)
        : triesFrom(await networkName(request), !isAddress)
  return {
    wait: here.wait || (await waitInLedger(request, [key], limits)),
    isKnownTo: (sub) => device?.sub === sub,
    again: () => waitInLedger(request, [key], limits),
    takeBack: here.takeBack,
    async forgive() {
      here.takeBack()
      await ledger.forgive(
        key,
        limits.map((limit) => limit.name),
      )
    },
  }
}

/** Changes by somebody who has just proved themselves otherwise. */
const CHANGES = { name: 'changes', max: 10, period: 15 * 60 }

/**
 * May a person change their password who has just proved themselves otherwise? Counted apart, so that strangers who guess do not
 * keep them from it.
 *
 * @returns seconds to wait; 0: go ahead
 * @throws {StoreUnavailable}
 */
export async function waitToChange(request: AuthRequest, sub: string): Promise<number> {
  return request.stores.ledger.admit(await wrongOf(sub, request), [CHANGES])
}

/** Deletes the counts of an address. @param name the key of the address, in the ledger */
export async function forgetTries(request: AuthRequest, name: string): Promise<void> {
  await request.stores.ledger.forget(await countOf(request, name))
}

/** The key of a person's wrong passwords, in the ledger. */
export function wrongOf(sub: string, request: AuthRequest): Promise<string> {
  return countOf(request, `\n${sub}`)
}

async function countOf({ keys }: AuthRequest, name: string): Promise<string> {
  return `password:${await keys.nameFor('password-handle', name, 16)}`
}

/** Wrong passwords of a person from browsers that are not known (NIST SP 800-63B-4, section 3.2.2). */
const ROW = { name: 'in a row', max: 100, period: 365 * DAY }

/** So many wrong passwords of a day stay unmentioned. */
const UNMENTIONED = { name: 'wrong in a day', max: 9, period: DAY }
const MENTIONED = { name: 'mentioned', max: 1, period: DAY }

/** How many wrong passwords the person hears of. */
export const HEARD_OF = UNMENTIONED.max + 1

/** A password that is about to be judged, as the counts of its person see it. */
export interface Counted {
  /** It does not count here, right or wrong: a hundred wrong ones came before it. */
  readonly isLost?: boolean
  /** If it is wrong: is it the tenth of the day, or a later one? `undefined`: the day has not counted it yet. */
  readonly isTenth?: boolean
}

/** Counts a password that is about to be judged, as if it were wrong. @param isKnown from a browser in which the row does not count */
export async function countTry(
  request: AuthRequest,
  sub: string,
  isKnown: boolean,
): Promise<Counted> {
  if (isKnown) return {}
  const { ledger } = request.stores
  const key = await wrongOf(sub, request)
  // One call for both counts, until one of them is full.
  if ((await ledger.admit(key, [ROW, UNMENTIONED])) === 0) return { isTenth: false }
  const isInRow = (await ledger.admit(key, [ROW])) === 0
  return isInRow ? { isTenth: true } : { isLost: true }
}

/** Counts a wrong password. @returns does the person have to hear of it, unless they have lately? */
export async function isTenth(
  request: AuthRequest,
  sub: string,
  counted: Counted,
): Promise<boolean> {
  if (counted.isTenth !== undefined) return counted.isTenth
  return (await request.stores.ledger.admit(await wrongOf(sub, request), [UNMENTIONED])) > 0
}

/** Does a person hear of wrong passwords for the first time in a day? For one of any number of callers. */
export async function isUnheardOf(request: AuthRequest, sub: string): Promise<boolean> {
  return (await request.stores.ledger.admit(await wrongOf(sub, request), [MENTIONED])) === 0
}

/** After a right password. @param isKnown from a browser in which the row does not count */
export async function forgiveWrong(
  request: AuthRequest,
  sub: string,
  isKnown: boolean,
): Promise<void> {
  const names = isKnown ? [UNMENTIONED.name] : [UNMENTIONED.name, ROW.name]
  await request.stores.ledger.forgive(await wrongOf(sub, request), names)
}

/** The password counts everywhere again. */
export async function forgiveRow(request: AuthRequest, sub: string): Promise<void> {
  await request.stores.ledger.forgive(await wrongOf(sub, request), [ROW.name])
}
