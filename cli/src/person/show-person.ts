import type { Terminal } from '../command.js'
import { isRecord } from '../is-record.js'
import { printable } from '../printable.js'
import { type Style, styleOf } from '../style.js'
import { dayOf, minuteOf } from '../times.js'

/** The answers of `getPerson`, `listSessions` and `listWays`, of which the service made each member. */
export interface Shown {
  readonly person: Record<string, unknown>
  readonly sessions: readonly unknown[]
  readonly ways: readonly unknown[]
}

/** Width of ids, which have 22 letters. */
const ID = 22

/** A person for a terminal of 80 columns: facts first, then two lines for each session and each way. */
export function showPerson({ person, sessions, ways }: Shown, terminal: Terminal): string {
  const style = styleOf(terminal)
  const facts = [
    ['Person', textOf(person.sub)],
    ['Blocked', blockOf(person.blocked, style)],
    ['Factors', factorsOf(person.factors)],
    ['Connections', textOf(person.connections)],
  ].map(([name = '', text = '']) => `${style('bold', name.padEnd(13))}${text}\n`)
  return [
    ...facts,
    ...listOf('Sessions', sessions.map(sessionOf), style),
    ...listOf(
      'Ways to sign in',
      ways.map((way) => wayOf(way, sessions)),
      style,
    ),
  ].join('')
}

interface Item {
  readonly id: string
  readonly what: string
  readonly when: string
}

function* listOf(title: string, items: readonly Item[], style: Style): Iterable<string> {
  yield `\n${style('bold', title)}\n`
  if (items.length === 0) yield `  ${style('dim', 'none')}\n`
  for (const { id, what, when } of items) {
    yield `  ${id.padEnd(ID)}  ${what}\n  ${' '.repeat(ID)}  ${style('dim', when)}\n`
  }
}

function sessionOf(session: unknown): Item {
  const { id, provider, device, place, created, lastUsed } = membersOf(session)
  return {
    id: textOf(id),
    what: listed(provider, device, place),
    when: `began ${minuteOf(created)}, last used ${dayOf(lastUsed)}`,
  }
}

/** The service keeps no times of the only way of a person: their sessions say when it was used. */
function wayOf(way: unknown, sessions: readonly unknown[]): Item {
  const { id, provider, name, added, lastUsed } = membersOf(way)
  const used = sessions
    .map(membersOf)
    .filter((session) => session.provider === provider)
    .flatMap(({ created }) => (typeof created === 'string' ? created : []))
    .toSorted()
  const isKnown = typeof added === 'string' || used.length === 0
  const since = isKnown ? `added ${dayOf(added)}` : `used since ${dayOf(used[0])} at least`
  return {
    id: textOf(id),
    what: listed(provider, name),
    when: `${since}, last used ${dayOf(lastUsed ?? used.at(-1))}`,
  }
}

function blockOf(blocked: unknown, style: Style): string {
  if (!isRecord(blocked)) return 'no'
  const reason = blocked.reason === null ? '' : `: ${textOf(blocked.reason)}`
  return `${style('red', 'yes')}, since ${minuteOf(blocked.since)}${reason}`
}

function factorsOf(factors: unknown): string {
  const list = Array.isArray(factors) ? factors.map(membersOf) : []
  const shown = list.map(
    ({ type, added, recoveryCodes }) =>
      `${textOf(type)}, added ${dayOf(added)}, ${textOf(recoveryCodes)} recovery codes left`,
  )
  return shown.join('; ') || 'none'
}

function listed(...values: readonly unknown[]): string {
  return values
    .filter((value) => value !== null && value !== undefined)
    .map(textOf)
    .join(', ')
}

function membersOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** A member of an answer, whatever it is. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? printable(String(value)) : '?'
}
