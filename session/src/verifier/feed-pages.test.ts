import { describe, expect, test } from 'vitest'
import { claims, ISSUER, keys, NOW, SECRET } from '../test-support/keys.js'
import { settle } from '../test-support/worker.js'
import { FeedReader } from './feed-reader.js'
import { fixedKeys } from './key-source.js'
import { type RevocationFeed, signRevocationFeed } from './revocations.js'

type Changes = Partial<RevocationFeed>

/** A reader of pages: the answer to each `since`, by turns if it gets several questions. */
function readerOf(answer: (since: number | undefined, count: number) => Changes | string) {
  const clock = { now: NOW * 1000 }
  const asked: (number | undefined)[] = []
  const timeouts: number[] = []
  const errors: string[] = []
  const reader = new FeedReader({
    client: {
      issuer: ISSUER,
      fetchFeed: async (since, timeout) => {
        asked.push(since)
        timeouts.push(timeout)
        const changes = answer(since, asked.length)
        if (typeof changes === 'string') return changes
        const next = Math.floor(clock.now / 1000) - 5
        const page = { iss: ISSUER, sids: [], users: [], since: since ?? 0, next, window: 300 }
        return signRevocationFeed({ ...page, ...changes }, keys.signing)
      },
    },
    keys: fixedKeys({ secret: SECRET }),
    maxDelay: 15,
    now: () => clock.now,
    onError: (error) => void errors.push((error as Error).message),
  })
  reader.close()
  /** One look to its end, which on a slow machine a request would not wait for; then the time of the next. */
  const look = async () => {
    await reader.refreshIfDue(clock.now)
    await settle()
    clock.now += 10_000
  }
  const has = (sid: string) => reader.list.has({ ...claims, sid })
  return { reader, look, asked, timeouts, errors, clock, has }
}

const LONG = 'The revocation feed is long: the next look goes on with it.'
const refused = (why: string) => `The revocation feed was refused: ${why}.`

describe('a feed in pages', () => {
  test('is read to its last page in one look, and then goes on where that ended', async () => {
    const pages: Record<string, Changes> = {
      undefined: { sids: ['one'], more: NOW - 200 },
      [NOW - 200]: { sids: ['two'], more: NOW - 100 },
      [NOW - 100]: { sids: ['three'] },
    }
    const { look, asked, has, errors, reader } = readerOf((since) => pages[String(since)] ?? {})
    await look()
    expect([has('one'), has('two'), has('three'), reader.maxLife]).toEqual([true, true, true, 300])
    await look()
    expect(asked).toEqual([undefined, NOW - 200, NOW - 100, NOW - 5 - 60])
    expect(errors).toEqual([])
  })

  test('a feed of version 0.1 has one page', async () => {
    const { look, asked, has } = readerOf(() => ({ sids: ['gone'] }))
    await look()
    expect([asked, has('gone')]).toEqual([[undefined], true])
  })

  test('goes on with a service of version 0.1, which answers with all since then', async () => {
    const { look, has, errors } = readerOf((since) =>
      since === undefined ? { sids: ['one'], more: NOW - 100 } : { sids: ['two', 'three'] },
    )
    await look()
    expect([has('one'), has('two'), has('three'), errors]).toEqual([true, true, true, []])
  })

  test('counts as read only after its last page, but its endings count at once', async () => {
    let isDown = true
    const { look, asked, has, reader, errors } = readerOf((since) => {
      if (since === undefined) return { sids: ['one'], more: NOW - 100 }
      return isDown ? '' : { sids: ['two'] }
    })
    await look()
    expect([has('one'), reader.maxLife, errors.length]).toEqual([true, 86_400, 1])
    isDown = false
    await look()
    expect([has('two'), reader.maxLife]).toEqual([true, 300])
    // The first page is not read again.
    expect(asked).toEqual([undefined, NOW - 100, NOW - 100])
  })

  test('the next look fetches the feed again beyond the time that the service covers', async () => {
    const { look, asked } = readerOf((since, count) =>
      count === 1 ? { more: NOW - 2 } : since === NOW - 2 ? '' : {},
    )
    await look()
    await look()
    expect(asked).toEqual([undefined, NOW - 2, NOW - 5])
  })

  test('from isolates of which one is behind is complete as far as that one knows', async () => {
    const nexts = [NOW - 40, NOW - 5]
    const { look, asked } = readerOf((_, count) => ({
      next: nexts[count - 1] ?? NOW,
      ...(count === 1 ? { more: NOW - 100 } : {}),
    }))
    await look()
    await look()
    expect(asked.at(-1)).toBe(NOW - 40 - 60)
  })

  test('from services that allow different lives counts for the shorter one', async () => {
    const windows = [3_600, 300]
    const { look, reader } = readerOf((_, count) => ({
      window: windows[count - 1] ?? 300,
      ...(count === 1 ? { more: NOW - 100 } : {}),
    }))
    await look()
    expect(reader.maxLife).toBe(300)
  })
})

