import { type Change, MAX_AGE, type Stored } from '../stored.js'
import { type Cases, countOf, equal } from './cases.js'

const HOUR = 3600
const YEAR = 365 * 24 * HOUR

/** Texts that an order, a pattern or a normalization would take for others, or for the end of a name. */
const KEYS = [
  'ada',
  'Ada',
  'ada ',
  ' ada',
  'ad',
  'adá',
  'ada\u0301',
  'ada\nx',
  'ada%',
  'ada_',
  'ada*',
  'a?a',
  'a[d]a',
  'a\\da',
  "a'da",
  'a"da',
  'a{d}a',
  'a:da',
  'ada\u{1f511}',
  '__proto__',
  'constructor',
  'x'.repeat(1_000),
]

const text = (row: object) => JSON.stringify(row)
const document = (content: string, version = 1, expires: number | null = null) =>
  text({ version, content, expires })

/** A document to be written, whatever there is. */
const put = (key: string, content: string): Change => ({
  table: 'documents',
  key,
  after: document(content),
  expires: null,
})

const ended = (key: string, at: number): Change => ({
  table: 'revoked',
  key,
  after: text({ at, expires: at + HOUR }),
  at,
  expires: at + HOUR,
})

async function readOne(rows: Stored, key: string, table: Change['table'] = 'documents') {
  const { answers } = await rows.read([{ table, key }])
  return answers[0]
}

async function readKeys(rows: Stored, beginning: string) {
  const { answers } = await rows.read([{ table: 'documents', beginning }])
  return [...(answers[0] as readonly string[])].toSorted()
}

async function readPairs(rows: Stored, beginning: string, limit: number) {
  const { answers } = await rows.read([{ table: 'documents', beginning, limit }])
  return answers[0] as readonly (readonly [string, string])[]
}

async function readSince(rows: Stored, at: number, limit = 100) {
  const { answers } = await rows.read([{ table: 'revoked', at, limit }])
  return (answers[0] as readonly (readonly [string, string])[]).map(([key]) => key)
}

