import type { WebhookSettings } from '../webhooks/settings.js'

/** What a process keeps the log by. */
export interface LogSettings {
  readonly days: number
  readonly webhook: WebhookSettings | undefined
}
