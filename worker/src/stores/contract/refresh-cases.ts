import type { Ledger } from '../ledger/rules.js'
import { type Bench, type Cases, countOf, equal } from './cases.js'

const HOUR = 3600
const yours = { state: 'yours' }
const taken = { state: 'taken' }
const tokens = (version: number) => ({ version, sealed: `sealed ${version}` })
const newer = (version: number) => ({ state: 'newer', ...tokens(version) })

/** A ledger in which a session's tokens were refreshed once. */
async function refreshed({ make, now }: Bench<Ledger>): Promise<Ledger> {
  const ledger = await make()
  equal(await ledger.claimRefresh('sid', 0, now + HOUR), yours)
  await ledger.settleRefresh('sid', 0, 'sealed 1')
  return ledger
}

/** Refreshes of a session's provider tokens. */
export const refreshCases: Cases<Ledger> = {
  'a refresh is claimed by one of fifty, and for each session apart': async ({ make, now }) => {
    const ledger = await make()
    const claims = Array.from({ length: 50 }, () => ledger.claimRefresh('sid', 0, now + HOUR))
    const states = (await Promise.all(claims)).map(({ state }) => state)
    equal([countOf(states, 'taken'), countOf(states, 'yours')], [49, 1])
    equal(await ledger.claimRefresh('other', 0, now + HOUR), yours)
    equal(await ledger.claimRefresh('__proto__', 0, now + HOUR), yours)
    equal(await ledger.refreshedTokens('sid'), undefined)
  },

  'a refresh that was not settled may be claimed again after thirty seconds': async ({
    make,
    now,
    pass,
  }) => {
    const ledger = await make()
    await ledger.claimRefresh('sid', 0, now + HOUR)
    await pass(29)
    equal(await ledger.claimRefresh('sid', 0, now + HOUR), taken)
    await pass(1)
    equal(await ledger.claimRefresh('sid', 0, now + HOUR), yours)
    equal(await ledger.claimRefresh('sid', 0, now + HOUR), taken)
  },

  'a caller with older tokens gets the newer ones, and a caller with these may refresh them':
    async (bench) => {
      const ledger = await refreshed(bench)
      const end = bench.now + HOUR
      equal(await ledger.refreshedTokens('sid'), tokens(1))
      equal(await ledger.claimRefresh('sid', 0, end), newer(1))
      equal(await ledger.claimRefresh('sid', 1, end), yours)
      equal(await ledger.claimRefresh('sid', 1, end), taken)
      // These tokens are still the newest, and may be live for a while.
      equal(await ledger.claimRefresh('sid', 0, end), newer(1))
      await ledger.settleRefresh('sid', 1, 'sealed 2')
      equal(await ledger.claimRefresh('sid', 0, end), newer(2))
      equal(await ledger.claimRefresh('sid', 1, end), newer(2))
    },

  'a refresh without new tokens may be tried again at once, and loses none': async (bench) => {
    const ledger = await refreshed(bench)
    await ledger.claimRefresh('sid', 1, bench.now + HOUR)
    await ledger.settleRefresh('sid', 1, undefined)
    equal(await ledger.refreshedTokens('sid'), tokens(1))
    equal(await ledger.claimRefresh('sid', 1, bench.now + HOUR), yours)
  },

  'a refresh is settled once, by the version that was claimed': async (bench) => {
    const ledger = await refreshed(bench)
    for (const version of [0, 2, -1, Number.NaN]) {
      await ledger.settleRefresh('sid', version, 'another')
    }
    await ledger.settleRefresh('never-claimed', 0, 'another')
    equal(await ledger.refreshedTokens('sid'), tokens(1))
    equal(await ledger.refreshedTokens('never-claimed'), undefined)
  },

  'refreshes end with their session: no tokens are left, and none are claimed or settled': async (
    bench,
  ) => {
    const ledger = await refreshed(bench)
    const end = bench.now + HOUR
    await ledger.claimRefresh('sid', 1, end)
    await ledger.revoke('sid', end)
    await ledger.settleRefresh('sid', 1, 'too late')
    equal(await ledger.refreshedTokens('sid'), undefined)
    equal(await ledger.claimRefresh('sid', 1, end), { state: 'over' })
    equal(await ledger.claimRefresh('other', 1, end), yours)
  },

  'returns no tokens that are over, though they may still be stored': async (bench) => {
    const ledger = await refreshed(bench)
    await bench.pass(HOUR)
    equal(await ledger.refreshedTokens('sid'), undefined)
  },

  // A record may have newer tokens than the ledger: they go there when the ledger does not take
  // them.
  'calls only tokens newer that are newer': async (bench) => {
    const ledger = await refreshed(bench)
    equal(await ledger.claimRefresh('sid', 2, bench.now + HOUR), yours)
    equal(await ledger.claimRefresh('sid', 1, bench.now + HOUR), taken)
  },

  'a refresh is not claimed with tokens that are older than those claimed before': async ({
    make,
    now,
  }) => {
    const ledger = await make()
    equal(await ledger.claimRefresh('sid', 1, now + HOUR), yours)
    await ledger.settleRefresh('sid', 1, undefined)
    equal((await ledger.claimRefresh('sid', 0, now + HOUR)).state === 'yours', false)
  },
}
