import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { Browser, errorOf } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'
import { importing } from '../../test-support/importing.js'
import { readableStores } from '../../test-support/readable-stores.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

function inObjects(...shards: number[]): Stores {
  const ledger = durableLedger(new FakeLedgers().binding, shards)
  return { ...memoryStore(), ledger, drawSid: (sub) => drawSid(shards, sub) }
}

const stores: Record<string, () => Stores> = {
  'one store': memoryStore,
  'four objects': () => inObjects(4),
  'four objects and seven to come': () => inObjects(4, 7),
}

const MAIL = 'ada@mail.example'
const shared = { subject: () => 'app-1', sharedSubjects: true }

describe.each(Object.entries(stores))('account takeover by an import, with %s:', (_, make) => {
  it.each([
    ['one', 'ada'],
    ['email', MAIL],
  ])(
    'an account of %s that has signed in here and is signed out stays its person’s',
    async (provider, account) => {
      const { bring, browser, signIn, subBy } = importing(make())
      const one = await signIn(provider, account, browser())
      const sub = (await one.session())?.user?.id
      await one.submit('/auth/signout')
      expect(await one.session()).toBeNull()
      expect(await bring(['old-eve', provider, account])).toMatchObject({ left: [[0, 'taken']] })
      expect(await subBy(provider, account)).toBe(sub)
    },
  )

  it.each([
    ['its own id', {}],
    ['an id that the app has given', { subject: () => 'app-1' }],
    ['an id of 22 letters that the app has given', { subject: () => 'a'.repeat(22) }],
    ['an id that the app gives to several accounts', shared],
  ])(
    'an account with %s that signed in before the variable was set, and signs out while it is, stays its person’s',
    async (_, changes) => {
      const { answer, bring, config, signIn, subBy } = importing(make(), changes)
      // The first owner of the id.
      if (changes === shared) await signIn('one', 'first', new Browser(config))
      const before = await signIn('one', 'ada', new Browser(config))
      const sub = (await before.session())?.user?.id
      const now = new Browser(config, { answer })
      for (const [name, value] of before.jar) now.jar.set(name, value)
      await now.submit('/auth/signout')
      expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
      expect(await subBy('one', 'ada')).toBe(sub)
    },
  )

  it('an account with an id of the app keeps it, and is imported for that very id', async () => {
    const subject = () => 'app-1'
    const { bring, browser, signIn, subBy } = importing(make(), { subject })
    const one = await signIn('one', 'ada', browser())
    await one.submit('/auth/signout')
    expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
    expect(await bring(['app-1', 'one', 'ada'])).toMatchObject({ added: 1 })
    expect(await subBy('one', 'ada')).toBe('app-1')
  })
})

describe('account takeover by an import:', () => {
  it('a person with a session sealed by another secret keeps their id', async () => {
    const inner = memoryStore()
    const here = importing(inner)
    const one = await here.signIn('one', 'ada', new Browser(here.config))
    const sub = here.subOf(one)
    const secret = 'another-secret-of-the-tests-0123456789'
    const other = importing(inner, { secret })
    const answer = await other.send([['old-eve', 'one', 'ada']], { secret })
    expect(await answer.json()).toMatchObject({ added: 0, left: [[0, 'taken']] })
    expect(await here.subBy('one', 'ada')).toBe(sub)
  })

  it('an import that comes between the proof and the session leaves the account with one person', async () => {
    const { bring, browser, faults, inner, subBy } = importing()
    let told: unknown
    faults.set('insertDocuments', async (...given) => {
      faults.delete('insertDocuments')
      // Its look at traces finds none; then the person signs in.
      const answer = await inner.ledger.insertDocuments(given[0] as never)
      told = bring(['old-eve', 'one', 'ada'])
      await told
      return answer
    })
    const one = browser()
    const end = await one.signIn('one', 'ada')
    expect(await told).toMatchObject({ left: [[0, 'taken']] })
    expect(errorOf(end)).toBe('/inbox')
    const id = (await one.session())?.user?.id
    expect(await subBy('one', 'ada')).toBe(id)
  })

  it('a sign-in between the look and the claim of an import begins no session of a new person', async () => {
    const { bring, browser, faults, inner, subBy } = importing()
    const one = browser()
    let end: Response | undefined
    let calls = 0
    faults.set('insertDocuments', async (...given) => {
      // The first call looks, the second one writes the list, the third one claims.
      const isClaim = ++calls === 3
      if (isClaim) {
        end = await one.signIn('one', 'ada')
        calls = 100
      }
      return inner.ledger.insertDocuments(given[0] as never)
    })
    const told = await bring(['old-eve', 'one', 'ada'])
    faults.clear()
    expect(end && errorOf(end)).toBe('/inbox')
    expect(told).toMatchObject({ added: 0, left: [[0, 'taken']] })
    const id = (await one.session())?.user?.id
    expect(await subBy('one', 'ada')).toBe(id)
    const list = await inner.ledger.document('person\nold-eve')
    expect(JSON.parse(list?.content ?? '{}')).toMatchObject({ ways: [] })
  })

  it('a sign-in that meets the claim of an import ends with an error, and the next one is the old person', async () => {
    const { bring, browser, faults, inner, subBy } = importing()
    faults.set('insertDocuments', async (...given) => {
      faults.delete('insertDocuments')
      await bring(['old-ada', 'one', 'ada'])
      return inner.ledger.insertDocuments(given[0] as never)
    })
    const one = browser()
    await one.signIn('one', 'ada')
    expect(await one.session()).toBeNull()
    expect(await subBy('one', 'ada')).toBe('old-ada')
  })

  it('no session begins if the trace cannot be written', async () => {
    const { browser, faults } = importing()
    faults.set('insertDocuments', fails)
    const one = browser()
    await one.signIn('one', 'ada')
    expect(await one.session()).toBeNull()
  })

  it('a sign-out whose trace cannot be written ends the session and keeps its record', async () => {
    const { bring, browser, faults, signIn, subBy } = importing()
    const one = await signIn('one', 'ada', browser())
    const id = (await one.session())?.user?.id
    faults.set('insertDocuments', fails)
    await one.submit('/auth/signout')
    expect(await one.session()).toBeNull()
    faults.clear()
    expect(await bring(['old-eve', 'one', 'ada'])).toMatchObject({ left: [[0, 'taken']] })
    expect(await subBy('one', 'ada')).toBe(id)
  })
})

