import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from '../../../test/support/holds.js'
import { drawSid } from './ledger/placement.js'
import { RevokedHandles } from './revoked-handles.js'

const draw = () => drawSid([64], 'ada')
const drawn = (count: number) => Array.from({ length: count }, draw)

/** Ids of ours in every length, and others: they begin alike, or are short. */
const handle = fc.oneof(
  fc.stringMatching(/^[\w-]{22}$/),
  fc.stringMatching(/^[\w-]{25}[a-i]?$/),
  fc.stringMatching(/^the same beginning [ab]{1,3}$/),
  fc.stringMatching(/^[ab]{1,7}$/),
)

const names = (handles: readonly string[]) => handles.map((sid) => sid.slice(0, 8))

it('are those that were added and whose line is open, in any order of adding and closing', async () => {
  const cases = fc.uniqueArray(handle, { minLength: 1, maxLength: 60 }).chain((pool) => {
    const some = fc.array(fc.constantFrom(...pool), { maxLength: 40 })
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ add: some, line: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ close: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ flood: fc.integer({ min: 1, max: 300 }) }) },
    )
    return fc.tuple(fc.constant(pool), fc.array(step, { maxLength: 40 }))
  })
  await holds(
    200,
    fc.property(cases, ([pool, steps]) => {
      const handles = new RevokedHandles()
      const model = new Map<number, Set<string>>()
      for (const step of steps) {
        const open = [...model.keys()]
        if ('add' in step) {
          const line = open[step.line] ?? handles.open()
          const known = model.get(line) ?? new Set()
          handles.add(line, [...new Set(step.add)])
          model.set(line, new Set([...known, ...step.add]))
        } else if ('flood' in step) {
          const line = handles.open()
          const many = drawn(step.flood)
          handles.add(line, many)
          model.set(line, new Set(many))
        } else {
          const [line = -1] = open.slice(step.close)
          if (model.delete(line)) handles.close(line)
        }
        const all = new Set([...model.values()].flatMap((known) => [...known]))
        for (const [line, known] of model) {
          expect(handles.line(line)).toBe([...known].join(','))
          for (const sid of pool) expect(handles.has(sid, line)).toBe(known.has(sid))
        }
        const asked = [...pool, ...all]
        expect(asked.map((sid) => handles.has(sid))).toEqual(asked.map((sid) => all.has(sid)))
        const wanted = new Set(names(pool))
        const found = [...all].filter((sid) => wanted.has(sid.slice(0, 8)))
        expect([...handles.among([...wanted])].sort()).toEqual(found.sort())
      }
    }),
  )
})

describe('a handle is found', () => {
  it('and none that only begins like it, or goes on after it', () => {
    const handles = new RevokedHandles()
    const line = handles.open()
    const sid = draw()
    handles.add(line, [`${sid}abc`, sid, 'short'])
    const near = [
      sid.slice(0, -1),
      `${sid}a`,
      `${sid}abcd`,
      `${sid}abc,${sid}`,
      `${sid},short`,
      'shor',
      'short,',
      '',
    ]
    expect(near.filter((other) => handles.has(other))).toEqual([])
    expect([sid, `${sid}abc`, 'short'].every((known) => handles.has(known))).toBe(true)
  })

  it('among so many that the table grew, and among those that are left when most lines are closed', () => {
    const handles = new RevokedHandles()
    const lines = Array.from({ length: 300 }, () => ({ line: handles.open(), sids: drawn(400) }))
    for (const { line, sids } of lines) handles.add(line, sids)
    const has = (sid: string) => handles.has(sid)
    expect(lines.every(({ sids }) => sids.every(has))).toBe(true)
    expect(drawn(20_000).some(has)).toBe(false)
    const left = lines.splice(150, 3)
    for (const { line } of lines) handles.close(line)
    expect(left.every(({ sids }) => sids.every(has))).toBe(true)
    expect(lines.some(({ sids }) => sids.some(has))).toBe(false)
  })

  it('in a day of lines, and in one of them that is too long for the bits that are left', () => {
    const handles = new RevokedHandles()
    const one = handles.open()
    const many = drawn(4_000)
    handles.add(one, many)
    const rest = Array.from({ length: 86_400 }, () => ({ line: handles.open(), sid: draw() }))
    for (const { line, sid } of rest) handles.add(line, [sid])
    expect([...many, ...rest.map(({ sid }) => sid)].every((sid) => handles.has(sid))).toBe(true)
    const late = many.at(-1) as string
    expect(handles.among(names([late]))).toContain(late)
    handles.close(one)
    expect(many.some((sid) => handles.has(sid))).toBe(false)
    expect(rest.every(({ sid }) => handles.has(sid))).toBe(true)
  })

  it('in each line that has it: what one second forgets, the other still knows', () => {
    const handles = new RevokedHandles()
    const alike = Array.from({ length: 600 }, (_, at) => `the same beginning ${at}`)
    const [one, other] = [handles.open(), handles.open()]
    handles.add(one, alike)
    handles.add(other, alike)
    handles.close(one)
    expect(alike.every((sid) => handles.has(sid))).toBe(true)
    handles.close(other)
    expect(alike.some((sid) => handles.has(sid))).toBe(false)
  })
})

