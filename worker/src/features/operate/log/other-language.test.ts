import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, logUnderTest } from '../../../test-support/audit-log.js'
import type { AuditHeads, AuditRecord } from '../../../types/audit.js'
import { hashOf } from './canonical.js'
import { verifyAudit } from './verify.js'

/** Runs the program of the page. It prints a line for each fault. */
type Program = (files: Readonly<Record<string, string>>) => Promise<string[]>

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/audit.md'), 'utf8')
const [, program = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? []
const folder = mkdtempSync(join(tmpdir(), 'audit-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A Python that npm installs, so that the program runs on every machine. */
const onMicroPython: Program = async (files) => {
  const { loadMicroPython } = await import('@micropython/micropython-webassembly-pyscript')
  const lines: string[] = []
  const python = await loadMicroPython({
    heapsize: 16 * 1024 * 1024,
    stdout: (line) => void lines.push(line),
  })
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(`/${name}`, text)
  const argv = ['check.py', ...Object.keys(files).map((name) => `/${name}`)]
  python.runPython(`import sys\nsys.argv[:] = ${JSON.stringify(argv)}`)
  python.runPython(program)
  return lines
}

/** The Python of this machine, which an auditor has too. */
const onPython: Program = async (files) => {
  writeFileSync(join(folder, 'check.py'), program)
  const names = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return name
  })
  const printed = execFileSync('python3', ['check.py', ...names], { cwd: folder, encoding: 'utf8' })
  return printed.split('\n').filter((line) => line !== '')
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A process for each log takes its time: some of them say that both Pythons agree. */
const OF_PYTHON = ['nothing', 'damaged rows', 'several at once']

const START = Date.now() - 5 * DAY
const heads = (chains: AuditHeads['chains']): AuditHeads => ({ days: 30, chains })
const headOf = ({ seq, hash, time }: AuditRecord) => ({ seq, hash, time })
const NONE = { seq: 0, hash: null, time: null }

let records: AuditRecord[]
let saved: AuditHeads
beforeAll(async () => {
  const log = logUnderTest()
  log.pass(START - log.now())
  for (let count = 1; count <= 12; count++) {
    const text = 'São Paulo, BR 😀 "quoted" back\\slash \u2028 end/'
    await log.record('person-blocked', { reason: text, count, person: 'digest', which: 'all' })
    log.pass(60_000)
  }
  records = await log.all()
  saved = heads([{ chain: 'ledger', floor: NONE, head: headOf(records[7] as AuditRecord) }])
})

interface Log {
  records: (AuditRecord | object)[]
  floor: AuditHeads['chains'][number]['floor']
  isGone?: boolean
}
const at = (log: Log, seq: number) =>
  log.records.find((record) => (record as AuditRecord).seq === seq) as AuditRecord
const change = (log: Log, seq: number, members: object) => {
  log.records = log.records.map((record) =>
    record === at(log, seq) ? { ...record, ...members } : record,
  )
}
const remove = (log: Log, ...gone: number[]) => {
  log.records = log.records.filter((record) => !gone.includes((record as AuditRecord).seq))
}
async function rewrite(log: Log, from: number) {
  change(log, from, { person: 'other' })
  for (let seq = from; seq <= 12; seq++) {
    if (seq > from) change(log, seq, { prev: at(log, seq - 1).hash })
    change(log, seq, { hash: await hashOf(at(log, seq)) })
  }
}
const damaged = (seq: number) => ({ id: `ledger_${seq}`, chain: 'ledger', seq, damaged: true })

const LOGS: readonly (readonly [string, (log: Log) => unknown])[] = [
  ['nothing', () => {}],
  ['an edited record', (log) => change(log, 4, { person: 'other' })],
  ['a member that is added', (log) => change(log, 4, { device: 'Firefox' })],
  ['an edited hash', (log) => change(log, 4, { hash: 'other' })],
  ['an edited prev', (log) => change(log, 4, { prev: 'other' })],
  [
    'an edited record with its hash',
    async (log) => {
      change(log, 4, { person: 'other' })
      change(log, 4, { hash: await hashOf(at(log, 4)) })
    },
  ],
  ['the first, deleted', (log) => remove(log, 1)],
  ['some in the middle, deleted', (log) => remove(log, 4, 5, 8)],
  ['the last, deleted', (log) => remove(log, 12)],
  ['all, deleted', (log) => remove(log, ...records.map(({ seq }) => seq))],
  [
    'damaged rows',
    (log) => {
      log.records = log.records.map((record, index) =>
        [3, 7, 11].includes(index) ? damaged(index + 1) : record,
      )
    },
  ],
  [
    'two that changed places',
    (log) => {
      const [one, other] = [at(log, 3), at(log, 7)]
      change(log, 3, { ...other, seq: 3, id: 'ledger_3' })
      change(log, 7, { ...one, seq: 7, id: 'ledger_7' })
    },
  ],
  ['a chain that was rewritten before the saved head', (log) => rewrite(log, 5)],
  ['a chain that was rewritten after it', (log) => rewrite(log, 9)],
  [
    'a chain that is gone',
    (log) => {
      remove(log, ...records.map(({ seq }) => seq))
      log.isGone = true
    },
  ],
  [
    'young records, deleted with their place',
    (log) => {
      log.floor = headOf(at(log, 9))
      remove(log, ...records.slice(0, 9).map(({ seq }) => seq))
    },
  ],
  [
    'the same, with a place that looks old',
    (log) => {
      log.floor = { ...headOf(at(log, 9)), time: '2001-01-01T00:00:00.000Z' }
      remove(log, ...records.slice(0, 9).map(({ seq }) => seq))
    },
  ],
  [
    'several at once',
    async (log) => {
      change(log, 2, { event: 'sign-in' })
      remove(log, 5)
      await rewrite(log, 7)
      change(log, 11, { prev: 'x' })
      remove(log, 12)
    },
  ],
]

const programs = () => [
  ['MicroPython', onMicroPython, LOGS] as const,
  ...(hasPython()
    ? [['Python 3', onPython, LOGS.filter(([name]) => OF_PYTHON.includes(name))] as const]
    : []),
]

describe.each(programs())('the check of docs/audit.md on %s', (_, run, logs) => {
  test.each(logs)('finds what ours finds: %s', async (_, changed) => {
    const log: Log = { records: [...records], floor: NONE }
    const whole = headOf(records[11] as AuditRecord)
    await changed(log)
    const last = log.records.at(-1) as AuditRecord | undefined
    // As an object says it: from the rows that are left, unless they were read before.
    const head =
      last?.seq === 12 && last.hash
        ? headOf(last)
        : last?.seq === 12
          ? { ...whole, hash: null }
          : whole
    const now = heads(log.isGone ? [] : [{ chain: 'ledger', floor: log.floor, head }])
    const { faults } = await verifyAudit(log.records, now, saved)
    const found = await run({
      'records.jsonl': log.records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      'heads.json': JSON.stringify(now),
      'saved.json': JSON.stringify(saved),
    })
    expect(found.toSorted()).toEqual(
      faults.map(({ fault, chain, seq }) => `${fault} ${chain} ${seq}`).toSorted(),
    )
  })
})

test('the logs of this file have every fault', async () => {
  const found = new Set<string>()
  for (const [, changed] of LOGS) {
    const log: Log = { records: [...records], floor: NONE }
    await changed(log)
    const head = headOf(records[11] as AuditRecord)
    const now = heads(log.isGone ? [] : [{ chain: 'ledger', floor: log.floor, head }])
    for (const { fault } of (await verifyAudit(log.records, now, saved)).faults) found.add(fault)
  }
  expect([...found].toSorted()).toEqual([
    'early',
    'edited',
    'gone',
    'missing',
    'rewritten',
    'unlinked',
  ])
  // The page explains each of them.
  for (const fault of found) expect(page).toContain(`| \`${fault}\` |`)
})
