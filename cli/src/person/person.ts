import { answer } from '../answer.js'
import { onlyOptions, parsed } from '../arguments.js'
import { type Command, type ExitCode, Failed, type Terminal, WrongUse } from '../command.js'
import { isRecord } from '../is-record.js'
import { notUnderstood, type Service, serviceOf } from '../operator/service.js'
import { jsonOf, printable } from '../printable.js'
import { showPerson } from './show-person.js'

const HELP = `Shows one person, and does what the person on duty does for them.

Usage: latchkey person <sub> [what] [options]
       latchkey person --email <address> [what] [options]

<sub> is the person's id: session.user.id in your apps. Without another word the
command shows the person, their sessions and their ways to sign in. Then it may
also be \`person\` of a log line: the service looks for them among the people who
have a session.

  end                    ends all sessions of the person
    --session <id>       ends this one alone
    --except <sid>       ends all but this one
  refresh                renews the tokens of the person: callbacks are asked
                         again, and nobody is signed out
    --session <id>       those of this session alone
  block                  keeps the person out, and ends all sessions
    --reason <text>      1 to 200 characters, for you and your colleagues
  unblock                lets the person in again
  disconnect <provider>  ends the connection: the provider's tokens are deleted
  reset-factors          takes the second factor from a person who has lost it
  remove-password        takes the password from the person
  export                 prints all that is kept of the person, as JSON
  delete                 erases the person, after a question
    --yes                does not ask

  --email <address>      the person who signs in by mails to this address

  --to <base URL>        the service, such as https://example.com/auth.
                         Default: LATCHKEY_URL
  --json                 prints { person, sessions, ways }, the export,
                         or { done: true }

The operator's key is read from AUTH_OPERATOR_KEY. Each call is in the audit
log.
Exit code: 0 if it is done, 1 if it failed or nothing is kept of the person,
2 for wrong use.
`

