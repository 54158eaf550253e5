import { AuditCheck, type AuditFindings, type AuditHeads } from '@latchkey/worker/migrate'
import { answer } from '../answer.js'
import type { ExitCode, Terminal } from '../command.js'
import { notUnderstood, type Service } from '../operator/service.js'
import { printable } from '../printable.js'
import { type Style, styleOf } from '../style.js'
import { isHeads, readHeads, saveHeads } from './heads-file.js'
import { jsonLinesOf } from './json-lines.js'
import { pagesOf, progressOf } from './pages.js'

/** A service, or a file of JSON lines in its place. */
export interface Verifying {
  readonly from: Service | string
  /** The file of the saved heads. */
  readonly heads?: string | undefined
}

/**
 * Checks the audit log. If all is well, it saves the heads that it has seen.
 *
 * @throws {Failed}
 */
export async function verify(
  { from, heads: headsFile }: Verifying,
  terminal: Terminal,
): Promise<ExitCode> {
  const { directory } = terminal
  const saved = headsFile === undefined ? undefined : await readHeads(headsFile, directory)
  const service = typeof from === 'string' ? undefined : from
  const heads = service && (await headsOf(service))
  const check = new AuditCheck({ heads, saved })
  const progress = progressOf(terminal)
  const pages = typeof from === 'string' ? jsonLinesOf(from, directory) : pagesOf(from, {})
  try {
    for await (const page of pages) {
      await check.add(page)
      progress.add(page.length)
    }
  } finally {
    progress.clear()
  }
  const findings = check.end(service && (await headsOf(service)))
  const { ok, records, chains, faults } = findings
  answer(terminal, { ok, records, chains, faults }, () => textOf(findings, styleOf(terminal)))
  if (headsFile === undefined) return ok ? 0 : 1
  if (ok) await saveHeads(headsFile, directory, heads ?? check.heads)
  const file = printable(headsFile)
  // A person who has just read of a fault wants to know whether the proof is still there.
  terminal.note(
    ok
      ? `The heads are saved in ${file}.\n`
      : `The new heads are not saved: ${file} stays as it is.\n`,
  )
  return ok ? 0 : 1
}

async function headsOf(service: Service): Promise<AuditHeads> {
  const heads = await service.call('auditHeads', {})
  if (isHeads(heads)) return heads
  throw notUnderstood(service, 'auditHeads')
}

const MEANINGS: Readonly<Record<string, string>> = {
  edited: 'the record is not the one that was written',
  missing: 'a record is not there any more',
  unlinked: 'the record does not follow the one before it',
  early: 'records were deleted before their days were over',
  rewritten: 'the chain no longer has the record that was saved',
  gone: 'the chain that was saved is not there any more',
}

function textOf({ ok, records, chains, faults }: AuditFindings, style: Style): string {
  const amount = records === 1 ? '1 record' : `${records.toLocaleString('en-US')} records`
  const verdict = ok
    ? `${style('green', 'ok')}: ${amount}, no fault\n`
    : `${style('red', 'not ok')}: ${amount}, ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}\n`
  const width = Math.max(0, ...chains.map(({ chain }) => printable(chain).length))
  const ranges = chains.map(
    ({ chain, from, to }) => `  ${printable(chain).padEnd(width)}  ${from} to ${to}\n`,
  )
  const places = faults.map(({ chain, seq }) =>
    chain === '' ? 'no place' : `${printable(chain)}_${seq}`,
  )
  const longest = places.reduce((most, { length }) => Math.max(most, length), 0)
  const lines = faults.map(({ fault }, at) =>
    [style('red', fault.padEnd(9)), places[at]?.padEnd(longest), `${MEANINGS[fault]}\n`].join('  '),
  )
  return [verdict, ...ranges, ...lines].join('')
}
