import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../errors.js'
import type { AuthConfig, Environment } from '../types.js'
import { type Layout, REGIONS } from './ledger/placement.js'

/** More is a typing error: it would be ten times what 10,000 sign-ins a second need. */
const MAX_SHARDS = 4096

/** The ledger's numbers of objects, oldest first. @throws {InvalidConfiguration} */
export function ledgerShards({ ledgerShards }: AuthConfig, env: Environment): readonly Layout[] {
  const values = ledgerShards ?? (textOf(env, 'AUTH_LEDGER_SHARDS') ?? '1').split(',')
  const shards = [values].flat().map((entry) => parseShards(String(entry)))
  const layouts = shards.flatMap((layout) => layout ?? [])
  if (layouts.length === 0 || layouts.length < shards.length) {
    throw new InvalidConfiguration(
      `AUTH_LEDGER_SHARDS must be whole numbers from 1 to ${MAX_SHARDS}, such as 4, or 1,4; with regions, such as 4@weur+enam, of ${REGIONS.join(', ')}.`,
    )
  }
  return layouts
}

function parseShards(text: string): Layout | undefined {
  const [, digits = '', names = ''] =
    /^\s*(\d{1,4})(?:@([a-z]+(?:\+[a-z]+)*))?\s*$/.exec(text) ?? []
  const count = Number(digits)
  const wanted = names.split('+').filter(Boolean)
  const regions = REGIONS.filter((region) => wanted.includes(region))
  const isKnown = regions.length === wanted.length
  return isKnown && count >= 1 && count <= MAX_SHARDS ? { count, regions } : undefined
}
