import { afterEach, describe, expect, test, vi } from 'vitest'
import { claims, ISSUER, keys, NOW } from '../test-support/keys.js'
import {
  atOnce,
  fate,
  NAME,
  sessionAnswer,
  settle,
  useWorker,
  worker,
} from '../test-support/worker.js'
import { splitCookie } from '../token/cookie.js'
import { toSession } from '../token/session.js'
import { signSessionToken } from '../token/signed.js'
import { verifyToken } from '../token/verify.js'
import { FreshClaims } from './fresh-claims.js'
import { NOBODY, type Reading, type SessionReading, sessionReading } from './reading.js'
import { type RevocationFeed, RevocationList } from './revocations.js'
import { MAX_AT_ONCE } from './turns.js'

useWorker()

const pid = 'AAAAAAAAAAAA'
const { sid } = claims

/** The service renews what is stale, at the ledger's word. */
function refreshed(stale: NonNullable<RevocationFeed['stale']>, role = 'editor') {
  const { now } = worker.clock
  worker.replaced.set('revocations', async () => new Response(await worker.feed({ stale })))
  worker.replaced.set('session', async (url, init) => {
    expect(url.searchParams.get('online')).toBe('1')
    const cookie = new Headers(init.headers).get('cookie') ?? ''
    const found = await verifyToken(cookie.slice(cookie.indexOf('=') + 1), keys.verify)
    if (typeof found === 'string') throw new Error(found)
    const next = { ...found.claims, iat: now + 1, exp: now + 300, session: { role } }
    return sessionAnswer(
      toSession(next),
      splitCookie(NAME, await signSessionToken(next, keys.signing)),
    )
  })
}

const roleOf = async (verifier: ReturnType<typeof worker.verifier>, cookie: string) =>
  ((await verifier.read(cookie)).session as { role?: string } | null)?.role

const until = () => worker.clock.now

describe('a stale token is expired, not ended', () => {
  test.each([
    ['of the person', () => [{ pid, until: until() }]],
    ['of the session', () => [{ sid, until: until() }]],
  ])('%s: the next read renews it, once, and its cookie goes to the browser', async (_, stale) => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ pid })
    await verifier.read(cookie)
    refreshed(stale())
    await worker.pass(10)
    const reading = await verifier.read(cookie)
    expect(reading.session).toMatchObject({ role: 'editor' })
    expect(reading.setCookie).toHaveLength(1)
    for (let read = 0; read < 3; read++) expect(await roleOf(verifier, cookie)).toBe('editor')
    const fresh = (reading.setCookie[0] ?? '').split(';', 1)[0] ?? ''
    expect(await roleOf(verifier, fresh)).toBe('editor')
    expect(worker.count('session')).toBe(1)
  })

  test('a hundred requests at once make one call', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ pid })
    refreshed([{ pid, until: until() }])
    await verifier.read(cookie)
    worker.requests.length = 0
    const others = await worker.cookie({ pid, iat: until() - 2 })
    const roles = await Promise.all(
      Array.from({ length: 100 }, (_, at) => roleOf(verifier, at % 2 ? cookie : others)),
    )
    expect(new Set(roles)).toEqual(new Set(['editor']))
    expect(worker.count('session')).toBe(1)
  })

  test('tokens of other people, of later seconds and without a pid count as before, without a call', async () => {
    const verifier = worker.verifier()
    refreshed([{ pid, until: until() }])
    for (const changes of [
      { pid: 'BBBBBBBBBBBB' },
      { pid, iat: until() + 1 },
      { pid: 'BBBBBBBBBBBB', sid: 'another-session'.padEnd(22, 'x') },
      {},
    ]) {
      expect(await fate(verifier, await worker.cookie(changes))).toBe('live')
    }
    expect(worker.count('session')).toBe(0)
  })

  test('while nothing is stale a read makes no promise', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ pid })
    await verifier.read(cookie)
    expect(atOnce(verifier, cookie)).toBe('live')
  })

  test('a session that has ended as well is over', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ pid })
    worker.signOut(sid)
    worker.replaced.set(
      'revocations',
      async () => new Response(await worker.feed({ stale: [{ pid, until: until() }] })),
    )
    expect(await fate(verifier, cookie)).toBe('nobody')
  })

  test('one that has not been heard in the feed is renewed if this process knows it', async () => {
    const { createReader } = await import('./create-verifier.js')
    const ended = new RevocationList(() => worker.clock.now * 1000)
    const options = {
      worker: ISSUER,
      fetch: (url: unknown, init?: RequestInit) => worker.fetch(String(url), init),
      now: () => worker.clock.now * 1000,
    }
    const verifier = createReader(options as never, ended)
    const cookie = await worker.cookie({ pid })
    await verifier.read(cookie)
    refreshed([])
    ended.add({ stale: [{ sub: claims.sub, until: until() }] }, 300)
    expect(await roleOf(verifier, cookie)).toBe('editor')
    verifier.close()
  })
})

