import type { AuthError } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { hashPassword, needsRehash } from '../../passwords/new-hash.js'
import { changeDocument, contentOfPerson } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import { contentOf, personKey } from '../../person/way-document.js'
import { isPassword } from './hasher.js'
import { type Holder, personIn } from './holder.js'
import { type KeptPassword, openHash, type ReadHash, sealHash } from './kept-password.js'
import {
  type Counted,
  countTry,
  forgiveWrong,
  isTenth,
  isUnheardOf,
  tryPassword,
} from './limits.js'
import { announceWrong } from './notices.js'
import type { Asker } from './person-password.js'
import { normalized, typedIn } from './rules.js'

/** Is it the password of a person? One hash is computed, whatever the answer is. */
export async function isTheirs(
  request: AuthRequest,
  sub: string | undefined,
  kept: KeptPassword | undefined,
  typed: string | undefined,
): Promise<ReadHash | undefined> {
  const read = sub === undefined || !kept ? undefined : await openHash(request, sub, kept)
  if (sub !== undefined && kept && !read) {
    const person = await request.keys.logName(sub)
    request.config.logger.warn(
      'password-unreadable',
      `The password of ${person} is sealed with a secret that is no longer in use.`,
    )
  }
  return (await isPassword(request, read, typed)) ? read : undefined
}

/** Counts a wrong password of a person, who hears of the tenth one in a day after the answer. */
export async function countWrong(
  request: AuthRequest,
  sub: string,
  counted: Counted,
): Promise<void> {
  if (!(await isTenth(request, sub, counted))) return
  const tell = async () => {
    if (await isUnheardOf(request, sub)) await announceWrong(request, sub)
  }
  request.waitUntil(tell().catch((error: AuthError) => request.config.logger.error(error)))
}

/**
 * Is one of these texts the current password of a signed-in person? Each of them is a try, as at a sign-in.
 *
 * @returns the text, or else seconds to wait; 0: all were judged
 */
export async function findCurrent(
  request: AuthRequest,
  { claims: { sub }, name = '' }: Asker,
  kept: KeptPassword,
  texts: readonly unknown[],
): Promise<{ readonly text: unknown } | { readonly wait: number }> {
  const attempt = await tryPassword(request, name, true)
  const isKnown = attempt.isKnownTo(sub)
  for (const [at, text] of texts.entries()) {
    const wait = at === 0 ? attempt.wait : await attempt.again()
    if (wait > 0) return { wait }
    const counted = await countTry(request, sub, isKnown)
    if (!counted.isLost && (await isTheirs(request, sub, kept, typedIn(text)))) {
      attempt.takeBack()
      await forgiveWrong(request, sub, isKnown)
      return { text }
    }
    await countWrong(request, sub, counted)
  }
  return { wait: 0 }
}

/**
 * Replaces a hash that is not as new ones are, or not sealed under the first secret. If that fails, the sign-in goes on.
 *
 * @param typed the right password
 * @returns the holder with the document as it is now
 */
export async function refreshed(
  request: AuthRequest,
  holder: Holder & Required<Pick<Holder, 'found'>>,
  read: ReadHash,
  typed: string,
): Promise<Holder> {
  const { found } = holder
  const isWeak = read.isOld || needsRehash(read.hash)
  if (!found || (read.isNewest && !isWeak)) return holder
  const { sub, person: document, kept } = found
  const person = personIn(document)
  // The document of a blocked person stays as it is.
  if (!person || contentOf(document)?.blocked !== undefined) return holder
  try {
    const hash = isWeak ? await hashPassword(normalized(typed)) : read.hash
    const password = { ...kept, sealed: await sealHash(request, sub, { hash }) }
    const content = contentOfPerson({ ...person, password } satisfies Person)
    const { version } = document
    if (!(await changeDocument(request, personKey(sub), version, content))) return holder
    const changed = { version: version + 1, content: JSON.stringify(content) }
    return { ...holder, found: { sub, person: changed, kept: password } }
  } catch (error) {
    request.config.logger.error(error as AuthError)
    return holder
  }
}
