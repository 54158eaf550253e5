import { type Finding, finding } from '../finding.js'
import { isApp, type Rule, textIn } from '../read.js'

const missing: Rule = (deployment) => {
  const { wrangler } = deployment
  if (!wrangler || isApp(deployment)) return []
  const found: Finding[] = []
  const why = 'Nobody can sign in: the service keeps sessions there.'
  const lacks = (name: string, what: string, fix: string) => {
    found.push(finding('binding-missing', { where: `${wrangler.path} ${name}`, what, why, fix }))
  }
  if (!wrangler.kv.has('SESSIONS')) {
    lacks(
      'SESSIONS',
      'The Worker has no KV namespace SESSIONS.',
      wrangler.isJson
        ? '"kv_namespaces": [{ "binding": "SESSIONS" }]'
        : '[[kv_namespaces]]\nbinding = "SESSIONS"',
    )
  }
  if (!wrangler.objects.has('LEDGER')) {
    lacks(
      'LEDGER',
      'The Worker has no Durable Object LEDGER.',
      wrangler.isJson
        ? '"durable_objects": { "bindings": [{ "name": "LEDGER", "class_name": "Ledger" }] }'
        : '[[durable_objects.bindings]]\nname = "LEDGER"\nclass_name = "Ledger"',
    )
  }
  return found
}

const migration: Rule = ({ wrangler }) => {
  const name = wrangler?.objects.get('LEDGER')
  if (!wrangler || name === undefined || wrangler.sqliteClasses.has(name)) return []
  return [
    finding('migration-missing', {
      where: `${wrangler.path} migrations`,
      what: `No migration has ${printable(name)}, the class of LEDGER, in new_sqlite_classes.`,
      why: 'A deploy is refused, or the ledger is kept in a store that it cannot use.',
      fix: wrangler.isJson
        ? `"migrations": [{ "tag": "v1", "new_sqlite_classes": ["${printable(name)}"] }]`
        : `[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["${printable(name)}"]`,
    }),
  ]
}

/** The name of a class, which a file may have made anything else. */
function printable(name: string): string {
  return /^[\w$]{1,100}$/.test(name) ? name : 'Ledger'
}

/** @param kinds the types of providers that a running service lists: no file says if there are passwords */
export function rateLimit(kinds: ReadonlySet<string>): Rule {
  return (deployment) => {
    const { wrangler, variables } = deployment
    const isMailed = textIn(variables, 'AUTH_EMAIL_FROM') !== undefined
    const isNeeded = isMailed || kinds.has('email') || kinds.has('credentials')
    if (!wrangler || !isNeeded || isApp(deployment) || wrangler.rateLimits.has('RATE_LIMIT')) {
      return []
    }
    return [
      finding('rate-limit-missing', {
        where: `${wrangler.path} RATE_LIMIT`,
        what: 'The Worker sends mails or takes passwords, and has no RATE_LIMIT.',
        why: 'Each isolate counts for itself, so that a stranger gets more mails and more guesses.',
        fix: wrangler.isJson
          ? '"ratelimits": [{ "name": "RATE_LIMIT", "namespace_id": "1001", "simple": { "limit": 30, "period": 60 } }]'
          : '[[ratelimits]]\nname = "RATE_LIMIT"\nnamespace_id = "1001"\nsimple = { limit = 30, period = 60 }',
      }),
    ]
  }
}

/** An app that forwards sees the same addresses. */
export const queries: Rule = ({ wrangler }) => {
  if (!wrangler?.isObserved || wrangler.redactsQueries) return []
  return [
    finding('logs-keep-queries', {
      where: `${wrangler.path} observability`,
      what: 'Workers Logs keeps whole addresses, with their queries.',
      why: 'Mailed links and the answers of providers have secrets there, for everybody who reads the logs.',
      fix: wrangler.isJson
        ? '"redact_query_string": true   // in "observability"'
        : 'redact_query_string = true   # below [observability]',
    }),
  ]
}

export const bindings: readonly Rule[] = [missing, migration]
