import type { Revocations } from '@latchkey/session/issue'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { holds } from '../../../test/support/holds.js'
import { randomToken } from '../lib/base64url.js'
import { erasedName } from '../lib/pseudonyms.js'
import { guardedStores } from './guarded-stores.js'
import type { RevokedLately } from './ledger/types.js'
import { memoryStore } from './memory.js'
import { RecentRevocations } from './recent-revocations.js'

const start = Date.UTC(2026, 10, 1)
const seconds = (after: number) => start / 1000 + after
const logger = { error: vi.fn(), warn: () => {}, debug: () => {} }
const waitUntil = vi.fn<(work: Promise<unknown>) => void>()

const { advance } = clock({ start, timers: true })
const pass = (seconds: number) => advance(seconds * 1000)

beforeEach(() => {
  logger.error.mockClear()
  waitUntil.mockClear()
})

const nothing: Revocations = { sessions: [], users: [] }
const named = (sid: string) => ({ sid, sub: 'ada', auth_time: 0 })
const ended = (sid: string, at: number) => ({ sessions: [{ sid, at: seconds(at) }], users: [] })

/** @param answer what the ledger says; its clock is the test's, unless it says another time */
function known(answer: (since: number) => Promise<unknown> | unknown = () => nothing) {
  const asked: number[] = []
  const revokedSince = async (since: number): Promise<RevokedLately> => {
    asked.push(since)
    const found = await answer(since)
    if (!found) return found as never
    return { next: Math.floor(Date.now() / 1000) - 5, hasMore: false, ...(found as Revocations) }
  }
  const store = memoryStore()
  const { ledger } = guardedStores({ ...store, ledger: { ...store.ledger, revokedSince } })
  const recent = new RecentRevocations(ledger, 300, Date.now)
  return { recent, asked, look: () => recent.refresh(logger, waitUntil) }
}