describe('a look ends', () => {
  test('after 64 pages, and the next one goes on, to the end', async () => {
    const last = NOW - 300 + 150
    const { look, asked, errors, has } = readerOf((since = NOW - 301) => ({
      sids: [`at ${since}`],
      ...(since < last ? { more: since + 1 } : {}),
    }))
    await look()
    expect([asked.length, errors]).toEqual([64, [LONG]])
    await look()
    await look()
    expect([asked.length, has(`at ${last}`)]).toEqual([152, true])
    expect(new Set(asked).size).toBe(152)
  })

  test('after 16 MiB, however few pages that are', async () => {
    const long = Array.from({ length: 90_000 }, (_, index) => String(index).padStart(22, 'x'))
    const { look, asked, errors } = readerOf((since = NOW - 300) => ({
      sids: long,
      more: since + 1,
    }))
    await look()
    expect([asked.length, errors]).toEqual([6, [LONG]])
  })

  test('when its time is over: a page has what the pages before it left', async () => {
    const { look, asked, timeouts, clock, errors } = readerOf((since = NOW - 300) => {
      clock.now += 1_200
      return { more: since + 1 }
    })
    await look()
    expect([timeouts, asked.length, errors]).toEqual([[3_000, 1_800, 600], 3, [LONG]])
  })
})

describe('an attacker between service and app cannot use pages', () => {
  test('to leave one out', async () => {
    const { look, errors, reader } = readerOf((since) =>
      since === undefined ? { more: NOW - 200 } : { since: NOW - 100 },
    )
    await look()
    expect([errors, reader.maxLife]).toEqual([[refused('a part of it is missing')], 86_400])
  })

  test('to send a reader round in a circle: a page that was read before is refused', async () => {
    const { look, asked, errors } = readerOf(() => ({ since: 0, more: NOW - 200 }))
    await look()
    expect([asked, errors]).toEqual([[undefined, NOW - 200], [refused('it does not go on')]])
  })

  test('to repeat an old feed: every page has its time', async () => {
    for (const [next, why] of [
      [
        NOW - 76,
        'it is old, and says nothing about today: a cache kept it, or this clock is ahead',
      ],
      [NOW + 61, 'it comes from the future: the clocks differ'],
    ] as const) {
      const { look, errors, reader } = readerOf((since) =>
        since === undefined ? { more: NOW - 200 } : { next },
      )
      await look()
      expect([errors, reader.maxLife]).toEqual([[refused(why)], 86_400])
    }
  })

  test.each([-1, 1.5, '1', null])('to end it by a page that goes on at %j', async (more) => {
    const { look, errors } = readerOf(() => ({ more: more as number }))
    await look()
    expect(errors).toEqual([refused('it is not a feed of this service (claims)')])
  })
})

test('pages take time by their number: ten times as many, ten times as much', async () => {
  const read = async (pages: number) => {
    const { look, reader } = readerOf((since = NOW - 300) => ({
      sids: Array.from({ length: 200 }, (_, index) => `${since}-${index}`),
      ...(since < NOW - 301 + pages ? { more: since + 1 } : {}),
    }))
    await look()
    return reader.list.entries
  }
  const costs: number[] = []
  for (const pages of [6, 60]) {
    let done = 0
    const count = await countedSteps(async () => {
      done = await read(pages)
    })
    expect(done).toBe(200 * pages)
    costs.push(count)
  }
  const [few = 0, many = 0] = costs
  expect(many).toBeLessThanOrEqual(12 * few)
})

/** The entries of maps that are written, read or passed by while work goes on. */
async function countedSteps(work: () => Promise<void>): Promise<number> {
  let count = 0
  const { get, set, [Symbol.iterator]: iterator } = Map.prototype
  Map.prototype.get = function (key) {
    count++
    return get.call(this, key)
  }
  Map.prototype.set = function (key, value) {
    count++
    return set.call(this, key, value)
  }
  Map.prototype[Symbol.iterator] = function* (this: Map<unknown, unknown>) {
    for (const entry of { [Symbol.iterator]: () => iterator.call(this) }) {
      count++
      yield entry
    }
  } as never
  try {
    await work()
  } finally {
    Object.assign(Map.prototype, { get, set })
    Map.prototype[Symbol.iterator] = iterator
  }
  return count
}
