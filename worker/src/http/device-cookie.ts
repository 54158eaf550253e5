import { cookieValues, isRecord } from '@latchkey/session/internal'
import { digest } from '../lib/digest.js'
import { randomToken } from '../lib/random.js'
import { addCookie, ownCookieName } from './cookies.js'
import { type AuthRequest, nowInSeconds } from './request.js'

/** How long a browser is known after a sign-in. Seconds. */
const MAX_AGE = 90 * 24 * 60 * 60
/** The people that one browser is known for; the latest sign-ins stay. It keeps the cookie below 600 bytes. */
const MAX_PEOPLE = 4
/** More cookies of the name are not opened. */
const MAX_CANDIDATES = 2

/** A sign-in of this browser: whose, the id that its tries are counted by, and its end in seconds. */
type Known = readonly [person: string, id: string, until: number]

/**
 * The id by which this browser's tries are counted, where it has signed in as this person before: a
 * stranger's wrong tries then do not lock its owner out (OWASP, Slow Down Online Guessing Attacks with
 * Device Cookies). It is no credential, and a fresh one comes with each sign-in.
 *
 * @param key the person's, in the ledger
 */
export async function knownDevice(request: AuthRequest, key: string): Promise<string | undefined> {
  const known = await openDevice(request)
  if (known.length === 0) return undefined
  const person = await nameOf(key)
  return known.find(([name]) => name === person)?.[1]
}

/**
 * Sets the cookie by which the browser is known, after a person has signed in with it. Another person's
 * id stays as it is: whoever has an account could otherwise make new ones, and guess on.
 *
 * @param key the person's, in the ledger
 */
export async function rememberDevice(request: AuthRequest, key: string): Promise<void> {
  const person = await nameOf(key)
  const until = nowInSeconds(request) + MAX_AGE
  const others = (await openDevice(request)).filter(([name]) => name !== person)
  const people: Known[] = [[person, randomToken(16), until], ...others]
  const sealer = await request.keys.device()
  const sealed = await sealer.seal({ people: people.slice(0, MAX_PEOPLE) }, until)
  addCookie(request, ownCookieName(request, 'device'), sealed, { maxAge: MAX_AGE })
}

async function openDevice(request: AuthRequest): Promise<readonly Known[]> {
  const cookies = cookieValues(request.cookieHeader, ownCookieName(request, 'device'))
  if (cookies.length === 0) return []
  const sealer = await request.keys.device()
  const now = nowInSeconds(request)
  for (const cookie of cookies.slice(-MAX_CANDIDATES)) {
    const content = await sealer.open(cookie)
    if (isRecord(content) && Array.isArray(content.people)) {
      return (content.people as Known[]).filter(([, , until]) => until > now)
    }
  }
  return []
}

/** The cookie is sealed, so who it is about can be read by nobody, nor found out by a list of names. */
function nameOf(key: string): Promise<string> {
  return digest(['latchkey/device/v1', key], 16)
}
