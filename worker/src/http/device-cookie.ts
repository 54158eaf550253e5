import type { SessionClaims } from '@latchkey/session'
import { cookieValues, isRecord } from '@latchkey/session/internal'
import { digest } from '../lib/base64url.js'
import type { Devices } from '../service/sign-in-hooks.js'
import { addCookie, ownCookieName } from './cookies.js'
import { DEVICE_MAX_AGE, hasEndedSince } from './ended-since.js'
import { type AuthRequest, nowInSeconds } from './request.js'

/** The people that one browser is known for; the latest sign-ins stay. It keeps the cookie below 600 bytes. */
const MAX_PEOPLE = 4
/** The length of a longer list, in characters: ids of the app's own may have a thousand bytes. */
const MAX_LENGTH = 400
/** More cookies of the name are not opened. */
const MAX_CANDIDATES = 2
/** The number of counts that all devices of a person share, however many devices there are. */
const MAX_COUNTS = 8

/**
 * A sign-in of this browser: the name that was typed, the count of its tries, its end in seconds, the person, and
 * whether a code of a second factor was part of it. Versions up to 0.2 wrote the first three members alone, with a
 * long random text for a count.
 */
type DeviceSignIn = readonly [name: string, count: string, until: number, sub?: string, hasCode?: 1]

/**
 * The count of this browser's tries, if it has signed in with this name before: a stranger's wrong
 * tries then do not lock its owner out (OWASP, Slow Down Online Guessing Attacks with Device
 * Cookies). It is not a credential. Ending all sessions of the person ends the devices too.
 *
 * @param key of the name, in the ledger
 * @throws {StoreUnavailable}
 */
export async function deviceCount(request: AuthRequest, key: string): Promise<string | undefined> {
  return (await knownDevice(request, key))?.count
}

/** A browser that has signed in with a name before. */
interface KnownDevice {
  /** The count of its tries. */
  readonly count: string
  /** The person that the name has signed in here: another one than today, if the name was given on since. */
  readonly sub: string | undefined
}

/**
 * The same, with the person.
 *
 * @param key of the name, in the ledger
 * @throws {StoreUnavailable}
 */
export async function knownDevice(
  request: AuthRequest,
  key: string,
): Promise<KnownDevice | undefined> {
  const all = await openDevice(request)
  if (all.length === 0) return undefined
  const [name, former] = await Promise.all([nameOf(key), nameOf(formerKey(key))])
  const signIn = all.find(([one, , , sub]) => one === (sub === undefined ? former : name))
  const sub = signIn?.[3]
  const count = signIn && (await countIn(request, signIn, sub))
  return count === undefined ? undefined : { count, sub }
}

/**
 * The count of this browser's codes, if a person has signed in with it by their second factor. A sign-in without a
 * code is not enough: a stranger who knows the password could sign in many times before the factor is set up.
 *
 * @param limited the key of the first factor's name
 * @param added when the factor was set up, in seconds
 * @throws {StoreUnavailable}
 */
export async function deviceCountOfCodes(
  request: AuthRequest,
  sub: string,
  limited: string,
  added: number,
): Promise<string | undefined> {
  const all = await openDevice(request)
  if (all.length === 0) return undefined
  const former = await nameOf(formerKey(limited))
  const signIn = all.find(
    ([name, , until, whose, hasCode]) =>
      (whose === undefined ? name === former : hasCode && whose === sub) &&
      until - DEVICE_MAX_AGE >= added,
  )
  return signIn && (await countIn(request, signIn, sub))
}

/**
 * Has a person signed in with this browser, and not ended all their sessions since? It says nothing about who uses it now.
 *
 * @throws {StoreUnavailable}
 */
export async function isKnownBrowser(request: AuthRequest, sub: string): Promise<boolean> {
  const own = (await openDevice(request)).filter(([, , , whose]) => whose === sub)
  if (own.length === 0) return false
  const latest = Math.max(...own.map(([, , until]) => until))
  return !(await hasEndedSince(request, sub, latest - DEVICE_MAX_AGE))
}

/** Sets the cookie by which the browser is known, after a person has signed in with it without a name that is counted. */
export function rememberBrowser(request: AuthRequest, sub: string): Promise<void> {
  return rememberDevice(request, `browser\n${sub}`, sub)
}

