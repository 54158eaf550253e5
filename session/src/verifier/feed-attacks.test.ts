import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claims, ISSUER, keys, NOW, SECRET } from '../test-support/keys.js'
import { FakeWorker, settle } from '../test-support/worker.js'
import { deriveSessionKeys } from '../token/keys.js'
import { signJson } from '../token/signed.js'
import { FeedReader } from './feed-reader.js'
import { fixedKeys } from './key-source.js'
import { type RevocationFeed, RevocationList, signRevocationFeed } from './revocations.js'

let worker: FakeWorker
let errors: string[]

beforeEach(() => {
  worker = new FakeWorker()
  errors = []
})
afterEach(() => worker.close())

const sid = claims.sid
const other = await deriveSessionKeys(['another-secret-0123456789abcdef-0123'])

/** A reader that gets these texts, one for each fetch. */
function readerOf(...texts: (string | Promise<string>)[]) {
  const asked: (number | undefined)[] = []
  const source = fixedKeys({ secret: SECRET })
  const reader = new FeedReader({
    client: {
      issuer: ISSUER,
      fetchFeed: async (since) => {
        asked.push(since)
        return texts.shift() ?? ''
      },
    },
    keys: source,
    maxDelay: 15,
    now: () => worker.clock.now * 1000,
    onError: (error) => void errors.push((error as Error).message),
  })
  reader.close()
  const look = async () => {
    await reader.refreshIfDue(worker.clock.now * 1000)
    await settle()
    worker.clock.now += 10
  }
  return { reader, look, asked }
}

const has = (reader: FeedReader) => reader.list.has({ ...claims, sid })

test('an app with another secret than its service gets the advice to compare the two', async () => {
  const feed = { iss: ISSUER, sids: [], users: [], next: NOW, window: 300, since: 0 }
  const { look } = readerOf(await signRevocationFeed(feed, other.signing))
  await look()
  expect(errors).toEqual([
    expect.stringMatching(/service \(unknown-key\): .* AUTH_SECRET .* AUTH_PUBLIC_KEYS/),
  ])
})

describe('an invalid feed is refused', () => {
  const feed = (changes: object = {}): RevocationFeed => ({
    ...{ iss: ISSUER, sids: [sid], users: [], next: NOW, window: 300, since: 0 },
    ...changes,
  })

  test.each([
    ['nothing', async () => ''],
    ['a page', async () => '<!doctype html>'],
    ['a session token', () => worker.token()],
    [
      'a session token that names endings',
      () => signJson({ ...claims, ...feed() }, 'session+jwt', keys.signing),
    ],
    ['no type', () => signJson(feed(), 'JWT', keys.signing)],
    ['the keys of another service', () => signRevocationFeed(feed(), other.signing)],
    [
      'another issuer',
      () => signRevocationFeed(feed({ iss: 'https://x.example/auth' }), keys.signing),
    ],
    [
      'a changed signature',
      async () => (await signRevocationFeed(feed(), keys.signing)).replace(/.{3}$/, 'AAA'),
    ],
    ['sids that are not strings', () => signRevocationFeed(feed({ sids: [1] }), keys.signing)],
    [
      'sids that are not a list',
      () => signRevocationFeed(feed({ sids: { 0: sid } }), keys.signing),
    ],
    [
      'a cutoff without a time',
      () => signRevocationFeed(feed({ users: [{ sub: 'x' }] }), keys.signing),
    ],
    [
      'a cutoff that spares a number',
      () => signRevocationFeed(feed({ users: [{ sub: 'x', until: 1, except: 1 }] }), keys.signing),
    ],
    ['no beginning', () => signRevocationFeed(feed({ since: undefined }), keys.signing)],
    ['no window', () => signRevocationFeed(feed({ window: undefined }), keys.signing)],
    ['a time that is a string', () => signRevocationFeed(feed({ next: `${NOW}` }), keys.signing)],
    ['a beginning below zero', () => signRevocationFeed(feed({ since: -1 }), keys.signing)],
    ['a list', () => signJson([feed()], 'revocations+jwt', keys.signing)],
  ])('%s', async (_, make) => {
    const { reader, look } = readerOf(make(), signRevocationFeed(feed(), keys.signing))
    await look()
    expect([has(reader), errors.length]).toEqual([false, 1])
    expect(errors[0]).toMatch(/^The revocation feed was refused: it is /)
    await look()
    expect([has(reader), errors.length]).toEqual([true, 1])
  })

  test('a feed does not pass as a session token', async () => {
    const text = await signJson({ ...claims, ...feed() }, 'revocations+jwt', keys.signing)
    const reading = await worker.verifier().read(`__Host-auth.session-token=${text}`)
    expect(reading.session).toBeNull()
  })
})

describe('an attacker between service and app', () => {
  test('can replay an old feed, which reverses no end and is reported', async () => {
    const old = worker.feed()
    worker.signOut(sid)
    const { reader, look, asked } = readerOf(worker.feed(), old, old, old)
    await look()
    expect(has(reader)).toBe(true)
    worker.clock.now += 100
    await look()
    expect(has(reader)).toBe(true)
    expect(errors).toEqual([
      'The revocation feed was refused: it is old, and says nothing about today: a cache kept it, or this clock is ahead.',
    ])
    await look()
    // The next fetch continues after the last genuine feed.
    expect(asked).toEqual([undefined, NOW - 60, NOW - 60])
  })

  test('can replay a cutoff that spared a session, which does not restore that session', async () => {
    const { sub } = claims
    const users = (except?: string) => [{ sub, until: NOW, ...(except ? { except } : {}) }]
    const old = worker.feed({ users: users(sid) })
    const { reader, look } = readerOf(old, worker.feed({ users: users() }), old)
    await look()
    expect(has(reader)).toBe(false)
    await look()
    expect(has(reader)).toBe(true)
    await look()
    expect(has(reader)).toBe(true)
  })

  test('cannot use an empty feed that was signed for a later `since`', async () => {
    worker.signOut(sid)
    const emptied = worker.feed({ sids: [], since: NOW + 1_000 })
    const { reader, look, asked } = readerOf(emptied, worker.feed())
    await look()
    expect(errors).toEqual(['The revocation feed was refused: a part of it is missing.'])
    await look()
    expect(asked).toEqual([undefined, undefined])
    expect(has(reader)).toBe(true)
  })
})

