import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { printableLines } from '../printable.js'
import { KEY, latchkey, serverOf } from '../test-support/operator-api.js'

let folder: string
const open: (() => unknown)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-audit-'))
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  rmSync(folder, { recursive: true, force: true })
})

type Row = Record<string, unknown> & { readonly seq: number; readonly hash: string }

/** A chain as docs/audit.md describes it: records are flat, so that sorted members are RFC 8785. */
function chainOf(chain: string, entries: readonly object[]): Row[] {
  let prev: string | null = null
  return entries.map((entry, at) => {
    const seq = at + 1
    const members: Record<string, unknown> = { ...entry, id: `${chain}_${seq}`, chain, seq, prev }
    const sorted = JSON.stringify(
      Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    )
    const hash: string = createHash('sha256').update(sorted).digest('base64url')
    prev = hash
    return { ...members, seq, hash }
  })
}

const timeOf = (at: number) => new Date(Date.UTC(2026, 10, 28) + at * 1000 + 3).toISOString()
const many = (count: number, chain = 'ledger') =>
  chainOf(
    chain,
    Array.from({ length: count }, (_, at) => ({
      time: timeOf(at),
      event: 'sign-in',
      person: 'p1',
    })),
  )

const NOTHING = { seq: 0, hash: null, time: null }
const headsOf = (...chains: readonly Row[][]) => ({
  days: 30,
  chains: chains.map((rows) => {
    const { chain, seq, hash, time } = rows.at(-1) ?? ({} as Row)
    return { chain, floor: NOTHING, head: { seq, hash, time } }
  }),
})

/** A service that has these records, newest first, in pages. */
async function service(records: readonly unknown[], heads: unknown = { days: 30, chains: [] }) {
  const newest = records.toReversed()
  const server = await serverOf((request, response) => {
    const result = request.url?.endsWith('/auditHeads') ? heads : pageOf(server.asked.at(-1)?.body)
    response.end(JSON.stringify({ result }))
  })
  const pageOf = (body = '{}') => {
    const { after = '0', limit } = JSON.parse(body) as { after?: string; limit: number }
    const end = Number(after) + limit
    return {
      records: newest.slice(Number(after), end),
      next: end < newest.length ? `${end}` : null,
    }
  }
  open.push(server.close)
  const env = { LATCHKEY_URL: server.base, AUTH_OPERATOR_KEY: KEY }
  const run = (args: string[], parts: object = {}) =>
    latchkey(server.base, ['audit', ...args], { env, directory: folder, ...parts })
  const bodies = () => server.asked.map(({ body }) => JSON.parse(body))
  return { run, bodies }
}

