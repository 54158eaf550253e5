import { afterAll, beforeAll, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { countingLedger, countRows } from './counted-ledger.ts'
import { authorizePath, codeAt, decide, isolate, letIn, makeKey, person } from './oauth-support.ts'
import { countingKv } from './support.ts'

// What each event of the authorization server costs, in real objects and the real KV.

const { pass } = clock({ start: 'now' })

let count: Awaited<ReturnType<typeof countRows>>
beforeAll(async () => {
  count = await countRows()
})
afterAll(() => count.restore())

/** An isolate whose calls are counted, and a person in front of it. */
async function world(objects: number) {
  const { ledger, calls } = countingLedger()
  const { kv, calls: ofKv } = countingKv()
  const one = isolate(objects, { LEDGER: ledger, SESSIONS: kv })
  const ada = await person(one)
  await one.send('/oauth/jwks.json')
  /** Ledger calls, rows written with their index entries, and calls of KV. */
  async function costOf(run: () => Promise<unknown>): Promise<string> {
    const before = [calls.length, count.written, ofKv.length]
    await run()
    await Promise.all([ada.settle(), one.outsider.settle()])
    const after = [calls.length, count.written, ofKv.length]
    return after.map((value, at) => value - (before[at] ?? 0)).join(' · ')
  }
  return { one, ada, costOf }
}

/**
 * Each event with its ledger calls, rows and KV calls. With several objects, the further costs are those of a device or a key whose object
 * is another one than its person's: the session is asked about where it is.
 */
const COSTS: Readonly<Record<string, readonly [cost: string, ...apart: string[]]>> = {
  metadata: ['0 · 0 · 0'],
  keys: ['0 · 0 · 0'],
  'authorize, nobody signed in': ['0 · 0 · 0'],
  'authorize, without a code': ['1 · 0 · 0'],
  'a first consent': ['1 · 2 · 0'],
  'a further consent': ['1 · 0 · 0'],
  'a code, by authorize': ['1 · 0 · 0'],
  'code → tokens': ['2 · 3 · 0'],
  'a code again': ['1 · 0 · 0'],
  'offline code → tokens': ['2 · 3 · 0'],
  refresh: ['1 · 1 · 0'],
  'offline refresh': ['1 · 2 · 0'],
  'a refresh that comes again': ['1 · 0 · 0'],
  'a made-up code': ['0 · 0 · 0'],
  'a made-up refresh token': ['0 · 0 · 0'],
  'a made-up key': ['0 · 0 · 0'],
  UserInfo: ['1 · 0 · 0'],
  revoke: ['2 · 4 · 0'],
  'remove an app with one grant': ['2 · 6 · 0'],
  'remove an app with three grants': ['2 · 14 · 0'],
  'device: start': ['1 · 3 · 0'],
  'device: poll': ['1 · 0 · 0'],
  'device: its code is entered': ['4 · 6 · 0'],
  'device: consent': ['2 · 4 · 0', '3 · 4 · 0'],
  'device: tokens': ['3 · 3 · 0'],
  'key: make': ['7 · 5 · 0', '8 · 5 · 0', '9 · 5 · 0'],
  'key: first exchange of a day': ['3 · 1 · 0', '4 · 1 · 0', '5 · 1 · 0'],
  'key: exchange': ['2 · 0 · 0', '3 · 0 · 0', '4 · 0 · 0'],
}

test.each([1, 4])('in %i objects each event costs as much as the table says', async (objects) => {
  const { one, ada, costOf } = await world(objects)
  const { outsider } = one
  const found = new Map<string, string>()
  async function costs<Got>(name: string, run: () => Promise<Got>): Promise<Got> {
    let got: Got | undefined
    const work = async () => {
      got = await run()
    }
    found.set(name, await costOf(work))
    return got as Got
  }
  await costs('metadata', () => one.send('/.well-known/openid-configuration'))
  await costs('keys', () => one.send('/oauth/jwks.json'))

  const path = await authorizePath()
  await costs('authorize, nobody signed in', () => outsider.go(path))
  const page = await costs('authorize, without a code', () => ada.go(path))
  await costs('a first consent', () => decide(ada, page))
  const again = await ada.go(await authorizePath({ prompt: 'consent' }))
  await costs('a further consent', () => decide(ada, again))
  const code = codeAt(await costs('a code, by authorize', () => ada.go(path)))

  const first = await costs('code → tokens', () => one.exchange(code))
  await costs('a code again', () => one.exchange(code))
  await costs('a made-up code', () => one.exchange('made-up'))
  pass(60)
  const second = await costs('refresh', () => one.refresh(first.refresh_token))
  await costs('a refresh that comes again', () => one.refresh(first.refresh_token))
  await costs('a made-up refresh token', () => one.refresh('made-up'))
  await costs('UserInfo', () => one.userInfo(second.access_token))
  await costs('revoke', () => one.revoke(second.refresh_token))
  const scope = 'openid offline_access'
  const offline = await letIn(ada, { scope })
  const kept = await costs('offline code → tokens', () => one.exchange(offline))
  pass(60)
  await costs('offline refresh', () => one.refresh(kept.refresh_token))

  const remove = () => ada.post('/auth/apps/remove', { app: 'spa' })
  await costs('remove an app with one grant', remove)
  for (let more = 0; more < 3; more++) await one.exchange(await letIn(ada))
  await costs('remove an app with three grants', remove)

  const { device_code, user_code = '' } = await costs('device: start', one.startDevice)
  await costs('device: poll', () => one.poll(device_code))
  const enter = () => ada.post('/auth/device', { user_code })
  const asked = await costs('device: its code is entered', enter)
  await costs('device: consent', () => decide(ada, asked))
  await costs('device: tokens', () => one.poll(device_code))

  const key = await costs('key: make', () => makeKey(ada))
  await costs('a made-up key', () => one.exchangeKey(key.replace(/.{6}$/, '000000')))
  await costs('key: first exchange of a day', () => one.exchangeKey(key))
  const used = await costs('key: exchange', () => one.exchangeKey(key))

  // The last one worked, and so did those before it.
  expect(used).toMatchObject({ status: 200, scope: 'notes:read' })
  expect([...found.keys()].toSorted()).toEqual(Object.keys(COSTS).toSorted())
  for (const [name, costs] of Object.entries(COSTS)) {
    const told = objects === 1 ? costs.slice(0, 1) : costs
    expect([name, told]).toEqual([name, expect.arrayContaining([found.get(name)])])
  }
  expect(one.of.errors).toEqual([])
})
