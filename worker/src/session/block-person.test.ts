import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { StoreUnavailable } from '../errors.js'
import { createAuth } from '../index.js'
import { subjectOf } from '../person/subject.js'
import { durableLedger } from '../stores/durable-ledger.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { sqliteRows } from '../stores/ledger/sqlite-rows.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import { claimsIn, errorOf, setsSession } from '../test-support/browser.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import { isolates } from '../test-support/isolates.js'
import { ledgerOver } from '../test-support/ledger-over.js'
import { people } from '../test-support/people.js'
import { emptyDatabase } from '../test-support/sqlite.js'
import type { AuthConfig } from '../types.js'

// Shortly before the end of a second, for which an ending waits.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const BLOCKED = '/auth/error AccessDenied blocked'

type World = ReturnType<typeof people>

/** Signs in. @returns the page and the error that the browser gets */
async function tell(world: World, provider: string, account: string): Promise<string> {
  const one = world.browser()
  if (provider !== 'email') return errorOf(await one.signIn(provider, account))
  await one.submit('/auth/signin/email', { email: account, callbackUrl: '/inbox' })
  return errorOf(await one.get(world.lastMail().path))
}

async function block(world: World, sub: string, reason?: string): Promise<void> {
  const auth = createAuth(world.config)
  await auth.blockPerson({ sub, ...(reason === undefined ? {} : { reason }) }, {})
  pass(1)
}

const STORES: Readonly<Record<string, () => Stores>> = {
  memory: () => memoryStore(),
  'a file': () => ({
    sessions: memoryStore().sessions,
    ledger: ledgerOver(sqliteRows(emptyDatabase()), Date.now),
  }),
  'one object': () => withObjects(1),
  'four objects': () => withObjects(4),
  'one object and four': () => withObjects(1, 4),
}

function withObjects(...shards: number[]): Stores {
  const ledger = durableLedger(new FakeLedgers().binding, shards)
  return { sessions: memoryStore().sessions, ledger }
}

describe.each(Object.entries(STORES))('in %s', (_, make) => {
  it('attack: a blocked person signs in by each of their ways, and by one that a list has', async () => {
    const world = people({}, { inner: make() })
    const alone = await world.signIn('two', 'grace')
    const mailed = await world.signIn('email', 'mail@people.example')
    const ada = await world.signIn('one', 'ada')
    await world.add(ada, 'two', 'ada')
    await world.add(ada, 'email', 'ada@people.example')
    for (const one of [alone, mailed, ada]) await block(world, claimsIn(one).sub)
    for (const [provider, account] of [
      ['two', 'grace'],
      ['email', 'mail@people.example'],
      ['one', 'ada'],
      ['two', 'ada'],
      ['email', 'ada@people.example'],
    ] as const) {
      expect(await tell(world, provider, account), account).toBe(BLOCKED)
    }
    for (const one of [alone, mailed, ada]) {
      expect(await (await world.copyOf(one).get('/auth/session?online=1')).json()).toBeNull()
    }
    const auth = createAuth(world.config)
    for (const one of [alone, mailed, ada]) await auth.unblockPerson(claimsIn(one).sub, {})
    pass(1)
    expect(await tell(world, 'email', 'mail@people.example')).toBe('/inbox')
    expect(await tell(world, 'one', 'ada')).toBe('/inbox')
    expect((await world.ways(await world.signIn('two', 'ada'))).length).toBe(3)
  })

  it('a sub that no person has is blocked before they come, and free afterwards', async () => {
    const world = people({}, { inner: make() })
    const subs = [await subjectOf('one', 'late'), await subjectOf('email', 'late@people.example')]
    for (const sub of subs) await block(world, sub)
    expect(await tell(world, 'one', 'late')).toBe(BLOCKED)
    expect(await tell(world, 'email', 'late@people.example')).toBe(BLOCKED)
    const auth = createAuth(world.config)
    for (const sub of subs) {
      expect(await auth.getPerson(sub, {})).toMatchObject({ sessions: 0, ways: 0 })
      await auth.unblockPerson(sub, {})
      expect(await auth.getPerson(sub, {})).toBeNull()
    }
    pass(1)
    const one = await world.signIn('one', 'late')
    expect(claimsIn(one).sub).toBe(subs[0])
    // They are a person like any other, who adds a way and is erased.
    expect(errorOf(await world.add(one, 'two', 'late'))).toBe('/inbox')
    expect((await world.ways(one)).map(({ provider }) => provider)).toEqual(['one', 'two'])
    await auth.deletePerson(subs[0] ?? '', {})
    expect(await auth.getPerson(subs[0] ?? '', {})).toBeNull()
  })
})

