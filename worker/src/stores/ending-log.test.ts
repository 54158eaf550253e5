import type { UserCutoff } from '@latchkey/session/issue'
import { describe, expect, it } from 'vitest'
import { EndingLog, type EndingPage } from './ending-log.js'

const sids = (count: number, at: number, name = 'sid') =>
  Array.from({ length: count }, (_, index) => ({ sid: `${name}-${at}-${index}`, at }))

/** A page of ten handles, or of two cut-offs. */
const size = { most: 120, of: () => 60 }

/** All pages from a time on. */
function pagesOf(log: EndingLog, since = 0): EndingPage[] {
  const pages: EndingPage[] = []
  for (let next: number | undefined = since; next !== undefined && pages.length < 100; ) {
    const page: EndingPage = log.page(next, size)
    pages.push(page)
    next = page.more
  }
  return pages
}

function logOf(sessions: { sid: string; at: number }[], users: UserCutoff[] = []): EndingLog {
  const log = new EndingLog()
  log.addTold({ sessions, users }, 0)
  return log
}

describe('pages', () => {
  it('have whole seconds, as many as there is room for, and each ending once', () => {
    const told = [100, 101, 102, 103, 104].flatMap((at) => sids(4, at))
    const pages = pagesOf(logOf(told))
    expect(pages.map((page) => [page.sids.length, page.more])).toEqual([
      [8, 102],
      [8, 104],
      [4, undefined],
    ])
    expect(pages.flatMap((page) => page.sids)).toEqual(told.map(({ sid }) => sid))
  })

  it('go on after a second that is larger than a page', () => {
    const told = [...sids(2, 100), ...sids(50_000, 101), ...sids(2, 102)]
    const pages = pagesOf(logOf(told))
    expect(pages.map((page) => [page.sids.length, page.more])).toEqual([
      [2, 101],
      [50_000, 102],
      [2, undefined],
    ])
  })

  it('have cut-offs in them, a minute after their own time, which another clock gave', () => {
    const users = [1, 2, 3].map((n) => ({ sub: `user-${n}`, until: 100 + n }))
    const pages = pagesOf(logOf(sids(1, 161), users))
    expect(pages.map((page) => [page.sids.length, page.users.length, page.more])).toEqual([
      [1, 1, 162],
      [0, 2, undefined],
    ])
    expect(logOf([], users).page(162).users).toEqual(users.slice(1))
  })

  it('have the same seconds in every isolate, also in the one that ended the session', () => {
    const [here, there] = [new EndingLog(), new EndingLog()]
    here.addOwn('gone', 103)
    expect(here.page(103)).toEqual({ sids: ['gone'], users: [] })
    for (const log of [here, there])
      log.addTold({ sessions: [{ sid: 'gone', at: 102 }], users: [] }, 90)
    expect(here.page(0)).toEqual(there.page(0))
    expect(here.page(103)).toEqual({ sids: [], users: [] })
  })

  it('in any order that the ledger’s objects answer in, an ending that is told again once', () => {
    const log = new EndingLog()
    log.addTold({ sessions: [...sids(2, 105), ...sids(2, 101)], users: [] }, 100)
    log.addTold({ sessions: [...sids(3, 105), ...sids(1, 103)], users: [] }, 102)
    const names = log.page(0).sids
    expect(names).toEqual([...sids(2, 101), ...sids(1, 103), ...sids(3, 105)].map(({ sid }) => sid))
  })

  it('have a cut-off that is told again once, and the one that follows it in its place', () => {
    const log = new EndingLog()
    const [first, second] = [
      { sub: 'ada', until: 100, except: 'one' },
      { sub: 'ada', until: 105 },
    ]
    for (const cutoff of [first, { ...first }]) log.addCutoff(cutoff)
    expect(log.page(0).users).toEqual([first])
    expect(log.page(0).users[0]).toBe(first)
    for (const cutoff of [second, { ...second }]) log.addCutoff(cutoff)
    expect(log.page(0).users).toEqual([second])
  })
})

