import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { memoryStore } from '../../stores/memory.js'
import { errorOf } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

it.each([
  ['4', [4]],
  ['1,4', [1, 4]],
  ['4@weur', [{ count: 4, regions: ['weur'] }]],
  ['1,4@weur', [1, { count: 4, regions: ['weur'] }]],
] as const)(
  'ways are added, removed, taken over and erased in several objects as in one: %s',
  async (_, shards) => {
    const ledger = durableLedger(new FakeLedgers().binding, shards)
    const inner = { sessions: memoryStore().sessions, ledger }
    const { signIn, add, takeIn, ways, remove, subOf, config } = people({}, { inner })
    const other = await signIn('email', 'ada@mail.example')
    expect(errorOf(await add(other, 'two', 'x'))).toBe('/inbox')
    const ada = await signIn('one', 'ada')
    pass(2)
    await takeIn(ada, 'email', 'ada@mail.example')
    pass(2)
    expect(await other.session()).toBeNull()
    expect(await ways(ada)).toHaveLength(3)
    for (const [provider, account] of [
      ['email', 'ada@mail.example'],
      ['two', 'x'],
    ] as const) {
      expect(subOf(await signIn(provider, account))).toBe(subOf(ada))
    }
    const first = (await ways(ada)).find(({ current }) => current)
    await remove(ada, first?.id ?? '')
    expect(await (await signIn('one', 'ada')).session()).toBeNull()
    await createAuth(config).deletePerson(subOf(ada), {})
    pass(6)
    expect(await ada.session()).toBeNull()
    const subs = new Set<string>()
    for (const [provider, account] of [
      ['one', 'ada'],
      ['email', 'ada@mail.example'],
      ['two', 'x'],
    ] as const) {
      const again = await signIn(provider, account)
      expect(await ways(again)).toHaveLength(1)
      subs.add(subOf(again))
    }
    expect(subs.size).toBe(3)
  },
)