describe('latchkey audit', () => {
  const records = chainOf('ledger', [
    {
      time: '2026-11-28T00:01:02.003Z',
      event: 'sign-in',
      person: 'aB3dE6gH9jK2mN5pQ8sT1v',
      provider: 'videoapp',
      device: 'Firefox on Windows',
      place: 'Berlin, DE',
      network: 'nB3dE6gH9jK2mN5pQ8sT1v',
    },
    {
      time: '2026-11-28T00:02:00.000Z',
      event: 'person-blocked',
      person: 'aB3dE6gH9jK2mN5pQ8sT1v',
      operator: 'night',
      method: 'blockPerson',
      reason: 'spam "again"',
    },
  ])
  const damaged = { id: 'ledger_3', chain: 'ledger', seq: 3, damaged: true }

  const LINES = `2026-11-28 00:01:02.003  sign-in               person=aB3dE6gH9jK2mN5pQ8sT1v provider=videoapp device="Firefox on Windows" place="Berlin, DE" network=nB3dE6gH9jK2mN5pQ8sT1v id=ledger_1
2026-11-28 00:02:00.000  person-blocked        person=aB3dE6gH9jK2mN5pQ8sT1v operator=night method=blockPerson reason="spam \\"again\\"" id=ledger_2
damaged row                                    id=ledger_3
`

  test('prints one line a record, the oldest first', async () => {
    const { run, bodies } = await service([...records, damaged])
    expect(await run([])).toEqual({ code: 0, noted: '', printed: LINES })
    expect(bodies()).toEqual([{ limit: 50 }])
  })

  test('has the same text below its colors', async () => {
    const { run } = await service([...records, damaged])
    const { printed } = await run([], { hasColor: true })
    expect(printed).toContain('\u001b[31mperson-blocked')
    expect(stripVTControlCharacters(printed)).toBe(LINES)
  })

  test('prints each record as a line of JSON with --json', async () => {
    const { run } = await service([...records, damaged])
    const { printed } = await run(['--json'])
    const lines = printed.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([...records, damaged])
  })

  test('passes the options on, times in UTC', async () => {
    const { run, bodies } = await service([])
    const query = ['--sub', '-B3dE6gH9jK2mN5pQ8sT1v', '--ip', '2001:db8::1', '--event', 'sign-in']
    const times = ['--since', '2026-11-28', '--until', '2026-11-28T03:30:00+02:00', '--limit', '7']
    expect(await run([...query, ...times])).toEqual({
      code: 0,
      printed: '',
      noted: 'No record was found.\n',
    })
    expect(bodies()).toEqual([
      {
        sub: '-B3dE6gH9jK2mN5pQ8sT1v',
        ip: '2001:db8::1',
        event: 'sign-in',
        since: '2026-11-28T00:00:00.000Z',
        until: '2026-11-28T01:30:00.000Z',
        limit: 7,
      },
    ])
  })

  test('shows the newest, however many are asked for, in the order of time', async () => {
    const all = many(450)
    const { run, bodies } = await service(all)
    const { printed } = await run(['--limit', '250', '--json'])
    const shown = printed.trimEnd().split('\n')
    expect(shown.map((line) => JSON.parse(line).seq)).toEqual(all.slice(200).map(({ seq }) => seq))
    expect(bodies()).toEqual([{ limit: 200 }, { after: '200', limit: 50 }])
  })

  test('shows all with --all, and says on standard error how far it is', async () => {
    const all = many(450)
    const { run } = await service(all)
    const { printed, noted } = await run(['--all', '--json'], { isWatched: true })
    expect(printed.trimEnd().split('\n')).toHaveLength(450)
    expect(noted).toContain('450 records read')
  })

  test('goes on after a page that has no record yet', async () => {
    let pages = 0
    const server = await serverOf((_, response) => {
      const isLast = ++pages === 3
      const result = { records: isLast ? records : [], next: isLast ? null : `${pages}` }
      response.end(JSON.stringify({ result }))
    })
    open.push(server.close)
    const { printed } = await latchkey(server.base, ['audit', '--json'])
    expect(printed.trimEnd().split('\n')).toHaveLength(2)
  })

  test.each([
    ['the same page again', { records: [], next: 'again' }],
    ['too many records', { records: Array(51).fill(records[0]), next: null }],
    ['no list', { records: {}, next: null }],
    ['no next', { records: [] }],
    ['nothing', null],
  ])('attack: a service that answers with %s is not asked without an end', async (_, result) => {
    const server = await serverOf((__, response) => response.end(JSON.stringify({ result })))
    open.push(server.close)
    const { code, printed } = await latchkey(server.base, ['audit', '--json'])
    expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'Unreachable' })
    expect(server.asked.length).toBeLessThan(3)
  })

  test('attack: a text of a stranger is one value on one line', async () => {
    const evil = '\u001b[2J\r\n2026-11-28 00:00:00.000  sign-in  person=x" id=ledger_9\u202e\u2028'
    const { run } = await service([
      {
        ...records[0],
        event: evil,
        device: evil,
        place: 'x person=admin',
        [evil]: 'x',
        more: [evil],
      },
      { ...records[0], time: evil, id: {}, __proto__: evil },
      'x',
      null,
    ])
    const { printed } = await run([])
    expect(printed.split('\n')).toHaveLength(5)
    expect(printableLines(printed)).toBe(printed)
    expect(printed).toContain('place="x person=admin"')
    expect(printed).not.toContain('device=\ufffd')
    const json = await run(['--json'])
    expect(json.printed).toMatch(/^[\x20-\x7e\n]+$/)
  })
})

test.each([
  [['show'], 'The only word'],
  [['verify', 'now'], 'The only word'],
  [['--ip', 'localhost'], '--ip must be an address'],
  [['--event', 'Sign in'], '--event must be the name'],
  [['--since', 'yesterday'], '--since must be a time'],
  [['--since', '2026-13-01'], '--since must be a time'],
  [['--until', '1'], '--until must be a time'],
  [['--limit', '0'], '--limit must be a whole number'],
  [['--limit', '1.5'], '--limit must be a whole number'],
  [['--limit', '3', '--all'], '--limit or --all'],
  [['--sub', 'a'.repeat(256)], '--sub has 1 to 255'],
  [['--heads', 'x'], '--heads is not an option of latchkey audit.'],
  [['verify', '--sub', 'x'], '--sub is not an option of latchkey audit verify.'],
  [['verify', '--file', 'x', '--to', 'https://a.example'], '--to is not an option of'],
])('latchkey audit %j is wrong use, and sends nothing', async (args, message) => {
  const { run, bodies } = await service([])
  const { code, noted } = await run(args)
  expect(code).toBe(2)
  expect(noted).toContain(message)
  expect(bodies()).toEqual([])
})

