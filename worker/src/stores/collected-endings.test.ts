import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { collectedEndings } from './collected-endings.js'
import { durableLedger } from './durable-ledger.js'

const start = Date.UTC(2026, 10, 1)
const { advance } = clock({ start, timers: true })

it('beside a collector that is silent another one is asked, and then kept', async () => {
  const ledgers = new FakeLedgers()
  const ledger = durableLedger(ledgers.binding, [4])
  const endings = collectedEndings(ledgers.binding, [4], ledger)
  if (!endings) throw new Error('There are no collectors.')
  await ledger.revoke('gone', start / 1000 + 86_400)
  const asked = () => ledgers.calls.filter((call) => call.endsWith(' collect'))
  ledgers.before.set('collect', () => new Promise(() => {}))
  void endings.revokedSince(start / 1000 - 360)
  await advance(500)
  ledgers.before.clear()
  const found = await endings.revokedSince(start / 1000 - 360)
  expect(found.sessions.map(({ sid }) => sid)).toEqual(['gone'])
  await endings.revokedSince(start / 1000 - 360)
  const [silent, other, kept] = asked()
  expect(other).not.toBe(silent)
  expect(kept).toBe(other)
})
