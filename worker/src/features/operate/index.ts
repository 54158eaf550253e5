import type { Feature } from '../../service/feature.js'
import { findPerson } from './find-person.js'
import { operated } from './operated.js'
import { audit, auditHeads } from './operations.js'
import { badKeysLine } from './operator/keys.js'
import { operatorApi } from './operator/route.js'
import { recordEvent } from './record-event.js'
import { isAsked, type OperateSettings, resolveOperate } from './settings.js'
import { resendWebhook, webhooks } from './webhooks/operations.js'

export { Ledger } from '#operate-ledger'

/**
 * What the person on duty needs: the operator API, the audit log, webhooks and metrics (docs/operate.md). Each part is on
 * with its variable or binding: `AUTH_OPERATOR_KEYS`, `AUTH_AUDIT_DAYS`, `AUTH_WEBHOOK_URL`, `METRICS`. A Worker that has
 * the audit log exports this `Ledger`, in the place of the one of `@latchkey/worker/ledger`. On Node the log is in the store.
 *
 * @throws {InvalidConfiguration} at the start: a variable is malformed, or the ledger cannot keep the log
 * @example
 * export { Ledger } from '@latchkey/worker/features/operate'
 * export default createAuth({ providers: [github()], features: [operate()] })
 */
export function operate(): Feature<OperateSettings> {
  return {
    name: 'operate',
    configure: (config, { env, now }) =>
      isAsked(env) ? resolveOperate(config, env, now) : undefined,
    warn: ({ bad }) => (bad.length > 0 ? [['operator-keys', badKeysLine(bad)]] : []),
    pages: { below: { '/operator': operatorApi } },
    operator: {
      operations: { audit, auditHeads, findPerson, webhooks, resendWebhook },
      operated,
      onEvent: recordEvent,
    },
  }
}
