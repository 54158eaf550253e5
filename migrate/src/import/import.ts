import { resolve } from 'node:path'
import {
  answer,
  type Command,
  type ExitCode,
  parsed,
  printable,
  refuse,
  type Terminal,
  WrongUse,
} from 'latchkey/internal'
import { hasAccounts, type OldAccount, PASSWORD, type Wanted } from './accounts.js'
import { Batches } from './batches.js'
import { providerHere } from './provider-names.js'
import { readExport } from './read-export.js'
import { number, Report } from './report.js'
import { UnreadableExport } from './rows.js'
import { serviceAt } from './service.js'
import { storeAt } from './store.js'
import { type Named, Tables } from './tables.js'
import { ImportStopped, type Target } from './target.js'

const HELP = `Imports the accounts of Auth.js and better-auth. A person who signs in with such
an account keeps the old id.

Usage: latchkey import <file> --to <address>     to a running service
       latchkey import <file> --store <store>    to the store of an app on Node

<file> is a dump in SQL (.dump of SQLite, wrangler d1 export, pg_dump,
mysqldump) or JSON lines with a row each; - is standard input.

  --to <address>         address of the auth routes, https://example.com/auth.
                         The service needs AUTH_IMPORT_UNTIL, a date at most
                         seven days ahead; this command needs its AUTH_SECRET
                         in the environment
  --store <store>        file:<path>, postgres://… or redis://…, as AUTH_STORE.
                         One with a password is read from AUTH_STORE instead
  --provider <old>=<id>  the id of a provider here; may be given several times
  --email <id>           imports verified addresses too, for this provider
  --passwords            imports the hashes of passwords too, of people with a
                         verified address: with --email, and AUTH_SECRET in the
                         environment. The service has password()
  --credentials <id>     imports people with a password, for this provider; its
                         authorize() returns the old id
  --accounts <table>     the table of accounts, if several could be it, such as
                         public.accounts; may be given several times
  --people <table>       the table of people, for --email and --credentials
  --report <file>        writes the accounts that are left out, as JSON lines
  --show-addresses       does not hide addresses in the report
  --dry-run              reads everything and sends nothing
  --json                 prints { read, added, known, left, providers,
                         reasons }, the last two with a count of each

You may stop it and run it again: accounts that are there stay as they are.
Exit code: 0 if all is done, 1 if something is left out or an option fits
nothing, 2 for wrong use.
`