describe('looks', () => {
  it('the first covers every token that may still live, clocks apart', async () => {
    const { asked, look } = known()
    await look()
    expect(asked).toEqual([seconds(-360)])
  })

  it('each later one begins where the ledger says, by its own clock, whatever the time is here', async () => {
    const nexts = [seconds(-40), seconds(-35), seconds(-30)]
    const { asked, look } = known(() => ({ ...nothing, next: nexts.shift() }))
    for (let count = 0; count < 3; count++) {
      await look()
      await pass(5)
    }
    expect(asked.slice(1)).toEqual([seconds(-40), seconds(-35)])
  })

  it('after a long silence no more is asked for than may matter', async () => {
    const { asked, look } = known()
    await look()
    await pass(3600)
    await look()
    expect(asked[1]).toBe(seconds(3600 - 360))
  })

  it('after a configuration with longer tokens came, all is asked for that counts by now', async () => {
    const { recent, asked, look } = known(() => ended('gone', -400))
    await look()
    expect(recent.isDue).toBe(false)
    recent.cover(100)
    expect(recent.isDue).toBe(false)
    recent.cover(3600)
    expect([recent.isDue, recent.since(0)]).toEqual([true, undefined])
    await look()
    expect(asked).toEqual([seconds(-360), seconds(-3660)])
    await pass(3600)
    await look()
    expect(recent.has(named('gone'))).toBe(true)
  })

  it('a look that was under way when it came does not count as all', async () => {
    let answer = (_: typeof nothing) => {}
    const { recent, asked, look } = known(() => new Promise((resolve) => (answer = resolve)))
    const looking = look()
    await pass(0)
    recent.cover(3600)
    answer(nothing)
    await looking
    expect([recent.isDue, recent.since(0)]).toEqual([true, undefined])
    void look()
    expect(asked).toEqual([seconds(-360), seconds(-3660)])
  })

  it('endings in an answer that came too late to count are sent again', async () => {
    const marks: unknown[] = []
    const answers: ((told: object) => void)[] = []
    const recent = new RecentRevocations(
      {
        revokedSince: (_, __, given) => {
          marks.push(given?.[0]?.of)
          return new Promise((resolve) => answers.push(resolve as (told: object) => void))
        },
      },
      300,
      Date.now,
    )
    const tell = async (at: number, of: string) => {
      const told = { seconds: [], users: [], next: seconds(0), hasMore: false }
      answers[at]?.({ ...told, marks: [{ of, told: [] }] })
      await pass(0)
    }
    const look = () => void recent.refresh(logger, waitUntil)
    look()
    await pass(4)
    look()
    // Two questions of the first look, and one of the second: the second look is answered first.
    await tell(2, 'second')
    await tell(0, 'first')
    await pass(4)
    look()
    expect(marks).toEqual([undefined, undefined, undefined, 'second'])
    recent.cover(900)
    look()
    expect(marks.at(-1)).toBeUndefined()
  })

  it('while some endings are out of reach it says up to when the others are known', async () => {
    const told = { seconds: [], users: [], hasMore: false, next: seconds(-300) }
    let heard: number | undefined = seconds(-5)
    const recent = new RecentRevocations(
      { revokedSince: async () => ({ ...told, ...(heard ? { heard } : {}) }) },
      300,
      Date.now,
    )
    await recent.refresh(logger, waitUntil)
    expect(recent.since(0)).toMatchObject({ next: seconds(-300), heard: seconds(-5) })
    expect(recent.among([])).toMatchObject({ next: seconds(-300), heard: seconds(-5) })
    heard = undefined
    await pass(4)
    await recent.refresh(logger, waitUntil)
    expect(recent.since(0)).not.toHaveProperty('heard')
  })

  it('a ledger that hangs is waited for by one read, for a second', async () => {
    const { recent, look } = known(() => new Promise(() => {}))
    let isDone = false
    const looked = look().then(() => {
      isDone = true
    })
    expect(recent.isDue).toBe(false)
    await pass(0.999)
    expect(isDone).toBe(false)
    await pass(0.001)
    expect(isDone).toBe(true)
    await looked
    expect(logger.error).toHaveBeenCalledOnce()
  })

  it('a lost message makes no end late: the ledger is asked again after half a second', async () => {
    const { recent, asked, look } = known(() => {
      return asked.length === 2 ? new Promise(() => {}) : ended('gone', 0)
    })
    await look()
    await pass(4)
    const looked = look()
    await pass(0.5)
    await looked
    expect([asked.length, recent.has(named('gone'))]).toEqual([3, true])
  })

  it('a fault of the ledger that passes at once makes no end late', async () => {
    const { recent, asked, look } = known(() =>
      asked.length === 1 ? Promise.reject(new Error('moved')) : ended('gone', 0),
    )
    await look()
    expect([asked.length, recent.has(named('gone'))]).toEqual([2, true])
    expect(logger.error).not.toHaveBeenCalled()
  })

  it('reads beside the first one after a pause wait for its look: they know as little', async () => {
    const { recent, asked, look } = known(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return ended('gone', 0)
    })
    const first = look()
    expect([recent.isDue, recent.isBehind]).toEqual([false, true])
    const beside = look().then(() => recent.has(named('gone')))
    await pass(0.2)
    await first
    expect([await beside, asked.length, recent.isBehind]).toEqual([true, 1, false])
    // In the course of a busy minute nobody waits beside the one that looks.
    await pass(4)
    void look()
    expect(recent.isBehind).toBe(false)
    await pass(60)
    void look()
    expect(recent.isBehind).toBe(true)
  })

  it('an answer that was overtaken takes nothing out of the feed', async () => {
    let late = () => {}
    const { recent, asked, look } = known(() => {
      if (asked.length > 2) return ended('gone', 3)
      return new Promise((resolve) => (late = () => resolve({ ...nothing, next: seconds(-5) })))
    })
    void look()
    await pass(4)
    await look()
    late()
    await pass(0)
    expect(recent.since(0)?.sids).toEqual(['gone'])
  })

  it('an answer is not lost if the request that asked for it has left', async () => {
    const { recent, look, asked } = known(async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      return ended('gone', 0)
    })
    void look()
    await pass(3)
    expect(waitUntil).toHaveBeenCalledOnce()
    await expect(waitUntil.mock.calls[0]?.[0]).resolves.toBeUndefined()
    // It was asked once more meanwhile.
    expect([recent.has(named('gone')), asked.length]).toEqual([true, 2])
  })

  it('more than one answer holds is fetched at once, to the end', async () => {
    const pages = [-300, -200, -100].map((at) => {
      return { ...ended(`at ${at}`, at), next: seconds(at), hasMore: true }
    })
    const { recent, asked, look } = known(() => pages.shift() ?? ended('the last', 0))
    await look()
    expect(asked).toEqual([-360, -300, -200, -100].map(seconds))
    for (const sid of ['at -300', 'at -200', 'at -100', 'the last']) {
      expect(recent.has(named(sid))).toBe(true)
    }
  })

  it('a ledger that says there is always more is not asked forever', async () => {
    const { asked, look } = known((since) => ({ ...nothing, next: since, hasMore: true }))
    await look()
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['nothing', () => null],
    ['a rejection', () => Promise.reject(new Error('overloaded'))],
  ])(
    '%s is a fault of the ledger, not of the request, and nothing is learned',
    async (_, answer) => {
      const { recent, look } = known(answer)
      await expect(look()).resolves.toBeUndefined()
      expect(logger.error).toHaveBeenCalledOnce()
      expect(recent.since(0)).toBeUndefined()
      await expect(waitUntil.mock.calls[0]?.[0]).resolves.toBeUndefined()
    },
  )
})

