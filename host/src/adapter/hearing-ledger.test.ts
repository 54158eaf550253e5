import { RevocationList } from '@latchkey/session/internal'
import { accessClaims } from '@latchkey/session/test-support/access'
import { expect, test } from 'vitest'
import { hearingLedger, type RevokingLedger } from './hearing-ledger.js'

const { grant, sub, auth_time, began } = accessClaims
const life = { sid: grant, sub, auth_time, began }

let answer: { readonly until?: number } = { until: 100 }

function ledger(): RevokingLedger {
  return {
    revoke: async () => {},
    cutOff: async () => true,
    erase: async () => {},
    endAll: async () => {},
    refreshClaims: async () => answer,
  }
}

test('grants that the service ends together are over in this process at once', async () => {
  const ended = new RevocationList(Date.now)
  const heard = hearingLedger(ledger(), ended)
  expect(ended.has(life)).toBe(false)
  await heard.endAll(['another-handle-of-22-ch', grant], 1, ['grant\nuser-1\nx'])
  expect(ended.has(life)).toBe(true)
})

test('claims that are refreshed here are stale in this process at once, and those that were refused are not', async () => {
  const ended = new RevocationList(() => 200_000)
  const heard = hearingLedger(ledger(), ended)
  const token = { sub: 'ada', sid: grant, iat: 100 }
  answer = {}
  await heard.refreshClaims({ sub: 'ada' })
  expect(ended.isStale(token)).toBe(false)
  answer = { until: 100 }
  await heard.refreshClaims({ sub: 'grace', sid: grant })
  expect([ended.isStale(token), ended.isStale({ ...token, sid: 'x' })]).toEqual([true, false])
  await heard.refreshClaims({ sub: 'ada' })
  expect(ended.isStale({ ...token, sid: 'x' })).toBe(true)
  expect(ended.isStale({ ...token, sid: 'x', iat: 101 })).toBe(false)
})
