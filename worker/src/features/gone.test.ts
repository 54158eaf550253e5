import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { StoreUnavailable } from '../errors.js'
import { createAuth } from '../index.js'
import { readPerson } from '../person/documents.js'
import type { Feature } from '../service/feature.js'
import { isRevoked } from '../session/revoke.js'
import { claimsIn } from '../test-support/browser.js'
import { people } from '../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** A capability that keeps something of people, which no package has. */
function keeping() {
  const calls: { sub: string; ways: number; mergedInto: string | undefined }[] = []
  /** How often it still fails. */
  const state = { failures: 0 }
  const feature: Feature = {
    name: 'keeping',
    person: {
      async gone(request, sub) {
        const { person } = await readPerson(request, sub)
        calls.push({ sub, ways: person?.ways.length ?? 0, mergedInto: person?.mergedInto })
        if (state.failures-- > 0) throw new StoreUnavailable('The store fails.')
      },
    },
  }
  return { calls, state, feature }
}

describe('a feature hears of a person', () => {
  it('when they are erased, once their sessions are over and before their document is gone', async () => {
    const { calls, feature, state } = keeping()
    const over: boolean[] = []
    const watching: Feature = {
      name: 'watching',
      person: { gone: async (request) => void over.push(await isRevoked(request, claims)) },
    }
    const { config, signIn, add } = people({ features: [feature, watching] })
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'ada-at-two')
    const claims = claimsIn(ada)
    const { sub } = claims
    const bob = await signIn('one', 'bob')
    const { deletePerson } = createAuth(config)
    state.failures = 1
    await expect(deletePerson(sub)).rejects.toThrow('The store fails.')
    // The caller tries again.
    await deletePerson(sub)
    expect(calls.map((one) => one.sub)).toEqual([sub, sub])
    for (const { ways } of calls) expect(ways).toBeGreaterThan(0)
    expect(over).toEqual([true])
    expect(await bob.session()).not.toBeNull()
  })

  it('when their merge of version 0.2 is finished, for that person alone, and again after a failure', async () => {
    const { calls, feature, state } = keeping()
    const { signIn, takeIn, remove, ways, subOf } = people({ features: [feature] })
    const bob = await signIn('two', 'bob')
    const ada = await signIn('one', 'ada')
    pass(1)
    state.failures = 1
    await takeIn(ada, 'two', 'bob')
    expect(calls).toEqual([{ sub: subOf(bob), ways: 1, mergedInto: subOf(ada) }])
    // The next change goes on with the merge, and it is not called again once that is done.
    pass(2)
    await remove(ada, 'none')
    expect((await ways(ada)).map(({ provider }) => provider).toSorted()).toEqual(['one', 'two'])
    expect(calls.map(({ sub }) => sub)).toEqual([subOf(bob), subOf(bob)])
    await remove(ada, 'none')
    expect(calls).toHaveLength(2)
    expect(subOf(await signIn('two', 'bob'))).toBe(subOf(ada))
  })

  it('when they are erased after another person was merged into them, and of that person', async () => {
    const { calls, feature } = keeping()
    const { config, signIn, takeIn, subOf } = people({ features: [feature] })
    const bob = await signIn('two', 'bob')
    const ada = await signIn('one', 'ada')
    pass(1)
    await takeIn(ada, 'two', 'bob')
    calls.length = 0
    await createAuth(config).deletePerson(subOf(ada))
    expect(new Set(calls.map(({ sub }) => sub))).toEqual(new Set([subOf(ada), subOf(bob)]))
  })
})
