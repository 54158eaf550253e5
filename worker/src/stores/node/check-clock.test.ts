import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  startPostgres,
  startRedis,
} from '../../../../test/support/servers.js'
import { postgresStore } from '../postgres.js'
import { redisStore } from '../redis.js'
import { checkClock } from './check-clock.js'

const HOUR = 3_600_000

describe('the clock of a process', () => {
  const at = Date.UTC(2026, 10, 30)
  const check = (asked: number, told: number, now: number) => () =>
    checkClock('Postgres', asked, told, now)

  test('may differ by half a minute, so that two processes differ by what a token allows, and a slow answer is allowed', () => {
    expect(check(at, at + 30_000, at + 10)).not.toThrow()
    expect(check(at, at - 30_000 + 10, at + 10)).not.toThrow()
    // The process stood still for an hour while the answer was on its way.
    expect(check(at, at + 5, at + HOUR)).not.toThrow()
    expect(check(at, at + HOUR - 5, at + HOUR)).not.toThrow()
  })

  test('is refused if it differs by more', () => {
    expect(check(at, at - HOUR, at + 10)).toThrow(
      'The clock of this process is 3600 seconds ahead of the clock of Postgres.',
    )
    expect(check(at, at + HOUR, at + 10)).toThrow(
      'The clock of this process is 3600 seconds behind the clock of Postgres.',
    )
    expect(check(at, at + 31_010, at + 10)).toThrow('31 seconds behind')
  })
})

describe.each([
  ['Postgres', hasPostgres, startPostgres, postgresStore],
  ['Redis', hasRedis, startRedis, (url: string) => redisStore(new Redis(url))],
] as const)('%s', (name, isHere, start, storeAt) => {
  test.skipIf(!isHere)('answers no process whose clock is an hour ahead or behind', async () => {
    const server = await start()
    const store = storeAt(server.url)
    const own = Date.now
    const ask = (skew: number) => {
      vi.spyOn(Date, 'now').mockImplementation(() => own() + skew)
      return store.ledger.isConsumed('one').finally(() => vi.restoreAllMocks())
    }
    try {
      await expect(ask(HOUR)).rejects.toThrow(`seconds ahead of the clock of ${name}`)
      await expect(ask(-HOUR)).rejects.toThrow(`seconds behind the clock of ${name}`)
      // Once its clock is right again, so is the process.
      expect(await ask(0)).toBe(false)
    } finally {
      await store.close()
      await server.stop()
    }
  })
})
