import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { holds } from '../../../test/support/holds.ts'
import { claims } from '../test-support/keys.js'
import {
  atOnce,
  FakeWorker,
  fate,
  settle,
  silence,
  useWorker,
  worker,
} from '../test-support/worker.js'
import type { SessionClaims } from '../token/claims.js'
import { cookieAfter } from '../token/set-cookie.js'
import type { Verifier } from './create-verifier.js'
import type { NamelessCutoff, RevocationFeed } from './revocations.js'

useWorker()

/**
 * A service with enough endings for many pages of its feed; it answers questions about sessions.
 */
class LongService {
  readonly #worker: FakeWorker
  /** When each session ended, by the first eight characters of its handle. */
  readonly ended = new Map<string, { readonly sid: string; readonly at: number }>()
  readonly cutoffs: NamelessCutoff[] = []
  /** How many seconds of endings a page has. */
  pace = 3
  isDown = false
  canBeAsked = true
  /** What each answer says besides. */
  changes: () => Partial<RevocationFeed> = () => ({})
  /** Characters of addresses and answers. */
  bytes = 0

  constructor(worker: FakeWorker) {
    this.#worker = worker
    worker.replaced.set('revocations', async (url) => {
      if (this.isDown) return new Response('{}', { status: 500 })
      const text = await this.answer(url.searchParams)
      this.bytes += String(url).length + text.length
      return new Response(text)
    })
  }

  end(sid: string): void {
    const at = this.#worker.clock.now
    this.ended.set(sid.slice(0, 8), { sid, at })
    this.#worker.ended.add({ sessions: [{ sid, at }], users: [] }, 300)
  }

  async answer(query: URLSearchParams): Promise<string> {
    const { now } = this.#worker.clock
    const next = now - 5
    const of = this.canBeAsked ? query.get('of') : null
    const changes = this.changes()
    if (of !== null) return this.#worker.feed({ ...this.#of(of), since: 0, next, of, ...changes })
    const since = Number(query.get('since') ?? 0)
    const more = Math.max(since, now - 360) + this.pace
    const isLast = more > next
    const names = this.canBeAsked ? { names: 480 } : {}
    const sids: string[] = []
    for (const { sid, at } of this.ended.values()) {
      if (at >= since && (isLast || at < more)) sids.push(sid)
    }
    const page: Partial<RevocationFeed> = { sids, cutoffs: this.cutoffs, since, next, ...changes }
    return this.#worker.feed(isLast ? page : { ...page, more, ...names })
  }

  #of(of: string): Partial<RevocationFeed> {
    const names = new Set(of.match(/.{8}/g))
    const sids = [...names].flatMap((name) => this.ended.get(name)?.sid ?? [])
    const cutoffs = this.cutoffs.filter(({ pid }) => names.has(pid.slice(0, 8)))
    return { sids, cutoffs: [...cutoffs, ...this.cutoffs.slice(-1)] }
  }

  /** Requests for pages, and questions about sessions. */
  get asked(): readonly [pages: number, questions: number] {
    const all = this.#worker.requests.filter(({ path }) => path.startsWith('revocations?'))
    const questions = all.filter(({ path }) => path.includes('of='))
    return [all.length - questions.length, questions.length]
  }
}

const sidOf = (index: number) => `${String(index).padStart(8, '0')}${'x'.repeat(14)}`
/** Each session belongs to another user. */
const personOf = (sid: string) => `${sid.slice(1, 8)}${'p'.repeat(5)}`
const pidOf = (index: number) => `p${String(index).padStart(11, '0')}`

/** A cookie with a token of this age, in seconds. */
function cookieOf(sid: string, age = 100, changes: Partial<SessionClaims> = {}): Promise<string> {
  const { now } = worker.clock
  const times = { iat: now - age, auth_time: now - 1_000, exp: now - age + 300 }
  return worker.cookie({ sid, pid: personOf(sid), ...times, ...changes })
}

