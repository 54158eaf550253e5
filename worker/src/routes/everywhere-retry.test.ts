import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { type Browser, claimsIn, locationOf, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const account = `${origin}/auth/account`
const signInPage = `${origin}/auth/signin?callbackUrl=${encodeURIComponent(account)}`

const revoke = (browser: Browser, session: string, headers = {}) =>
  browser.submit('/auth/sessions/revoke', { session }, headers)

const overloaded = (failing: string) => async (name: string) => {
  if (name === failing) throw new Error('overloaded')
}

const namesOf = (count: number) =>
  count === 1 ? ['ledger'] : Array.from({ length: count }, (_, index) => `ledger-${count}-${index}`)

/** A person with sessions in every object, one of which will ask. */
async function manySessions(ledgerShards: readonly number[]) {
  const set = deployment({ ledgerShards })
  const asking = await set.signIn()
  const others: Browser[] = []
  for (let count = 0; count < 6; count++) others.push(await set.signIn())
  pass(60)
  const { sub, auth_time, sid } = claimsIn(asking)
  const names = ledgerShards.flatMap(namesOf)
  /** Is a session that nobody lists over, by what each object says? */
  const isOver = (one = 'unlisted') =>
    Promise.all(
      names.map((name) => set.ledgers.objects.get(name)?.isRevoked(one, { sub, auth_time })),
    )
  return { ...set, asking, others, names, isOver, sid }
}

const numbers = [[1], [4], [1, 4], [4, 5]]
const failing = numbers.flatMap((shards) =>
  shards.flatMap(namesOf).map((name) => [`${shards}`, name, shards] as const),
)

describe.each(failing)('with %s objects, of which %s fails', (_, name, shards) => {
  it.each([
    ['all', 'before', 6],
    ['all', 'before', 600],
    ['all', 'after', 0],
    ['others', 'before', 6],
    ['others', 'after', 600],
  ] as const)(
    'ending %s is carried to every object when it is asked for again: it fails %s it took effect, and %i s later',
    async (which, when, later) => {
      const { asking, others, ledgers, isOver, isolate, copyAt, sid } = await manySessions(shards)
      ledgers[when].set('cutOff', overloaded(name))
      expect((await revoke(asking, which)).status).toBe(503)
      ledgers[when].clear()
      pass(later)
      const again = await revoke(asking, which)
      expect([again.status, locationOf(again)]).toEqual([302, account])
      const all = ledgers.objects.size
      expect(await isOver()).toEqual(Array.from({ length: all }, () => true))
      pass(360)
      const where = isolate('elsewhere')
      for (const other of others) expect(await copyAt(other, where).session()).toBeNull()
      if (which === 'all') expect(asking.jar.has('auth.session-token')).toBe(false)
      else {
        expect(await copyAt(asking, where).session()).not.toBeNull()
        expect(await isOver(sid)).toEqual(Array.from({ length: all }, () => false))
      }
    },
  )

  it('a person who ends all again while it still fails sees the failure each time', async () => {
    const { asking, ledgers } = await manySessions(shards)
    ledgers.before.set('cutOff', overloaded(name))
    ledgers.before.set('repeatCutOff', overloaded(name))
    for (const later of [0, 6, 600]) {
      pass(later)
      expect((await revoke(asking, 'all')).status).toBe(503)
    }
    expect(asking.jar.has('auth.session-token')).toBe(true)
  })

  it('another session that it ended finishes it, and ends nothing that began since', async () => {
    const { asking, others, ledgers, signIn, isOver } = await manySessions(shards)
    ledgers.before.set('cutOff', overloaded(name))
    await revoke(asking, 'others')
    ledgers.before.clear()
    // If the object that decides has failed, nothing was ended, and another session may end all.
    const isDecided = (await isOver()).includes(true)
    pass(6)
    const since = await signIn()
    pass(6)
    for (const other of others) expect(locationOf(await revoke(other, 'all'))).toBe(account)
    expect(await isOver()).not.toContain(false)
    expect([await since.session(), await asking.session()].includes(null)).toBe(!isDecided)
  })
})

describe('a session that is over', () => {
  it.each(['others', 'all'])(
    'ended one by one, it learns that it ended nothing: %s',
    async (which) => {
      const { asking, others, copyAt, isolate, isOver } = await manySessions([4])
      const [stolen] = others as [Browser]
      const thief = copyAt(stolen, isolate('elsewhere'))
      await revoke(asking, claimsIn(stolen).sid)
      const answer = await revoke(thief, which)
      expect([answer.status, locationOf(answer)]).toEqual([302, signInPage])
      expect(await isOver()).not.toContain(true)
      const script = copyAt(stolen, isolate('far away'))
      const told = await revoke(script, which, { 'x-auth-return-redirect': '1' })
      expect([told.status, await told.json()]).toEqual([401, { error: 'SignedOut' }])
      expect(script.jar.has('auth.session-token')).toBe(false)
      expect(await asking.session()).not.toBeNull()
    },
  )

  it('a request that is sent twice ends where the first one did', async () => {
    const { asking, copyAt, here } = await manySessions([4])
    const twice = copyAt(asking, here)
    expect(locationOf(await revoke(asking, 'all'))).toBe(account)
    pass(10)
    expect(locationOf(await revoke(twice, 'all'))).toBe(account)
    expect(twice.jar.has('auth.session-token')).toBe(false)
  })

  it.each([
    ['its own revocation', (browser: Browser, sid: string) => revoke(browser, sid), account],
    ['a sign-out', (browser: Browser) => browser.submit('/auth/signout'), `${origin}/`],
  ])(
    '%s, half done while the number changes, is done when it is asked for again',
    async (_, end, target) => {
      for (const failing of ['ledger', ...namesOf(4)]) {
        const { asking, ledgers, sid, seenBy } = await changing(failing)
        const answer = await end(asking, sid)
        ledgers.before.clear()
        pass(6)
        if (answer.status === 503) expect(locationOf(await end(asking, sid))).toBe(target)
        for (const shards of [[1], [4], [1, 4]]) expect(await seenBy(shards)).toBe(true)
      }
    },
  )

  async function changing(failing: string) {
    const set = await manySessions([1, 4])
    set.ledgers.before.set('revoke', overloaded(failing))
    const seenBy = (shards: number[]) =>
      durableLedger(set.ledgers.binding, shards).isRevoked(set.sid)
    return { ...set, seenBy }
  }
})

describe('a failure that took effect nevertheless', () => {
  it.each([
    ['all', 'cutOff'],
    ['others', 'cutOff'],
    ['all', 'revoke'],
    ['others', 'revoke'],
  ] as const)('signs out no user who signs in after its answer: %s, %s', async (which, method) => {
    // At the start of a second, so that no pause before a retry reaches the next one.
    pass(0.01)
    const { signIn, ledgers } = deployment()
    const browser = await signIn()
    await signIn()
    ledgers.after.set(method, () => Promise.reject(new Error('the answer was lost')))
    await revoke(browser, which)
    ledgers.after.clear()
    expect(await (await signIn()).session()).not.toBeNull()
  })
})
