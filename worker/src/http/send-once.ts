/** Why a message was not received. */
export type Failure = `status ${number}` | 'timeout' | 'unreachable' | 'redirect'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Sends a message once. The receiver may hang, drip, redirect, or answer without an end: it takes that long at most, no redirect is
 * followed, and not a byte of its answer is read.
 *
 * @param url the operator chose it
 * @param ports `patience` is how long a receiver may take until its answer begins, in milliseconds
 * @returns `undefined`: a 2xx, it was received. Never throws
 */
export async function sendOnce(
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { fetch, patience }: { readonly fetch: typeof globalThis.fetch; readonly patience: number },
): Promise<Failure | undefined> {
  // AbortSignal.timeout() cannot be cleared, and would keep an object of the ledger in memory, and billed.
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), patience)
  let answer: Response
  try {
    const { signal } = timeout
    // A receiver chooses no other address.
    answer = await fetch(url, { method: 'POST', ...message, redirect: 'manual', signal })
  } catch {
    return timeout.signal.aborted ? 'timeout' : 'unreachable'
  } finally {
    clearTimeout(timer)
  }
  // Not awaited: the receiver could delay that as well.
  answer.body?.cancel().catch(() => undefined)
  if (answer.ok) return undefined
  if (REDIRECTS.has(answer.status)) return 'redirect'
  return `status ${answer.status}`
}
