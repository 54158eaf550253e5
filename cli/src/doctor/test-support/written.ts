import { expect } from 'vitest'
import { checkService } from '../check-files.js'
import type { Code, Finding } from '../finding.js'
import type { Deployment, VariablesFile } from '../read.js'
import { parseVariables } from '../reading/parse-variables.js'
import { parseWrangler } from '../reading/parse-wrangler.js'
import { deploymentsOf } from '../reading/read-folder.js'

/** The text of the files of one folder. */
export interface Written {
  /** Left out: there is none. */
  readonly toml?: string
  /** The file of variables: `.dev.vars`, or `.env` without a wrangler file. Left out: there is none. */
  readonly vars?: string
  readonly inGit?: VariablesFile['inGit']
}

const NOW = Date.parse('2026-11-28T12:00:00Z')

export const SECRET = '4c8e0f7b1a2d3956c8e0f7b1a2d3956f4c8e0f7b1a2d3956c8e0f7b1a2d39560'

/** The bindings of a service. */
export const BINDINGS = `
[[kv_namespaces]]
binding = "SESSIONS"
[[durable_objects.bindings]]
name = "LEDGER"
class_name = "Ledger"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["Ledger"]
[[ratelimits]]
name = "RATE_LIMIT"
namespace_id = "1001"
simple = { limit = 30, period = 60 }
[[send_email]]
name = "EMAIL"
`

/** A secret that is good, and other variables. */
export function withSecret(...lines: readonly string[]): string {
  return [`AUTH_SECRET=${SECRET}`, ...lines].join('\n')
}

/** The deployments of such a folder. */
export async function deploymentsIn({
  toml,
  vars,
  inGit,
}: Written): Promise<readonly Deployment[]> {
  const path = toml === undefined ? '.env' : '.dev.vars'
  const found =
    vars === undefined ? undefined : { file: { path, inGit }, variables: parseVariables(vars) }
  if (toml === undefined) return deploymentsOf(undefined, {}, found)
  const said = await parseWrangler('wrangler.toml', toml)
  return said.flatMap(({ wrangler, vars: own }, at) =>
    deploymentsOf(wrangler, own, at === 0 ? found : undefined),
  )
}

/** All findings of such a folder. */
export async function findingsIn(written: Written): Promise<readonly Finding[]> {
  return checkService({ deployments: await deploymentsIn(written), unreadable: [] }, NOW)
}

/** The fault is found, and nothing else; its mended twin has no finding at all. */
export async function expectFault(
  code: Code,
  { where, fault, mended }: { where: string; fault: Written; mended: Written },
): Promise<Finding> {
  const found = await findingsIn(fault)
  expect(found.map((one) => `${one.code} ${one.where}`)).toEqual([`${code} ${where}`])
  expect(await findingsIn(mended)).toEqual([])
  return found[0] as Finding
}
