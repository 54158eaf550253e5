import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** A service whose app is slow to decide on a sign-in: a while passes, and something else happens. */
function slow() {
  let meanwhile = async () => {}
  const world = people({
    callbacks: {
      signIn: async () => {
        const run = meanwhile
        meanwhile = async () => {}
        await run()
        return true
      },
    },
  })
  const during = (run: () => Promise<unknown>) => {
    meanwhile = async () => {
      pass(2)
      await run()
      pass(2)
    }
  }
  return { ...world, during }
}

it('a sign-in that a merge overtakes begins no session of the person who no longer exists', async () => {
  const { signIn, takeIn, subOf, during } = slow()
  const old = await signIn('two', 'x')
  const ada = await signIn('one', 'ada')
  during(() => takeIn(ada, 'two', 'x'))
  const late = await signIn('two', 'x')
  expect(await late.session()).toBeNull()
  const [again] = [await signIn('two', 'x'), await old.session()]
  expect(subOf(again)).toBe(subOf(ada))
})

it('a sign-in that an erasure overtakes begins no session of the person who no longer exists', async () => {
  const { signIn, add, subOf, during, config } = slow()
  const ada = await signIn('one', 'ada')
  await add(ada, 'two', 'x')
  const sub = subOf(ada)
  const env = {}
  during(() => createAuth(config).deletePerson(sub, env))
  const late = await signIn('two', 'x')
  expect(await late.session()).toBeNull()
})

it('a sign-in by a way of a person who is being erased begins no session of theirs', async () => {
  const { signIn, add, subOf, inner } = people()
  const ada = await signIn('one', 'ada')
  await add(ada, 'two', 'x')
  const key = `person\n${subOf(ada)}`
  const { version = 0, content } = (await inner.ledger.document(key)) ?? {}
  const erasing = JSON.stringify({ ...JSON.parse(content ?? ''), erasing: true })
  await inner.ledger.changeDocument(key, version, erasing)
  for (const [provider, account] of [
    ['one', 'ada'],
    ['two', 'x'],
  ] as const) {
    expect(await (await signIn(provider, account)).session()).toBeNull()
  }
})
