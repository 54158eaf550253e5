import { InvalidConfiguration } from '../errors.js'
import type { AuthConfig, Environment } from '../types.js'

/** In Cloudflare's words. */
export const JURISDICTIONS = ['eu', 'us', 'fedramp', 'fedramp-high'] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]

/**
 * The jurisdiction that the ledger's objects do not leave; `undefined`: there is none.
 *
 * @throws {InvalidConfiguration} also for a value that is not a text, which would leave the data anywhere
 */
export function ledgerJurisdiction(
  { ledgerJurisdiction: given }: AuthConfig,
  env: Environment,
): Jurisdiction | undefined {
  const value: unknown = given ?? env.AUTH_LEDGER_JURISDICTION
  if (value === undefined || value === '') return undefined
  const known = JURISDICTIONS.find((jurisdiction) => jurisdiction === value)
  if (known) return known
  throw new InvalidConfiguration(
    `AUTH_LEDGER_JURISDICTION must be one of ${JURISDICTIONS.join(', ')}.`,
  )
}
