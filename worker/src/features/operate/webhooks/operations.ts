import { answerWithin, isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import type { Place } from '../../../stores/ledger/placement.js'
import type { WebhookState } from '../../../types.js'
import { unavailable } from '../audit-lost.js'
import type { AuditPlaces } from '../places.js'
import { settingsOf } from '../settings.js'

/** The methods that webhooks add to an object of the ledger, as the service calls them. */
export interface WebhookMethods {
  webhookState(): Promise<WebhookState>
  /** @returns is there such a record? */
  resend(seq: number): Promise<boolean>
}

const TIMEOUT = 5_000
const SHOWN = 100

/** `webhooks()`, of all objects together. */
export async function webhooks(request: AuthRequest): Promise<WebhookState> {
  const places = auditLogOf(request)
  const ask = async (place: Place) => asked(async () => places.at(place).webhookState(), isState)
  const states = await Promise.all(places.all().map(ask))
  return {
    waiting: states.reduce((sum, { waiting }) => sum + waiting, 0),
    failed: states
      .flatMap(({ failed }) => failed)
      .sort((one, other) => (one.time < other.time ? 1 : -1))
      .slice(0, SHOWN),
  }
}

/** `resendWebhook(id)`: the object of the record plans its message again. */
export async function resendWebhook(request: AuthRequest, id: string): Promise<boolean> {
  const places = auditLogOf(request)
  const [, chain, seq] = /^([a-z0-9-]+)_([1-9]\d{0,14})$/.exec(id) ?? []
  // An object of another name would be made by the call.
  const place = places.all().find(({ name }: Place) => name === chain)
  if (place === undefined) return false
  return asked(async () => places.at(place).resend(Number(seq)), isBoolean)
}

/** @throws {InvalidConfiguration} */
function auditLogOf(request: AuthRequest): AuditPlaces {
  const { webhook, audit } = settingsOf(request)
  if (webhook && audit) return audit.log
  throw new InvalidConfiguration('Webhooks are off: set AUTH_WEBHOOK_URL and AUTH_WEBHOOK_SECRET.')
}

/** @throws {StoreUnavailable} an object fails, does not answer, or has a class without webhooks */
async function asked<Answer>(
  call: () => Promise<unknown>,
  isAnswer: (answer: unknown) => answer is Answer,
): Promise<Answer> {
  try {
    const answer = await answerWithin(TIMEOUT, call())
    if (isAnswer(answer)) return answer
    throw new TypeError('The answer is not one of this method.')
  } catch (error) {
    throw unavailable('ask', error)
  }
}

function isState(answer: unknown): answer is WebhookState {
  return (
    isRecord(answer) &&
    Number.isSafeInteger(answer.waiting) &&
    Array.isArray(answer.failed) &&
    answer.failed.every((message) => isRecord(message) && typeof message.time === 'string')
  )
}

function isBoolean(answer: unknown): answer is boolean {
  return typeof answer === 'boolean'
}
