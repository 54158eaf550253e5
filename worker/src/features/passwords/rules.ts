import { CredentialsSignin } from '../../errors.js'
import { folded, isCommon } from './common.js'

/** The most characters of a password: code points, in the form NFC. */
const MAX_LENGTH = 256

/** A longer text has more characters in NFC too. To normalize a run of marks takes quadratic time. UTF-16 units. */
const MAX_UNITS = 4 * MAX_LENGTH

/** The reason why a new password is refused. */
export type Fault = 'invalid' | 'short' | 'long' | 'common' | 'context' | 'breached'

/** One spelling of a text that can be typed in several (Unicode, form NFC). */
export function normalized(text: string): string {
  return text.normalize('NFC')
}

/** A typed text that may be a password: not empty, and without lone surrogates, which all become the same bytes. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\p{Cs}/u.test(value)
}

/** The text of a sign-in, if any password can be it. */
export function typedIn(value: unknown): string | undefined {
  return isText(value) && lengthOf(value) <= MAX_LENGTH ? value : undefined
}

/** In code points of NFC. */
function lengthOf(text: string): number {
  return text.length > MAX_UNITS ? Number.POSITIVE_INFINITY : [...normalized(text)].length
}

/**
 * The first fault of a new password, as far as it is known here.
 *
 * @param context words that are easy to guess here
 * @see NIST SP 800-63B-4, section 3.1.1.2, and OWASP ASVS 5.0, 6.2
 */
export async function faultOf(
  value: unknown,
  minLength: number,
  context: readonly string[],
): Promise<Fault | undefined> {
  if (!isText(value)) return 'invalid'
  const length = lengthOf(value)
  if (length < minLength) return 'short'
  if (length > MAX_LENGTH) return 'long'
  const text = normalized(value)
  if (isCommon(text)) return 'common'
  return isOfContext(text, context) ? 'context' : undefined
}

/** The least that must be left of a password without the words that are easy to guess. Characters. */
const LEAST_LEFT = 8
/** The least length of such a word. Characters. */
const LEAST_WORD = 3

/** Does a password have little more than words that are easy to guess? */
function isOfContext(password: string, context: readonly string[]): boolean {
  const words = context
    .map((word) => folded(normalized(word)))
    .filter((word) => [...word].length >= LEAST_WORD)
    .sort((one, other) => other.length - one.length)
  const text = folded(password)
  const left = words.reduce((rest, word) => rest.replaceAll(word, ''), text)
  return left.length < text.length && [...left].length < LEAST_LEFT
}

/** The refusal of a password. */
export function refusalOf(code: string): CredentialsSignin {
  const error = new CredentialsSignin('A password was refused.')
  error.code = code
  return error
}
