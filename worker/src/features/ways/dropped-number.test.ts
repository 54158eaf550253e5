import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, configWith, secret } from '../../test-support/browser.js'
import { FakeKv } from '../../test-support/kv.js'
import { accountsAt, people } from '../../test-support/people.js'
import { Objects } from '../../test-support/resharding.js'

// An erasure waits for the end of its second, which is near.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })
const HOUR = 60 * 60
const MONTH = 31 * 24 * HOUR

/** A Worker whose ledger has objects that hand over, at isolates that know these numbers of objects. */
function worker() {
  const objects = new Objects()
  const kv = new FakeKv()
  const { store: _, ...config } = configWith({
    providers: [accountsAt('one'), accountsAt('two')],
    logger: { error: () => {}, warn: () => {}, info: () => {} },
  })
  const env = { AUTH_SECRET: secret, SESSIONS: kv.at('here'), LEDGER: objects.binding() }
  const { comeBack, ways, remove, startAdding } = people()
  // KV takes one write of a key in a second: what writes a session's record again comes a second later.
  const isolate = (...ledgerShards: number[]) => {
    const auth = createAuth({ ...config, ledgerShards })
    const isolateEnv = { ...env }
    const browser = () =>
      new Browser(config, { answer: (request) => auth.fetch(request, isolateEnv) })
    return {
      async signIn(provider: string, account: string, one = browser()) {
        await one.signIn(provider, account)
        return one
      },
      async add(one: Browser, account: string) {
        pass(1)
        return comeBack(one, 'two', await startAdding(one, 'two'), account)
      },
      async remove(one: Browser, provider: string) {
        pass(1)
        const way = (await ways(one)).find((known) => known.provider === provider)
        await remove(one, way?.id ?? '')
      },
      erase(sub: string) {
        pass(1)
        return auth.deletePerson(sub, isolateEnv)
      },
      subBy: async (provider: string, account: string) =>
        subOf(await isolate(...ledgerShards).signIn(provider, account)),
      providersOf: async (one: Browser) => (await ways(one)).map(({ provider }) => provider),
    }
  }
  const { subOf } = people()
  const change = async (from: number, to: number) => {
    await objects.reshard(from, to)
    await objects.settle()
  }
  const later = async (seconds: number) => {
    pass(seconds)
    await objects.settle()
  }
  return { isolate, subOf, change, later }
}

it.each([
  ['a month later', 1, 4, [4], MONTH],
  ['a month later', 4, 8, [8], MONTH],
  ['if isolates know both again', 1, 4, [1, 4], 2 * 24 * HOUR],
  ['if isolates know both again', 4, 8, [4, 8], 2 * 24 * HOUR],
])(
  'attack: %s, after %i objects became %i, a removed way signs in as its former person, and an erased person is back',
  async (_, from, to, shards, seconds) => {
    const { isolate, subOf, change, later } = worker()
    const before = isolate(from)
    const [ada, eve] = await Promise.all(
      ['ada', 'eve'].map(async (name) => {
        const one = await before.signIn('one', name)
        await before.add(one, `${name}-two`)
        return subOf(one)
      }),
    )
    expect(await before.subBy('two', 'ada-two')).toBe(ada)
    await change(from, to)
    const after = isolate(to)
    expect(await after.subBy('two', 'ada-two')).toBe(ada)
    await after.remove(await after.signIn('one', 'ada'), 'two')
    await after.erase(eve ?? '')
    // A session that begins in the second of the erasure is over as well.
    await later(seconds)
    await later(HOUR)
    const now = isolate(...shards)
    expect(await now.subBy('two', 'ada-two')).not.toBe(ada)
    expect(await now.providersOf(await now.signIn('one', 'ada'))).toEqual(['one'])
    expect(await now.subBy('two', 'eve-two')).not.toBe(eve)
    expect(await now.providersOf(await now.signIn('one', 'eve'))).toEqual(['one'])
  },
)

it.each([
  ['the old number alone', [4]],
  ['the new number alone', [8]],
  ['both', [4, 8]],
])('a person that an isolate with %s erases is erased for all', async (_, shards) => {
  const { isolate, subOf, change, later } = worker()
  const before = isolate(4)
  const eve = await before.signIn('one', 'eve')
  await before.add(eve, 'eve-two')
  await change(4, 8)
  await isolate(...shards).erase(subOf(eve))
  await later(2)
  for (const known of [[4], [8], [4, 8]]) {
    expect(await isolate(...known).subBy('two', 'eve-two')).not.toBe(subOf(eve))
  }
  await later(2 * 24 * HOUR)
  for (const known of [[4], [8], [4, 8]]) {
    expect(await isolate(...known).subBy('two', 'eve-two')).not.toBe(subOf(eve))
  }
})