describe('while the service fails', () => {
  test.each(['silent', 503, 'the same token'])(
    '%s: the last state counts until the token’s own end, and then not',
    async (what) => {
      const verifier = worker.verifier()
      const cookie = await worker.cookie({ pid })
      refreshed([{ pid, until: until() }])
      worker.replaced.set('session', async () => {
        if (what === 'silent') throw new TypeError('ECONNREFUSED')
        if (what === 503) return new Response('', { status: 503 })
        return Response.json(toSession({ ...claims, sexp: worker.clock.now + 86_400 }))
      })
      for (let read = 0; read < 5; read++) expect(await fate(verifier, cookie)).toBe('live')
      // Not a call for each read.
      expect(worker.count('session')).toBe(1)
      await worker.pass(3)
      expect(await fate(verifier, cookie)).toBe('live')
      expect(worker.count('session')).toBe(2)
      if (what === 'the same token') return
      await worker.pass(300)
      expect(await fate(verifier, cookie)).toBe('503')
    },
  )
})

test('sixty-four renewals are under way at once, and the others wait their turn', async () => {
  const verifier = worker.verifier()
  const cookies = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      worker.cookie({ pid, sid: `session-${at}`.padEnd(22, 'x') }),
    ),
  )
  refreshed([{ pid, until: until() }])
  await verifier.read(await worker.cookie())
  const answer = worker.replaced.get('session')
  let [underWay, most] = [0, 0]
  const waiting: (() => void)[] = []
  worker.replaced.set('session', async (url, init) => {
    most = Math.max(most, ++underWay)
    await new Promise<void>((resolve) => waiting.push(resolve))
    underWay--
    return (answer as NonNullable<typeof answer>)(url, init)
  })
  const reads = Promise.all(cookies.map((cookie) => roleOf(verifier, cookie)))
  for (let done = 0; done < 200; ) {
    await settle()
    done += waiting.length
    for (const go of waiting.splice(0)) go()
  }
  expect(new Set(await reads)).toEqual(new Set(['editor']))
  expect(most).toBe(MAX_AT_ONCE)
  expect(worker.count('session')).toBe(200)
})

describe('attacks', () => {
  test('the cookie of a dead session beside it does not keep old claims', async () => {
    const verifier = worker.verifier()
    const mine = await worker.cookie({ pid })
    const dead = await worker.expiredCookie({ sub: 'mallory', sid: 'dead'.padEnd(22, 'x') })
    refreshed([{ pid, until: until() }])
    const renew = worker.replaced.get('session') as NonNullable<
      ReturnType<typeof worker.replaced.get>
    >
    worker.replaced.set('session', async (url, init) =>
      new Headers(init.headers).get('cookie')?.includes(dead.slice(-20))
        ? sessionAnswer(null, [NAME])
        : renew(url, init),
    )
    expect(await roleOf(verifier, `${mine}; ${dead}`)).toBe('editor')
  })

  test.each([
    ['a number', 1],
    ['no list', {}],
    ['no time', [{ pid }]],
    ['a time of letters', [{ pid, until: '1' }]],
    ['a negative time', [{ pid, until: -1 }]],
    ['a name of digits', [{ pid: 1, until: 1 }]],
    ['nobody', [{ until: 1 }]],
    ['two names', [{ pid, sid, until: 1 }]],
    ['an id', [{ sub: 'ada', until: 1 }]],
    ['null', [null]],
  ])('a feed whose `stale` is malformed is refused whole: %s', async (_, stale) => {
    const feed = { sids: [sid], stale: stale as never }
    worker.replaced.set('revocations', async () => new Response(await worker.feed(feed)))
    const verifier = worker.verifier()
    expect(await fate(verifier, await worker.cookie())).toBe('live')
    expect(worker.errors.map(String).join()).toContain('revocation feed was refused')
  })

  test('entries of a day are forgotten, in whatever order they come', () => {
    const list = new RevocationList(() => worker.clock.now * 1000)
    for (let second = 0; second < 1_000; second++) {
      worker.clock.now++
      list.add({ stale: [{ pid: `p-${second}`, until: worker.clock.now }] }, 300)
    }
    expect(list.entries).toBeLessThanOrEqual(361)
  })

  test('an older entry brings no stale token back', () => {
    const list = new RevocationList(() => worker.clock.now * 1000)
    for (const back of [0, 100]) list.add({ stale: [{ pid, until: until() - back }] }, 300)
    expect(list.isStale({ ...claims, pid, iat: until() })).toBe(true)
    expect(list.isStale({ ...claims, pid, iat: until() + 1 })).toBe(false)
  })
})

