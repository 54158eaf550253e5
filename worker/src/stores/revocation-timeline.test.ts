import type { UserCutoff } from '@latchkey/session/issue'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from '../../../test/support/holds.js'
import { type RevocationPage, RevocationTimeline } from './revocation-timeline.js'

const sids = (count: number, at: number, name = 'sid') =>
  Array.from({ length: count }, (_, index) => ({ sid: `${name}-${at}-${index}`, at }))

/** A page of ten handles, or of two cut-offs. */
const size = { most: 120, of: () => 60 }

/** All pages from a time on. */
function pagesOf(list: RevocationTimeline, since = 0): RevocationPage[] {
  const pages: RevocationPage[] = []
  for (let next: number | undefined = since; next !== undefined && pages.length < 100; ) {
    const page: RevocationPage = list.page(next, size)
    pages.push(page)
    next = page.more
  }
  return pages
}

function listOf(
  sessions: { sid: string; at: number }[],
  users: UserCutoff[] = [],
): RevocationTimeline {
  const list = new RevocationTimeline()
  list.add({ sessions, users })
  return list
}

describe('pages', () => {
  it('have whole seconds, as many as there is room for, and each ending once', () => {
    const told = [100, 101, 102, 103, 104].flatMap((at) => sids(4, at))
    const pages = pagesOf(listOf(told))
    expect(pages.map((page) => [page.sids.length, page.more])).toEqual([
      [8, 102],
      [8, 104],
      [4, undefined],
    ])
    expect(pages.flatMap((page) => page.sids)).toEqual(told.map(({ sid }) => sid))
  })

  it('go on after a second that is larger than a page', () => {
    const told = [...sids(2, 100), ...sids(50_000, 101), ...sids(2, 102)]
    const pages = pagesOf(listOf(told))
    expect(pages.map((page) => [page.sids.length, page.more])).toEqual([
      [2, 101],
      [50_000, 102],
      [2, undefined],
    ])
  })

  it('have cut-offs in them, a minute after their own time, which another clock gave', () => {
    const users = [1, 2, 3].map((n) => ({ sub: `user-${n}`, until: 100 + n }))
    const pages = pagesOf(listOf(sids(1, 161), users))
    expect(pages.map((page) => [page.sids.length, page.users.length, page.more])).toEqual([
      [1, 1, 162],
      [0, 2, undefined],
    ])
    expect(listOf([], users).page(162).users).toEqual(users.slice(1))
  })

  it('have the same seconds in every isolate, also in the one that ended the session', () => {
    const [here, there] = [new RevocationTimeline(), new RevocationTimeline()]
    here.addOwn('gone', 103)
    expect(here.page(103)).toEqual({ sids: ['gone'], users: [] })
    for (const list of [here, there]) list.add({ sessions: [{ sid: 'gone', at: 102 }], users: [] })
    expect(here.page(0)).toEqual(there.page(0))
    expect(here.page(103)).toEqual({ sids: [], users: [] })
  })

  it('in any order of the answers of the ledger’s objects, and a repeated ending once', () => {
    const list = new RevocationTimeline()
    list.add({ sessions: [...sids(2, 105), ...sids(2, 101)], users: [] })
    list.add({ sessions: [...sids(3, 105), ...sids(1, 103)], users: [] })
    const names = list.page(0).sids
    expect(names).toEqual([...sids(2, 101), ...sids(1, 103), ...sids(3, 105)].map(({ sid }) => sid))
  })

  it('have a repeated cut-off once, and the one that follows it in its place', () => {
    const list = new RevocationTimeline()
    const [first, second] = [
      { sub: 'ada', until: 100, except: 'one' },
      { sub: 'ada', until: 105 },
    ]
    for (const cutoff of [first, { ...first }]) list.addCutoff(cutoff)
    expect(list.page(0).users).toEqual([first])
    expect(list.page(0).users[0]).toBe(first)
    for (const cutoff of [second, { ...second }]) list.addCutoff(cutoff)
    expect(list.page(0).users).toEqual([second])
  })
})

describe('the forgotten endings', () => {
  it('are those before a time, of both kinds and of its own', () => {
    const list = listOf([...sids(2, 100), ...sids(2, 200)], [{ sub: 'ada', until: 50 }])
    list.addOwn('own', 120)
    list.forget(101)
    expect(list.page(0)).toEqual({
      sids: [...sids(2, 200).map(({ sid }) => sid), 'own'],
      users: [{ sub: 'ada', until: 50 }],
    })
    list.forget(121)
    expect(list.page(0)).toEqual({ sids: ['sid-200-0', 'sid-200-1'], users: [] })
    list.addCutoff({ sub: 'ada', until: 150 })
    expect(list.page(0).users).toHaveLength(1)
  })
})

