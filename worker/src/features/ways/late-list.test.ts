import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

// KV lists a session a minute late. A person with nothing else counts as unknown until then, and
// another person who proves the same account adds it.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** Ada signs in by an account, and Bob adds it before her session is listed. Then she adds another way. */
async function scene(changes: Parameters<typeof people>[0] = {}) {
  const world = people(changes)
  const ada = await world.signIn('one', 'x')
  const bob = await world.signIn('two', 'bob')
  world.faults.set('list', async () => [])
  expect(errorOf(await world.add(bob, 'one', 'x'))).toBe('/inbox')
  world.faults.delete('list')
  expect(errorOf(await world.add(ada, 'two', 'y'))).toBe('/inbox')
  return { world, ada, bob }
}

type Scene = Awaited<ReturnType<typeof scene>>

const LOSES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  async 'removes it'({ world, bob }) {
    const way = (await world.ways(bob)).find(({ provider }) => provider === 'one')
    expect(errorOf(await world.remove(bob, way?.id ?? ''))).toBe('/auth/account')
  },
  'is erased': ({ world, bob }) => createAuth(world.config).deletePerson(claimsIn(bob).sub, {}),
}

describe('an account that another person added before KV listed the person who had begun with it', () => {
  it.each(Object.entries(LOSES))(
    'a person who %s does not get into that person by it, past their second factor',
    async (_, loses) => {
      const found = await scene()
      const { world, ada } = found
      await setUpFactor(ada)
      await loses(found)
      pass(2)
      const answer = await world.browser().signIn('one', 'x')
      expect(errorOf(answer)).toBe('/auth/signin OAuthAccountNotLinked')
    },
  )

  it.each(Object.entries(LOSES))(
    'after he %s the person adds it again, and sees it',
    async (_, loses) => {
      const found = await scene()
      const { world, ada } = found
      await loses(found)
      pass(2)
      expect(errorOf(await world.add(ada, 'one', 'x'))).toBe('/inbox')
      const again = await world.signIn('one', 'x')
      expect(claimsIn(again).sub).toBe(claimsIn(ada).sub)
      const current = (await world.ways(again)).filter((way) => way.current)
      expect(current.map(({ provider }) => provider)).toEqual(['one'])
    },
  )

  it('is free after the other person has removed it and that person was erased', async () => {
    const found = await scene()
    const { world, ada } = found
    await LOSES['removes it']?.(found)
    await createAuth(world.config).deletePerson(claimsIn(ada).sub, {})
    pass(2)
    const again = await world.signIn('one', 'x')
    expect(claimsIn(again).sub).toBe(claimsIn(ada).sub)
    expect(await world.ways(again)).toHaveLength(1)
  })
})
