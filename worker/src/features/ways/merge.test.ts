import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { memoryStore } from '../../stores/memory.js'
import type { Ledger, OwnStore } from '../../stores/ports.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { asStore, ownLedger } from '../../test-support/own-ledger.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const NOT_LINKED = '/auth/signin OAuthAccountNotLinked'

/** A service that merges people, with its events. */
function merging(store?: OwnStore) {
  const merged: { from: string; to: string }[] = []
  const world = people({
    ways: { merge: true },
    events: { merge: (message) => void merged.push(message) },
    ...(store ? { store } : {}),
  })
  return { ...world, merged }
}

const providersOf = (ways: readonly { provider: string }[]) =>
  ways.map(({ provider }) => provider).toSorted()

describe('with ways: { merge: true }', () => {
  it('another person’s way takes them in: their ways move, their sub is cut off, and it is announced once', async () => {
    const { signIn, add, ways, subOf, merged, mails, lines } = merging()
    const old = await signIn('email', 'ada@old.example')
    await add(old, 'two', 'x')
    const ada = await signIn('email', 'ada@new.example')
    const [from, to] = [subOf(old), subOf(ada)]
    mails.length = 0
    pass(1)
    expect(locationOf(await add(ada, 'two', 'x'))).toBe(`${origin}/inbox`)
    expect(providersOf(await ways(ada))).toEqual(['email', 'email', 'two'])
    // It is the asker's from this proof on.
    const { added } = (await ways(ada)).find(({ provider }) => provider === 'two') ?? {}
    expect(added).toBe('2026-11-01T00:00:01.000Z')
    expect(merged).toEqual([{ from, to }])
    expect(await old.session()).toBeNull()
    expect(mails.map(({ identifier }) => identifier).toSorted()).toEqual([
      'ada@new.example',
      'ada@old.example',
    ])
    pass(1)
    for (const [provider, account] of [
      ['two', 'x'],
      ['email', 'ada@old.example'],
      ['email', 'ada@new.example'],
    ] as const) {
      expect(subOf(await signIn(provider, account))).toBe(to)
    }
    const told = lines.filter((line) => (line as { event: string }).event === 'people-merged')
    expect(told).toHaveLength(1)
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`${from}|${to}`))
  })

  it('a person with one way is taken in alike, and is their own person again once unlinked', async () => {
    const { signIn, add, ways, remove, subOf, merged } = merging()
    const old = await signIn('two', 'x')
    const from = subOf(old)
    const ada = await signIn('one', 'ada')
    pass(1)
    await add(ada, 'two', 'x')
    expect(merged).toHaveLength(1)
    expect(await old.session()).toBeNull()
    pass(1)
    expect(subOf(await signIn('two', 'x'))).toBe(subOf(ada))
    const extra = (await ways(ada)).find(({ provider }) => provider === 'two')
    await remove(ada, extra?.id ?? '')
    const again = await signIn('two', 'x')
    expect(subOf(again)).toBe(from)
    expect(await again.session()).not.toBeNull()
    // And may add ways, and be taken in, like any person.
    await add(again, 'one', 'y')
    expect(await ways(again)).toHaveLength(2)
    pass(1)
    await add(ada, 'two', 'x')
    expect(merged).toHaveLength(2)
    expect(await ways(ada)).toHaveLength(3)
  })

  it('a merge under 100 parallel tries happens once', async () => {
    const { signIn, add, ways, subOf, merged, copyOf, startAdding, comeBack, mails } = merging()
    const old = await signIn('email', 'ada@old.example')
    await add(old, 'two', 'x')
    const ada = await signIn('one', 'ada')
    const flows: [Browser, Response][] = []
    for (let count = 0; count < 100; count++) {
      const browser = copyOf(ada)
      flows.push([browser, await startAdding(browser, 'two')])
    }
    mails.length = 0
    const ends = await Promise.all(flows.map(([one, start]) => comeBack(one, 'two', start, 'x')))
    expect([...new Set(ends.map(errorOf))]).toEqual(['/inbox'])
    expect(merged).toEqual([{ from: subOf(old), to: subOf(ada) }])
    expect(mails).toHaveLength(1)
    expect(providersOf(await ways(ada))).toEqual(['email', 'one', 'two'])
  })

  it('one of two people who take in the same third one wins, and the ways belong to one person', async () => {
    for (let round = 0; round < 10; round++) {
      const { signIn, add, ways, subOf, merged, startAdding, comeBack } = merging()
      const third = await signIn('two', 'x')
      await add(third, 'two', 'y')
      const both = [await signIn('one', 'ada'), await signIn('one', 'eve')] as const
      const flows = [await startAdding(both[0], 'two'), await startAdding(both[1], 'two')] as const
      const ends = await Promise.all([
        comeBack(both[0], 'two', flows[0], 'x'),
        comeBack(both[1], 'two', flows[1], 'y'),
      ])
      const [first] = merged
      expect(merged).toHaveLength(1)
      const winner = both.find((one) => subOf(one) === first?.to)
      expect(winner && (await ways(winner))).toHaveLength(3)
      pass(2)
      for (const account of ['x', 'y']) {
        expect(subOf(await signIn('two', account))).toBe(first?.to)
      }
      expect(ends.map(errorOf)).toContain('/inbox')
    }
  })

  it('two people who take in each other at once do not both vanish', async () => {
    for (let round = 0; round < 10; round++) {
      const { signIn, merged, startAdding, comeBack, subOf } = merging()
      const both = [await signIn('one', 'ada'), await signIn('one', 'eve')] as const
      const flows = [await startAdding(both[0], 'one'), await startAdding(both[1], 'one')] as const
      await Promise.all([
        comeBack(both[0], 'one', flows[0], 'eve'),
        comeBack(both[1], 'one', flows[1], 'ada'),
      ])
      expect(merged.length).toBeLessThan(2)
      pass(2)
      const subs = [subOf(await signIn('one', 'ada')), subOf(await signIn('one', 'eve'))]
      const [one] = merged
      expect(subs).toEqual(one ? [one.to, one.to] : both.map((browser) => subOf(browser)))
    }
  })

  it('a way that its person has removed merges no person: it may be in wrong hands', async () => {
    const { signIn, add, ways, remove, merged } = merging()
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'x')
    await remove(ada, (await ways(ada))[0]?.id ?? '')
    const eve = await signIn('two', 'eve')
    expect(errorOf(await add(eve, 'one', 'ada'))).toBe(NOT_LINKED)
    expect([merged, (await ways(ada)).length, (await ways(eve)).length]).toEqual([[], 1, 1])
  })

  it('a way that was removed between two tries does not move, and is in no list', async () => {
    const { signIn, add, ways, remove, inner, subOf, merged } = merging()
    const old = await signIn('one', 'old')
    await add(old, 'two', 'x')
    await add(old, 'two', 'y')
    const ada = await signIn('one', 'ada')
    const key = `person\n${subOf(old)}`
    const change = async (members: object) => {
      const { version = 0, content } = (await inner.ledger.document(key)) ?? {}
      const changed = JSON.stringify({ ...JSON.parse(content ?? ''), ...members })
      await inner.ledger.changeDocument(key, version, changed)
    }
    // Found at the last moment, after the ways were announced.
    await change({ erasing: true })
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
    await change({ erasing: undefined })
    const gone = (await ways(old)).find(({ name }) => name === 'y at two')
    await remove(old, gone?.id ?? '')
    pass(1)
    expect(locationOf(await add(ada, 'two', 'x'))).toBe(`${origin}/inbox`)
    expect(merged).toHaveLength(1)
    expect((await ways(ada)).map(({ name }) => name).toSorted()).toEqual([
      'ada at one',
      'old at one',
      'x at two',
    ])
    expect(subOf(await signIn('two', 'y'))).not.toBe(subOf(ada))
  })

  it('a person who was taken in over two merges is a person of their own again once unlinked', async () => {
    const { signIn, add, ways, remove, subOf } = merging()
    const [first, second] = [await signIn('two', 'x'), await signIn('two', 'y')]
    const from = subOf(first)
    await add(second, 'two', 'x')
    pass(2)
    const ada = await signIn('one', 'ada')
    await add(ada, 'two', 'y')
    pass(2)
    const way = (await ways(ada)).find(({ name }) => name === 'x at two')
    await remove(ada, way?.id ?? '')
    const again = await signIn('two', 'x')
    expect(subOf(again)).toBe(from)
    expect(await ways(again)).toMatchObject([{ name: 'x at two', current: true }])
    expect(locationOf(await add(again, 'one', 'z'))).toBe(`${origin}/inbox`)
  })

  it('more ways than a person may have are refused, and nothing changes', async () => {
    const { signIn, add, ways, merged } = merging()
    const old = await signIn('one', 'old')
    for (let count = 0; count < 10; count++) await add(old, 'two', `old-${count}`)
    const ada = await signIn('one', 'ada')
    for (let count = 0; count < 10; count++) await add(ada, 'two', `ada-${count}`)
    expect(errorOf(await add(ada, 'one', 'old'))).toBe('/auth/error AccessDenied too_many_ways')
    expect(merged).toEqual([])
    expect([await ways(ada), await ways(old)].map((list) => list.length)).toEqual([11, 11])
  })

  it.each(['before it took effect', 'after it took effect'])(
    'a ledger that fails during a merge, at any call, %s: each way belongs to one person, who sees it, and trying again ends it',
    async (when) => {
      for (let at = 0; ; at++) {
        const { store, calls, arm, mend } = failing()
        const world = merging(store)
        const { signIn, add, ways, subOf, startAdding, comeBack, merged } = world
        const old = await signIn('two', 'x')
        await add(old, 'two', 'y')
        const from = subOf(old)
        const ada = await signIn('one', 'ada')
        const to = subOf(ada)
        const start = await startAdding(ada, 'two')
        arm(at, when === 'before it took effect')
        const answer = await comeBack(ada, 'two', start, 'x')
        const isOver = calls.length <= at
        mend()
        if (answer.status !== 503) expect(locationOf(answer)).toBe(`${origin}/inbox`)
        pass(2)
        const people = await Promise.all(['x', 'y'].map((account) => signIn('two', account)))
        for (const one of people) {
          expect([from, to]).toContain(subOf(one))
          expect((await ways(one)).filter(({ current }) => current)).toHaveLength(1)
        }
        expect(new Set(people.map(subOf)).size).toBe(1)
        expect(locationOf(await add(ada, 'two', 'x'))).toBe(`${origin}/inbox`)
        expect(await ways(ada)).toHaveLength(3)
        expect(merged).toEqual([{ from, to }])
        expect(await old.session()).toBeNull()
        pass(2)
        expect(subOf(await signIn('two', 'y'))).toBe(to)
        if (isOver) break
        expect(claimsIn(ada).sub).toBe(to)
      }
    },
    60_000,
  )
})