const OPTIONS = {
  to: { type: 'string' },
  store: { type: 'string' },
  provider: { type: 'string', multiple: true },
  email: { type: 'string' },
  passwords: { type: 'boolean' },
  credentials: { type: 'string' },
  accounts: { type: 'string', multiple: true },
  people: { type: 'string', multiple: true },
  report: { type: 'string' },
  'show-addresses': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

/** The parts that a test replaces. */
export interface Outside {
  readonly fetch: (url: URL, init?: RequestInit) => Promise<Response>
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<unknown>
  readonly open?: (path: string) => AsyncIterable<string | Buffer>
}

const outside: Outside = {
  fetch: (url, init) => fetch(url, init),
  now: Date.now,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}

export const importAccounts: Command = {
  help: HELP,
  run: (args, terminal) => runImport(args, terminal, outside),
}

/** @throws {WrongUse} */
export async function runImport(
  args: readonly string[],
  terminal: Terminal,
  from: Outside,
): Promise<ExitCode> {
  const asked = optionsIn(args, terminal)
  const { wanted, path } = asked
  let target: Target
  let report: Report
  try {
    report = new Report(asked.report, asked.showsAddresses)
    target = asked.to
      ? await serviceAt(asked.to, { ...from, env: terminal.env })
      : await storeAt(asked.store ?? '', wanted, terminal.env)
    checkProviders(wanted, target)
  } catch (error) {
    if (error instanceof ImportStopped) return stopped(terminal, error)
    throw error
  }
  const line = progressLine(terminal, from.now)
  let hasPeople = false
  const batches = new Batches(asked.isTrial ? undefined : target, report, line.show)
  try {
    const chosen = await tablesIn(path, asked, from.open)
    hasPeople = chosen.hasPeople
    if (terminal.isJson) terminal.note(chosen.summary())
    else terminal.print(chosen.summary())
    for (const { why, ...account } of chosen.accounts()) {
      report.read++
      const provider = account.provider ?? ''
      report.providers.set(provider, (report.providers.get(provider) ?? 0) + 1)
      const isPassword = account.hash !== undefined
      const own = isPassword ? wanted.email : undefined
      const id = own ?? providerHere(provider, asked.names, target.providers)
      if (why !== undefined) report.leave(account, why)
      else if (target.providers?.has(id) === false) report.leave(account, 'unknown-provider')
      else await batches.add(account as OldAccount, id)
    }
    await batches.finish()
    await report.close()
    line.clear()
  } catch (error) {
    line.clear()
    await batches.settle()
    await target.close().catch(() => {})
    return ended(terminal, error, report, path)
  }
  await target.close()
  answer(terminal, report.totals(), () => report.summary(asked.isTrial))
  if (report.read === 0) {
    terminal.note(
      'No accounts were found: they would be in a table with the columns userId, provider and providerAccountId (Auth.js), or userId, providerId and accountId (better-auth).\n',
    )
    return 1
  }
  if (report.left > 0 && asked.report === undefined) {
    terminal.note('To list the accounts that are left out, add --report <file>.\n')
  }
  const idle = idleOptions(asked, report, hasPeople)
  for (const option of idle)
    terminal.note(`${option} had no effect: the file has nothing for it.\n`)
  return report.left + idle.length > 0 ? 1 : 0
}

/** Options for which the file has nothing, such as one with a typing error. */
function idleOptions(
  { names, wanted }: Asked,
  { providers }: Report,
  hasPeople: boolean,
): readonly string[] {
  const pairs = [...names].filter(([old]) => !providers.has(old))
  const { passwords, ...ids } = wanted
  const kinds = Object.entries(ids).filter(([, id]) => !(hasPeople || providers.has(id ?? '')))
  return [
    ...pairs.map(([old, id]) => `--provider ${printable(`${old}=${id}`)}`),
    ...kinds.flatMap(([name, id]) => (id === undefined ? [] : `--${name}`)),
    ...(passwords && !providers.has(PASSWORD) ? ['--passwords'] : []),
  ]
}

/** @throws {ImportStopped} @throws {UnreadableExport} */
async function tablesIn(path: string, { wanted, tables }: Asked, open: Outside['open']) {
  const found = new Tables(wanted, tables)
  const parts = readExport(path, hasAccounts, open)
  for (;;) {
    const { done, value } = await parts.next()
    if (done) return found.chosen(value)
    for (const row of value) found.add(row)
  }
}

function ended(terminal: Terminal, error: unknown, report: Report, path: string): ExitCode {
  const { code } = error as { code?: string }
  const isFile = typeof code === 'string' && /^E[A-Z]+$/.test(code)
  if (!isFile && !(error instanceof ImportStopped) && !(error instanceof UnreadableExport)) {
    throw error
  }
  if (report.added + report.known > 0) {
    terminal.note(`${number(report.added + report.known)} accounts are there. `)
    terminal.note('Run the same command again: accounts that are there stay as they are.\n')
  }
  if (error instanceof ImportStopped) return stopped(terminal, error)
  const message = error instanceof UnreadableExport ? error.message : `It cannot be read (${code}).`
  return stopped(terminal, new ImportStopped(`${path}: ${message}`))
}

function stopped(terminal: Terminal, { message }: ImportStopped): ExitCode {
  return refuse(terminal, 1, { error: 'ImportStopped', message })
}

interface Asked {
  readonly path: string
  readonly to: string | undefined
  readonly store: string | undefined
  readonly names: ReadonlyMap<string, string>
  readonly wanted: Wanted
  readonly tables: Named
  readonly report: string | undefined
  readonly showsAddresses: boolean
  readonly isTrial: boolean
}

/** @throws {WrongUse} */
function optionsIn(args: readonly string[], { env, directory }: Terminal): Asked {
  const { values, positionals } = parsed(args, OPTIONS)
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0)
    throw new WrongUse('Name one file, or - for standard input.')
  const { to, email, credentials, report } = values
  const passwords = values.passwords === true
  const store = values.store ?? (to === undefined ? env.AUTH_STORE : undefined)
  if ((to === undefined) === (store === undefined)) {
    throw new WrongUse('Name the target of the accounts: --to <address> or --store <store>.')
  }
  if (URL.parse(values.store ?? '')?.password) {
    throw new WrongUse(
      'Other users of this machine can see a password in --store: set AUTH_STORE instead.',
    )
  }
  if (values.people && email === undefined && credentials === undefined) {
    throw new WrongUse('--people needs --email or --credentials.')
  }
  if (passwords && email === undefined) {
    throw new WrongUse('--passwords needs --email: a password is typed with an address.')
  }
  const pairs = (values.provider ?? []).map((pair) => {
    const [old = '', id = '', ...rest] = pair.split('=')
    if (old && id && rest.length === 0) return [old, id] as const
    throw new WrongUse(
      '--provider must be <old>=<id>, such as --provider azure-ad=microsoft-entra-id.',
    )
  })
  const names = new Map(pairs)
  if (names.size < pairs.length) throw new WrongUse('--provider names one <old> twice.')
  if (values['show-addresses'] && report === undefined) {
    throw new WrongUse('--show-addresses needs --report: no address is shown elsewhere.')
  }
  return {
    path: file === '-' ? file : resolve(directory, file),
    to,
    store,
    names,
    wanted: { email, credentials, ...(passwords ? { passwords } : {}) },
    tables: { accounts: values.accounts ?? [], people: values.people ?? [] },
    report: report === undefined ? undefined : resolve(directory, report),
    showsAddresses: values['show-addresses'] === true,
    isTrial: values['dry-run'] === true,
  }
}

/** @throws {ImportStopped} a named provider is not there: all its accounts would be left out */
function checkProviders({ email, credentials, passwords }: Wanted, { providers }: Target): void {
  if (passwords && providers?.has(PASSWORD) === false) {
    throw new ImportStopped('The service has no provider password() (--passwords).')
  }
  for (const [option, id] of Object.entries({ email, credentials })) {
    if (id === undefined || !providers || providers.has(id)) continue
    throw new ImportStopped(`The service has no provider ${JSON.stringify(id)} (--${option}).`)
  }
}

/** Between two changes of the line. Milliseconds. */
const INTERVAL = 200

/** One line of progress, if the output is a terminal. */
function progressLine({ note, isWatched }: Terminal, now: () => number) {
  const began = now()
  let shown = 0
  const write = isWatched ? note : () => {}
  return {
    show: ({ read, added, known, left }: Report) => {
      const time = now()
      if (time - shown < INTERVAL) return
      shown = time
      const done = added + known + left
      const speed = Math.round(done / Math.max(1, (time - began) / 1000))
      write(`\r\u001b[K${number(read)} read, ${number(done)} done, ${number(speed)} a second`)
    },
    clear: () => write('\r\u001b[K'),
  }
}