describe('the renewals of one process', () => {
  const readingAt = (iat: number): SessionReading => {
    const own = { ...claims, iat, exp: iat + 300 }
    return sessionReading({ session: toSession(own), claims: own })
  }
  const [old, newer] = [readingAt(NOW), readingAt(NOW + 1)]
  const always = () => true
  const silent = () => new Promise<Reading>(() => {})
  const fresh = () => new FreshClaims(() => worker.clock.now * 1000, 100)

  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  test('attack: a renewed session that has ended since is not used, and is asked about', async () => {
    const all = fresh()
    expect(await all.read('token', old, always, async () => newer)).toBe(newer)
    const renew = vi.fn(async () => NOBODY)
    const ended = () => false
    for (let read = 1; read < 3; read++) {
      expect(await all.read('token', old, ended, renew)).toBe(NOBODY)
      expect(renew).toHaveBeenCalledTimes(read)
    }
  })

  test('one that brought no other token is tried again after two seconds', async () => {
    const all = fresh()
    const renew = vi.fn(async () => old)
    for (const calls of [1, 1, 2]) {
      expect(await all.read('token', old, always, renew)).toBe(old)
      expect(renew).toHaveBeenCalledTimes(calls)
      worker.clock.now++
    }
  })

  test('reads of one token share a renewal, and later ones wait for no turn', async () => {
    const all = fresh()
    const renew = vi.fn(async () => newer)
    const read = () => all.read('token', old, always, renew)
    expect(await Promise.all([read(), read()])).toEqual([newer, newer])
    expect(renew).toHaveBeenCalledTimes(1)
    for (let at = 0; at < MAX_AT_ONCE; at++) void all.read(`silent-${at}`, old, always, silent)
    await settle()
    expect(await read()).toBe(newer)
    expect(renew).toHaveBeenCalledTimes(1)
  })

  test('a read that gets no turn for too long has the old claims, without a call', async () => {
    const all = fresh()
    const renew = vi.fn(silent)
    for (let at = 0; at < 2 * MAX_AT_ONCE; at++) void all.read(`silent-${at}`, old, always, renew)
    const last = vi.fn(silent)
    const read = all.read('last', old, always, last)
    await worker.pass(60)
    expect(await read).toBe(old)
    expect(renew).toHaveBeenCalledTimes(2 * MAX_AT_ONCE)
    expect(last).not.toHaveBeenCalled()
  })

  test('an error that is not the service’s silence is not hidden', async () => {
    const renew = async () => {
      throw new TypeError('a mistake')
    }
    await expect(fresh().read('token', old, always, renew)).rejects.toThrow('a mistake')
  })

  test('in a Cloudflare Worker no read waits for another request, but has its answer', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    vi.resetModules()
    const inWorker = await import('./fresh-claims.js')
    const all = new inWorker.FreshClaims(() => worker.clock.now * 1000, 100)
    const aborted = vi.fn(silent)
    void all.read('token', old, always, aborted)
    await settle()
    expect(aborted).toHaveBeenCalledTimes(1)
    expect(await all.read('token', old, always, async () => newer)).toBe(newer)
    // Two that begin at once: the second one finds the first one's answer when it has its turn.
    const slots = Array.from({ length: MAX_AT_ONCE - 2 }, (_, at) =>
      all.read(`silent-${at}`, old, always, silent),
    )
    expect(slots).toHaveLength(MAX_AT_ONCE - 2)
    let answer = (_: Reading) => {}
    const slow = all.read('two', old, always, () => new Promise((resolve) => (answer = resolve)))
    await settle()
    const renew = vi.fn(silent)
    const waiting = all.read('two', old, always, renew)
    await settle()
    expect(renew).not.toHaveBeenCalled()
    answer(newer)
    await slow
    vi.advanceTimersByTime(100)
    expect(await waiting).toBe(newer)
    expect(renew).not.toHaveBeenCalled()
  })
})