/**
 * Sets the cookie by which the browser is known, after a person has signed in with it. Another person's
 * count stays as it is: an account of one's own would otherwise give new ones, and more guesses.
 *
 * @param key of the name that was typed, in the ledger
 * @param hasCode a code of a second factor was part of the sign-in
 */
async function rememberDevice(
  request: AuthRequest,
  key: string,
  sub: string,
  hasCode = false,
): Promise<void> {
  const name = await nameOf(key)
  const all = await openDevice(request)
  const before = all.find((one) => one[0] === name)
  const count = freshCount(before && slotOf(before))
  const until = nowInSeconds(request) + DEVICE_MAX_AGE
  const own: DeviceSignIn = hasCode ? [name, count, until, sub, 1] : [name, count, until, sub]
  await setDevice(request, [own, ...all.filter((one) => one !== before)])
}

/**
 * Keeps this browser known for a person who has used it to end their sessions everywhere else. For
 * codes it stays known if the session contains one that counts: an earlier code may belong to
 * another authenticator app, which the person has removed.
 */
async function keepDevice(
  request: AuthRequest,
  { sub, amr }: Pick<SessionClaims, 'sub' | 'amr'>,
): Promise<void> {
  const all = await openDevice(request)
  if (!all.some(([, , , whose]) => whose === sub)) return
  // The sessions up to this second have ended.
  const end = nowInSeconds(request) + 1 + DEVICE_MAX_AGE
  const people = all.map(([name, count, until, whose, ...rest]): DeviceSignIn => {
    if (whose === undefined) return [name, count, until]
    if (whose !== sub) return [name, count, until, whose, ...rest]
    return amr.includes('mfa') ? [name, count, end, whose, ...rest] : [name, count, end, whose]
  })
  await setDevice(request, people)
}

async function setDevice(request: AuthRequest, all: readonly DeviceSignIn[]): Promise<void> {
  const people = all.slice(0, MAX_PEOPLE)
  while (people.length > 1 && JSON.stringify(people).length > MAX_LENGTH) people.pop()
  const until = Math.max(...people.map(([, , end]) => end))
  const sealer = await request.keys.sealer('device')
  const sealed = await sealer.seal({ people }, until)
  addCookie(request, ownCookieName(request, 'device'), sealed, { maxAge: DEVICE_MAX_AGE })
}

/** Versions up to 0.2 had one key for all spellings of a name, with which the key of an exact one begins. */
function formerKey(key: string): string {
  return key.split(' ', 1)[0] ?? key
}

/** @param sub of the person, if it is known: an end of their sessions ends their devices */
async function countIn(
  request: AuthRequest,
  signIn: DeviceSignIn,
  sub: string | undefined,
): Promise<string | undefined> {
  const began = signIn[2] - DEVICE_MAX_AGE
  if (sub !== undefined && (await hasEndedSince(request, sub, began))) return undefined
  return String(slotOf(signIn))
}

function slotOf([, count]: DeviceSignIn): number {
  return (count.charCodeAt(0) || 0) % MAX_COUNTS
}

/**
 * Another digit than the last one, which a thief may have copied.
 * @returns a digit
 */
function freshCount(before: number | undefined): string {
  const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
  const slot = before === undefined ? random : before + 1 + (random % (MAX_COUNTS - 1))
  return String(slot % MAX_COUNTS)
}

async function openDevice(request: AuthRequest): Promise<readonly DeviceSignIn[]> {
  const cookies = cookieValues(request.cookieHeader, ownCookieName(request, 'device'))
  if (cookies.length === 0) return []
  const sealer = await request.keys.sealer('device')
  const now = nowInSeconds(request)
  for (const cookie of cookies.slice(-MAX_CANDIDATES)) {
    const content = await sealer.open(cookie)
    if (isRecord(content) && Array.isArray(content.people)) {
      return (content.people as DeviceSignIn[]).filter(([, , until]) => until > now)
    }
  }
  return []
}

/** One length for all names. The cookie is sealed, so that it shows no name and no person. */
function nameOf(key: string): Promise<string> {
  return digest(['latchkey/device/v1', key], 16)
}

/** For features whose sign-ins count the tries with a name: a browser that has signed in is counted by itself. */
export const knownDevices: Devices = { remember: rememberDevice, keep: keepDevice }
