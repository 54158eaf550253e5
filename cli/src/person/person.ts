import { answer } from '../answer.js'
import { onlyOptions, parsed } from '../arguments.js'
import { type Command, type ExitCode, Failed, type Terminal, WrongUse } from '../command.js'
import { isRecord } from '../is-record.js'
import { notUnderstood, type Service, serviceOf } from '../operator/service.js'
import { jsonOf, printable } from '../printable.js'
import { showPerson } from './show-person.js'

const HELP = `Shows one person, and does what the person on duty does for them.

Usage: latchkey person <sub> [what] [options]

<sub> is the person's id: session.user.id in your apps. It is not \`person\` of a
log line, from which docs/operate.md ("Find a person in the log") leads to it.
Without another word the command shows the person, their sessions and their ways
to sign in.

  end                    ends all sessions of the person
    --session <id>       ends this one alone
    --except <sid>       ends all but this one
  refresh                has the tokens of the person renewed: your callbacks are
                         asked again, and nobody is signed out
    --session <id>       those of this session alone
  block                  keeps the person out, and ends all sessions
    --reason <text>      1 to 200 characters, for you and your colleagues
  unblock                lets the person in again
  disconnect <provider>  ends the connection: the provider's tokens are deleted
  reset-factors          takes the second factor from a person who has lost it
  export                 prints all that is kept of the person, as JSON
  delete                 erases the person, after a question
    --yes                does not ask

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
    const { sub, what, word, values } = read(args)
    if (what === undefined) return show(sub, serviceOf(values.to, terminal), terminal)
    if (what === 'export') return exported(sub, serviceOf(values.to, terminal), terminal)
    const [method, more] = what.call(values, word)
    const service = serviceOf(values.to, terminal)
    if (what === ACTIONS.delete && values.yes !== true) await confirm(sub, service, terminal)
    await service.call(method, { sub, ...more })
    answer(terminal, { done: true }, () => `${what.done}\n`)
    return 0
  },
}

/** @throws {WrongUse} */
function read(args: readonly string[]) {
  // One id of 64 begins with a hyphen. No option has 22 letters.
  const isId = /^-[\w-]{21}$/.test(args[0] ?? '')
  const { values, positionals } = parsed(isId ? args.slice(1) : args, OPTIONS)
  const [sub, name, word = '', ...more] = isId ? [args[0], ...positionals] : positionals
  if (!sub || [...sub].length > 255) throw new WrongUse('Name the person by 1 to 255 characters.')
  const part = `latchkey person <sub>${name === undefined ? '' : ` ${printable(name)}`}`
  const what = whatOf(name)
  const action = typeof what === 'object' ? what : undefined
  onlyOptions(values, ['to', ...(action?.options ?? [])], part)
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
  const [found, sessions, ways] = await Promise.all([
    service.call('getPerson', { sub }),
    service.call('listSessions', { sub }),
    service.call('listWays', { sub }),
  ])
  if (found !== null && !isRecord(found)) throw notUnderstood(service, 'getPerson')
  if (!Array.isArray(sessions)) throw notUnderstood(service, 'listSessions')
  if (!Array.isArray(ways)) throw notUnderstood(service, 'listWays')
  answer(terminal, { person: found, sessions, ways }, () =>
    found === null
      ? `${UNKNOWN}\n${ofLine(sub)}`
      : showPerson({ person: found, sessions, ways }, terminal),
  )
  return found === null ? 1 : 0
}

const UNKNOWN = 'Nothing is kept of this person.'

/** Digests in the log look like ids that the service gives. */
function ofLine(sub: string): string {
  if (!/^[\w-]{22}$/.test(sub)) return ''
  return 'If this is `person` of a log line: docs/operate.md ("Find a person in the log")\nsays how to get the id.\n'
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
