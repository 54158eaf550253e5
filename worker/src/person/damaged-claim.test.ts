import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { claimsIn } from '../test-support/browser.js'
import { people } from '../test-support/people.js'

clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

it('attack: the claim to an id is damaged, and its person cannot be blocked', async () => {
  const made = people()
  const ada = await made.signIn('one', 'ada')
  const { sub } = claimsIn(ada)
  await made.add(ada, 'two', 'ada-at-two')
  await made.inner.ledger.changeDocument?.(`subject\n${sub}`, 0, '{"way":7}')
  const auth = createAuth(made.config)
  await auth.blockPerson({ sub })
  expect(await auth.listSessions(sub)).toEqual([])
  expect((await auth.getPerson(sub))?.blocked).not.toBeNull()
})