const OPTIONS = {
  to: { type: 'string' },
  email: { type: 'string' },
  session: { type: 'string' },
  except: { type: 'string' },
  reason: { type: 'string' },
  yes: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parsed<typeof OPTIONS>>['values']

/** One word after the person's id. */
interface Action {
  readonly options: readonly (keyof Values)[]
  /** The word that it needs, if it needs one. */
  readonly needs?: 'provider'
  /** The sentence after it is done. */
  readonly done: string
  /** The method, and its members beside `sub`. @throws {WrongUse} */
  readonly call: (values: Values, word: string) => readonly [method: string, more?: object]
}

/** How soon an ending counts everywhere. */
const ENDED = 'at once at the ledger, within 15 s in your apps'

const ACTIONS: Readonly<Record<string, Action>> = {
  end: {
    options: ['session', 'except'],
    done: `The sessions end: ${ENDED}.`,
    call({ session, except }) {
      if (session === undefined) return ['endSessions', { except }]
      if (except === undefined) return ['endSession', { session }]
      throw new WrongUse('Use --session or --except, and not both.')
    },
  },
  refresh: {
    options: ['session'],
    done: 'Older tokens are renewed at their next use: at once at the ledger, within 15 s in your apps.',
    call: ({ session }) => ['refreshClaims', { session }],
  },
  block: {
    options: ['reason'],
    done: `Blocked. The sessions end: ${ENDED}.`,
    call({ reason }) {
      if (reason === undefined || /^\P{Cc}{1,200}$/u.test(reason)) {
        return ['blockPerson', { reason }]
      }
      throw new WrongUse('--reason has 1 to 200 characters, without line breaks.')
    },
  },
  unblock: {
    options: [],
    done: 'The person may sign in again. Sessions that ended stay ended.',
    call: () => ['unblockPerson'],
  },
  disconnect: {
    options: [],
    needs: 'provider',
    done: 'The connection ends. The person can still sign in with the provider.',
    call: (_, provider) => ['disconnect', { provider }],
  },
  'reset-factors': {
    options: [],
    done: 'The person has no second factor any more. Their sessions go on.',
    call: () => ['resetFactors'],
  },
  'remove-password': {
    options: [],
    done: 'The person has no password any more. Their sessions go on.',
    call: () => ['removePassword'],
  },
  delete: {
    options: ['yes'],
    done: 'The person is erased.',
    call: () => ['deletePerson'],
  },
}

/** Shows a person, ends their sessions, blocks, exports and erases them. */
export const person: Command = {
  help: HELP,
  async run(args, terminal) {
    const { sub: named, what, word, values } = read(args)
    const [method, more] = typeof what === 'object' ? what.call(values, word) : []
    const service = serviceOf(values.to, terminal)
    const sub = named ?? (await ownerOf(values.email ?? '', service))
    if (what === undefined) return show(sub, service, terminal)
    if (what === 'export') return exported(sub, service, terminal)
    if (what === ACTIONS.delete && values.yes !== true) await confirm(sub, service, terminal)
    await service.call(`${method}`, { sub, ...more })
    answer(terminal, { done: true }, () => `${what.done}\n`)
    return 0
  },
}

/** @throws {WrongUse} */
function read(args: readonly string[]) {
  // One id of 64 begins with a hyphen. No option has 22 letters.
  const isId = /^-[\w-]{21}$/.test(args[0] ?? '')
  const { values, positionals } = parsed(isId ? args.slice(1) : args, OPTIONS)
  const words = isId ? [args[0], ...positionals] : positionals
  const [sub, name, word = '', ...more] = values.email === undefined ? words : [undefined, ...words]
  const isNamed = sub !== undefined && sub !== '' && [...sub].length <= 255
  if (!isNamed && values.email === undefined) {
    throw new WrongUse('Name the person by 1 to 255 characters, or by --email <address>.')
  }
  const part = `latchkey person <sub>${name === undefined ? '' : ` ${printable(name)}`}`
  const what = whatOf(name)
  const action = typeof what === 'object' ? what : undefined
  onlyOptions(values, ['to', 'email', ...(action?.options ?? [])], part)
  if (action?.needs && word === '') throw new WrongUse(`${part} needs a provider.`)
  if (more.length > 0 || (word !== '' && !action?.needs)) {
    throw new WrongUse(`${part} takes no more words.`)
  }
  return { sub, what, word, values }
}

/** @throws {WrongUse} */
function whatOf(name: string | undefined): Action | 'export' | undefined {
  if (name === undefined || name === 'export') return name
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (action) return action
  const known = [...Object.keys(ACTIONS), 'export'].join(', ')
  throw new WrongUse(`${jsonOf(printable(name))} is not one of: ${known}.`)
}

async function show(sub: string, service: Service, terminal: Terminal): Promise<ExitCode> {
  const shown = await shownOf(sub, service)
  if (shown.person !== null || !LIKE_A_LINE.test(sub)) return told(shown, terminal)
  const search = await searchLine(sub, service)
  return search.sub === undefined
    ? told(shown, terminal, search.advice)
    : told(await shownOf(search.sub, service), terminal)
}

async function shownOf(sub: string, service: Service) {
  const [found, sessions, ways] = await Promise.all([
    service.call('getPerson', { sub }),
    service.call('listSessions', { sub }),
    service.call('listWays', { sub }),
  ])
  if (found !== null && !isRecord(found)) throw notUnderstood(service, 'getPerson')
  if (!Array.isArray(sessions)) throw notUnderstood(service, 'listSessions')
  if (!Array.isArray(ways)) throw notUnderstood(service, 'listWays')
  return { person: found, sessions, ways }
}

/** @param advice for an id that the service does not know */
function told(
  { person, ...lists }: Awaited<ReturnType<typeof shownOf>>,
  terminal: Terminal,
  advice = '',
): ExitCode {
  answer(terminal, { person, ...lists }, () =>
    person === null ? `${UNKNOWN}\n${advice}` : showPerson({ person, ...lists }, terminal),
  )
  return person === null ? 1 : 0
}

const UNKNOWN = 'Nothing is kept of this person.'

/** Digests in the log look like ids that the service gives. */
const LIKE_A_LINE = /^[\w-]{22}$/

/** A search ends after so many parts of a thousand people. */
const MOST_PARTS = 500

/** Looks for the person of a log line. @returns their id, or what to pass instead */
async function searchLine(person: string, service: Service) {
  let after: string | undefined
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    const { sub, next } = await sought({ person, after }, service).catch(unlessOlder)
    if (sub !== null) return { sub }
    if (next === null) break
    after = next
  }
  const advice =
    'If this is `person` of a log line: nobody with a session has it. Pass the id of\nthe person: docs/operate.md ("Find a person in the log") says how to get it.\n'
  return { advice }
}

/** A service of an earlier version cannot look for anybody. */
function unlessOlder(error: unknown) {
  if (error instanceof Failed && error.error === 'NotFound') return { sub: null, next: null }
  throw error
}

/** @throws {Failed} nobody signs in with it */
async function ownerOf(email: string, service: Service): Promise<string> {
  const { sub } = await sought({ email }, service)
  if (sub !== null) return sub
  const shown = 'Nobody signs in by mails to this address. Pass the id of the person instead.'
  throw new Failed('NotFound', shown)
}

async function sought(body: object, service: Service) {
  const found = await service.call('findPerson', body)
  const { sub, next } = isRecord(found) ? found : {}
  const isText = (value: unknown) => value === null || typeof value === 'string'
  if (!isText(sub) || !isText(next)) throw notUnderstood(service, 'findPerson')
  return { sub: sub as string | null, next: next as string | null }
}

async function exported(sub: string, service: Service, terminal: Terminal): Promise<ExitCode> {
  const found = await service.call('exportPerson', { sub })
  if (found === null) throw new Failed('NotFound', UNKNOWN)
  if (!isRecord(found)) throw notUnderstood(service, 'exportPerson')
  answer(terminal, found, () => `${jsonOf(found, 2)}\n`)
  return 0
}

/** @throws {WrongUse} nobody can answer @throws {Failed} the answer is no */
async function confirm(sub: string, { base }: Service, { ask }: Terminal): Promise<void> {
  if (!ask) throw new WrongUse('Add --yes: without a terminal the command cannot ask.')
  const isMeant = await ask.confirm(
    `Erase all that ${base} keeps of ${printable(sub)}? Nothing brings it back.`,
  )
  if (!isMeant) throw new Failed('Stopped', 'Nothing was erased.')
}
