import { RevocationList } from '@latchkey/session/internal'
import { accessClaims } from '@latchkey/session/test-support/access'
import { expect, test } from 'vitest'
import { hearingLedger, type RevokingLedger } from './hearing-ledger.js'

const { grant, sub, auth_time, began } = accessClaims
const life = { sid: grant, sub, auth_time, began }

function ledger(): RevokingLedger {
  return {
    revoke: async () => {},
    cutOff: async () => true,
    erase: async () => {},
    endAll: async () => {},
  }
}

test('grants that the service ends together are over in this process at once', async () => {
  const ended = new RevocationList(Date.now)
  const heard = hearingLedger(ledger(), ended)
  expect(ended.has(life)).toBe(false)
  await heard.endAll(['another-handle-of-22-ch', grant], 1, ['grant\nuser-1\nx'])
  expect(ended.has(life)).toBe(true)
})
