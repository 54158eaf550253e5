import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeLedgers } from '../test-support/deployment.js'
import { durableLedger } from './durable-ledger.js'
import { memoryStore } from './memory.js'
import { type AttemptLimit, type Ledger, MAX_WRONG_CODES, type MailedProof } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const now = start / 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const sharded = (...shards: number[]) => durableLedger(new FakeLedgers().binding, shards)

const ledgers: [string, () => Ledger][] = [
  ['memory', () => memoryStore().ledger],
  ['one object', () => sharded(1)],
  ['five objects', () => sharded(5)],
  ['one object, five to come', () => sharded(1, 5)],
]

/** What is mailed to an address. */
const mailed = (name = '1', expires = now + 600): MailedProof => ({
  link: `link-${name}`,
  code: `code-${name}`,
  sealed: `sealed-${name}`,
  expires,
})
const redeemed = (name = '1') => ({ state: 'redeemed', sealed: `sealed-${name}` })

/** Keys that five objects do not keep in one place. */
const keys = [
  'email:ada',
  'email:grace',
  'email:bob',
  'email:eve',
  'email:mallory',
  '',
  '__proto__',
]

describe.each(ledgers)('what was mailed: %s', (_, make) => {
  it('fifty redemptions at once, by link and by code, are one', async () => {
    for (const key of keys) {
      const ledger = make()
      await ledger.startVerification(key, mailed())
      const tries = Array.from({ length: 50 }, (__, at) =>
        ledger.redeemVerification(key, at % 2 ? { link: 'link-1' } : { code: 'code-1' }),
      )
      const states = (await Promise.all(tries)).map(({ state }) => state)
      expect(states.filter((state) => state === 'redeemed')).toHaveLength(1)
      expect(states.filter((state) => state === 'over')).toHaveLength(49)
    }
  })

  it('gives what was sealed with it, and of nobody else', async () => {
    const ledger = make()
    for (const key of keys) await ledger.startVerification(key, mailed(key))
    for (const key of keys) {
      expect(await ledger.redeemVerification(key, { code: 'code-' })).toEqual(
        key === '' ? redeemed('') : { state: 'wrong' },
      )
    }
    for (const key of keys.filter(Boolean)) {
      expect(await ledger.findVerification(key, `link-${key}`)).toBe(`sealed-${key}`)
      expect(await ledger.redeemVerification(key, { link: `link-${key}` })).toEqual(redeemed(key))
    }
  })

  it('is looked at as often as one likes', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    for (let count = 0; count < 20; count++) {
      expect(await ledger.findVerification('key', 'link-1')).toBe('sealed-1')
      expect(await ledger.findVerification('key', 'another')).toBeUndefined()
      expect(await ledger.findVerification('other', 'link-1')).toBeUndefined()
    }
    expect(await ledger.redeemVerification('key', { link: 'link-1' })).toEqual(redeemed())
    expect(await ledger.findVerification('key', 'link-1')).toBeUndefined()
  })

  it('a code is no link, and a link is no code', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    expect(await ledger.redeemVerification('key', { link: 'code-1' })).toEqual({ state: 'over' })
    expect(await ledger.redeemVerification('key', { code: 'link-1' })).toEqual({ state: 'wrong' })
    expect(await ledger.findVerification('key', 'code-1')).toBeUndefined()
  })

  it('ends at its end, to the second', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    pass(599)
    expect(await ledger.findVerification('key', 'link-1')).toBe('sealed-1')
    pass(1)
    expect(await ledger.findVerification('key', 'link-1')).toBeUndefined()
    expect(await ledger.redeemVerification('key', { link: 'link-1' })).toEqual({ state: 'over' })
    expect(await ledger.redeemVerification('key', { code: 'code-1' })).toEqual({ state: 'over' })
  })

  it('a new mail ends the older ones, whatever their ends', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed('1', now + 6000))
    await ledger.startVerification('key', mailed('2', now + 60))
    expect(await ledger.findVerification('key', 'link-1')).toBeUndefined()
    expect(await ledger.redeemVerification('key', { link: 'link-1' })).toEqual({ state: 'over' })
    expect(await ledger.redeemVerification('key', { code: 'code-1' })).toEqual({ state: 'wrong' })
    pass(60)
    expect(await ledger.redeemVerification('key', { link: 'link-1' })).toEqual({ state: 'over' })
    expect(await ledger.redeemVerification('key', { link: 'link-2' })).toEqual({ state: 'over' })
  })

  it('too many wrong codes end the code, also the right one, and never the link', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    for (let count = 1; count < MAX_WRONG_CODES; count++) {
      expect(await ledger.redeemVerification('key', { code: 'x' })).toEqual({ state: 'wrong' })
    }
    // Who uses up the last try is told so at once, and not by the next one.
    expect(await ledger.redeemVerification('key', { code: 'x' })).toEqual({ state: 'spent' })
    expect(await ledger.redeemVerification('key', { code: 'code-1' })).toEqual({ state: 'spent' })
    expect(await ledger.findVerification('key', 'link-1')).toBe('sealed-1')
    expect(await ledger.redeemVerification('key', { link: 'link-1' })).toEqual(redeemed())
  })

  it('brute force in parallel gets no more guesses than one after another', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    // The right one comes when the guesses are used up.
    const guesses = Array.from({ length: 100 }, (__, at) =>
      ledger.redeemVerification('key', { code: at === MAX_WRONG_CODES ? 'code-1' : `guess-${at}` }),
    )
    const states = (await Promise.all(guesses)).map(({ state }) => state)
    expect(states.filter((state) => state === 'wrong')).toHaveLength(MAX_WRONG_CODES - 1)
    expect(states.filter((state) => state === 'spent')).toHaveLength(101 - MAX_WRONG_CODES)
  })

  it('the right code in the last try signs in', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    for (let count = 1; count < MAX_WRONG_CODES; count++) {
      await ledger.redeemVerification('key', { code: 'x' })
    }
    expect(await ledger.redeemVerification('key', { code: 'code-1' })).toEqual(redeemed())
  })

  it('wrong links are not counted: a stranger does not burn the owner’s', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed())
    for (let count = 0; count < 50; count++) {
      expect(await ledger.redeemVerification('key', { link: 'x' })).toEqual({ state: 'over' })
    }
    expect(await ledger.redeemVerification('key', { code: 'code-1' })).toEqual(redeemed())
  })

  it('wrong codes for one address say nothing about another, and a new mail begins anew', async () => {
    const ledger = make()
    await ledger.startVerification('one', mailed('1'))
    await ledger.startVerification('two', mailed('2'))
    for (let count = 0; count < 9; count++) await ledger.redeemVerification('one', { code: 'x' })
    expect(await ledger.redeemVerification('two', { code: 'code-2' })).toEqual(redeemed('2'))
    await ledger.startVerification('one', mailed('3'))
    expect(await ledger.redeemVerification('one', { code: 'code-3' })).toEqual(redeemed('3'))
  })

  it('what could not be mailed is withdrawn, and nothing that came after it', async () => {
    const ledger = make()
    await ledger.startVerification('key', mailed('1'))
    await ledger.startVerification('key', mailed('2'))
    await ledger.withdrawVerification('key', 'link-1')
    await ledger.withdrawVerification('other', 'link-2')
    expect(await ledger.findVerification('key', 'link-2')).toBe('sealed-2')
    await ledger.withdrawVerification('key', 'link-2')
    expect(await ledger.findVerification('key', 'link-2')).toBeUndefined()
    expect(await ledger.redeemVerification('key', { code: 'code-2' })).toEqual({ state: 'over' })
  })
})

