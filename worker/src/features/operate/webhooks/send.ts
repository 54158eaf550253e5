import type { WebhookSettings } from './settings.js'
import { type Message, signatureOf } from './sign.js'

/** Why a message was not received. */
export type Failure = `status ${number}` | 'timeout' | 'unreachable' | 'redirect'

/** The parts of the platform that a try needs. */
export interface SendPorts {
  readonly fetch: typeof fetch
  /** Milliseconds. */
  readonly now: () => number
  /** How long a receiver may take until its answer begins, in milliseconds. */
  readonly patience: number
}

/** Less than the 15 s that Standard Webhooks recommends: each hanging receiver keeps an object in memory for so long. */
export const PATIENCE = 10_000

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Sends a message once. The receiver may hang, drip, redirect, or answer without an end: it takes ten seconds at most,
 * and not a byte of its answer is read.
 *
 * @returns `undefined`: it was received. Never throws
 */
export async function sendMessage(
  message: Message,
  { url, secrets }: WebhookSettings,
  { fetch, now, patience }: SendPorts,
): Promise<Failure | undefined> {
  const signature = await signatureOf(message, secrets, now())
  // AbortSignal.timeout() cannot be cleared, and would keep an object of the ledger in memory, and billed.
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), patience)
  let answer: Response
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body: message.body,
      // The operator chose this URL. A receiver chooses no other one.
      redirect: 'manual',
      signal: timeout.signal,
    })
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