describe('latchkey audit verify', () => {
  const one = many(450)
  const two = many(3, 'ledger-2-1')

  test('reads all there is, and finds no fault in it', async () => {
    const { run } = await service([...two, ...one], headsOf(one, two))
    expect(await run(['verify'])).toEqual({
      code: 0,
      noted: '',
      printed: `ok: 453 records, no fault
  ledger      1 to 450
  ledger-2-1  1 to 3
`,
    })
    const { printed } = await run(['verify', '--json'])
    expect(JSON.parse(printed)).toEqual({
      ok: true,
      records: 453,
      chains: [
        { chain: 'ledger', from: 1, to: 450 },
        { chain: 'ledger-2-1', from: 1, to: 3 },
      ],
      faults: [],
    })
  })

  test('names each fault and its place, and ends with 1', async () => {
    const changed = one
      .map((row) => (row.seq === 7 ? { ...row, person: 'p2' } : row))
      .filter(({ seq }) => seq !== 9 && seq < 449)
    const { run } = await service(changed, headsOf(one))
    const { code, printed } = await run(['verify', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(printed)).toEqual({
      ok: false,
      records: 447,
      chains: [{ chain: 'ledger', from: 1, to: 448 }],
      faults: [
        { fault: 'edited', chain: 'ledger', seq: 7 },
        { fault: 'missing', chain: 'ledger', seq: 9 },
        { fault: 'missing', chain: 'ledger', seq: 449 },
      ],
    })
    expect((await run(['verify'])).printed).toBe(`not ok: 447 records, 3 faults
  ledger  1 to 448
edited     ledger_7    the record is not the one that was written
missing    ledger_9    a record is not there any more
missing    ledger_449  a record is not there any more
`)
  })

  test('reads JSON lines without a service, as audit --all --json prints them', async () => {
    const { run, bodies } = await service(one, headsOf(one))
    const { printed } = await run(['--all', '--json'])
    writeFileSync(join(folder, 'log.jsonl'), printed)
    const asked = bodies().length
    const offline = { env: {}, directory: folder }
    expect(await run(['verify', '--file', 'log.jsonl'], offline)).toMatchObject({ code: 0 })
    const lines = printed.split('\n')
    lines[3] = lines[3]?.replace('p1', 'p2') ?? ''
    lines[5] = '{"half'
    lines[6] = ''
    writeFileSync(join(folder, 'log.jsonl'), lines.join('\r\n'))
    const changed = await run(['verify', '--file', 'log.jsonl', '--json'], offline)
    expect(changed.code).toBe(1)
    expect(JSON.parse(changed.printed).faults).toEqual([
      { fault: 'edited', chain: 'ledger', seq: 4 },
      { fault: 'missing', chain: 'ledger', seq: 6 },
      { fault: 'edited', chain: '', seq: 0 },
    ])
    expect(bodies()).toHaveLength(asked)
  })

  test('says that a file cannot be read', async () => {
    const { run } = await service([])
    const { code, printed } = await run(['verify', '--file', 'none.jsonl', '--json'])
    expect({ code, ...JSON.parse(printed) }).toEqual({
      code: 1,
      error: 'Unreadable',
      message: 'none.jsonl cannot be read (ENOENT).',
    })
  })

  test('saves heads where all is well, and finds later what was rewritten', async () => {
    const first = await service(one.slice(0, 100), headsOf(one.slice(0, 100)))
    const verify = ['verify', '--heads', 'heads.json']
    expect(await first.run(verify)).toMatchObject({ code: 0 })
    const saved = () => JSON.parse(readFileSync(join(folder, 'heads.json'), 'utf8'))
    expect(saved()).toEqual(headsOf(one.slice(0, 100)))
    const second = await service(one, headsOf(one))
    expect(await second.run(verify)).toMatchObject({ code: 0 })
    expect(saved()).toEqual(headsOf(one))
    // An attacker with write access to the store has written another chain, which is sound in itself.
    const other = chainOf(
      'ledger',
      one.map(({ time }) => ({ time, event: 'sign-out' })),
    )
    const third = await service(other, headsOf(other))
    const { code, printed } = await third.run([...verify, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(printed).faults).toEqual([{ fault: 'rewritten', chain: 'ledger', seq: 450 }])
    expect(saved()).toEqual(headsOf(one))
    const fourth = await service(two, headsOf(two))
    expect(await fourth.run(verify)).toEqual({
      code: 1,
      printed: expect.stringContaining('gone       ledger_450'),
      noted: 'The new heads are not saved: heads.json stays as it is.\n',
    })
    expect(readdirSync(folder)).toEqual(['heads.json'])
  })

  test('leaves a file that has no heads as it is', async () => {
    const { run } = await service(one, headsOf(one))
    for (const text of ['{}', 'x', '[]', '{"days":1,"chains":[{"chain":"a"}]}']) {
      writeFileSync(join(folder, 'heads.json'), text)
      const { code, printed } = await run(['verify', '--heads', 'heads.json', '--json'])
      expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'Unreadable' })
      expect(readFileSync(join(folder, 'heads.json'), 'utf8')).toBe(text)
    }
  })

  test('says that the heads cannot be saved', async () => {
    const { run } = await service(one, headsOf(one))
    const { code, noted } = await run(['verify', '--heads', 'none/heads.json'])
    expect(code).toBe(1)
    expect(noted).toBe('The heads cannot be saved in none/heads.json (ENOENT).\n')
  })

  test.each([[null], [{}], [{ days: 1, chains: [{ chain: 'a', floor: {}, head: {} }] }]])(
    'heads of another shape are said: %j',
    async (heads) => {
      const { run } = await service(one, heads)
      const { code, printed } = await run(['verify', '--json'])
      expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'Unreachable' })
    },
  )
})