/** What becomes of a read that may wait for a question. */
async function read(verifier: Verifier, cookie: string): Promise<string> {
  const reading = fate(verifier, cookie)
  await settle()
  vi.advanceTimersByTime(5)
  await settle()
  return reading
}

/** An app that has read one page, and asks about its sessions. */
async function asking(options = {}): Promise<{ service: LongService; verifier: Verifier }> {
  const service = new LongService(worker)
  const verifier = worker.verifier(options)
  await read(verifier, await cookieOf(claims.sid))
  expect(service.asked).toEqual([1, 1])
  return { service, verifier }
}

const OLD = 100

describe('if the feed is long, an app asks about its own sessions', () => {
  test('one of a million ended sessions is refused by an app that has just started', async () => {
    const service = new LongService(worker)
    for (let index = 0; index < 1_000_000; index++) {
      const sid = sidOf(index)
      service.ended.set(sid.slice(0, 8), { sid, at: worker.clock.now - 1 - (index % 360) })
    }
    const verifier = worker.verifier()
    expect(await read(verifier, await cookieOf(sidOf(777_777)))).toBe('nobody')
    expect(await read(verifier, await cookieOf(sidOf(1_000_000)))).toBe('live')
    expect(service.asked).toEqual([1, 2])
    expect(service.bytes).toBeLessThan(600_000)
  })

  test('a session in use that ends is refused within fifteen seconds, and no read waits', async () => {
    const { service, verifier } = await asking()
    const cookie = await cookieOf(claims.sid, 20)
    await verifier.read(cookie)
    await worker.pass(30)
    service.end(claims.sid)
    const late = service.ended.get(claims.sid.slice(0, 8))
    service.ended.delete(claims.sid.slice(0, 8))
    const fates: string[] = []
    for (let second = 1; second <= 15; second++) {
      await worker.pass(1)
      // An isolate knows of it after seven seconds at most.
      if (second === 7 && late) service.ended.set(claims.sid.slice(0, 8), late)
      fates.push(atOnce(verifier, cookie))
    }
    expect(fates[0]).toBe('live')
    expect(fates).not.toContain('it waits')
    expect(fates.at(-1)).toBe('nobody')
    expect(worker.count('session')).toBe(0)
    expect(service.asked[0]).toBe(1)
  })

  test('a user who signs out everywhere is refused, and the session that ended the others goes on', async () => {
    const { service, verifier } = await asking()
    const [one, two] = [sidOf(1), sidOf(2)]
    const pid = pidOf(1)
    const until = worker.clock.now
    service.cutoffs.push({ pid, until, except: two }, { pid: pidOf(2), until })
    expect(await read(verifier, await cookieOf(one, OLD, { pid }))).toBe('nobody')
    expect(await read(verifier, await cookieOf(two, OLD, { pid }))).toBe('live')
    expect(await read(verifier, await cookieOf(sidOf(3), OLD))).toBe('live')
  })

  test('a token without `pid` is asked about at the service after any cut-off', async () => {
    const { service, verifier } = await asking()
    service.cutoffs.push({ pid: pidOf(9), until: worker.clock.now })
    const { now } = worker.clock
    const nameless = await worker.cookie({ sid: sidOf(1), iat: now - OLD, auth_time: now - 1_000 })
    expect(await read(verifier, nameless)).toBe('live')
    expect(worker.count('session')).toBe(1)
  })

  test('a token that was signed a moment ago needs no question: the next look asks', async () => {
    const { service, verifier } = await asking()
    const cookie = await cookieOf(sidOf(1), 3)
    expect(await fate(verifier, cookie)).toBe('live')
    expect(service.asked).toEqual([1, 1])
    service.end(sidOf(1))
    await worker.pass(5)
    expect(atOnce(verifier, cookie)).toBe('nobody')
  })

  test('a session that ended in these seconds is refused in fifteen, also if the next question is lost', async () => {
    const { service, verifier } = await asking()
    const [signed, longer] = [await cookieOf(sidOf(1), 7), await cookieOf(sidOf(2), 8)]
    for (const index of [1, 2]) service.end(sidOf(index))
    service.isDown = true
    expect(await read(verifier, signed)).toBe('live')
    expect(await read(verifier, longer)).toBe('503')
    await worker.pass(4)
    service.isDown = false
    await worker.pass(4)
    expect(atOnce(verifier, signed)).toBe('nobody')
  })

  test('reads that come together are one question, and those of one session too', async () => {
    const { service, verifier } = await asking()
    service.end(sidOf(7))
    const cookies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => cookieOf(sidOf(index % 100))),
    )
    const reading = Promise.all(cookies.map((cookie) => fate(verifier, cookie)))
    await settle()
    vi.advanceTimersByTime(5)
    await settle()
    const fates = await reading
    expect(fates.filter((one) => one === 'live')).toHaveLength(198)
    expect([fates[7], fates[107]]).toEqual(['nobody', 'nobody'])
    expect(service.asked).toEqual([1, 2])
  })

  test('a thousand sessions are five questions a look, of 4 kB, and 50 kB in all', async () => {
    const { service, verifier } = await asking()
    const cookies = await Promise.all(
      Array.from({ length: 999 }, (_, index) => cookieOf(sidOf(index), 1)),
    )
    for (const cookie of cookies) await verifier.read(cookie)
    const before = { bytes: service.bytes, questions: service.asked[1] }
    await worker.pass(4)
    expect(service.asked[1] - before.questions).toBe(5)
    expect(service.bytes - before.bytes).toBeLessThan(50_000)
    for (const { path } of worker.requests) expect(path.length).toBeLessThan(4_000)
  })

  test('a session that comes back after a pause waits for its renewal, and for no question after that', async () => {
    const { service, verifier } = await asking()
    const sid = sidOf(1)
    const ended = await cookieOf(sid, 400)
    const reading = verifier.read(ended)
    await settle()
    const [, questions] = service.asked
    const { session, setCookie } = await reading
    expect([session === null, worker.count('session')]).toEqual([false, 1])
    await worker.pass(20)
    expect(service.asked[1]).toBeGreaterThan(questions)
    expect(atOnce(verifier, cookieAfter(setCookie))).toBe('live')
    service.end(sid)
    await worker.pass(5)
    expect(atOnce(verifier, cookieAfter(setCookie))).toBe('nobody')
  })

  test('a session that has ended is no longer asked about, and is refused', async () => {
    const { service, verifier } = await asking()
    const [one, other] = [await cookieOf(sidOf(1), 1), await cookieOf(sidOf(2), 1)]
    for (const cookie of [one, other]) await verifier.read(cookie)
    service.end(sidOf(1))
    await worker.pass(10)
    const last = worker.requests.at(-1)?.path ?? ''
    expect(last).not.toContain(sidOf(1).slice(0, 8))
    expect(last).toContain(sidOf(2).slice(0, 8))
    expect([atOnce(verifier, one), atOnce(verifier, other)]).toEqual(['nobody', 'live'])
  })

  test('sessions that are no longer read are no longer asked about', async () => {
    const { service, verifier } = await asking()
    await worker.pass(250)
    const other = await cookieOf(sidOf(1), 1)
    await verifier.read(other)
    await worker.pass(60)
    const last = worker.requests.at(-1)?.path ?? ''
    expect(last).toContain(sidOf(1).slice(0, 8))
    expect(last).not.toContain(claims.sid.slice(0, 8))
    expect(service.asked[0]).toBeGreaterThan(0)
  })
})

