import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { errorOf } from '../../test-support/browser.js'
import { importing } from '../../test-support/importing.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const BLOCKED = '/auth/error AccessDenied blocked'

it('attack: an import brings accounts of a blocked person, before the block and after it', async () => {
  const world = importing()
  const auth = createAuth(world.config)
  const tell = async (provider: string) => errorOf(await world.browser().signIn(provider, 'ada'))
  await auth.blockPerson({ sub: 'old-ada', reason: 'Spam' }, {})
  expect((await world.send([['old-ada', 'one', 'ada']])).status).toBe(200)
  pass(1)
  expect(await tell('one')).toBe(BLOCKED)
  await auth.blockPerson({ sub: 'old-ada', reason: 'Spam' }, {})
  expect((await world.send([['old-ada', 'two', 'ada']])).status).toBe(200)
  pass(1)
  for (const provider of ['one', 'two']) expect(await tell(provider)).toBe(BLOCKED)
  expect(await auth.getPerson('old-ada', {})).toMatchObject({
    blocked: { reason: 'Spam' },
    ways: 2,
  })
  await auth.unblockPerson('old-ada', {})
  pass(1)
  for (const provider of ['one', 'two']) expect(await tell(provider)).toBe('/inbox')
})
