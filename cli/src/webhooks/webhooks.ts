import { answer } from '../answer.js'
import { parsed } from '../arguments.js'
import { type Command, type ExitCode, Failed, type Terminal, WrongUse } from '../command.js'
import { isRecord } from '../is-record.js'
import { notUnderstood, type Service, serviceOf } from '../operator/service.js'
import { printable } from '../printable.js'
import { styleOf } from '../style.js'
import { minuteOf } from '../times.js'

const HELP = `Shows which webhooks wait or have failed, and sends one again.

Usage: latchkey webhooks
       latchkey webhooks resend <id>

Without a word it prints how many messages wait for their first try, and those
whose last try failed. A message whose next try is "none" is dead: only resend
sends it again.

  resend <id>      sends the message of this record again, from the first try on

  --to <base URL>  the service, such as https://example.com/auth.
                   Default: LATCHKEY_URL
  --json           prints { waiting, failed }, or { done: true }

The operator's key is read from AUTH_OPERATOR_KEY.
Exit code: 0 if it is done, 1 if it failed or there is no such record, 2 for
wrong use.
`

/** Shows the state of the webhooks, and sends one again. */
export const webhooks: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parsed(args, { to: { type: 'string' } })
    const [what, id, ...more] = positionals
    if (what === undefined) return show(serviceOf(values.to, terminal), terminal)
    if (what !== 'resend') throw new WrongUse('The only word of latchkey webhooks is resend.')
    if (!id || more.length > 0) {
      throw new WrongUse('Name one message by the id of its record, such as ledger_42.')
    }
    return resend(id, serviceOf(values.to, terminal), terminal)
  },
}

async function resend(id: string, service: Service, terminal: Terminal): Promise<ExitCode> {
  const isThere = await service.call('resendWebhook', { id })
  if (isThere === false) throw new Failed('NotFound', 'The audit log has no record of this id.')
  if (isThere !== true) throw notUnderstood(service, 'resendWebhook')
  answer(terminal, { done: true }, () => 'The message is sent again.\n')
  return 0
}

async function show(service: Service, terminal: Terminal): Promise<ExitCode> {
  const state = await service.call('webhooks', {})
  if (!isRecord(state) || !Array.isArray(state.failed)) throw notUnderstood(service, 'webhooks')
  const { waiting, failed } = state
  answer(terminal, state, () => textOf(waiting, failed, terminal))
  return 0
}

function textOf(waiting: unknown, failed: readonly unknown[], terminal: Terminal): string {
  const style = styleOf(terminal)
  const counts = [
    `${style('bold', 'Waiting')}  ${cell(waiting)}\n`,
    `${style('bold', 'Failed')}   ${countOf(failed)}\n`,
  ]
  if (failed.length === 0) return counts.join('')
  const rows = failed.map((one) => {
    const { id, event, tries, last, next } = isRecord(one) ? one : {}
    const time = next === null ? 'none' : minuteOf(next)
    return [cell(id), cell(event), cell(tries), cell(last), time]
  })
  const [head = '', ...lines] = aligned([['ID', 'EVENT', 'TRIES', 'LAST', 'NEXT TRY'], ...rows])
  return [...counts, `\n${style('dim', head)}\n`, ...lines.map((line) => `${line}\n`)].join('')
}

/** A service names this many at most. */
const MOST = 100

function countOf({ length }: readonly unknown[]): string {
  return length < MOST ? `${length}` : `${length} or more: these are the latest`
}

/** The cells of each row below those of the row before. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A member of an answer, whatever it is. */
function cell(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? printable(String(value)).slice(0, 64)
    : '?'
}
