/** What becomes of the messages of the webhook (docs/webhooks.md). */
export interface WebhookState {
  /** How many messages have had no try yet. */
  readonly waiting: number
  /** Messages whose last try failed, the latest first, 100 at most. */
  readonly failed: readonly FailedWebhook[]
}

/** A message that was not received. */
export interface FailedWebhook {
  /** The `id` of its record, and its `webhook-id`. */
  readonly id: string
  readonly event: string
  /** The event's time, ISO 8601. */
  readonly time: string
  /** How many there have been, of eight. */
  readonly tries: number
  /** Why the last one failed: an answer's status, no answer in ten seconds, no connection, or a redirect, which is not followed. */
  readonly last: `status ${number}` | 'timeout' | 'unreachable' | 'redirect'
  /** When it is tried again, ISO 8601; null: there was the last try. */
  readonly next: string | null
}
