import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'

// Version 0.2 merged two people, by `ways: { merge: true }`. Nothing merges people any more, and the documents that it wrote
// are read as before: each of these stories has every write of that version, in order, from before the first sign-in on.

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 0, 10) + 990 })

interface Story {
  /** The people who were merged, and the one that they are. */
  readonly from: readonly string[]
  readonly to: string
  /** The ways of all of them. */
  readonly accounts: readonly (readonly [provider: string, account: string])[]
  /** The first write of the merge, or of what came after it. */
  readonly begins: number
  readonly writes: readonly (readonly [key: string, content: string | null])[]
}

const stories: Readonly<Record<string, Story>> = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../../test/upgrade/0.2/merged-people.json'),
    'utf8',
  ),
)
const { blocked, ...merged } = stories as Record<'blocked' | 'several', Story>

/** A service of this version over the first writes of a story. */
async function serviceAfter({ writes }: Story, count = writes.length) {
  const inner = memoryStore()
  const { document, changeDocument } = inner.ledger as Ledger
  for (const [key, content] of writes.slice(0, count)) {
    await changeDocument(key, (await document(key))?.version ?? 0, content)
  }
  const world = people(
    {
      subject: ({ account: { providerAccountId: id } }) =>
        id.startsWith('own-') ? `app-${id}` : undefined,
    },
    { inner },
  )
  const auth = createAuth(world.config)
  /** The person by each account; `undefined`: it signs no user in. */
  const subs = async (accounts: Story['accounts']) => {
    const found: (string | undefined)[] = []
    for (const account of accounts) {
      pass(2)
      const one = await world.signIn(...account)
      found.push(one.jar.has('auth.session-token') ? claimsIn(one).sub : undefined)
    }
    return found
  }
  return { ...world, auth, subs, document }
}

/** The write from which on a person is another one. */
const decidedBy = ({ writes, from, begins }: Story) =>
  begins +
  writes
    .slice(begins)
    .findIndex(
      ([key, content]) => key === `person\n${from.at(-1)}` && content?.includes('mergedInto'),
    ) +
  1

describe.each(Object.entries(merged))('people who were merged by version 0.2: %s', (_, story) => {
  const { from, to, accounts } = story

  it('are one person, who is signed in by every way, and sees and exports all of them', async () => {
    const { auth, subs, signIn, ways } = await serviceAfter(story)
    expect(await subs(accounts)).toEqual(accounts.map(() => to))
    const own = accounts.find(([provider]) => provider !== 'email') ?? ['one', 'ada']
    expect(await ways(await signIn(...own))).toHaveLength(accounts.length)
    expect((await auth.exportPerson(to, {}))?.ways).toHaveLength(accounts.length)
  })

  it('leave no trace when they are erased: each way is a new person, and no former id signs in', async () => {
    const { auth, subs, document } = await serviceAfter(story)
    await auth.deletePerson(to, {})
    for (const sub of [...from, to]) expect(await document(`person\n${sub}`)).toBeUndefined()
    pass(2)
    const now = await subs(accounts)
    expect(new Set(now).size).toBe(accounts.length)
  })

  it.each(['by the id that they have', 'by an id that they had'])(
    'are blocked %s',
    async (which) => {
      const { auth, signIn } = await serviceAfter(story)
      const sub = which.endsWith('had') ? (from[0] ?? '') : to
      await auth.blockPerson({ sub, reason: 'a test' }, {})
      for (const account of accounts) {
        pass(2)
        expect((await signIn(...account)).jar.has('auth.session-token')).toBe(false)
      }
    },
  )

  it('cannot be merged again: a way of theirs is refused to another person', async () => {
    const { signIn, add, ways, subs } = await serviceAfter(story)
    const eve = await signIn('two', 'eve')
    for (const account of accounts) {
      pass(2)
      expect(errorOf(await add(eve, ...account))).toBe('/auth/signin OAuthAccountNotLinked')
    }
    expect(await ways(eve)).toHaveLength(1)
    expect(await subs(accounts)).toEqual(accounts.map(() => to))
  })

  it('one whose merge stopped at any write is finished by the next change, and until then no way signs in two people', async () => {
    const decided = decidedBy(story)
    expect(decided).toBeGreaterThan(story.begins)
    for (let count = decided; count <= story.writes.length; count++) {
      const { subs, signIn, remove, ways } = await serviceAfter(story, count)
      const found = await subs(accounts)
      expect([count, found.filter((sub) => sub !== undefined && sub !== to)]).toEqual([count, []])
      const [last] = accounts.slice(-1)
      const one = await signIn(...(last as Story['accounts'][number]))
      await remove(one, 'no way')
      expect([count, await subs(accounts)]).toEqual([count, accounts.map(() => to)])
      expect([count, (await ways(one)).length]).toEqual([count, accounts.length])
    }
  })
})

it('a person who was blocked by a former id of theirs stays so, and is free again by either', async () => {
  for (const sub of [blocked.to, ...blocked.from]) {
    const { auth, subs } = await serviceAfter(blocked)
    expect(await subs(blocked.accounts)).toEqual(blocked.accounts.map(() => undefined))
    await auth.unblockPerson(sub, {})
    pass(2)
    expect((await subs(blocked.accounts)).some((one) => one === blocked.to)).toBe(true)
  }
})

it('a way that such a person removes is a person of its own again, and the others stay theirs', async () => {
  const story = merged.several
  const { signIn, remove, ways, subs } = await serviceAfter(story)
  const one = await signIn('one', 'ada')
  const way = (await ways(one)).find(({ name }) => name === 'x at two')
  await remove(one, way?.id ?? '')
  pass(2)
  const [again] = await subs([['two', 'x']])
  expect(again).not.toBe(story.to)
  const rest = story.accounts.filter(([, account]) => account !== 'x')
  expect(await subs(rest)).toEqual(rest.map(() => story.to))
})