describe('changes between the proof and the merge', () => {
  /** Ada takes in a person with a way, and the other request comes in the meantime. */
  async function meanwhile(accounts: readonly string[]) {
    const world = merging()
    const { signIn, add, subOf, inner, faults } = world
    const old = await signIn('two', 'x')
    for (const account of accounts) await add(old, 'two', account)
    const ada = await signIn('one', 'ada')
    const [from, to] = [subOf(old), subOf(ada)]
    const { document, changeDocument } = inner.ledger as Ledger
    const read = async (key: string) => JSON.parse((await document(key))?.content ?? 'null')
    const write = async (key: string, content: object) =>
      changeDocument(key, (await document(key))?.version ?? 0, JSON.stringify(content))
    /** Does something before the first such call. */
    const before = (name: 'document' | 'changeDocument', key: string, act: () => unknown) => {
      let isDone = false
      faults.set(name, async (...given) => {
        if (given[0] === key && !isDone) {
          isDone = true
          await act()
        }
        return (inner.ledger[name] as (...given: unknown[]) => unknown)(...given)
      })
    }
    pass(1)
    return { ...world, ada, old, from, to, read, write, before }
  }

  it.each([{ owner: 'grace' }, { removed: 'grace' }])(
    'a way that is %j by then merges no person',
    async (content) => {
      const { ada, add, from, write, read, before, merged } = await meanwhile([])
      before('document', `way\n${from}`, () => write(`way\n${from}`, content))
      expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
      expect(merged).toEqual([])
      expect(await read(`way\n${from}`)).toEqual(content)
    },
  )

  it('a way that its person has removed by then merges no person', async () => {
    const { ada, add, from, write, read, before, merged } = await meanwhile([])
    before('document', `way\n${from}`, () => write(`way\n${from}`, { removed: from }))
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
    expect(merged).toEqual([])
    expect(await read(`way\n${from}`)).toEqual({ removed: from })
  })

  it.each([
    ['their own person’s', (from: string) => ({ owner: from, first: true }), 1],
    ['another person’s', () => ({ owner: 'grace' }), 0],
  ] as const)('a way that is written down at that moment as %s', async (_, content, count) => {
    const { ada, add, from, write, before, merged } = await meanwhile([])
    before('changeDocument', `way\n${from}`, () => write(`way\n${from}`, content(from)))
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(count === 1 ? '/inbox' : NOT_LINKED)
    expect(merged).toHaveLength(count)
  })

  it('a person who changes all the time is not taken in, and their first way is still their first', async () => {
    const { ada, add, from, read, faults, inner, merged } = await meanwhile([])
    faults.set('changeDocument', async (...given) =>
      given[0] === `person\n${from}`
        ? false
        : (inner.ledger as Ledger).changeDocument(...(given as [string, number, null])),
    )
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
    expect(merged).toEqual([])
    expect(await read(`way\n${from}`)).toEqual({ owner: from, first: true })
  })

  it('a person that another request of the asker has taken in by then is moved by this one', async () => {
    const { ada, add, from, to, write, read, before, merged } = await meanwhile(['y'])
    const { ways } = await read(`person\n${from}`)
    before('changeDocument', `person\n${to}`, () =>
      write(`person\n${from}`, { ways, mergedInto: to }),
    )
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
    expect(merged).toEqual([{ from, to }])
    expect(await read(`way\n${from}`)).toEqual({ owner: to })
  })

  it('a person that another one has taken in by then does not belong to the asker', async () => {
    const { ada, add, from, to, write, read, before, merged, ways } = await meanwhile(['y'])
    const kept = await read(`person\n${from}`)
    const taken = { ...kept, mergedInto: 'grace' }
    before('changeDocument', `person\n${to}`, () => write(`person\n${from}`, taken))
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
    expect(merged).toEqual([])
    expect(await read(`person\n${from}`)).toEqual(taken)
    expect(await ways(ada)).toHaveLength(1)
  })

  it('a person who is adding a way at that moment is not taken in', async () => {
    const { ada, add, from, write, read, merged } = await meanwhile(['y'])
    const { ways } = await read(`person\n${from}`)
    const since = Math.floor(Date.now() / 1000)
    const adding = { way: 'z', provider: 'two', added: since, used: null, state: 'adding', since }
    await write(`person\n${from}`, { ways: [...ways, adding] })
    expect(errorOf(await add(ada, 'two', 'x'))).toBe(NOT_LINKED)
    expect(merged).toEqual([])
    expect(await read(`person\n${from}`)).toEqual({ ways: [...ways, adding] })
  })

  it('a way that they have added since is the asker’s too, and in the list', async () => {
    const { ada, add, from, to, write, read, before, merged, ways } = await meanwhile(['y'])
    const kept = await read(`person\n${from}`)
    const late = { way: 'z', provider: 'two', added: 0, used: null }
    before('changeDocument', `person\n${to}`, async () => {
      await write('way\nz', { owner: from })
      await write(`person\n${from}`, { ways: [...kept.ways, late] })
    })
    expect(errorOf(await add(ada, 'two', 'x'))).toBe('/inbox')
    expect(merged).toEqual([{ from, to }])
    expect(await read('way\nz')).toEqual({ owner: to })
    expect(await ways(ada)).toHaveLength(4)
  })
})

