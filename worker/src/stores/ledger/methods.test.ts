import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { guardedStores } from '../guarded-stores.js'
import { memoryStore } from '../memory.js'

const now = Date.UTC(2026, 10, 1) / 1000
const end = now + 3600
clock({ start: now * 1000 })

describe('an erased person', () => {
  it('is erased by a store that can, which keeps no id of theirs', async () => {
    const { sessions, ledger } = memoryStore()
    const guarded = guardedStores({ sessions, ledger }).ledger
    await guarded.erase({ sub: 'ada', until: now }, ['pid-of-ada'], end)
    const { users } = await guarded.revokedSince(0)
    expect(users).toHaveLength(1)
    expect(JSON.stringify(users)).not.toContain('"ada"')
  })
})

it('a caller that wants to refresh tokens older than the ledger’s gets the ledger’s tokens', async () => {
  const { sessions, ledger } = memoryStore()
  const guarded = guardedStores({ sessions, ledger }).ledger
  await guarded.claimRefresh('sid', 0, end)
  await guarded.settleRefresh('sid', 0, 'newest')
  const newer = { state: 'newer', version: 1, sealed: 'newest' }
  expect(await guarded.claimRefresh('sid', 0, end)).toEqual(newer)
})
