import { answerWithin, readLimited } from '@latchkey/session/internal'
import { toHex } from '../lib/hex.js'

/** Milliseconds: a person waits for it. */
const TIMEOUT = 2_000
/** Bytes. An answer has some 40,000, padding and all. */
const MAX_ANSWER = 512 * 1024

const RANGE = 'https://api.pwnedpasswords.com/range/'

/**
 * Is a password in a known breach? Asks Have I Been Pwned for a range of digests: five of forty digits leave the
 * process, and never the password. When it does not answer nobody is kept out, and the log says so.
 *
 * @returns `false` also if nobody knows
 * @see https://haveibeenpwned.com/API/v3#PwnedPasswords
 * @see OWASP ASVS 5.0, 6.2.12
 * @example if (await isBreachedPassword(password)) return 'Choose another password: this one is known.'
 */
export async function isBreachedPassword(
  password: string,
  {
    fetch = globalThis.fetch,
    warn = (message) => console.warn(message),
  }: {
    readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>
    /** Called when the service does not answer. Default `console.warn`. */
    readonly warn?: (message: string) => void
  } = {},
): Promise<boolean> {
  const bytes = new TextEncoder().encode(password)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', bytes))
  const hex = toHex(digest)
  const [prefix, suffix] = [hex.slice(0, 5).toUpperCase(), hex.slice(5).toUpperCase()]
  try {
    const end = new AbortController()
    const ask = async () => {
      const answer = await fetch(RANGE + prefix, {
        // The length of an answer does not reveal its range.
        headers: { 'add-padding': 'true' },
        redirect: 'manual',
        signal: end.signal,
      })
      if (answer.status !== 200) throw new Error(`Status ${answer.status}.`)
      return readLimited(answer.body, MAX_ANSWER)
    }
    const lines = await answerWithin(TIMEOUT, ask(), () => end.abort())
    if (lines === undefined) throw new Error('The answer is too long.')
    const text = new TextDecoder().decode(lines)
    // No range is empty. A proxy's page with status 200 has no digests.
    if (!/^[0-9A-F]{35}:\d/im.test(text)) throw new Error('The answer has no digests.')
    // Padding has a count of 0.
    return new RegExp(`^${suffix}:0*[1-9]`, 'im').test(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    warn(`Have I Been Pwned did not answer, so a password was not checked: ${reason}`)
    return false
  }
}