describe('a block', () => {
  it('stays from the first time on, and the new reason counts', async () => {
    const world = people()
    const { sub } = claimsIn(await world.signIn('one', 'ada'))
    const auth = createAuth(world.config)
    const since = '2026-11-01T00:00:00.000Z'
    await block(world, sub, 'Spam')
    expect((await auth.getPerson(sub, {}))?.blocked).toEqual({ since, reason: 'Spam' })
    pass(3600)
    await block(world, sub, 'Fraud 😀')
    expect((await auth.getPerson(sub, {}))?.blocked).toEqual({ since, reason: 'Fraud 😀' })
    await block(world, sub)
    expect((await auth.getPerson(sub, {}))?.blocked).toEqual({ since, reason: null })
    await auth.unblockPerson(sub, {})
    expect((await auth.getPerson(sub, {}))?.blocked ?? null).toBeNull()
  })

  it('is in the log with its end, and its end once', async () => {
    const world = people()
    const { sub } = claimsIn(await world.signIn('one', 'ada'))
    world.lines.length = 0
    await block(world, sub, 'Spam')
    await tell(world, 'one', 'ada')
    const auth = createAuth(world.config)
    for (const _ of [1, 2]) await auth.unblockPerson(sub, {})
    const person = expect.any(String)
    expect(world.lines).toMatchObject([
      { event: 'sessions-ended', which: 'all', by: 'operator', person },
      { event: 'person-blocked', by: 'operator', reason: 'Spam', person },
      { event: 'sign-in-refused', error: 'AccessDenied', code: 'blocked', provider: 'one', person },
      { event: 'person-unblocked', by: 'operator', person },
    ])
  })

  it('is in the export of the person, with the reason', async () => {
    const world = people()
    const { sub } = claimsIn(await world.signIn('one', 'ada'))
    const auth = createAuth(world.config)
    expect(await auth.exportPerson(sub, {})).not.toHaveProperty('blocked')
    await block(world, sub, 'Spam')
    expect(await auth.exportPerson(sub, {})).toMatchObject({
      sub,
      sessions: [],
      blocked: { reason: 'Spam' },
    })
  })

  it('holds in a service without features, which also writes and ends it', async () => {
    const { createAuth: coreAuth } = await import('../core.js')
    const world = people()
    const { providers, ...rest } = world.config
    const core = coreAuth({ ...rest, providers: providers.slice(0, 2) })
    const visit = async () => {
      const one = world.browser()
      const bare = { ...one, answer: (request: Request) => core.fetch(request) }
      Object.assign(one, bare)
      return errorOf(await one.signIn('one', 'ada'))
    }
    expect(await visit()).toBe('/inbox')
    const sub = await subjectOf('one', 'ada')
    expect(await core.getPerson(sub, {})).toMatchObject({ blocked: null, sessions: 1, ways: 1 })
    expect(await core.listSessions(sub, {})).toMatchObject([{ provider: 'one' }])
    await core.blockPerson({ sub }, {})
    pass(1)
    expect(await visit()).toBe(BLOCKED)
    await core.unblockPerson(sub, {})
    expect(await visit()).toBe('/inbox')
    // Also of a person with members that no feature here reads.
    await world.add(await world.signIn('one', 'ada'), 'two', 'ada')
    await block(world, sub)
    expect(await visit()).toBe(BLOCKED)
  })

  it('costs no other person a call, and a blocked one no more than a list of ways', async () => {
    for (const shards of [[1], [4]]) {
      const world = people({}, { inner: withObjects(...shards) })
      const calls = async (provider: string, account: string) => {
        const before = world.calls.length
        await tell(world, provider, account)
        return world.calls.slice(before).map(({ name }) => name)
      }
      await tell(world, 'one', 'ada')
      const [other, mail] = [await calls('one', 'bob'), await calls('email', 'bob@people.example')]
      await block(world, await subjectOf('one', 'ada'))
      expect(await calls('one', 'bob')).toEqual(other)
      expect(await calls('email', 'bob@people.example')).toEqual(mail)
      const refused = await calls('one', 'ada')
      expect(refused.filter((name) => name !== 'put')).toEqual(['enter'])
    }
  })
})

