import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { kvSessionStore } from '../../stores/kv.js'
import { placesOf } from '../../stores/ledger/placement.js'
import { sqliteRows } from '../../stores/ledger/sqlite-rows.js'
import { type Browser, claimsIn, errorOf, locationOf } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { FakeKv } from '../../test-support/kv.js'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { emptyDatabase } from '../../test-support/sqlite.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990, waits: true })

const ADDRESS = 'ada@mail.example'

/** The tables without a row of an erased person. Used names are random, and endings stay. */
const EMPTY = ['attempts', 'documents', 'refreshes', 'verifications', 'unhanded'] as const

/** People with readable storage, in a ledger of `count` objects. */
function world(count: number) {
  const kv = new FakeKv()
  const ledgers = new FakeLedgers()
  const databases = placesOf({ count, regions: [] }).map(({ name }) => {
    const run = emptyDatabase()
    ledgers.objects.set(name, ledgerOver(sqliteRows(run), Date.now))
    return run
  })
  const ledger = durableLedger(ledgers.binding, [count])
  const inner = { sessions: kvSessionStore(kv.at('here')), ledger }
  const made = passkeyPeople({ accountDeletion: true }, { inner })
  const rowsIn = (table: string) => databases.flatMap((run) => run(`SELECT * FROM ${table}`))
  /** People who are not erased. */
  const free = new Set<unknown>()
  /** All that is kept under a name, and each name that is not random. */
  const left = () => ({
    ...Object.fromEntries(EMPTY.map((table) => [table, rowsIn(table)])),
    kv: kv.keys,
    cutoffs: rowsIn('cutoffs').filter(
      ({ sub }) => !String(sub).startsWith('\u0001') && !free.has(sub),
    ),
    consumed: rowsIn('consumed').filter(({ name }) => !/^(flow|passkey|email)/.test(String(name))),
  })
  const removeOne = async (one: Browser, name: string) => {
    const listed = await made.ways(one)
    await made.remove(one, listed.find((way) => way.name?.startsWith(name))?.id ?? '')
    expect(await made.ways(one)).toHaveLength(listed.length - 1)
  }
  // KV takes one write of a record in a second.
  const add: typeof made.add = (...adding) => {
    pass(1)
    return made.add(...adding)
  }
  return { ...made, add, free, ledger, left, removeOne, rowsIn, auth: createAuth(made.config) }
}

type World = ReturnType<typeof world>

/** No trace of people: the tables and KV as they are before the first person. */
const NOTHING = {
  attempts: [],
  documents: [],
  refreshes: [],
  verifications: [],
  unhanded: [],
  kv: [],
  cutoffs: [],
  consumed: [],
}

