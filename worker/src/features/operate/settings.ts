import { bindingOf, textOf } from '@latchkey/host/shared'
import { logOfStore } from '#operate-ledger'
import { VARIABLES } from '../../config/manifests.js'
import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { ledgerObjects } from '../../stores/ledger-objects.js'
import type { AuthConfig, Environment } from '../../types.js'
import { auditDays } from './log/days.js'
import type { LogSettings } from './log/log-settings.js'
import { type OperatorKey, readOperatorKeys } from './operator/keys.js'
import { type AuditPlaces, LedgerPlaces } from './places.js'
import { readWebhook, type WebhookSettings } from './webhooks/settings.js'

const OWN = Object.keys(VARIABLES).filter((name) => VARIABLES[name] === 'operate')

/** The binding `METRICS`, an Analytics Engine dataset, as far as it is used. */
export interface Metrics {
  writeDataPoint(point: {
    readonly indexes: readonly string[]
    readonly blobs: readonly string[]
    readonly doubles: readonly number[]
  }): void
}

/** What the parts of the feature are configured with. A part that is off is absent. */
export interface OperateSettings {
  /** The keys of the operator API. */
  readonly keys: readonly OperatorKey[]
  /** The places of malformed entries in the list of keys, from 1. */
  readonly bad: readonly number[]
  /** Left out: there is no audit log. */
  readonly audit?: { readonly days: number; readonly log: AuditPlaces }
  readonly webhook?: WebhookSettings
  readonly metrics?: Metrics
}

/** The settings of a request whose service has the feature on. */
export function settingsOf({ features }: AuthRequest): OperateSettings {
  return features.settings('operate') as OperateSettings
}

/** Does a variable or a binding ask for a part of the feature? Most services have none of them. */
export function isAsked(env: Environment): boolean {
  return metricsOf(env) !== undefined || OWN.some((name) => textOf(env, name) !== undefined)
}

/** @throws {InvalidConfiguration} naming the variable that is wrong, without its value */
export function resolveOperate(
  config: AuthConfig,
  env: Environment,
  now: () => number,
): OperateSettings {
  const webhook = readWebhook(env)
  const days = auditDays(env)
  const metrics = metricsOf(env)
  return {
    ...readOperatorKeys(textOf(env, 'AUTH_OPERATOR_KEYS')),
    ...(days === undefined
      ? {}
      : { audit: { days, log: auditLogOf(config, env, { days, webhook }, now) } }),
    ...(webhook ? { webhook } : {}),
    ...(metrics ? { metrics } : {}),
  }
}

function auditLogOf(
  config: AuthConfig,
  env: Environment,
  kept: LogSettings,
  now: () => number,
): AuditPlaces {
  const objects = config.store ? undefined : ledgerObjects(config, env)
  if (objects) return new LedgerPlaces(objects.namespace, objects.layouts)
  const log = config.store && logOfStore(config.store, kept, now)
  if (log) return log
  const name = textOf(env, 'AUTH_AUDIT_DAYS') === undefined ? 'AUTH_WEBHOOK_URL' : 'AUTH_AUDIT_DAYS'
  throw new InvalidConfiguration(
    `${name} needs the audit log, which is in the Durable Object LEDGER, or on Node in a store that lasts: ${config.store ? 'set AUTH_STORE to a file, Postgres or Redis' : 'add the binding to wrangler.toml'}.`,
  )
}

function metricsOf(env: Environment): Metrics | undefined {
  return bindingOf<Metrics>(env, 'METRICS', 'writeDataPoint')
}