describe('attack: beside another person', () => {
  it('another person proves a way of a blocked one, and does not get it', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    await world.add(ada, 'two', 'ada')
    const grace = await world.signIn('email', 'grace@people.example')
    const eve = await world.signIn('two', 'eve')
    for (const one of [ada, grace]) await block(world, claimsIn(one).sub)
    for (const [provider, account] of [
      ['one', 'ada'],
      ['two', 'ada'],
      ['email', 'grace@people.example'],
    ] as const) {
      const told = await world.add(eve, provider, account)
      expect(errorOf(told), account).toContain('OAuthAccountNotLinked')
      expect(await tell(world, provider, account)).toBe(BLOCKED)
    }
    expect(await world.ways(eve)).toHaveLength(1)
  })

  it('a person who was taken in is blocked by the id that they had, and by the one that they have', async () => {
    for (const which of ['before', 'now'] as const) {
      const world = people()
      const grace = await world.signIn('two', 'grace')
      const before = claimsIn(grace).sub
      const ada = await world.signIn('one', 'ada')
      await world.takeIn(ada, 'two', 'grace')
      const sub = which === 'before' ? before : claimsIn(ada).sub
      await block(world, sub)
      expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
      expect(await tell(world, 'two', 'grace')).toBe(BLOCKED)
      expect(await (await world.copyOf(ada).get('/auth/session?online=1')).json()).toBeNull()
      await createAuth(world.config).unblockPerson(sub, {})
      pass(1)
      expect(await tell(world, 'one', 'ada')).toBe('/inbox')
      expect(await tell(world, 'two', 'grace')).toBe('/inbox')
    }
  })
})

describe('attack: an id of the app’s own', () => {
  const accounts: Record<string, string | undefined> = {}
  const subject: AuthConfig['subject'] = ({ user }) => accounts[String(user.id)]

  it('is given to another account, to one that has it, and to one that has had it', async () => {
    for (const sharedSubjects of [false, true]) {
      const world = people({ subject, sharedSubjects })
      Object.assign(accounts, { ada: 'p:7', bob: undefined, carl: undefined })
      expect(claimsIn(await world.signIn('one', 'ada')).sub).toBe('p:7')
      await block(world, 'p:7')
      await block(world, 'p:9')
      expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
      Object.assign(accounts, { bob: 'p:7', carl: 'p:9' })
      expect(await tell(world, 'two', 'bob')).toBe(BLOCKED)
      expect(await tell(world, 'two', 'carl')).toBe(BLOCKED)
      // Somebody may change what the app reads, such as an address.
      accounts.ada = 'p:8'
      expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
      accounts.ada = undefined
      expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
      await createAuth(world.config).unblockPerson('p:7', {})
      pass(1)
      expect(await tell(world, 'one', 'ada')).toBe('/inbox')
    }
  })

  it('attack: one that is spelled like an account’s own id leads that account nowhere else', async () => {
    const victim = await subjectOf('two', 'victim')
    const world = people({ subject })
    Object.assign(accounts, { ada: victim, victim: undefined })
    expect(claimsIn(await world.signIn('one', 'ada')).sub).toBe(victim)
    await block(world, victim)
    await createAuth(world.config).unblockPerson(victim, {})
    pass(1)
    expect(await tell(world, 'two', 'victim')).toContain('OAuthAccountNotLinked')
    expect(await tell(world, 'one', 'ada')).toBe('/inbox')
  })

  it('leaves no way behind that an erasure does not find', async () => {
    const world = people({ subject })
    Object.assign(accounts, { ada: 'p:7' })
    await world.signIn('one', 'ada')
    await block(world, 'p:7')
    await createAuth(world.config).deletePerson('p:7', {})
    pass(1)
    accounts.ada = 'p:8'
    expect(claimsIn(await world.signIn('one', 'ada')).sub).toBe('p:8')
  })
})

