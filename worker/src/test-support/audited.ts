import { operate } from '../features/operate/index.js'
import type {
  AuditPage,
  AuditQuery,
  AuditRecord,
  AuthConfig,
  Environment,
  LogEvent,
} from '../types.js'
import { type Browser, claimsIn } from './browser.js'
import { deployment } from './deployment.js'

/** A Worker with the audit log, whose lines and errors are kept. */
export function audited(changes: Partial<AuthConfig> = {}, variables: Environment = {}) {
  const events: LogEvent[] = []
  const errors: Error[] = []
  const warnings: string[] = []
  const logger = {
    error: (error: Error) => void errors.push(error),
    warn: (code: string, detail = '') => void warnings.push(`${code}: ${detail}`),
    info: (event: LogEvent) => void events.push(event),
  }
  const world = deployment(
    { features: [operate()], logger, ...changes },
    { AUTH_AUDIT_DAYS: '30', ...variables },
  )
  world.ledgers.auditDays = 30
  return {
    ...world,
    events,
    errors,
    warnings,
    /** All records that a query finds, the oldest first. */
    async records(query: AuditQuery = {}, at = world.here) {
      const found: AuditRecord[] = []
      let after: string | null = null
      do {
        const { records, next }: AuditPage = await at.call('audit', {
          ...query,
          ...(after ? { after } : {}),
        })
        found.push(...(records as AuditRecord[]))
        after = next
      } while (after !== null)
      return found.toReversed()
    },
    /** How many calls have written a record. */
    recorded: () => world.ledgers.count('record'),
    subOf: (browser: Browser) => claimsIn(browser).sub,
  }
}