describe('the trace', () => {
  /** A service with readable storage. */
  function world(changes = {}) {
    const { inner, stored } = readableStores()
    return { ...importing(inner, changes), stored }
  }

  it.each([
    ['an account', 'one', 'ada', {}],
    ['an address', 'email', MAIL, {}],
    ['an account with an id of the app’s', 'one', 'ada', { subject: () => 'app-1' }],
  ] as const)('by %s goes with its person', async (_, provider, account, changes) => {
    const { browser, config, signIn, stored, subOf } = world(changes)
    const one = await signIn(provider, account, browser())
    const sub = subOf(one)
    // KV takes one write of a record in a second.
    pass(2)
    await one.submit('/auth/signout')
    expect(stored()).toContain('subject\\n')
    pass(2)
    await createAuth(config).deletePerson(sub)
    expect(stored()).not.toContain(sub)
  })

  it('costs no call and no row while nothing is brought', async () => {
    const { calls, config, answer } = importing()
    const run = async (one: Browser) => {
      calls.length = 0
      await one.signIn('one', 'ada')
      await one.submit('/auth/signout')
      return calls.map(({ name }) => name)
    }
    const off = await run(new Browser(config))
    expect(off).not.toContain('insertDocuments')
    const on = await run(new Browser(config, { answer }))
    const more = ['get', 'insertDocuments', 'insertDocuments']
    expect(on.toSorted()).toEqual([...off, ...more].toSorted())
  })

  it('is not written once the import is over', async () => {
    const { browser, calls, signIn } = importing()
    const one = browser()
    pass(2 * 86_400)
    await signIn('one', 'ada', one)
    expect(calls.map(({ name }) => name)).not.toContain('insertDocuments')
  })
})

describe('an erased person leaves no trace of a sign-in', () => {
  const given = 'a'.repeat(22)
  it.each([
    ['an account', {}, 'one', 'ada'],
    ['an address', {}, 'email', MAIL],
    ['an account with an id of the app', { subject: () => 'app-1' }, 'one', 'ada'],
    [
      'an account with an id of the app that has 22 letters',
      { subject: () => given },
      'one',
      'ada',
    ],
  ])('of %s', async (_, changes, provider, account) => {
    const { inner, run } = readableStores()
    const { answer, config, signIn } = importing(inner, changes)
    const before = await signIn(provider, account, new Browser(config))
    const sub = String((await before.session())?.user?.id)
    const now = new Browser(config, { answer })
    for (const [name, value] of before.jar) now.jar.set(name, value)
    await now.submit('/auth/signout')
    const named = () => run('SELECT key FROM documents').filter(({ key }) => `${key}`.includes(sub))
    pass(1)
    await createAuth(config).deletePerson(sub, {})
    expect(named()).toEqual([])
    // As a version before has left it, which goes when the person is erased once more.
    const key = `subject\nemail:${sub}\nhere`
    await inner.ledger.changeDocument(key, 0, JSON.stringify({ sub }))
    await createAuth(config).deletePerson(sub, {})
    if (sub !== 'app-1') expect(named()).toEqual([])
  })
})

it.each(['by a sign-in', 'by a sign-out of a session from before'])(
  'attack: two accounts share an id, and the second one leaves a trace %s that outlives their person',
  async (how) => {
    const { inner, run } = readableStores()
    const { answer, browser, config, signIn } = importing(inner, shared)
    await signIn('one', 'first', new Browser(config))
    const isSignIn = how === 'by a sign-in'
    const before = await signIn('two', 'second', isSignIn ? browser() : new Browser(config))
    const now = new Browser(config, { answer })
    for (const [name, value] of before.jar) now.jar.set(name, value)
    await now.submit('/auth/signout')
    const left = () => run('SELECT key, content FROM documents')
    expect(JSON.stringify(left())).toContain('here')
    pass(1)
    await createAuth(config).deletePerson('app-1', {})
    expect(left()).toEqual([])
  },
)
