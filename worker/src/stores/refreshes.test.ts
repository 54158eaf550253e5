import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeLedgers } from '../test-support/deployment.js'
import { durableLedger } from './durable-ledger.js'
import { memoryStore } from './memory.js'
import type { Ledger } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const seconds = start / 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())
const pass = (time: number) => vi.setSystemTime(Date.now() + time * 1000)

const sharded = (...shards: number[]) => durableLedger(new FakeLedgers().binding, shards)

const ledgers: [string, () => Ledger][] = [
  ['memory', () => memoryStore().ledger],
  ['five objects', () => sharded(5)],
  ['one object, five to come', () => sharded(1, 5)],
]

describe.each(ledgers)('refreshes of provider tokens: %s', (_, make) => {
  const end = seconds + 3600
  const yours = { state: 'yours' }
  const taken = { state: 'taken' }
  const tokens = (version: number) => ({ version, sealed: `sealed ${version}` })
  const newer = (version: number) => ({ state: 'newer', ...tokens(version) })

  /** A ledger in which a session's tokens were refreshed once. */
  async function refreshed() {
    const ledger = make()
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(yours)
    await ledger.settleRefresh('sid', 0, 'sealed 1')
    return ledger
  }

  it('are claimed by one of fifty, and for each session apart', async () => {
    const ledger = make()
    const claims = Array.from({ length: 50 }, () => ledger.claimRefresh('sid', 0, end))
    const states = (await Promise.all(claims)).map(({ state }) => state)
    expect(states.sort()).toEqual([...Array(49).fill('taken'), 'yours'])
    expect(await ledger.claimRefresh('other', 0, end)).toEqual(yours)
    expect(await ledger.claimRefresh('__proto__', 0, end)).toEqual(yours)
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
  })

  it('are somebody else’s to make after thirty seconds', async () => {
    const ledger = make()
    await ledger.claimRefresh('sid', 0, end)
    pass(29)
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(taken)
    pass(1)
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(taken)
  })

  it('hand their tokens to who has older ones, and are claimed anew by who has these', async () => {
    const ledger = await refreshed()
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(1))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(taken)
    // They are still the newest, and may last for a while.
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(1))
    await ledger.settleRefresh('sid', 1, 'sealed 2')
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(2))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(newer(2))
  })

  it('that brought nothing may be tried again at once, and lose nothing', async () => {
    const ledger = await refreshed()
    await ledger.claimRefresh('sid', 1, end)
    await ledger.settleRefresh('sid', 1, undefined)
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
  })

  it('are settled once, by the version that was claimed', async () => {
    const ledger = await refreshed()
    for (const version of [0, 2, -1, Number.NaN]) {
      await ledger.settleRefresh('sid', version, 'another')
    }
    await ledger.settleRefresh('never-claimed', 0, 'another')
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.refreshedTokens('never-claimed')).toBeUndefined()
  })

  it('end with their session: nothing is left, claimed or settled any more', async () => {
    const ledger = await refreshed()
    await ledger.claimRefresh('sid', 1, end)
    await ledger.revoke('sid', end)
    await ledger.settleRefresh('sid', 1, 'too late')
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual({ state: 'over' })
    expect(await ledger.claimRefresh('other', 1, end)).toEqual(yours)
  })

  it('give nothing that is over, though it may still be kept', async () => {
    const ledger = await refreshed()
    pass(3600)
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
  })

  // A record may have newer tokens than the ledger: it keeps them when a refresh is not settled.
  it('give nobody tokens as newer that are not', async () => {
    const ledger = await refreshed()
    expect(await ledger.claimRefresh('sid', 2, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(taken)
  })

  it('are not claimed with tokens that are older than what was claimed before', async () => {
    const ledger = make()
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
    await ledger.settleRefresh('sid', 1, undefined)
    expect(await ledger.claimRefresh('sid', 0, end)).not.toEqual(yours)
  })
})
