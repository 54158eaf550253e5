import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { StoreUnavailable } from '../errors.js'
import { guardedStores } from './guarded-stores.js'
import { mapRows, memoryStore } from './memory.js'

const { pass } = clock()

const HOUR = 3600
const now = () => Math.floor(Date.now() / 1000)
const mailed = (link: string) => ({ link, code: 'code', sealed: 'sealed', expires: now() + 600 })
const LIMITS = [{ name: 'tries', max: 10, period: HOUR }]

/** A flood of attempts and mails for more addresses than there is room for. */
async function flood({ ledger }: ReturnType<typeof memoryStore>, count = 110_000) {
  for (let at = 0; at < count; at++) {
    await ledger.admit(`flood-${at}`, LIMITS)
    if (at % 4 === 0) await ledger.startVerification(`flood-${at}`, mailed(`${at}`))
  }
}

describe('a flood of attempts and mails by strangers', () => {
  it('brings back no ended session and nothing that was used up, and gives no attacker more guesses', async () => {
    const store = memoryStore()
    const { ledger } = store
    await ledger.revoke('ended', now() + HOUR)
    await ledger.cutOff({ sub: 'ada', until: now() }, now() + HOUR)
    await ledger.consume('flow:used', now() + HOUR)
    for (let guess = 0; guess < 10; guess++) await ledger.admit('ada', LIMITS)
    await flood(store)
    expect(await ledger.isRevoked('ended')).toBe(true)
    expect(await ledger.isRevoked('other', { sub: 'ada', auth_time: now() })).toBe(true)
    expect(await ledger.consume('flow:used', now() + HOUR)).toBe(false)
    // A count that is near its limit is not what is forgotten.
    expect(await ledger.admit('ada', LIMITS)).toBe(HOUR)
    await ledger.startVerification('ada', mailed('hers'))
    expect(await ledger.findVerification('ada', 'hers')).toBe('sealed')
  })

  it('keeps no more rows than there is room for, and none two hours later', async () => {
    const rows = mapRows(now)
    const kept = () => {
      let count = 0
      for (let at = 0; at < 110_000; at++) {
        if (rows.get('attempts', `${at}`)) count += 1
        if (rows.get('verifications', `${at}`)) count += 1
      }
      return count
    }
    for (let at = 0; at < 110_000; at++) {
      rows.put('attempts', `${at}`, { count: 1, expires: now() + HOUR })
      rows.put('verifications', `${at}`, { ...mailed('link'), wrong: 0 })
    }
    expect(kept()).toBe(120_000)
    pass(2 * HOUR)
    // Any call will do, also one that concerns other rows.
    rows.get('revoked', 'sid')
    expect(kept()).toBe(0)
  })
})

describe('without room for what must not be forgotten', () => {
  it('a one-time name is refused with 503, and earlier ones stay used up', async () => {
    const { ledger } = guardedStores(memoryStore())
    for (let at = 0; at < 200_000; at++) await ledger.consume(`flow:${at}`, now() + 900)
    await expect(ledger.consume('flow:another', now() + 900)).rejects.toThrow(StoreUnavailable)
    expect(await ledger.consume('flow:0', now() + 900)).toBe(false)
    pass(900)
    expect(await ledger.consume('flow:another', now() + 900)).toBe(true)
  })
})

it('beyond the room for sessions, one goes that was not extended for long', async () => {
  const { sessions } = memoryStore()
  const put = (sid: string) =>
    sessions.put({
      sub: 'ada',
      sid,
      provider: 'test',
      created: now(),
      updated: now(),
      expires: now() + 100 * HOUR,
      sealed: '',
    })
  for (let at = 0; at < 50_000; at++) await put(`old-${at}`)
  pass(HOUR)
  for (let at = 0; at < 50_100; at++) await put(`new-${at}`)
  let gone = 0
  for (let at = 0; at < 50_000; at++) if (!(await sessions.get('ada', `old-${at}`))) gone += 1
  for (let at = 0; at < 50_100; at++) {
    if (!(await sessions.get('ada', `new-${at}`))) throw new Error('A new session is gone.')
  }
  expect(gone).toBe(100)
})

it('a mail is redeemed by its link or its code, and never by nothing', async () => {
  const { ledger } = memoryStore()
  await ledger.startVerification('ada', mailed('link'))
  expect(await ledger.redeemVerification('ada', {} as never)).toEqual({ state: 'over' })
  expect(await ledger.redeemVerification('ada', { link: 'link' })).toMatchObject({
    state: 'redeemed',
  })
})
