import { isKnownBrowser } from '../../http/device-cookie.js'
import { logEvent } from '../../http/log-event.js'
import type { AuthRequest } from '../../http/request.js'
import { fill } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { inWords } from '../../pages/time.js'
import { readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { isBlocked, type Person } from '../../person/person.js'
import type { SignedIn } from '../../session/signed-in.js'
import { mail, type Saying, senderOf } from '../ways/notify.js'
import { reach } from '../ways/reach.js'
import { mayMail } from './limits.js'

/**
 * Announces a sign-in, if its browser is new to the person: to the log, and to each of their verified addresses. Runs beside the
 * answer, which does not wait for it.
 *
 * @param read the person as the sign-in has read them
 * @throws {StoreUnavailable}
 */
export async function announce(
  request: AuthRequest,
  signedIn: SignedIn,
  read: ReadPerson | undefined,
): Promise<void> {
  const { userId: sub, provider } = signedIn.account
  if (isUnused(read?.person) || (await isKnownBrowser(request, sub))) return
  await logEvent(request, { event: 'new-browser', sub, provider })
  if (!senderOf(request)) return
  // They may have been blocked or erased since.
  const { person } = await readPerson(request, sub)
  const isGone = person === undefined ? read?.person !== undefined : person.erasing === true
  if (isGone || isBlocked(person)) return
  const addresses = await addressesOf(request, signedIn, person)
  if (addresses.size === 0 || !(await mayMail(request, sub))) return
  const time = inWords(new Date(request.came * 1000).toISOString())
  await mail(request, addresses, (words) => said(words, time))
}

/** Was the person imported, and has signed in here by none of their ways yet? */
function isUnused(person: Person | undefined): boolean {
  const ways = person?.ways ?? []
  return ways.length > 0 && ways.every(({ used }) => used === null)
}

/** The verified addresses of a person; of one with a single way, the address that the provider has vouched for just now. */
async function addressesOf(
  request: AuthRequest,
  { user: { email, emailVerified } }: SignedIn,
  person: Person | undefined,
): Promise<ReadonlySet<string>> {
  if (person && person.ways.length > 0) return (await reach(request, person)).addresses
  return new Set(email && emailVerified === true ? [email] : [])
}

function said({ texts: { notices }, direction }: Words, utc: string): Saying {
  // Between letters that run from right to left, the parts of a time would change places.
  const time = direction === 'rtl' ? `\u2066${utc}\u2069` : utc
  return {
    title: notices.newBrowserTitle,
    lines: [fill(notices.newBrowser, { time }), notices.warning],
    where: notices.newBrowserWhere,
  }
}