describe('an app that starts knows all endings before it answers', () => {
  test('or says that it cannot: a service that is down, and a token of a while ago', async () => {
    const service = new LongService(worker)
    service.pace = 1_000
    service.isDown = true
    service.end(sidOf(1))
    const verifier = worker.verifier()
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('503')
    // The service has just said that this one goes on.
    const fresh = await cookieOf(sidOf(3), 3)
    expect(await read(verifier, fresh)).toBe('live')
    await worker.pass(60)
    expect(await read(verifier, fresh)).toBe('live')
    service.isDown = false
    await worker.pass(5)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('nobody')
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('live')
  })

  test('which costs it one request for the feed, as long as that is short', async () => {
    const service = new LongService(worker)
    service.pace = 1_000
    const verifier = worker.verifier()
    expect(await fate(verifier, await cookieOf(sidOf(1)))).toBe('live')
    expect(service.asked).toEqual([1, 0])
  })
})

describe('while one of several objects of the ledger is out of reach', () => {
  /** Up to when all endings are known stands still, and the feed is of now. */
  const stuck = (service: LongService, since: number, heard = () => worker.clock.now - 5) => {
    service.changes = () => ({ next: since, heard: heard() })
  }

  test('an ending elsewhere counts, and a new session does not get 503', async () => {
    const { service, verifier } = await asking()
    stuck(service, worker.clock.now)
    const cookie = await cookieOf(claims.sid, 1)
    await read(verifier, cookie)
    await worker.pass(200)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('live')
    service.end(claims.sid)
    await worker.pass(15)
    expect(atOnce(verifier, cookie)).toBe('nobody')
  })

  test('since before the app began, it asks about its own sessions, and accepts none that ended', async () => {
    const service = new LongService(worker)
    stuck(service, worker.clock.now - 360)
    const verifier = worker.verifier()
    const cookie = await cookieOf(sidOf(1), 1)
    expect(await read(verifier, cookie)).toBe('live')
    await worker.pass(10)
    service.end(sidOf(1))
    await worker.pass(15)
    expect(await read(verifier, cookie)).toBe('nobody')
    expect(service.asked[1]).toBeGreaterThan(0)
  })

  test('an answer of long ago is refused as ever', async () => {
    const { service, verifier } = await asking()
    const long = worker.clock.now - 100
    stuck(service, long - 100, () => long)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
    stuck(service, long, () => worker.clock.now + 3_600)
    await worker.pass(2)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
  })
})