describe('forgotten and kept endings', () => {
  it('a cut-off that comes again after it was forgotten is there again', () => {
    const list = listOf([], [{ sub: 'ada', until: 50 }])
    list.forget(111)
    list.addCutoff({ sub: 'ada', until: 50 })
    expect(list.page(0).users).toEqual([{ sub: 'ada', until: 50 }])
  })

  it('an earlier cut-off that goes leaves the later one of the same person', () => {
    const list = listOf(
      [],
      [50, 100].map((until) => ({ sub: 'ada', until })),
    )
    list.forget(111)
    list.addCutoff({ sub: 'ada', until: 70 })
    expect(list.page(0).users).toEqual([{ sub: 'ada', until: 100 }])
  })

  it('this isolate’s own endings of that time or later stay, in the order of their ends', () => {
    const list = new RevocationTimeline()
    list.addOwn('one', 100)
    list.addOwn('two', 110)
    list.addOwn('three', 111)
    list.addOwn('one', 120)
    expect(list.page(112).sids).toEqual(['one'])
    list.forget(111)
    expect(list.page(0).sids).toEqual(['three', 'one'])
  })
})

it('a page of cut-offs alone ends as others do', () => {
  const users = [1, 1, 1, 2].map((time, at) => ({ sub: `user-${at}`, until: 100 + time }))
  const pages = pagesOf(listOf([], users))
  expect(pages.map((page) => [page.users.length, page.more])).toEqual([
    [3, 162],
    [1, undefined],
  ])
})

it('a page is as long as its JSON: each handle counts with its quotes and a comma', () => {
  const list = listOf([
    { sid: 'a', at: 100 },
    { sid: 'b', at: 100 },
    { sid: 'c', at: 101 },
  ])
  const page = (most: number) => list.page(0, { ...size, most })
  expect(page(10)).toEqual({ sids: ['a', 'b', 'c'], users: [] })
  expect(page(9)).toEqual({ sids: ['a', 'b'], users: [], more: 101 })
})

describe('a session is over', () => {
  const ada = { sid: 'one', sub: 'ada', auth_time: 50 }

  it('with a handle that would be two in a line, and ends neither of the two', () => {
    const list = listOf([{ sid: 'one,two', at: 100 }])
    const over = (sid: string) => list.has({ ...ada, sid })
    expect(['one,two', 'one', 'two'].map(over)).toEqual([true, false, false])
    expect(list.page(0).sids).toEqual(['one,two'])
  })

  it('with a person who was cut off under the other name, and no other person', () => {
    const list = listOf([], [{ sub: 'a-name', until: 100 }])
    const over = (other?: string) => list.has(ada, other)
    expect(['a-name', 'b-name', undefined].map(over)).toEqual([true, false, false])
  })

  it('that one of two cut-offs of a second spares, and the other one ends', () => {
    const both = ['one', 'two'].map((except) => ({ sub: 'ada', until: 100, except }))
    for (const users of [both, both.toReversed()]) {
      expect(listOf([], users).has(ada)).toBe(true)
    }
  })
})

describe('cut-offs of one person', () => {
  const until = (time: number, more: Partial<UserCutoff> = {}) => ({
    sub: 'eve',
    until: time,
    ...more,
  })

  it('every second for five minutes are one line of the feed: no user fills it alone', () => {
    const list = listOf(sids(2, 100))
    for (let time = 100; time < 400; time++) {
      list.addCutoff(until(time, { except: `sid-${time % 2}` }))
      list.add({ sessions: [], users: [until(time, { except: `sid-${time % 2}` })] })
    }
    expect(pagesOf(list).flatMap((page) => page.users)).toEqual([until(399, { except: 'sid-1' })])
    expect([...list.seconds(0)].flatMap(([, { users }]) => users)).toHaveLength(1)
  })

  it('that spare no session: the later one counts', () => {
    const list = listOf([], [until(100), until(105), until(105)])
    expect(list.page(0).users).toEqual([until(105)])
  })

  it('leave those of others in the same second', () => {
    const other = { sub: 'ada', until: 100 }
    expect(listOf([], [until(100), other, until(105)]).page(0).users).toEqual([other, until(105)])
  })

  it('in one second are both listed, as each ends the session that the other one spares', () => {
    const both = [until(100, { except: 'one' }), until(100, { except: 'other' })]
    expect(listOf([], both).page(0).users).toEqual(both)
  })

  it('in any order: an older one that comes late does not take the place of a later one', () => {
    const list = listOf([], [until(200), until(100)])
    list.add({ sessions: [], users: [until(100)] })
    expect(list.page(0).users).toEqual([until(200)])
  })
})

