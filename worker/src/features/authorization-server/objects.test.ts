import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { claimsOf, type OAuthIsolate, oauthIsolate } from '../../test-support/oauth.js'
import { grantsOf } from './grant.js'

// The ledger in one object, in several, while their number changes, and in a file.

const { pass } = clock()

type Layouts = readonly number[]

/** Stores of isolates that know these numbers of objects. */
function objects() {
  const ledgers = new FakeLedgers()
  const { sessions } = memoryStore()
  return {
    ledgers,
    store: (layouts: Layouts): Stores => ({
      sessions,
      ledger: durableLedger(ledgers.binding, layouts),
      drawSid: (sub, near) => drawSid(layouts, sub, near),
    }),
  }
}

function fileStore(): Stores {
  const path = join(tmpdir(), `grants-${crypto.randomUUID()}.db`)
  const store = sqliteStore(path)
  onTestFinished(async () => {
    await store.close()
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  })
  return store
}

const PEOPLE = ['ada', 'grace', 'hedy', 'mary']

describe.each<[string, () => (at: number) => Stores]>([
  ['memory', () => once(memoryStore())],
  ['a file', () => once(fileStore())],
  [
    'one object',
    () =>
      (
        (made) => () =>
          made.store([1])
      )(objects()),
  ],
  [
    'four objects',
    () =>
      (
        (made) => () =>
          made.store([4])
      )(objects()),
  ],
  ['one object that becomes four', () => mixed([1, 4], [1])],
  ['four objects that become two', () => mixed([4, 2], [4, 2])],
])('with the ledger in %s', (_, make) => {
  it('200 exchanges at once in 20 isolates begin one grant, and 200 refreshes get one successor', async () => {
    const storeOf = make()
    const isolates = Array.from({ length: 20 }, (_, at) => oauthIsolate({ store: storeOf(at) }))
    const all = <Answer>(ask: (one: OAuthIsolate) => Promise<Answer>) =>
      Promise.all(Array.from({ length: 200 }, (_, at) => ask(isolates[at % 20] as OAuthIsolate)))
    const code = await isolates[0]?.code()
    const exchanged = await all((one) => one.exchange(String(code)))
    const [begun, ...more] = exchanged.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    pass(60)
    const refreshed = await all((one) => one.refresh(begun?.refreshToken ?? ''))
    expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(refreshed.map(({ refreshToken }) => refreshToken)).size).toBe(1)
    pass(60)
    expect((await isolates[7]?.refresh(refreshed[0]?.refreshToken ?? ''))?.status).toBe(200)
  })

  it('grants are found, listed and ended wherever they are', async () => {
    const storeOf = make()
    const one = oauthIsolate({ store: storeOf(0) })
    const other = oauthIsolate({ store: storeOf(1) })
    for (const sub of PEOPLE) {
      const kept = await one.grant({ sub })
      const ended = await one.grant({ sub, scopes: ['openid', 'offline_access'] })
      const second = await other.refresh(ended.refreshToken)
      expect(second.status).toBe(200)
      await other.revoke(second.refreshToken)
      for (const isolate of [one, other]) {
        expect((await isolate.userInfo(second.accessToken)).status).toBe(401)
        expect((await isolate.refresh(second.refreshToken)).error).toBe('invalid_grant')
        const grants = await isolate.within((request) => grantsOf(request, sub))
        expect(grants.map(({ handle }) => handle)).toEqual([claimsOf(kept.accessToken).grant])
        expect((await isolate.userInfo(kept.accessToken)).status).toBe(200)
      }
    }
  })
})

function once(store: Stores): () => Stores {
  return () => store
}

/** Every second isolate knows other numbers. */
function mixed(one: Layouts, other: Layouts): (at: number) => Stores {
  const { store } = objects()
  return (at) => store(at % 2 === 0 ? one : other)
}

describe.each([1, 4])('with %i objects the calls are those of the contract', (count) => {
  it.each<[string, number, (one: OAuthIsolate) => Promise<() => Promise<unknown>>]>([
    [
      'code → tokens',
      2,
      async (one) =>
        (
          (code) => () =>
            one.exchange(code)
        )(await one.code()),
    ],
    [
      'refresh',
      1,
      async (one) =>
        (
          (grant) => () =>
            one.refresh(grant.refreshToken)
        )(await one.grant()),
    ],
    [
      'refresh of fewer scopes, with the resource',
      1,
      async (one) => {
        const { refreshToken } = await one.grant()
        const fields = { scope: 'openid', resource: 'https://api.example/' }
        return () => one.refresh(refreshToken, fields)
      },
    ],
    [
      'a refresh that comes again',
      1,
      async (one) => {
        const { refreshToken } = await one.grant()
        await one.refresh(refreshToken)
        return () => one.refresh(refreshToken)
      },
    ],
    [
      'revoke',
      2,
      async (one) =>
        (
          (grant) => () =>
            one.revoke(grant.refreshToken)
        )(await one.grant()),
    ],
    [
      'UserInfo',
      1,
      async (one) =>
        (
          (grant) => () =>
            one.userInfo(grant.accessToken)
        )(await one.grant()),
    ],
  ])('%s: %i', async (_, calls, begin) => {
    const { ledgers, store } = objects()
    const one = oauthIsolate({ store: store([count]) })
    const run = await begin(one)
    const before = ledgers.calls.length
    await run()
    await one.settled()
    expect(ledgers.calls.slice(before)).toHaveLength(calls)
  })
})
