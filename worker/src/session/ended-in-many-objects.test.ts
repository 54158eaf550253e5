import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { claimsIn } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const layouts: (number | string)[][] = [[4], [100], ['4@weur+enam'], [4, '4@weur']]

describe.each(layouts.map((shards) => [shards]))('with objects %s', (ledgerShards) => {
  it.each(['one', 'everywhere'])(
    'an isolate elsewhere refuses within five seconds: %s',
    async (what) => {
      const set = deployment({ ledgerShards })
      const browser = await set.signIn()
      const other = await set.signIn()
      pass(60)
      const where = set.isolate('elsewhere')
      const copy = set.copyAt(browser, where)
      expect(await copy.session()).not.toBeNull()
      pass(2)
      expect(await copy.session()).not.toBeNull()
      if (what === 'one') await browser.submit('/auth/signout')
      else await other.submit('/auth/sessions/revoke', { session: 'others' })
      pass(5)
      expect(await copy.session()).toBeNull()
      expect(await other.session()).not.toBeNull()
      expect(set.errors).toEqual([])
    },
  )

  it('an isolate asks a collector once in three seconds, and no object itself', async () => {
    const set = deployment({ ledgerShards })
    const browser = await set.signIn()
    const { calls } = set.ledgers
    calls.length = 0
    for (let second = 0; second < 30; second++) {
      expect(await browser.session()).not.toBeNull()
      pass(1)
    }
    const looks = calls.filter((call) => call.endsWith(' collect'))
    const groups = new Set(looks).size
    expect(looks).toHaveLength(10 * groups)
    expect(groups).toBe(ledgerShards[0] === 100 ? 2 : 1)
  })
})

it('one object is asked itself, once in four seconds, and has no collector', async () => {
  const set = deployment()
  const browser = await set.signIn()
  const { calls } = set.ledgers
  calls.length = 0
  for (let second = 0; second < 40; second++) {
    await browser.session()
    pass(1)
  }
  expect(calls).toEqual(Array(10).fill('ledger revokedSince'))
})

it('objects of the version before, without collectors, are asked each by itself', async () => {
  const set = deployment({ ledgerShards: [4] })
  set.ledgers.before.set('collect', async () => {
    throw new TypeError('The RPC receiver does not implement the method "collect".')
  })
  const browser = await set.signIn()
  pass(60)
  const copy = set.copyAt(browser, set.isolate('elsewhere'))
  expect(await copy.session()).not.toBeNull()
  expect(claimsIn(browser).sid).toHaveLength(25)
  await browser.submit('/auth/signout')
  pass(5)
  expect(await copy.session()).toBeNull()
})

it('a collector that fails signs no user out, and hides no ending for longer than it fails', async () => {
  const set = deployment({ ledgerShards: [4] })
  const browser = await set.signIn()
  pass(60)
  const copy = set.copyAt(browser, set.isolate('elsewhere'))
  expect(await copy.session()).not.toBeNull()
  set.ledgers.before.set('collect', () => Promise.reject(new Error('overloaded')))
  await browser.submit('/auth/signout')
  pass(5)
  expect(await copy.session()).not.toBeNull()
  set.ledgers.before.clear()
  pass(5)
  expect(await copy.session()).toBeNull()
})