/** A store that fails at one call of the ledger. */
function failing() {
  const inner = memoryStore()
  const calls: string[] = []
  let fault: { readonly at: number; readonly isBefore: boolean } | undefined
  const ledger = Object.fromEntries(
    Object.entries(inner.ledger).map(([name, run]) => [
      name,
      async (...given: unknown[]) => {
        const isFault = fault?.at === calls.push(name) - 1
        if (isFault && fault?.isBefore) throw new Error('Down.')
        const answer = await (run as (...given: unknown[]) => Promise<unknown>)(...given)
        if (isFault) throw new Error('The answer is lost.')
        return answer
      },
    ]),
  ) as unknown as Ledger
  const store = asStore({ sessions: inner.sessions, ledger: ownLedger(ledger) })
  const arm = (at: number, isBefore: boolean) => {
    calls.length = 0
    fault = { at, isBefore }
  }
  const mend = () => {
    fault = undefined
  }
  return { store, calls, arm, mend }
}

it('a way that two requests have announced, from two people, is seen while its person is being taken in', async () => {
  const { signIn, add, ways, inner, subOf } = merging()
  const old = await signIn('two', 'x')
  const ada = await signIn('one', 'ada')
  await add(ada, 'one', 'other')
  const { document, changeDocument } = inner.ledger as Ledger
  const write = async (key: string, change: (content: Record<string, unknown>) => object) => {
    const { version = 0, content } = (await document(key)) ?? {}
    await changeDocument(key, version, JSON.stringify(change(JSON.parse(content ?? '{}'))))
  }
  const [from, to] = [subOf(old), subOf(ada)]
  const since = Math.floor(Date.now() / 1000)
  const entry = { way: from, provider: 'two', added: null, used: since }
  // The merge is decided, and another request has announced the way as that of a third person.
  await write(`way\n${from}`, () => ({ owner: from, first: true }))
  await write(`person\n${from}`, () => ({ ways: [entry], mergedInto: to }))
  const announced = { ...entry, state: 'adding', since, from: 'grace' }
  await write(`person\n${to}`, ({ ways: listed, ...rest }) => ({
    ...rest,
    ways: [...(listed as object[]), announced],
  }))
  pass(2)
  const one = await signIn('two', 'x')
  expect(subOf(one)).toBe(to)
  expect((await ways(one)).filter(({ current }) => current)).toHaveLength(1)
  await add(one, 'one', 'further')
  expect((await ways(one)).filter(({ current }) => current)).toHaveLength(1)
  expect(JSON.parse((await document(`way\n${from}`))?.content ?? '')).toEqual({ owner: to })
})
