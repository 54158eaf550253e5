import { describe, expect, it, vi } from 'vitest'
import { AccessDenied, StoreUnavailable } from '../errors.js'
import { fails, faulty, hangs, type StoreMethod } from '../test-support/faulty.js'
import { guardedStores } from './guarded-stores.js'
import { memoryStore } from './memory.js'
import type { SessionRecord } from './ports.js'

const record: SessionRecord = {
  sub: 'the-sub',
  sid: 'the-sid',
  provider: 'fake',
  created: 1,
  updated: 1,
  expires: 2,
  sealed: 'sealed',
}

describe('guarded stores', () => {
  const all = (behave: () => Promise<never>) => {
    const { store, inner, faults } = faulty()
    const names = Object.keys({ ...inner.sessions, ...inner.ledger }) as StoreMethod[]
    for (const name of names) faults.set(name, behave)
    return guardedStores(store, 10)
  }
  const steps = ({ sessions, ledger }: ReturnType<typeof all>) => [
    () => sessions.get('a', 'b'),
    () => sessions.put(record),
    () => sessions.delete('a', 'b'),
    () => sessions.list('a'),
    () => ledger.consume('a', 1),
    () => ledger.revoke('a', 1),
    () => ledger.isRevoked('a'),
    () => ledger.cutOff({ sub: 'a', until: 1 }, 1),
    () => ledger.revokedSince(1),
    () => ledger.refreshedTokens('a'),
    () => ledger.claimRefresh('a', 0, 1),
    () => ledger.settleRefresh('a', 0, 'sealed'),
    () => ledger.admit('a', []),
    () => ledger.forgive('a', []),
    () => ledger.startVerification('a', { link: 'l', code: 'c', sealed: 's', expires: 1 }),
    () => ledger.findVerification('a', 'l'),
    () => ledger.redeemVerification('a', { code: 'c' }),
    () => ledger.withdrawVerification('a', 'l'),
  ]

  it.each<[string, () => Promise<never>]>([
    ['hangs', hangs],
    ['rejects', fails],
    ['rejects with no error', () => Promise.reject('x')],
    [
      'throws at once',
      () => {
        throw new TypeError('x')
      },
    ],
  ])('a store that %s is unavailable, at every step', async (_, behave) => {
    for (const step of steps(all(behave))) await expect(step()).rejects.toThrow(StoreUnavailable)
  })

  it('our own errors pass unchanged', async () => {
    const { sessions } = all(() => Promise.reject(new AccessDenied()))
    await expect(sessions.get('a', 'b')).rejects.toThrow(AccessDenied)
  })

  it('answers and all arguments pass unchanged', async () => {
    const { sessions, ledger } = memoryStore()
    const guarded = guardedStores({ sessions, ledger })
    const consume = vi.spyOn(ledger, 'consume')
    expect(await guarded.ledger.consume('x', 5)).toBe(true)
    expect(consume).toHaveBeenCalledWith('x', 5)
    const cutOff = vi.spyOn(ledger, 'cutOff')
    const cutoff = { sub: 'ada', until: 1, except: 'sid' }
    expect(await guarded.ledger.cutOff(cutoff, 5, 1)).toBe(true)
    expect(cutOff).toHaveBeenCalledWith(cutoff, 5, 1)
  })
})