describe('clocks and isolates', () => {
  test('an isolate with fewer endings reverses none, and moves no time back', async () => {
    worker.signOut(sid)
    const behind = worker.feed({ sids: [], next: NOW - 8 })
    const { reader, look, asked } = readerOf(worker.feed(), behind, worker.feed())
    for (let n = 0; n < 3; n++) await look()
    expect([has(reader), errors]).toEqual([true, []])
    expect(asked).toEqual([undefined, NOW - 60, NOW - 60])
  })

  test('a service with a clock far ahead does not decide the start of the next fetch', async () => {
    worker.signOut(sid)
    const ahead = worker.feed({ next: NOW + 3_600 })
    const { reader, look, asked } = readerOf(ahead, worker.feed())
    await look()
    expect(errors).toEqual([
      'The revocation feed was refused: it comes from the future: the clocks differ.',
    ])
    await look()
    expect([has(reader), asked]).toEqual([true, [undefined, undefined]])
  })

  test('once tokens count for longer, the endings that count now are asked for before they do', async () => {
    const later = (next: number) => worker.feed({ next, window: 3_600, since: 0 })
    const { reader, look, asked } = readerOf(worker.feed(), later(NOW + 10), later(NOW + 20))
    expect(reader.maxLife).toBe(86_400)
    await look()
    expect(reader.maxLife).toBe(300)
    await look()
    expect(reader.maxLife).toBe(300)
    await look()
    expect([reader.maxLife, errors]).toEqual([3_600, []])
    expect(asked).toEqual([undefined, NOW - 60, undefined])
  })

  test('once tokens count for less, they do at once, and are not fetched a second time', async () => {
    const feeds = [3_600, 300, 3_600, 300].map((window, n) =>
      worker.feed({ window, next: NOW + 10 * n }),
    )
    const { reader, look, asked } = readerOf(...feeds)
    const lives: number[] = []
    for (const _ of feeds) {
      await look()
      lives.push(reader.maxLife)
    }
    expect(lives).toEqual([3_600, 300, 3_600, 300])
    expect(asked).toEqual([undefined, NOW - 60, NOW - 50, NOW - 40])
  })

  test('after an outage of an hour the next fetch asks for every ending that still matters', async () => {
    const { look, asked } = readerOf(
      worker.feed(),
      '',
      worker.feed({ next: NOW + 3_600, since: NOW + 3_240 }),
    )
    await look()
    worker.clock.now = NOW + 3_600
    await look()
    errors.length = 0
    await look()
    expect([asked, errors]).toEqual([[undefined, NOW - 60, NOW - 60], []])
  })
})

describe('a list of endings', () => {
  const list = () => new RevocationList(() => worker.clock.now * 1000)

  test('holds only endings that can still matter', () => {
    const ended = list()
    for (let n = 0; n < 5_000; n++) {
      worker.clock.now += 1
      const user = { sub: `user-${n}`, until: worker.clock.now }
      ended.add({ sessions: [{ sid: `s${n}`, at: worker.clock.now }], users: [user] }, 300)
      expect(ended.entries).toBeLessThanOrEqual(2 * 362)
    }
    expect(ended.has({ sid: 's4999', sub: 'x', auth_time: 0 })).toBe(true)
    expect(ended.has({ sid: 's4000', sub: 'x', auth_time: 0 })).toBe(false)
  })

  test('keeps an ending for the longest time that a feed named, in any order', () => {
    const ended = list()
    ended.add({ sessions: [{ sid, at: NOW }], users: [] }, 3_600)
    worker.clock.now = NOW + 405
    ended.add({ sessions: [{ sid: 'another', at: NOW + 405 }], users: [] }, 300)
    expect(ended.has(claims)).toBe(true)
  })

  test('keeps the later end of a user’s sessions when it hears of an earlier one', () => {
    const ended = list()
    const { sub } = claims
    ended.add({ sessions: [], users: [{ sub, until: NOW }] }, 300)
    ended.add({ sessions: [], users: [{ sub, until: NOW - 100, except: sid }] }, 300)
    expect(ended.has({ sid, sub, auth_time: NOW - 50 })).toBe(true)
  })

  test('does not forget an ending early that it got twice, in any order', () => {
    const ended = list()
    const add = (at: number) => ended.add({ sessions: [{ sid, at }], users: [] }, 300)
    add(NOW)
    add(NOW - 200)
    worker.clock.now = NOW + 300
    ended.add({ sessions: [], users: [] }, 300)
    expect(ended.has(claims)).toBe(true)
  })

  test('keeps an ending for as long as a token of the session could last', () => {
    const ended = list()
    ended.add({ sessions: [{ sid, at: NOW }], users: [] }, 300)
    // The token was signed in the second in which the session ended, by a clock a minute ahead.
    worker.clock.now = NOW + 360
    ended.add({ sessions: [], users: [] }, 300)
    expect(ended.has(claims)).toBe(true)
  })
})