describe('without an answer', () => {
  test('a session that is read for the first time is not answered, one in use is', async () => {
    const { service, verifier } = await asking()
    service.isDown = true
    const [known, other] = [await cookieOf(claims.sid), await cookieOf(sidOf(1))]
    expect(await read(verifier, other)).toBe('503')
    expect(await fate(verifier, other)).toBe('503')
    expect(atOnce(verifier, known)).toBe('live')
    expect(service.asked[1]).toBeLessThanOrEqual(2)
    service.isDown = false
    await worker.pass(2)
    expect(await read(verifier, other)).toBe('live')
  })

  test('a read waits for two seconds, and the next one not at all', async () => {
    const { verifier } = await asking()
    worker.replaced.set('revocations', silence)
    const cookies = [await cookieOf(sidOf(1)), await cookieOf(sidOf(2))] as const
    const first = fate(verifier, cookies[0])
    await settle()
    await worker.pass(2)
    expect(await first).toBe('503')
    expect(await fate(verifier, cookies[1])).toBe('503')
    await worker.pass(6)
    expect(worker.errors.map(({ message }) => message)).toContain(
      'The auth service did not answer within 2 s.',
    )
  })

  test('to the first page’s next one at the start, the pages so far answer nothing', async () => {
    const service = new LongService(worker)
    service.pace = 150
    service.end(sidOf(1))
    const answer = worker.replaced.get('revocations')
    worker.replaced.set('revocations', async (url, init) => {
      if (url.searchParams.has('since')) return new Response('{}', { status: 500 })
      return answer?.(url, init) ?? silence()
    })
    const verifier = worker.verifier()
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('nobody')
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('live')
  })
})

