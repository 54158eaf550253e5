import type {
  AuditHeads,
  AuditPage,
  AuditQuery,
  FoundPerson,
  SoughtPerson,
} from '../../types/audit.js'

/** Methods for the operator. */
export interface MethodsOfOperate {
  /**
   * A page of the audit log, the newest record first (docs/audit.md). Only a page whose `next` is null is the last one: one
   * that found little may be shorter than `limit`.
   *
   * @throws {TypeError} naming the member of the query that is wrong
   * @throws {InvalidConfiguration} when the audit log is off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { records, next } = await auth.audit({ sub, limit: 20 }, env, ctx)
   */
  audit(query?: AuditQuery): Promise<AuditPage>
  /**
   * The newest record of each chain of the audit log, and the last one that was deleted after its days. Keep them elsewhere:
   * `latchkey audit verify --heads` compares with them (docs/audit.md).
   *
   * @throws {InvalidConfiguration} when the audit log is off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { chains } = await auth.auditHeads(env, ctx)
   */
  auditHeads(): Promise<AuditHeads>
  /**
   * Finds the id of a person: by the address that they sign in with, or by `person` of a line of the log. That is a
   * digest, so the service looks through the people who have a session, up to a thousand in a call: call it with
   * `after` until it has found the person, or `next` is null. A person without a session is not found by it.
   *
   * @throws {TypeError} naming the member that is wrong
   * @throws {StoreUnavailable} call it again
   * @example const { sub } = await auth.findPerson({ email: 'ada@films.example' }, env, ctx)
   */
  findPerson(sought: SoughtPerson): Promise<FoundPerson>
  /**
   * The messages of the webhook that were not received, and how many wait (docs/webhooks.md).
   *
   * @throws {InvalidConfiguration} when webhooks are off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { waiting, failed } = await auth.webhooks(env, ctx)
   */
  webhooks(): Promise<WebhookState>
  /**
   * Sends the message of a record again, with all of its tries, also if it was received, or is not one of
   * `AUTH_WEBHOOK_EVENTS`.
   *
   * @param id of the record: `webhook-id` of the message
   * @returns `false` if there is no such record
   * @throws {TypeError} when `id` is invalid
   * @throws {InvalidConfiguration} when webhooks are off
   * @throws {StoreUnavailable} call it again
   * @example await auth.resendWebhook('ledger_17', env, ctx)
   */
  resendWebhook(id: string): Promise<boolean>
}

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