describe('the remembered endings', () => {
  it('an ending is known as long as a token lives, then forgotten', async () => {
    const { recent, look } = known()
    recent.add('gone')
    await pass(359)
    await look()
    expect(recent.has(named('gone'))).toBe(true)
    await pass(2)
    await look()
    expect(recent.has(named('gone'))).toBe(false)
  })

  it('an ending that is heard of twice is known from the second time', async () => {
    const { recent, look } = known()
    recent.add('twice')
    recent.add('once')
    await pass(200)
    recent.add('twice')
    await pass(200)
    await look()
    expect([recent.has(named('twice')), recent.has(named('once'))]).toEqual([true, false])
  })

  it('lists everything since a time, and the time up to which that is all', async () => {
    const { recent, look } = known(() => ended('gone', -10))
    await look()
    const next = seconds(-5)
    expect(recent.since(0)).toEqual({ sids: ['gone'], users: [], next })
    expect(recent.since(seconds(-9))).toEqual({ sids: [], users: [], next })
  })

  // It carries the time of the isolate that wrote it, and may have waited for the ledger.
  it('lists a cut-off for a minute longer', async () => {
    const cutoff = { sub: 'ada', until: seconds(-40) }
    const { recent, look } = known(() => ({ sessions: [], users: [cutoff] }))
    await look()
    expect(recent.since(seconds(15))?.users).toEqual([cutoff])
    expect(recent.since(seconds(21))?.users).toEqual([])
  })
})