/** What a person has done before they are erased. Each ends with a browser of theirs. */
const PEOPLE: Readonly<Record<string, (made: World) => Promise<Browser>>> = {
  'has one way': ({ signIn }) => signIn('one', 'ada-at-one'),
  'has an address, and a mail is on its way to it': async ({ signIn, browser }) => {
    const ada = await signIn('email', ADDRESS)
    await browser().submit('/auth/signin/email', { email: ADDRESS })
    return ada
  },
  'has several ways': async ({ signIn, add }) => {
    const ada = await signIn('one', 'ada-at-one')
    await add(ada, 'two', 'ada-at-two')
    pass(2)
    await add(ada, 'email', ADDRESS)
    return ada
  },
  'has removed an extra way': async ({ signIn, add, removeOne }) => {
    const ada = await signIn('one', 'ada-at-one')
    await add(ada, 'two', 'ada-at-two')
    pass(2)
    await removeOne(ada, 'ada-at-two')
    return ada
  },
  'has removed an extra way twice, and the first one': async ({ signIn, add, removeOne }) => {
    const ada = await signIn('one', 'ada-at-one')
    for (const _ of [1, 2]) {
      await add(ada, 'two', 'ada-at-two')
      pass(2)
      await removeOne(ada, 'ada-at-two')
      pass(2)
    }
    await add(ada, 'email', ADDRESS)
    pass(2)
    await removeOne(ada, 'ada-at-one')
    return ada
  },
  'has taken a person in': async ({ signIn, takeIn }) => {
    const ada = await signIn('one', 'ada-at-one')
    await signIn('two', 'ada-at-two')
    pass(61)
    await takeIn(ada, 'two', 'ada-at-two')
    return ada
  },
  'has taken in a person with a removed way': async ({ signIn, add, takeIn, removeOne }) => {
    const other = await signIn('two', 'ada-at-two')
    await add(other, 'two', 'ada-removed')
    pass(2)
    await removeOne(other, 'ada-removed')
    const ada = await signIn('one', 'ada-at-one')
    pass(61)
    await takeIn(ada, 'two', 'ada-at-two')
    return ada
  },
  'has taken a person in, and removed their way': async (made) => {
    const { signIn, takeIn, removeOne } = made
    const ada = await signIn('one', 'ada-at-one')
    // They are a person of their own again.
    made.free.add(claimsIn(await signIn('two', 'ada-at-two')).sub)
    pass(61)
    await takeIn(ada, 'two', 'ada-at-two')
    pass(2)
    await removeOne(ada, 'ada-at-two')
    return ada
  },
  'has a passkey, and has removed another': async (made) => {
    const [kept, gone] = [made.authenticator(), made.authenticator()]
    const { one } = await made.signUp(gone, { name: 'Ada' })
    pass(2)
    await made.addPasskey(one, kept)
    pass(2)
    const ways = await made.ways(one)
    await made.remove(one, ways.find(({ current }) => current)?.id ?? '')
    expect(await made.ways(one)).toHaveLength(1)
    return one
  },
  'has an app, wrong codes and a sign-in that waits': async (made) => {
    const ada = await made.signIn('one', 'ada-at-one')
    await made.add(ada, 'two', 'ada-at-two')
    await setUpFactor(ada)
    pass(30)
    for (const [provider, account] of [
      ['one', 'ada-at-one'],
      ['two', 'ada-at-two'],
    ] as const) {
      const other = made.browser()
      expect(locationOf(await other.signIn(provider, account))).toContain('/auth/factor')
      await other.submit('/auth/factor', { code: '000000' })
    }
    return ada
  },
  'has two devices, of which she has signed one out': async ({ signIn }) => {
    const [ada, other] = [await signIn('email', ADDRESS), await signIn('email', ADDRESS)]
    await other.submit('/auth/signout', {})
    return ada
  },
}

describe.each([1, 4])('nothing is left of an erased person with %i objects', (count) => {
  it.each(Object.entries(PEOPLE))('who %s', async (_, live) => {
    const made = world(count)
    const ada = await live(made)
    pass(120)
    await made.auth.deletePerson(claimsIn(ada).sub)
    expect(made.left()).toEqual(NOTHING)
  })

  it('has deleted the account, less than a day after a way', async () => {
    const made = world(count)
    const ada = (await PEOPLE['has removed an extra way']?.(made)) as Browser
    pass(61)
    const answer = await ada.submit('/auth/account/delete', { callbackUrl: '/goodbye' })
    expect(errorOf(answer)).toBe('/goodbye')
    expect(made.left()).toEqual(NOTHING)
  })

  it('and a way that another person has begun with since the erased one removed it stays theirs', async () => {
    const made = world(count)
    const ada = (await PEOPLE['has removed an extra way']?.(made)) as Browser
    const bob = await made.signIn('one', 'bob-at-one')
    await made.add(bob, 'two', 'ada-at-two')
    pass(120)
    await made.auth.deletePerson(claimsIn(ada).sub)
    pass(2)
    expect(claimsIn(await made.signIn('two', 'ada-at-two')).sub).toBe(claimsIn(bob).sub)
    expect(await made.ways(bob)).toHaveLength(2)
  })
})