describe('what is forgotten', () => {
  it('is what ended before a time, of both kinds and of its own', () => {
    const log = logOf([...sids(2, 100), ...sids(2, 200)], [{ sub: 'ada', until: 50 }])
    log.addOwn('own', 120)
    log.forget(101)
    expect(log.page(0)).toEqual({
      sids: [...sids(2, 200).map(({ sid }) => sid), 'own'],
      users: [{ sub: 'ada', until: 50 }],
    })
    log.forget(121)
    expect(log.page(0)).toEqual({ sids: ['sid-200-0', 'sid-200-1'], users: [] })
    log.addCutoff({ sub: 'ada', until: 150 })
    expect(log.page(0).users).toHaveLength(1)
  })
})

describe('what is forgotten and what stays', () => {
  it('a cut-off that is told again after it was forgotten is there again', () => {
    const log = logOf([], [{ sub: 'ada', until: 50 }])
    log.forget(111)
    log.addCutoff({ sub: 'ada', until: 50 })
    expect(log.page(0).users).toEqual([{ sub: 'ada', until: 50 }])
  })

  it('an earlier cut-off that goes leaves the later one of the same person', () => {
    const log = logOf(
      [],
      [50, 100].map((until) => ({ sub: 'ada', until })),
    )
    log.forget(111)
    log.addCutoff({ sub: 'ada', until: 70 })
    expect(log.page(0).users).toEqual([{ sub: 'ada', until: 100 }])
  })

  it('of this isolate’s own what ended at that time or later stays, as it ended last', () => {
    const log = new EndingLog()
    log.addOwn('one', 100)
    log.addOwn('two', 110)
    log.addOwn('three', 111)
    log.addOwn('one', 120)
    expect(log.page(112).sids).toEqual(['one'])
    log.forget(111)
    expect(log.page(0).sids).toEqual(['three', 'one'])
  })
})

it('a page of cut-offs alone ends as others do', () => {
  const users = [1, 1, 1, 2].map((time, at) => ({ sub: `user-${at}`, until: 100 + time }))
  const pages = pagesOf(logOf([], users))
  expect(pages.map((page) => [page.users.length, page.more])).toEqual([
    [3, 162],
    [1, undefined],
  ])
})

describe('cut-offs of one person', () => {
  const until = (time: number, more: Partial<UserCutoff> = {}) => ({
    sub: 'eve',
    until: time,
    ...more,
  })

  it('every second for five minutes are one line of the feed: nobody fills it alone', () => {
    const log = logOf(sids(2, 100))
    for (let time = 100; time < 400; time++) {
      log.addCutoff(until(time, { except: `sid-${time % 2}` }))
      log.addTold({ sessions: [], users: [until(time, { except: `sid-${time % 2}` })] }, time)
    }
    expect(pagesOf(log).flatMap((page) => page.users)).toEqual([until(399, { except: 'sid-1' })])
    expect(log.seconds(0).flatMap(([, { users }]) => users)).toHaveLength(1)
  })

  it('that spare nobody: the later one counts', () => {
    const log = logOf([], [until(100), until(105), until(105)])
    expect(log.page(0).users).toEqual([until(105)])
  })

  it('leave those of others in the same second', () => {
    const other = { sub: 'ada', until: 100 }
    expect(logOf([], [until(100), other, until(105)]).page(0).users).toEqual([other, until(105)])
  })

  it('of one second are both told, as each ends the session that the other one spares', () => {
    const both = [until(100, { except: 'one' }), until(100, { except: 'other' })]
    expect(logOf([], both).page(0).users).toEqual(both)
  })

  it('in any order: an older one that is told late does not take the place of a later one', () => {
    const log = logOf([], [until(200), until(100)])
    log.addTold({ sessions: [], users: [until(100)] }, 0)
    expect(log.page(0).users).toEqual([until(200)])
  })
})