describe('any endings, here and elsewhere, with any answers of the ledger', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ end: fc.nat(29), isHere: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ everywhere: fc.nat(4) }) },
    { weight: 3, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 120 }) }) },
    { weight: 1, arbitrary: fc.record({ isDown: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ cover: fc.constantFrom(600, 3_600, 86_400) }) },
  )

  it('no ended session counts while a token of it lives, no other one is refused, and apps hear of each', async () => {
    await holds(
      60,
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { ledger } = memoryStore()
        const state = { isDown: false, window: 300 }
        const answer = async (since: number) => {
          if (state.isDown) throw new Error('overloaded')
          return ledger.revokedSince(since)
        }
        const recent = new RecentRevocations({ revokedSince: answer }, state.window, Date.now)
        const now = () => Math.floor(Date.now() / 1000)
        const began = now()
        const sessions = Array.from({ length: 30 }, (_, at) => {
          return { sid: randomToken(16), sub: `user-${at % 5}`, auth_time: began - 1 }
        })
        const ended = new Map<string, number>()
        const until = now() + 10 ** 7
        // An app that reads the feed to its end, now and then.
        const heard = new Set<string>()
        let since = 0
        const read = () => {
          for (let from = since; ; ) {
            const page = recent.since(from, { most: 150, of: () => 60 })
            if (!page) return
            for (const sid of page.sids) heard.add(sid)
            for (const { sub } of page.users) heard.add(sub)
            since = page.next - 60
            if (page.more === undefined) return
            from = page.more
          }
        }
        for (const one of steps) {
          if ('end' in one) {
            const { sid } = sessions[one.end] as (typeof sessions)[number]
            await ledger.revoke(sid, until)
            ended.set(sid, now())
            if (one.isHere) recent.add(sid)
          } else if ('everywhere' in one) {
            const sub = `user-${one.everywhere}`
            await ledger.cutOff({ sub, until: now() }, until)
            ended.set(sub, now())
          } else if ('pass' in one) await pass(one.pass)
          else if ('cover' in one) {
            state.window = Math.max(state.window, one.cover)
            recent.cover(one.cover)
          } else state.isDown = one.isDown
          await pass(4)
          const looking = recent.refresh(logger, waitUntil)
          await pass(1)
          await looking
          if (state.isDown || !recent.since(0)) continue
          read()
          const oldest = now() - state.window
          for (const session of sessions) {
            const times = [session.sid, session.sub].map((name) => ended.get(name) ?? 0)
            if (times.some((at) => at >= oldest)) expect(recent.has(session)).toBe(true)
            if (times.every((at) => at === 0)) expect(recent.has(session)).toBe(false)
            const names = recent.among([session.sid.slice(0, 8)])
            expect(names?.sids).toEqual(
              (times[0] as number) >= oldest ? [session.sid] : expect.any(Array),
            )
          }
          for (const [name, at] of ended) if (at >= oldest) expect(heard).toContain(name)
        }
      }),
    )
  })
})

it('a question that ended with its request is asked again for the waiting requests', async () => {
  let fail = (_: Error) => {}
  const answers = [
    () => new Promise((_, reject) => (fail = reject)),
    // It is asked once more by the same request.
    () => Promise.reject(new Error('gone')),
    () => ended('a', -1),
  ]
  const { recent, asked, look } = known(() => answers.shift()?.())
  // A Worker throws if a request waits for what belongs to a request that has ended.
  const throwing = {
    ...logger,
    error: () => {
      throw new Error('a request that has since ended')
    },
  }
  const first = recent.refresh(throwing, waitUntil).catch(() => 'thrown')
  const second = look()
  await pass(0)
  expect(asked).toHaveLength(1)
  fail(new Error('gone'))
  await pass(0)
  expect(await first).toBe('thrown')
  await second
  expect([asked.length, recent.has(named('a'))]).toEqual([3, true])
})

describe('an erased person', () => {
  const erased = (pid: string) => ({ sub: erasedName(pid), until: seconds(-1) })
  const session = (pid?: string) => ({ ...named('one'), ...(pid === undefined ? {} : { pid }) })
  const isOver = (recent: RecentRevocations, ...pids: (string | undefined)[]) =>
    pids.map((pid) => recent.has(session(pid)))

  it('is signed out everywhere by their name in tokens, and no other user is', async () => {
    const cutoffs = [{ sub: 'grace', until: seconds(-1) }, erased('pid-of-ada')]
    const { recent, look } = known(() => ({ sessions: [], users: cutoffs }))
    expect(isOver(recent, 'pid-of-ada', 'pid-of-grace', undefined)).toEqual([false, false, false])
    await look()
    expect(isOver(recent, 'pid-of-ada', 'pid-of-grace', undefined)).toEqual([true, false, false])
    expect(recent.has({ ...session('pid-of-ada'), auth_time: seconds(0) })).toBe(false)
    expect(recent.has({ ...session('pid-of-grace'), sub: 'grace' })).toBe(true)
  })

  it('is signed out at once where it happens, and stays so when others end their sessions', async () => {
    const { recent, look } = known(() => ({
      sessions: [],
      users: [{ sub: 'grace', until: seconds(-1) }],
    }))
    recent.cutOff(erased('pid-of-ada'))
    expect(isOver(recent, 'pid-of-ada', 'pid-of-grace')).toEqual([true, false])
    await look()
    expect(isOver(recent, 'pid-of-ada', 'pid-of-grace')).toEqual([true, false])
  })

  it('takes no user along without such a name in the token, whatever theirs was', () => {
    const { recent } = known()
    recent.cutOff(erased('undefined'))
    expect(isOver(recent, 'undefined', undefined)).toEqual([true, false])
  })
})

