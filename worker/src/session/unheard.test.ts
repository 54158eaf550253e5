import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { deployment } from '../test-support/deployment.js'
import { hangs } from '../test-support/faulty.js'
import { waitedFor } from '../test-support/time.js'

const { pass, takeTimers } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** Four objects of a ledger, somebody who has signed out, and somebody who has not. */
async function someSignedOut(ledgerShards = 4) {
  const service = deployment({ ledgerShards })
  const [gone, kept] = [await service.signIn('ada'), await service.signIn('grace')]
  const copies = [service.copyAt(gone), service.copyAt(kept)] as const
  await gone.submit('/auth/signout')
  pass(10)
  return { ...service, copies }
}

type Isolate = Awaited<ReturnType<typeof someSignedOut>>['here']

describe('an isolate that starts while no collector answers', () => {
  it('brings no ended session back: the object of each session is asked', async () => {
    const { ledgers, isolate, copies, copyAt } = await someSignedOut()
    ledgers.before.set('collect', () => Promise.reject(new Error('overloaded')))
    const fresh: Isolate = isolate('elsewhere')
    const [gone, kept] = copies.map((copy) => copyAt(copy, fresh))
    expect(await gone?.session()).toBeNull()
    expect(await kept?.session()).toMatchObject({ user: { name: 'grace' } })
    const asked = ledgers.count('isRevoked')
    ledgers.before.clear()
    pass(5)
    for (let reads = 0; reads < 3; reads++) {
      expect(await kept?.session()).toMatchObject({ user: { name: 'grace' } })
      expect(await gone?.session()).toBeNull()
    }
    expect(ledgers.count('isRevoked')).toBe(asked)
  })

  it('signs no user out if the objects do not answer either', async () => {
    const { ledgers, isolate, copies, copyAt } = await someSignedOut()
    for (const method of ['collect', 'isRevoked'] as const) {
      ledgers.before.set(method, () => Promise.reject(new Error('overloaded')))
    }
    const kept = copyAt(copies[1], isolate('elsewhere'))
    expect(await kept.session()).toMatchObject({ user: { name: 'grace' } })
  })

  it('signs no user out if the objects are silent, and waits for none of them for long', async () => {
    const { ledgers, isolate, copies, copyAt } = await someSignedOut()
    takeTimers()
    for (const method of ['collect', 'isRevoked'] as const) ledgers.before.set(method, hangs)
    const [from, kept] = [Date.now(), copyAt(copies[1], isolate('elsewhere'))]
    expect(await waitedFor(kept.session())).toMatchObject({ user: { name: 'grace' } })
    expect(Date.now() - from).toBeLessThan(5_000)
  })

  it('does not ask a single object twice, which has said nothing', async () => {
    const { ledgers, isolate, copies, copyAt } = await someSignedOut(1)
    ledgers.before.set('revokedSince', () => Promise.reject(new Error('overloaded')))
    const asked = ledgers.count('isRevoked')
    const kept = copyAt(copies[1], isolate('elsewhere'))
    expect(await kept.session()).toMatchObject({ user: { name: 'grace' } })
    expect(ledgers.count('isRevoked')).toBe(asked)
  })
})