describe('a closed line', () => {
  const alike = (name: string, count = 20) =>
    Array.from({ length: count }, (_, at) => `${name} beginning ${at}`)

  it('gives its number to the next: many days of lines take no more than one day’s', () => {
    const handles = new RevokedHandles()
    expect([handles.open(), handles.open()]).toEqual([0, 1])
    handles.close(0)
    expect([handles.open(), handles.open()]).toEqual([0, 2])
  })

  it('does not end a session whose handle takes the place of an ended one', () => {
    const handles = new RevokedHandles()
    const [, line] = [handles.open(), handles.open()]
    handles.add(line, ['x', 'y', 'ab'])
    handles.close(line)
    const next = handles.open()
    handles.add(next, ['zzzzab', 'c'])
    expect(next).toBe(line)
    expect(['x', 'y', 'ab', 'zzzzab', 'c'].filter((sid) => handles.has(sid))).toEqual([
      'zzzzab',
      'c',
    ])
  })

  it('takes with it what has no place, and leaves it in the line that has it too', () => {
    const handles = new RevokedHandles()
    const [one, other, rest] = [handles.open(), handles.open(), handles.open()]
    const [first, second] = [alike('the first'), alike('the second')]
    const many = drawn(200)
    handles.add(rest, many)
    handles.add(one, [...first, ...second])
    handles.add(other, [...first])
    handles.close(one)
    const left = [...first, ...second, ...many].filter((sid) => handles.has(sid))
    expect(left).toEqual([...first, ...many])
    handles.close(other)
    expect([...first, ...second].some((sid) => handles.has(sid))).toBe(false)
  })

  it('that was too long for places leaves the places of its handles to the next line', () => {
    const handles = new RevokedHandles()
    const [one, other] = [handles.open(), handles.open()]
    // Its second handle begins where the bits of an offset end.
    handles.add(one, ['x'.repeat(2 ** 23 - 1), 'alike-one'])
    handles.add(other, ['alike-other'])
    const ended = () => ['alike-one', 'alike-other'].filter((sid) => handles.has(sid))
    expect(ended()).toEqual(['alike-one', 'alike-other'])
    handles.close(one)
    expect(ended()).toEqual(['alike-other'])
  })

  it('leaves a table after many empty ones', () => {
    const handles = new RevokedHandles()
    const lines = drawn(10).map(() => handles.open())
    for (const line of lines) handles.close(line)
    expect(handles.has('x')).toBe(false)
    handles.add(handles.open(), ['x'])
    expect(handles.has('x')).toBe(true)
  })
})

it('a handle is in its line still when there are more lines than an offset leaves bits for', () => {
  const handles = new RevokedHandles()
  const [, line] = [handles.open(), handles.open()]
  handles.add(line, ['gone'])
  for (let more = 0; more < 512; more++) handles.open()
  expect(handles.has('gone', line)).toBe(true)
})

it('an empty text is not a handle, though it is added, and though lines are empty', () => {
  const handles = new RevokedHandles()
  const [line] = [handles.open(), handles.open()]
  handles.add(line, ['', 'one', ''])
  expect(handles.line(line)).toBe('one')
  handles.add(line, drawn(40))
  expect(handles.has('')).toBe(false)
})

it('a question for one beginning reveals no other handle, however many begin like it', () => {
  const handles = new RevokedHandles()
  const sids = (name: string) => Array.from({ length: 20 }, (_, at) => `${name} ${at}`)
  handles.add(handles.open(), [...sids('one name'), ...sids('two name')])
  expect([...handles.among(['one name'])].sort()).toEqual(sids('one name').sort())
})

it('50,000 handles with the same beginning, as another store may draw them, do not take minutes', () => {
  const handles = new RevokedHandles()
  const line = handles.open()
  const sids = Array.from({ length: 50_000 }, (_, at) => `prod-eu-1-${at}`)
  handles.add(line, sids)
  handles.add(line, sids)
  expect(sids.every((sid) => handles.has(sid))).toBe(true)
  expect(handles.line(line)).toHaveLength(sids.join(',').length)
  expect(handles.among(names(sids)).size).toBe(50_000)
})