describe.each(ledgers)('attempts: %s', (_, make) => {
  const hourly: AttemptLimit = { name: 'hourly', max: 3, period: 3600 }
  const daily: AttemptLimit = { name: 'daily', max: 5, period: 86_400 }

  it('of fifty at once as many are admitted as the limit says', async () => {
    for (const key of keys) {
      const ledger = make()
      const tries = Array.from({ length: 50 }, () => ledger.admit(key, [hourly]))
      expect((await Promise.all(tries)).filter((wait) => wait === 0)).toHaveLength(3)
    }
  })

  it('the wait is what is left of the period that the first one began', async () => {
    const ledger = make()
    await ledger.admit('key', [hourly])
    pass(1000)
    for (let count = 0; count < 2; count++) expect(await ledger.admit('key', [hourly])).toBe(0)
    expect(await ledger.admit('key', [hourly])).toBe(2600)
    pass(2599)
    expect(await ledger.admit('key', [hourly])).toBe(1)
    pass(1)
    for (let count = 0; count < 3; count++) expect(await ledger.admit('key', [hourly])).toBe(0)
    expect(await ledger.admit('key', [hourly])).toBe(3600)
  })

  it('the longest wait of all limits counts, and what is refused is counted under none', async () => {
    const ledger = make()
    for (let count = 0; count < 3; count++) await ledger.admit('key', [hourly, daily])
    for (let count = 0; count < 50; count++) {
      expect(await ledger.admit('key', [hourly, daily])).toBe(3600)
    }
    pass(3600)
    for (let count = 0; count < 2; count++) {
      expect(await ledger.admit('key', [hourly, daily])).toBe(0)
    }
    expect(await ledger.admit('key', [hourly, daily])).toBe(86_400 - 3600)
  })

  it('are those of one key and one limit, and no others’', async () => {
    const ledger = make()
    for (let count = 0; count < 4; count++) await ledger.admit('key', [hourly])
    expect(await ledger.admit('key', [hourly])).toBeGreaterThan(0)
    for (const key of ['other', 'key ', 'key hourly', 'ke', '']) {
      expect(await ledger.admit(key, [hourly])).toBe(0)
    }
    expect(await ledger.admit('key', [daily])).toBe(0)
  })

  it('are forgiven for the key and the limits that are named alone', async () => {
    const ledger = make()
    for (const key of ['key', 'other']) {
      for (let count = 0; count < 3; count++) await ledger.admit(key, [hourly])
      for (let count = 0; count < 5; count++) await ledger.admit(key, [daily])
    }
    await ledger.forgive('key', ['hourly', 'unknown'])
    expect(await ledger.admit('key', [hourly])).toBe(0)
    expect(await ledger.admit('key', [daily])).toBeGreaterThan(0)
    expect(await ledger.admit('other', [hourly])).toBeGreaterThan(0)
  })

  it('many other keys do not make it forget', async () => {
    const ledger = make()
    for (let count = 0; count < 3; count++) await ledger.admit('key', [hourly])
    for (let count = 0; count < 200; count++) await ledger.admit(`key-${count}`, [hourly])
    expect(await ledger.admit('key', [hourly])).toBe(3600)
  })
})

