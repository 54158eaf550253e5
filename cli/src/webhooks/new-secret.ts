import { randomBytes } from 'node:crypto'

/** A secret of a webhook, as Standard Webhooks 1.0 writes it: 256 random bits. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
