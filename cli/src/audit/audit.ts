import { onlyOptions, parsed } from '../arguments.js'
import { type Command, type ExitCode, type Terminal, WrongUse } from '../command.js'
import { type Service, serviceOf } from '../operator/service.js'
import { jsonOf } from '../printable.js'
import { styleOf } from '../style.js'
import { pagesOf, progressOf } from './pages.js'
import { countOf, queryOf } from './query.js'
import { recordLine } from './record-line.js'

const HELP = `Shows the audit log, and checks that nobody has changed it.

Usage: latchkey audit [options]
       latchkey audit verify [--heads <file>] [--file <JSON lines>]

Without a word it prints one line a record, the oldest first. Times are in UTC.

  --sub <sub>      records of this person
  --ip <address>   records of this network
  --event <name>   records of this event, such as sign-in or person-blocked
  --since <time>   from this time on, such as 2026-11-28 or 2026-11-28T01:30:00Z
  --until <time>   before this time
  --limit <n>      the newest n records. Default: 50
  --all            all records

verify reads all records and says which are edited, missing or not linked to the
one before. It needs no secret.

  --heads <file>   compares with the heads in the file, and writes the new ones
                   there if all is well. Keep the file out of the reach of
                   everybody who can write to the ledger
  --file <file>    checks JSON lines, as audit --all --json prints them, instead
                   of a service

  --to <base URL>  the service, such as https://example.com/auth.
                   Default: LATCHKEY_URL
  --json           prints each record as a line of JSON; for verify
                   { ok, records, chains: [{ chain, from, to }],
                   faults: [{ fault, chain, seq }] }

The operator's key is read from AUTH_OPERATOR_KEY; one that only reads will do.
Exit code: 0 if it is done, 1 if it failed or there is a fault, 2 for wrong use.
`

const OPTIONS = {
  to: { type: 'string' },
  sub: { type: 'string' },
  ip: { type: 'string' },
  event: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  file: { type: 'string' },
  heads: { type: 'string' },
} as const

const OF_LIST = ['to', 'sub', 'ip', 'event', 'since', 'until', 'limit', 'all']

/** Shows the audit log, and verifies it. */
export const audit: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parsed(args, OPTIONS)
    const [what, ...more] = positionals
    if (more.length > 0 || (what !== undefined && what !== 'verify')) {
      throw new WrongUse('The only word of latchkey audit is verify.')
    }
    const { to, file, heads } = values
    if (what === undefined) {
      onlyOptions(values, OF_LIST, 'latchkey audit')
      const query = queryOf(values)
      return list(serviceOf(to, terminal), query, countOf(values.limit, values.all), terminal)
    }
    const isOffline = file !== undefined
    const part = isOffline ? 'latchkey audit verify --file' : 'latchkey audit verify'
    onlyOptions(values, isOffline ? ['file', 'heads'] : ['to', 'heads'], part)
    const from = file ?? serviceOf(to, terminal)
    const { verify } = await import('./verify.js')
    return verify({ from, heads }, terminal)
  },
}

/** The service has the newest first: pages are kept as bytes until the oldest one is there. */
async function list(
  service: Service,
  query: object,
  limit: number,
  terminal: Terminal,
): Promise<ExitCode> {
  const style = styleOf(terminal)
  const progress = progressOf(terminal)
  const pages: Buffer[] = []
  try {
    for await (const page of pagesOf(service, query, limit)) {
      const lines = page.map((one) =>
        terminal.isJson ? `${jsonOf(one)}\n` : recordLine(one, style),
      )
      pages.push(Buffer.from(lines.toReversed().join('')))
      progress.add(page.length)
    }
  } finally {
    progress.clear()
  }
  for (const page of pages.toReversed()) terminal.print(page.toString())
  if (pages.every(({ length }) => length === 0)) terminal.note('No record was found.\n')
  return 0
}
