import { isRecord } from '../is-record.js'
import { jsonOf, printable } from '../printable.js'
import type { Style } from '../style.js'

/** Members at other places of the line, and those of the chain, which `verify` looks at. */
const ELSEWHERE = new Set(['id', 'time', 'event', 'chain', 'seq', 'prev', 'hash'])
/** Events at which somebody was kept out, or something went wrong. */
const BAD = /-refused|-blocked|^too-many|-omitted/
/** Names of events have 20 letters at most. */
const EVENT = 20

/**
 * A record on one line: time, event, and its members as `name=value`. A value with a space or a sign
 * is in quotes, so that no value looks like a member.
 */
export function recordLine(record: unknown, style: Style): string {
  const { id, time, event, damaged, ...members } = isRecord(record) ? record : {}
  if (damaged === true) {
    return `${style('red', 'damaged row'.padEnd(TIME + EVENT + 2))}  ${member('id', id, style)}\n`
  }
  const name = textOf(event).padEnd(EVENT)
  const shown = Object.entries(members)
    .filter(([key]) => !ELSEWHERE.has(key) && /^\w{1,32}$/.test(key))
    .map(([key, value]) => member(key, value, style))
  return [
    style('dim', textOf(time).replace('T', ' ').replace('Z', '').padEnd(TIME)),
    BAD.test(name) ? style('red', name) : style('bold', name),
    [...shown, member('id', id, style)].join(' '),
  ]
    .join('  ')
    .concat('\n')
}

/** `2026-11-28 00:01:02.003`, in UTC. */
const TIME = 23

function member(name: string, value: unknown, style: Style): string {
  const text = textOf(value)
  const isPlain = /^[\p{L}\p{N}_.:/@+-]+$/u.test(text)
  return `${style('dim', `${name}=`)}${isPlain ? text : jsonOf(text)}`
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return printable(value)
  return value === undefined ? '?' : printable(JSON.stringify(value))
}