describe('an attacker between app and service', () => {
  const changed = (change: (text: string, query: URLSearchParams) => Promise<string>) => {
    const answer = worker.replaced.get('revocations')
    worker.replaced.set('revocations', async (url, init) => {
      const found = await (answer?.(url, init) ?? silence())
      return new Response(await change(await found.text(), url.searchParams))
    })
  }
  const about = (service: LongService, of: string) =>
    service.answer(new URLSearchParams({ of, pages: '1' }))

  test.each<[string, (service: LongService, text: string, of: string) => Promise<string>]>([
    ['answers for other sessions', (service) => about(service, 'AAAAAAAA'.repeat(3))],
    ['answers for some sessions', (service, _, of) => about(service, of.slice(0, 8))],
    ['answers with the whole feed', (service) => service.answer(new URLSearchParams())],
    [
      'answers with a page of the feed that says nothing ended',
      () => worker.feed({ sids: [], since: 0 }),
    ],
    [
      'drops the ended sessions',
      async (_, text) => {
        const [head, content = '', signature] = text.split('.')
        const feed = JSON.parse(Buffer.from(content, 'base64url').toString())
        const emptied = Buffer.from(JSON.stringify({ ...feed, sids: [] })).toString('base64url')
        return [head, emptied, signature].join('.')
      },
    ],
    ['makes it very long', async (_, text) => text + 'A'.repeat(5 * 1024 * 1024)],
    ['takes the signed answer for another kind', (_, text) => Promise.resolve(text.slice(1))],
  ])('(%s) brings no ended session back: it is 503', async (_, change) => {
    const { service, verifier } = await asking()
    service.end(sidOf(1))
    changed((text, query) => change(service, text, query.get('of') ?? ''))
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
    expect(atOnce(verifier, await cookieOf(claims.sid))).toBe('live')
  })

  test('replays an answer of a moment ago: no question is asked twice', async () => {
    const { service, verifier } = await asking()
    const answers: string[] = []
    changed(async (text, query) => {
      if (!query.has('of')) return text
      answers.push(text)
      return answers[0] ?? ''
    })
    const cookie = await cookieOf(sidOf(1))
    expect(await read(verifier, cookie)).toBe('live')
    service.end(sidOf(1))
    const another = worker.verifier()
    expect(await read(another, cookie)).toBe('503')
    const questions = worker.requests.flatMap(({ path }) => path.match(/of=[^&]*/)?.[0] ?? [])
    expect(new Set(questions).size).toBe(questions.length)
  })

  test('gives an answer about some sessions for the whole feed', async () => {
    const service = new LongService(worker)
    service.pace = 1_000
    service.end(sidOf(1))
    const verifier = worker.verifier()
    const answer = worker.replaced.get('revocations')
    worker.replaced.set('revocations', async () => new Response(await about(service, 'AAAAAAAA')))
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
    expect(worker.errors.map(({ message }) => message)).toContain(
      'The revocation feed was refused: it is not a feed of this service (header).',
    )
    if (answer) worker.replaced.set('revocations', answer)
    await worker.pass(5)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('nobody')
  })
})