describe('beside a list that is kept in the simplest way', () => {
  const start = 1_000_000
  const handle = fc.oneof(
    fc.stringMatching(/^[\w-]{22}$/),
    fc.stringMatching(/^[\w-]{25}[a-i]?$/),
    fc.stringMatching(/^alike at first [ab]{1,4}$/),
    fc.constantFrom('a', 'ab', 'a,b', 'b', ''),
  )
  const person = fc.constantFrom('ada', 'eve', 'bob')
  const later = fc.nat(90)

  interface Model {
    readonly told: Map<string, { sid: string; at: number }>
    readonly own: Map<string, number>
    readonly cutoffs: UserCutoff[]
  }

  /** The last cut-offs of each person. */
  const lastOf = ({ cutoffs }: Model) =>
    cutoffs.filter(({ sub, until }) => !cutoffs.some((o) => o.sub === sub && o.until > until))

  const names = (handles: readonly string[]) => [...new Set(handles.map((sid) => sid.slice(0, 8)))]

  const schedules = fc.uniqueArray(handle, { minLength: 1, maxLength: 30 }).chain((pool) => {
    const sid = fc.constantFrom(...pool)
    const told = fc.array(fc.record({ sid, at: later }), { maxLength: 30 })
    const users = fc.array(
      fc.record({ sub: person, until: later, except: fc.option(sid, { nil: undefined }) }),
      { maxLength: 4 },
    )
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ told, users, inLines: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ own: sid }) },
      { weight: 1, arbitrary: fc.record({ again: fc.constant(true) }) },
      { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 400 }) }) },
    )
    return fc.tuple(fc.constant(pool), fc.array(step, { maxLength: 40 }))
  })

  function check(
    list: RevocationTimeline,
    model: Model,
    pool: readonly string[],
    since: number,
  ): void {
    const known = [...model.told.values()].filter(({ sid }) => sid !== '')
    const cutoffs = lastOf(model)
    const isOver = (sid: string, sub: string, auth_time: number) =>
      known.some((one) => one.sid === sid) ||
      model.own.has(sid) ||
      cutoffs.some((o) => o.sub === sub && auth_time <= o.until && o.except !== sid)
    for (const sid of pool) {
      for (const sub of ['ada', 'zoe']) {
        const auth_time = since - 100
        expect(list.has({ sid, sub, auth_time })).toBe(isOver(sid, sub, auth_time))
      }
    }
    const all = [...known.map(({ sid }) => sid), ...model.own.keys()]
    const some = names(pool)
    expect(list.among(some).sort()).toEqual([...new Set(all)].sort())
    for (const from of [0, since - 60]) {
      const pages = pagesOf(list, from)
      const listed = known.filter(({ at }) => at >= from).map(({ sid }) => sid)
      // They are on the last page, if that does not begin with cut-offs, whose seconds are later.
      const last = pages.at(-2)?.more ?? from
      const own = [...model.own].filter(([, at]) => at >= last).map(([sid]) => sid)
      expect(pages.flatMap(({ sids }) => sids).sort()).toEqual([...listed, ...own].sort())
      const users = cutoffs.filter(({ until }) => until + 60 >= from)
      expect(new Set(pages.flatMap((page) => page.users))).toEqual(new Set(users))
      for (const { sids, users: on, more } of pages) {
        if (more === undefined) continue
        const seconds = known.filter(({ sid, at }) => at < more && sids.includes(sid))
        expect(seconds.length + on.length).toBeGreaterThan(0)
      }
    }
  }

  it('knows the same sessions, gives the same pages, and forgets the same, in any order of endings', async () => {
    await holds(
      300,
      fc.property(schedules, ([pool, steps]) => {
        const list = new RevocationTimeline()
        const model: Model = { told: new Map(), own: new Map(), cutoffs: [] }
        let now = start
        for (const step of steps) {
          if ('own' in step) {
            list.addOwn(step.own, now)
            model.own.set(step.own, now)
          } else if ('again' in step) {
            const all = [...model.told.values()]
            list.add({ sessions: all, users: model.cutoffs })
            for (const { sid } of all) model.own.delete(sid)
          } else if ('pass' in step) {
            now += step.pass
            const before = now - 360
            list.forget(before)
            for (const [key, { at }] of model.told) if (at < before) model.told.delete(key)
            for (const [sid, at] of model.own) if (at < before) model.own.delete(sid)
            const kept = model.cutoffs.filter(({ until }) => until + 60 >= before)
            model.cutoffs.splice(0, model.cutoffs.length, ...kept)
          } else {
            const { inLines } = step
            const sessions = step.told
              .map(({ sid, at }) => ({ sid, at: now - at }))
              .filter(({ sid }) => !sid.includes(','))
            const users = step.users.map(({ sub, until, except }) => ({
              sub,
              until: now - until,
              ...(except === undefined ? {} : { except }),
            }))
            const once = [...new Map(sessions.map((one) => [`${one.at} ${one.sid}`, one])).values()]
            if (inLines) {
              const seconds = once.map(({ sid, at }): [number, string] => [at, sid])
              list.add({ seconds, users })
            } else list.add({ sessions: once, users })
            for (const one of once) {
              model.told.set(`${one.at} ${one.sid}`, one)
              model.own.delete(one.sid)
            }
            for (const cutoff of users) {
              const { sub, until, except } = cutoff
              const same = model.cutoffs.filter((other) => other.sub === sub)
              const isKnown = same.some((o) => o.until === until && o.except === except)
              if (!isKnown && !same.some((o) => o.until > until)) model.cutoffs.push(cutoff)
            }
          }
          check(list, model, pool, now)
        }
      }),
    )
  })
})