/** What the rules of the ledger need from the rows of any store. */
export const rowCases: Cases<Stored> = {
  'a row that nobody wrote is null, in every table': async ({ make }) => {
    const rows = await make()
    for (const table of ['consumed', 'revoked', 'cutoffs', 'attempts', 'documents'] as const) {
      equal(await readOne(rows, 'ada', table), null)
    }
  },

  'a row is read as it was written, to the letter': async ({ make, now }) => {
    const rows = await make()
    const written: readonly (readonly [Change['table'], string])[] = [
      ['consumed', text({ expires: now + HOUR })],
      ['attempts', text({ count: 3, expires: now + HOUR })],
      ['documents', document('«ünï» 🔑 "quoted" \\ \n\t %_*', 7, now + HOUR)],
      ['documents', document('x'.repeat(65_536))],
    ]
    for (const [at, [table, after]] of written.entries()) {
      const { expires } = JSON.parse(after) as { expires: number | null }
      equal(await rows.commit([{ table, key: `${at}`, before: null, after, expires }], null), true)
      equal(await readOne(rows, `${at}`, table), after)
    }
  },

  'a number stays the number that it is': async ({ make, now }) => {
    const rows = await make()
    const after = text({ version: 2 ** 31 + 7, sealed: null, leased_until: 0, expires: now + YEAR })
    await rows.commit([{ table: 'refreshes', key: 'a', after, expires: now + YEAR }], null)
    equal(await readOne(rows, 'a', 'refreshes'), after)
  },

  'the same key in two tables names two rows': async ({ make, now }) => {
    const rows = await make()
    const after = text({ expires: now + HOUR })
    await rows.commit(
      [put('ada', 'x'), { table: 'consumed', key: 'ada', after, expires: now + HOUR }],
      null,
    )
    equal(await readOne(rows, 'ada'), document('x'))
    equal(await readOne(rows, 'ada', 'consumed'), after)
    await rows.commit([{ table: 'consumed', key: 'ada', after: null }], null)
    equal(await readOne(rows, 'ada'), document('x'))
  },

  'keys that look alike name rows of their own': async ({ make }) => {
    const rows = await make()
    for (const key of KEYS) equal(await rows.commit([put(key, key)], null), true)
    const questions = KEYS.map((key) => ({ table: 'documents', key }) as const)
    const { answers } = await rows.read(questions)
    equal(
      answers,
      KEYS.map((key) => document(key)),
    )
  },

  'answers come in the order of the questions, of whatever kind': async ({ make, now }) => {
    const rows = await make()
    await rows.commit([put('a\n1', 'one'), put('a\n2', 'two'), ended('sid', now)], null)
    const { answers } = await rows.read([
      { table: 'revoked', at: now, limit: 5 },
      { table: 'documents', key: 'a\n2' },
      { table: 'documents', key: 'none' },
      { table: 'documents', beginning: 'b' },
      { table: 'documents', key: 'a\n1' },
      { table: 'documents', beginning: 'a\n1', limit: 1 },
    ])
    equal(answers, [
      [['sid', text({ at: now, expires: now + HOUR })]],
      document('two'),
      null,
      [],
      document('one'),
      [['a\n1', document('one')]],
    ])
  },

  'no question has no answer, and no change is done': async ({ make }) => {
    const rows = await make()
    equal((await rows.read([])).answers, [])
    equal(await rows.commit([], null), true)
  },

  'the time is that of the store, in milliseconds': async ({ make, now, pass }) => {
    const rows = await make()
    const first = (await rows.read([])).now
    equal(Math.abs(first / 1000 - now) < 60, true)
    await pass(5)
    const second = (await rows.read([{ table: 'documents', key: 'a' }])).now
    equal(second - first >= 4_900, true)
  },

  'a row that was read as missing is written once': async ({ make }) => {
    const rows = await make()
    const change = (content: string) => ({ ...put('a', content), before: null })
    equal(await rows.commit([change('one')], null), true)
    equal(await rows.commit([change('two')], null), false)
    equal(await readOne(rows, 'a'), document('one'))
  },

  'a row is changed by the caller that read it last': async ({ make }) => {
    const rows = await make()
    await rows.commit([put('a', 'one')], null)
    const change = { ...put('a', 'two'), before: document('one') }
    equal(await rows.commit([change], null), true)
    equal(await rows.commit([change], null), false)
    equal(await rows.commit([{ ...put('a', 'x'), before: null }], null), false)
    equal(await readOne(rows, 'a'), document('two'))
  },

  'a row that is not as it was read keeps every change from being written': async ({ make }) => {
    const rows = await make()
    await rows.commit([put('a', 'one'), put('b', 'one')], null)
    const others = [put('b', 'two'), { ...put('c', 'two'), before: null }]
    const stale = { ...put('a', 'two'), before: document('zero') }
    for (const changes of [
      [...others, stale],
      [stale, ...others],
    ]) {
      equal(await rows.commit(changes, null), false)
    }
    equal(await readOne(rows, 'a'), document('one'))
    equal(await readOne(rows, 'b'), document('one'))
    equal(await readOne(rows, 'c'), null)
  },

  'a row that is read alone is compared, and stays': async ({ make }) => {
    const rows = await make()
    await rows.commit([put('a', 'one')], null)
    const read = (before: string | null): Change => ({ table: 'documents', key: 'a', before })
    equal(await rows.commit([read(document('one')), put('b', 'x')], null), true)
    equal(await rows.commit([read(null), put('b', 'y')], null), false)
    equal(await readOne(rows, 'a'), document('one'))
    equal(await readOne(rows, 'b'), document('x'))
  },

  'a row that nobody read is written whatever there is': async ({ make }) => {
    const rows = await make()
    for (const content of ['one', 'two']) equal(await rows.commit([put('a', content)], null), true)
    equal(await readOne(rows, 'a'), document('two'))
  },

  'a deleted row is gone, and can be written again': async ({ make }) => {
    const rows = await make()
    await rows.commit([put('a', 'one'), put('ab', 'two')], null)
    const remove: Change = { table: 'documents', key: 'a', before: document('one'), after: null }
    equal(await rows.commit([remove], null), true)
    equal(await rows.commit([remove], null), false)
    equal(await readOne(rows, 'a'), null)
    equal(await readKeys(rows, 'a'), ['ab'])
    equal(await rows.commit([{ table: 'documents', key: 'none', after: null }], null), true)
    equal(await rows.commit([{ ...put('a', 'again'), before: null }], null), true)
    equal(await readKeys(rows, 'a'), ['a', 'ab'])
  },

  'one of fifty commits at once of one row counts': async ({ make }) => {
    const rows = await make()
    for (const before of [null, document('first')]) {
      await rows.commit([{ table: 'documents', key: 'a', after: before }], null)
      const contents = Array.from({ length: 50 }, (_, at) => `${at}`)
      const done = await Promise.all(
        contents.map((content) => rows.commit([{ ...put('a', content), before }], null)),
      )
      equal(countOf(done, true), 1)
      equal(await readOne(rows, 'a'), document(contents[done.indexOf(true)] ?? ''))
    }
  },

  'commits of other rows do not disturb each other': async ({ make }) => {
    const rows = await make()
    const keys = Array.from({ length: 20 }, (_, at) => `${at}`)
    const done = await Promise.all(
      keys.map((key) => rows.commit([{ ...put(key, key), before: null }], null)),
    )
    equal(countOf(done, true), 20)
    equal((await readKeys(rows, '')).length, 20)
  },

  'two commits that cross, each over the row that the other one writes, do not both count': async ({
    make,
  }) => {
    const rows = await make()
    for (let round = 0; round < 10; round++) {
      const [one, other] = [`one ${round}`, `other ${round}`]
      const crossed = (read: string, written: string): Change[] => [
        { table: 'documents', key: read, before: null },
        put(written, 'x'),
      ]
      const done = await Promise.all([
        rows.commit(crossed(one, other), null),
        rows.commit(crossed(other, one), null),
      ])
      equal(countOf(done, true), 1)
    }
  },

  'counting by reading and committing loses nothing': async ({ make, now }) => {
    const rows = await make()
    const expires = now + HOUR
    const count = async () => {
      for (let tries = 0; tries < 100; tries++) {
        const before = (await readOne(rows, 'a', 'attempts')) as string | null
        const { count } = JSON.parse(before ?? '{"count":0}') as { count: number }
        const after = text({ count: count + 1, expires })
        const change: Change = { table: 'attempts', key: 'a', before, after, expires }
        if (await rows.commit([change], null)) return
      }
    }
    await Promise.all(Array.from({ length: 8 }, count))
    equal(await readOne(rows, 'a', 'attempts'), text({ count: 8, expires }))
  },

  'a hundred rows are written in one step': async ({ make }) => {
    const rows = await make()
    const changes = Array.from({ length: 100 }, (_, at) => ({ ...put(`${at}`, 'x'), before: null }))
    equal(await rows.commit(changes, null), true)
    equal((await readKeys(rows, '')).length, 100)
    equal(await rows.commit(changes, null), false)
  },

  'keys are found by their beginning, to the letter': async ({ make }) => {
    const rows = await make()
    await rows.commit(
      KEYS.map((key) => put(key, 'x')),
      null,
    )
    for (const beginning of [
      '',
      ...KEYS,
      'ada\u0301x',
      'A',
      '%',
      '_',
      '*',
      'a\\',
      'x'.repeat(999),
    ]) {
      const found = KEYS.filter((key) => key.startsWith(beginning)).toSorted()
      equal(await readKeys(rows, beginning), found)
    }
  },

  'rows are found by the beginning of their keys, up to a limit': async ({ make }) => {
    const rows = await make()
    const keys = Array.from({ length: 12 }, (_, at) => `grant\nada\n${at}`)
    await rows.commit(
      [...keys, 'grant\nadam\n1', 'grant\nad'].map((key) => put(key, key)),
      null,
    )
    const all = await readPairs(rows, 'grant\nada\n', 100)
    equal(all.map(([key]) => key).toSorted(), keys.toSorted())
    equal(
      all.every(([key, row]) => row === document(key)),
      true,
    )
    equal((await readPairs(rows, 'grant\nada\n', 12)).length, 12)
    equal((await readPairs(rows, 'grant\nada\n', 5)).length, 5)
    equal(await readPairs(rows, 'key\n', 5), [])
  },

  'endings are listed from a time on, the oldest first, up to a limit': async ({ make, now }) => {
    const rows = await make()
    await rows.commit([ended('c', now + 3), ended('a', now + 1), ended('b', now + 2)], null)
    equal(await readSince(rows, now), ['a', 'b', 'c'])
    equal(await readSince(rows, now + 2), ['b', 'c'])
    equal(await readSince(rows, now + 4), [])
    equal(await readSince(rows, now, 2), ['a', 'b'])
  },

  'an ending that is written again is listed by its new time alone': async ({ make, now }) => {
    const rows = await make()
    await rows.commit([ended('a', now), ended('b', now + 1)], null)
    await rows.commit([ended('a', now + 2)], null)
    equal(await readSince(rows, now), ['b', 'a'])
    await rows.commit([{ table: 'revoked', key: 'a', after: null }], null)
    equal(await readSince(rows, now), ['b'])
  },

  'endings of one second are all listed': async ({ make, now }) => {
    const rows = await make()
    const sids = Array.from({ length: 60 }, (_, at) => `sid ${at}`)
    await rows.commit(
      sids.map((sid) => ended(sid, now)),
      null,
    )
    equal((await readSince(rows, now)).toSorted(), sids.toSorted())
  },

  'a row stays until its end, and without an end for good': async ({ make, now, pass }) => {
    const rows = await make()
    const lasting: Change = {
      table: 'documents',
      key: 'an hour',
      after: document('x', 1, now + HOUR),
      expires: now + HOUR,
    }
    await rows.commit([lasting, put('for good', 'x')], null)
    await pass(HOUR - 60)
    await rows.commit([put('other', 'x')], null)
    equal(await readOne(rows, 'an hour'), lasting.after)
    await pass(YEAR)
    for (let times = 0; times < 3; times++) await rows.commit([put('other', 'x')], null)
    equal(await readOne(rows, 'for good'), document('x'))
  },

  'a commit is refused if its rows were read too long ago': async ({ make, pass }) => {
    const rows = await make()
    const { now } = await rows.read([{ table: 'documents', key: 'a' }])
    const change = (key: string) => [{ ...put(key, 'x'), before: null }]
    equal(await rows.commit(change('a'), now), true)
    await pass(MAX_AGE / 1000 + 1)
    equal(await rows.commit(change('b'), now), false)
    equal(await readOne(rows, 'b'), null)
    equal(await rows.commit(change('b'), null), true)
  },
}