describe('beside an erasure', () => {
  it('deletePerson ends a block; blocked again, that is all that is kept', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    await world.add(ada, 'two', 'ada')
    const { sub } = claimsIn(ada)
    const auth = createAuth(world.config)
    await block(world, sub, 'Spam')
    await auth.deletePerson(sub, {})
    expect(await auth.getPerson(sub, {})).toBeNull()
    pass(1)
    expect(await tell(world, 'one', 'ada')).toBe('/inbox')
    await auth.deletePerson(sub, {})
    await block(world, sub)
    expect(await auth.getPerson(sub, {})).toEqual({
      sub,
      blocked: { since: expect.any(String), reason: null },
      sessions: 0,
      ways: 0,
      connections: 0,
      factors: [],
    })
    expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
  })

  it('attack: an erasure that failed halfway goes on at the sign-in of a blocked person, who is new then', async () => {
    const world = people({ accountDeletion: true })
    const ada = await world.signIn('one', 'ada')
    await world.add(ada, 'two', 'ada')
    const { sub } = claimsIn(ada)
    world.faults.set('forget', () => Promise.reject(new Error('The store is down.')))
    await ada.submit('/auth/account/delete')
    world.faults.delete('forget')
    await block(world, sub)
    pass(120)
    for (const provider of ['one', 'two']) {
      expect(await tell(world, provider, 'ada')).not.toBe('/inbox')
    }
    expect(await tell(world, 'one', 'ada')).toBe(BLOCKED)
    // The operator goes on with it.
    await createAuth(world.config).deletePerson(sub, {})
    pass(1)
    expect(await tell(world, 'one', 'ada')).toBe('/inbox')
  })

  it('attack: a person is blocked at any call of the erasure that they have asked for, and signs in afterwards', async () => {
    const free: number[] = []
    for (let at = 0; at < 80; at++) {
      const { open } = isolates({ accountDeletion: true }, [1])
      const [here, there] = [open(), open()]
      const ada = await here.signIn('one', 'ada')
      const { sub } = claimsIn(ada)
      const auth = createAuth(there.config)
      here.arm({ at, waitsFor: () => auth.blockPerson({ sub }, {}) })
      await ada.submit('/auth/account/delete').catch(() => undefined)
      const hasCome = here.hasCome()
      if (!hasCome) await auth.blockPerson({ sub }, {})
      pass(1)
      if ((await tell(there, 'one', 'ada')) !== BLOCKED) free.push(at)
      if (!hasCome) break
    }
    // A whole block, with its wait for the end of a second, would have to take place within the three calls that delete the documents
    // of the person and of their way.
    const [first = 0] = free
    expect(free).toEqual(free.map((_, at) => first + at))
    expect(free.length).toBeLessThanOrEqual(3)
  })

  it('attack: the same, by the id of a person who was taken in, whose way is free afterwards', async () => {
    const free: number[] = []
    for (let at = 0; at < 80; at++) {
      const { open } = isolates({ accountDeletion: true }, [1])
      const [here, there] = [open(), open()]
      const { sub } = claimsIn(await here.signIn('two', 'ada'))
      const ada = await here.signIn('one', 'ada')
      await here.takeIn(ada, 'two', 'ada')
      const auth = createAuth(there.config)
      here.arm({ at, waitsFor: () => auth.blockPerson({ sub }, {}) })
      await ada.submit('/auth/account/delete').catch(() => undefined)
      const hasCome = here.hasCome()
      if (!hasCome) await auth.blockPerson({ sub }, {})
      pass(1)
      if ((await tell(there, 'two', 'ada')) !== BLOCKED) free.push(at)
      if (!hasCome) break
    }
    // The deletions of their document, and of the document of the person they were merged into.
    expect(free.length).toBeLessThanOrEqual(3)
  })
})