it('the end of all sessions of a person is known at once in its own isolate', () => {
  const { recent } = known()
  recent.cutOff({ sub: 'ada', until: seconds(0) })
  expect([recent.has(named('one')), recent.has({ ...named('two'), sub: 'grace' })]).toEqual([
    true,
    false,
  ])
})

describe('the endings of a few sessions', () => {
  it('come with every cut-off, in the same array until one more is known', async () => {
    const cutoff = (sub: string, at: number) => ({ sub, until: seconds(at) })
    const told = { ...ended('gone', -10), users: [cutoff('ada', -10), cutoff('grace', -9)] }
    const { recent, look } = known(() => told)
    await look()
    const first = recent.among(['gone'])
    expect(first).toEqual({ sids: ['gone'], users: told.users, next: seconds(-5) })
    const second = recent.among(['other'])
    expect(second?.sids).toEqual([])
    expect(second?.users).toBe(first?.users)
    recent.cutOff(cutoff('eve', -8))
    expect(recent.among([])?.users).toEqual([...told.users, cutoff('eve', -8)])
    told.users.push(cutoff('mallory', -7))
    await pass(4)
    await look()
    expect(recent.among([])?.users.map(({ sub }) => sub)).toEqual([
      'ada',
      'grace',
      'eve',
      'mallory',
    ])
  })

  it('are not empty before the ledger was ever reached', async () => {
    const { recent, look } = known(() => Promise.reject(new Error('overloaded')))
    recent.add('gone')
    await look()
    expect(recent.among(['gone'])).toBeUndefined()
  })
})

describe('a ledger whose answers are some seconds old', () => {
  const told = { seconds: [], users: [], hasMore: false }

  it('is asked so much earlier: an end is known in five seconds all the same', async () => {
    const revokedSince = async () => ({ ...told, next: seconds(-5) })
    const recent = new RecentRevocations({ age: 1_500, revokedSince }, 300, Date.now)
    await recent.refresh(logger, waitUntil)
    await pass(2.499)
    expect(recent.isDue).toBe(false)
    await pass(0.001)
    expect(recent.isDue).toBe(true)
  })

  it('says which questions are the first ones: the answers to those are the newest', async () => {
    const firsts: unknown[] = []
    let next = 0
    const revokedSince = async (_: number, isFirst?: boolean) => {
      firsts.push(isFirst)
      next++
      return { ...told, next: seconds(-300 + next), hasMore: next === 1 }
    }
    const recent = new RecentRevocations({ age: 1_500, revokedSince }, 300, Date.now)
    const look = () => recent.refresh(logger, waitUntil)
    await look()
    expect(firsts).toEqual([true, false])
    await pass(4)
    await look()
    expect(firsts).toEqual([true, false, false])
    recent.cover(3600)
    await look()
    expect(firsts).toEqual([true, false, false, true])
  })
})

describe('a read', () => {
  it('waits for a look that is late by a second, and for none if none is under way', async () => {
    let isSilent = false
    const { recent, look } = known(() => (isSilent ? new Promise(() => {}) : nothing))
    expect([recent.isDue, recent.isBehind]).toEqual([true, false])
    await look()
    await pass(4.2)
    isSilent = true
    void look()
    await pass(0.799)
    expect(recent.isBehind).toBe(false)
    await pass(0.001)
    expect(recent.isBehind).toBe(true)
    // It has been waited for long enough.
    await pass(0.2)
    expect(recent.isBehind).toBe(false)
  })

  it('still waits for the second of two looks when the first one has taken its second', async () => {
    const { recent, look } = known(() => new Promise(() => {}))
    void look()
    await pass(0.5)
    recent.cover(3600)
    void look()
    await pass(0.5)
    expect(recent.isBehind).toBe(true)
    await pass(0.5)
    expect(recent.isBehind).toBe(false)
  })
})
