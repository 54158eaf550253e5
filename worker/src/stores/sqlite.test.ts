import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { LOST, StoreProcess } from '../test-support/store-process.js'
import { openStore, sqliteStore } from './sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const freshPath = () => join(folder, `${++count}.db`)

const NOW = Date.UTC(2026, 10, 1)
const begun = NOW / 1000
const record = {
  sub: 'ada',
  sid: 'one',
  provider: 'fake',
  created: begun,
  updated: begun,
  expires: begun + 3600,
  sealed: 'sealed',
}

it('no other user of the machine can read the file, or those beside it', async () => {
  const path = freshPath()
  const store = sqliteStore(path)
  await store.sessions.put(record)
  const modes = ['', '-wal', '-shm'].map((end) => statSync(path + end).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o600])
  await store.close()
})

it('a file that is there keeps the mode that its owner has given it', async () => {
  const path = freshPath()
  writeFileSync(path, '')
  chmodSync(path, 0o640)
  await sqliteStore(path).close()
  expect(statSync(path).mode & 0o777).toBe(0o640)
})

it('answered writes are there when the file is opened again', async () => {
  const path = freshPath()
  const first = openStore(`file:${path}`, () => NOW)
  await first.sessions.put(record)
  await first.ledger.revoke('one', begun + 3600)
  await first.ledger.changeDocument('way\na', 0, 'content')
  await first.close()
  const next = openStore(`file://${path}`, () => NOW)
  expect(await next.sessions.get('ada', 'one')).toEqual(record)
  expect(await next.ledger.isRevoked('one')).toBe(true)
  expect(await next.ledger.document('way\na')).toEqual({ version: 1, content: 'content' })
  await next.close()
})

it.each([
  ['in a folder that is not there', () => join(folder, 'nowhere', 'a.db')],
  ['that is a folder', () => folder],
  [
    'that is not a database',
    () => {
      const path = freshPath()
      writeFileSync(path, 'This is a text, and a long one.'.repeat(40))
      return path
    },
  ],
])('a file %s is refused by its name, at once', (_, pathOf) => {
  const path = pathOf()
  expect(() => sqliteStore(path)).toThrow(`The file ${path} cannot be opened as a store`)
})

it('a Node without SQLite is named', () => {
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
  try {
    expect(() => sqliteStore(freshPath())).toThrow('Node 22.13')
  } finally {
    spy.mockRestore()
  }
})

it('rows that are over are swept, by writes of anything', async () => {
  const path = freshPath()
  let now = NOW
  const store = sqliteStore(path, () => now)
  for (let at = 0; at < 600; at++) {
    await store.ledger.consume(`flow ${at}`, begun + 60)
    await store.sessions.put({ ...record, sid: `${at}`, expires: begun + 60 })
  }
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(path)
  const left = () =>
    ['consumed', 'sessions'].map(
      (table) => other.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n,
    )
  expect(left()).toEqual([600, 600])
  now += 61_000
  for (let at = 0; at < 3; at++) await store.ledger.consume(`later ${at}`, begun + 900)
  expect(left()).toEqual([3, 0])
  other.close()
  await store.close()
})

it('sessions that are over are swept as fast as they end, also if nothing else is over', async () => {
  const path = freshPath()
  let now = NOW
  const store = sqliteStore(path, () => now)
  for (let at = 0; at < 1_700; at++) {
    await store.sessions.put({ ...record, sid: `${at}`, expires: begun + 60 })
  }
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(path)
  const left = () => other.prepare('SELECT count(*) AS n FROM sessions').get()?.n
  now += 61_000
  // Within one minute: 500 with each write, while there are more.
  for (let at = 0; at < 4; at++) await store.sessions.delete('ada', 'nobody')
  expect(left()).toBe(0)
  other.close()
  await store.close()
})

it.each([
  [0o666, true],
  [0o604, true],
  [0o620, true],
  [0o640, false],
  [0o600, false],
])('a file that is there with mode %o: is its owner warned? %s', async (mode, isWarned) => {
  const path = freshPath()
  writeFileSync(path, '')
  chmodSync(path, mode)
  const store = sqliteStore(path)
  const warnings = await store.claim({ secrets: ['digest'], urls: [] })
  expect(warnings.map(([code]) => code)).toEqual(isWarned ? ['store-file'] : [])
  if (isWarned) {
    for (const said of [path, `mode ${mode.toString(8)}`, `${path}-wal`]) {
      expect(warnings[0]?.[1]).toContain(said)
    }
  }
  await store.close()
})

it('a process waits for another one that writes, without standing still', async () => {
  const path = freshPath()
  const store = sqliteStore(path)
  const { DatabaseSync } = await import('node:sqlite')
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let isAnswered = false
  const answer = store.ledger.consume('flow', begun).then((isFirst) => {
    isAnswered = true
    return isFirst
  })
  // This process goes on with its timers, and readers do not wait.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await store.ledger.isRevoked('one')).toBe(false)
  expect(isAnswered).toBe(false)
  other.exec('COMMIT')
  expect(await answer).toBe(true)
  other.close()
  await store.close()
})

it('a process that makes the file waits for another one that makes it', async () => {
  const path = freshPath()
  const starts = Array.from({ length: 6 }, () =>
    StoreProcess.start({ kind: 'sqlite', value: `file:${path}` }),
  )
  const processes = await Promise.all(starts)
  const answers = await Promise.all(
    processes.map((one) => one.call('ledger', 'consume', ['a', Date.now()])),
  )
  expect(answers.filter((answer) => answer === true)).toHaveLength(1)
  expect(answers).not.toContain(LOST)
  await Promise.all(processes.map((one) => one.kill()))
  expect(existsSync(path)).toBe(true)
})