describe('attack: the ledger fails', () => {
  it.each(['before', 'after'] as const)(
    '%s each call of a block: a block that was confirmed holds',
    async (when) => {
      const { name: _, ...methods } = { name: '', ...memoryStore().ledger }
      const names = Object.keys(methods) as (keyof Ledger)[]
      for (let at = 1; at < 40; at++) {
        const world = people()
        const ada = await world.signIn('one', 'ada')
        const { sub } = claimsIn(ada)
        let calls = 0
        for (const name of names) {
          world.faults.set(name, async (...args) => {
            const isLost = ++calls === at
            if (isLost && when === 'before') throw new Error('The call is lost.')
            const run = world.inner.ledger[name] as (...all: unknown[]) => Promise<unknown>
            const answer = await run(...args)
            if (isLost) throw new Error('The answer is lost.')
            return answer
          })
        }
        const auth = createAuth(world.config)
        const told = await auth.blockPerson({ sub }, {}).catch((error: unknown) => error)
        world.faults.clear()
        if (told !== undefined) {
          expect(told).toBeInstanceOf(StoreUnavailable)
          await auth.blockPerson({ sub }, {})
        }
        pass(1)
        expect(await tell(world, 'one', 'ada'), `call ${at}`).toBe(BLOCKED)
        expect(await (await world.copyOf(ada).get('/auth/session?online=1')).json()).toBeNull()
        if (calls < at) return
      }
      throw new Error('A block makes more calls than were tried.')
    },
  )

  it('while a blocked person signs in: nobody is signed in', async () => {
    const world = people()
    await world.signIn('one', 'ada')
    await block(world, await subjectOf('one', 'ada'))
    for (const name of ['enter', 'document'] as const) {
      world.faults.set(name, () => Promise.reject(new Error('The store is down.')))
      const one = world.browser()
      expect(setsSession(await one.signIn('one', 'ada'))).toBe(false)
      world.faults.clear()
    }
  })

  it('race: a person is blocked at any call of their sign-in: no session of it counts', async () => {
    for (const provider of ['one', 'email']) {
      const account = provider === 'one' ? 'ada' : 'ada@people.example'
      for (let at = 0; at < 30; at++) {
        const { open } = isolates({}, [4])
        const [here, there] = [open(), open()]
        const sub = await subjectOf(provider, account)
        const auth = createAuth(there.config)
        here.arm({ at, waitsFor: () => auth.blockPerson({ sub }, {}) })
        const one = await here.signIn(provider, account).catch(() => undefined)
        const hasCome = here.hasCome()
        if (!hasCome) await auth.blockPerson({ sub }, {})
        const state = one && (await (await one.get('/auth/session?online=1')).json())
        expect(state ?? null, `${provider} ${at}`).toBeNull()
        if (!hasCome) break
        pass(1)
      }
    }
  })
})

it('attack: a block whose store fails at any step says that a person is blocked who signs in', async () => {
  for (const account of ['ada', 'ada@people.example']) {
    const provider = account.includes('@') ? 'email' : 'one'
    for (let at = 0, isOver = false; !isOver; at++) {
      const world = people()
      const { sub } = claimsIn(await world.signIn(provider, account))
      let calls = 0
      const { ledger } = world.inner
      const names = Object.keys(ledger) as (keyof typeof ledger)[]
      for (const name of names) {
        world.faults.set(name, async (...args) => {
          if (calls++ >= at) return fails()
          return (ledger[name] as (...all: unknown[]) => Promise<unknown>)(...args)
        })
      }
      const auth = createAuth(world.config)
      isOver = await auth.blockPerson({ sub }, {}).then(
        () => true,
        () => false,
      )
      world.faults.clear()
      pass(1)
      const isSaid = (await auth.getPerson(sub, {}))?.blocked
      if (isSaid) expect([at, await tell(world, provider, account)]).toEqual([at, BLOCKED])
    }
  }
})