describe('an app goes over', () => {
  test('to its own sessions when the feed grows long, and back when it is short again', async () => {
    const service = new LongService(worker)
    service.pace = 1_000
    const verifier = worker.verifier()
    const age = () => cookieOf(claims.sid, 20)
    await verifier.read(await age())
    await worker.pass(60)
    const [short, none] = service.asked
    expect([short > 10, none]).toEqual([true, 0])
    service.pace = 20
    await worker.pass(20)
    const [long] = service.asked
    const asked = worker.requests.length
    service.end(sidOf(1))
    // The app asks about unread sessions; the list has the earlier endings.
    expect(await read(verifier, await cookieOf(sidOf(1), 30))).toBe('nobody')
    expect(await read(verifier, await age())).toBe('live')
    expect(worker.requests.length).toBeGreaterThan(asked)
    for (let minute = 0; minute < 4; minute++) {
      await read(verifier, await age())
      await worker.pass(60)
    }
    expect(service.asked[0]).toBe(long)
    service.pace = 1_000
    service.end(sidOf(2))
    for (let minute = 0; minute < 2; minute++) {
      await read(verifier, await age())
      await worker.pass(60)
    }
    const [, questions] = service.asked
    expect(atOnce(verifier, await cookieOf(sidOf(2), 1))).toBe('it waits')
    expect(await fate(verifier, await cookieOf(sidOf(2), 200))).toBe('nobody')
    await worker.pass(20)
    expect(service.asked[1]).toBe(questions)
  })

  test('to nothing else with a service that cannot be asked: it reads the whole feed', async () => {
    const service = new LongService(worker)
    service.canBeAsked = false
    service.end(sidOf(1))
    const verifier = worker.verifier()
    // One look does not read all of it.
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('503')
    await worker.pass(10)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('nobody')
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('live')
    expect(service.asked[1]).toBe(1)
    expect(service.asked[0]).toBeGreaterThan(100)
  })

  test('to the whole feed if the service can be asked no longer: until it is read, 503', async () => {
    const { service, verifier } = await asking()
    service.end(sidOf(1))
    service.canBeAsked = false
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('503')
    await worker.pass(20)
    expect(await read(verifier, await cookieOf(sidOf(1)))).toBe('nobody')
    expect(await read(verifier, await cookieOf(sidOf(2)))).toBe('live')
    const [, questions] = service.asked
    await worker.pass(20)
    expect(service.asked[1]).toBe(questions)
  })
})

/** What happens to a service and an app, one after the other. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('read' as const), which: fc.nat(), age: fc.nat(280) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.integer({ min: 1, max: 40 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), isDown: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('pace' as const),
      pace: fc.constantFrom(3, 20, 100, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('old' as const), isOld: fc.boolean() }) },
)

test(
  'no ended session is accepted after its limit, and no live one is refused, under any faults',
  () =>
    holds(
      60,
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const own = new FakeWorker((milliseconds) => vi.advanceTimersByTime(milliseconds))
        const service = new LongService(own)
        const verifier = own.verifier()
        const sessions: { sid: string; began: number; ended?: number }[] = []
        /** Since when the service has answered without a fault. */
        let calm = own.clock.now
        const begin = () => sessions.push({ sid: sidOf(sessions.length), began: own.clock.now })
        const tokenOf = ({ sid, began }: { sid: string; began: number }, age: number) => {
          // A token of the past, or the one with which the session began.
          const iat = Math.max(began, own.clock.now - age)
          const times = { iat, auth_time: began, exp: iat + 300 }
          return own.cookie({ sid, pid: personOf(sid), ...times })
        }
        const first = { sid: sidOf(99_999), began: own.clock.now }
        await read(verifier, await tokenOf(first, 0))
        begin()
        try {
          for (const one of steps) {
            const { now } = own.clock
            if (one.kind === 'begin') begin()
            if (one.kind === 'pass') await own.pass(one.seconds)
            if (one.kind === 'pace') service.pace = one.pace
            if (one.kind === 'old') {
              service.canBeAsked = !one.isOld
              calm = now
            }
            if (one.kind === 'fail') {
              service.isDown = one.isDown
              calm = now
            }
            const session = 'which' in one ? sessions[one.which % sessions.length] : undefined
            if (one.kind === 'end' && session && session.ended === undefined) {
              session.ended = now
              service.end(session.sid)
            }
            if (one.kind === 'read' && session) {
              // A token that was signed after the end does not exist.
              const age = Math.max(one.age, now - (session.ended ?? now))
              if (age > 280) continue
              const found = await read(verifier, await tokenOf(session, age))
              const isHeard = !service.isDown && now - Math.max(calm, session.ended ?? now) > 15
              if (session.ended === undefined) expect(found).toMatch(/^(live|503)$/)
              else if (isHeard) expect(found).not.toBe('live')
              if (session.ended === undefined && !service.isDown && now - calm > 30) {
                expect(found).toBe('live')
              }
            }
          }
        } finally {
          own.close()
        }
      }),
    ),
  120_000,
)
