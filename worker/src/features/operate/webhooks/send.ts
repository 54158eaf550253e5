import { type Failure, sendOnce } from '../../../http/send-once.js'
import type { WebhookSettings } from './settings.js'
import { type Message, signatureOf } from './sign.js'

export type { Failure }

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
  const headers = { 'content-type': 'application/json', ...signature }
  return sendOnce(url, { headers, body: message.body }, { fetch, patience })
}