describe('while the ledger moves from one object to five', () => {
  it('what an isolate with the old number mailed is redeemed once by those with both', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      await durableLedger(binding, [1]).startVerification(key, mailed())
      const both = durableLedger(binding, [1, 5])
      expect(await both.findVerification(key, 'link-1')).toBe('sealed-1')
      const tries = Array.from({ length: 20 }, (__, at) =>
        both.redeemVerification(key, at % 2 ? { link: 'link-1' } : { code: 'code-1' }),
      )
      const states = (await Promise.all(tries)).map(({ state }) => state)
      expect(states.filter((state) => state === 'redeemed')).toHaveLength(1)
    }
  })

  it('a new mail ends what was mailed under the old number, for either kind of isolate', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      const [old, both] = [durableLedger(binding, [1]), durableLedger(binding, [1, 5])]
      await old.startVerification(key, mailed('1'))
      await both.startVerification(key, mailed('2'))
      expect(await old.redeemVerification(key, { link: 'link-1' })).toEqual({ state: 'over' })
      expect(await both.redeemVerification(key, { link: 'link-1' })).toEqual({ state: 'over' })
      expect(await both.redeemVerification(key, { link: 'link-2' })).toEqual(redeemed('2'))
    }
  })

  it('what is withdrawn is withdrawn in both places', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      const [old, both] = [durableLedger(binding, [1]), durableLedger(binding, [1, 5])]
      await old.startVerification(key, mailed())
      await both.withdrawVerification(key, 'link-1')
      expect(await old.findVerification(key, 'link-1')).toBeUndefined()
    }
  })

  it('wrong codes count for what was mailed under the old number as well', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      await durableLedger(binding, [1]).startVerification(key, mailed())
      const both = durableLedger(binding, [1, 5])
      const states: string[] = []
      for (let count = 0; count < 6; count++) {
        states.push((await both.redeemVerification(key, { code: 'x' })).state)
      }
      expect(states).toEqual([...Array.from({ length: 4 }, () => 'wrong'), 'spent', 'spent'])
    }
  })
})
