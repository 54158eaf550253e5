import { answerWithin } from '@latchkey/session/internal'
import { InvalidConfiguration, StoreUnavailable } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import type { Place } from '../../../stores/ledger/placement.js'
import type { WebhookState } from '../../../types.js'
import type { AuditPlaces } from '../places.js'
import type { OperateSettings } from '../settings.js'

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
  const places = placesOf(request)
  const states = await Promise.all(
    places.all().map((place) => asked(places.at(place).webhookState())),
  )
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
  const places = placesOf(request)
  const [, chain, seq] = /^([a-z0-9-]+)_([1-9]\d{0,14})$/.exec(id) ?? []
  // An object of another name would be made by the call.
  const place = places.all().find(({ name }: Place) => name === chain)
  return place === undefined ? false : asked(places.at(place).resend(Number(seq)))
}

/** @throws {InvalidConfiguration} */
function placesOf({ features }: AuthRequest): AuditPlaces {
  const { webhook, audit } = features.settings<OperateSettings>('operate') ?? {}
  if (webhook && audit) return audit.log
  throw new InvalidConfiguration('Webhooks are off: set AUTH_WEBHOOK_URL and AUTH_WEBHOOK_SECRET.')
}

async function asked<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await answerWithin(TIMEOUT, call)
  } catch (error) {
    throw new StoreUnavailable('Could not ask the ledger for its webhooks.', { cause: error })
  }
}
