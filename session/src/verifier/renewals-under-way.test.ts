import { afterEach, describe, expect, test, vi } from 'vitest'
import { claims } from '../test-support/keys.js'
import { toSession } from '../token/session.js'
import { EXPIRED, NOBODY, type Reading, sessionReading } from './reading.js'
import { RenewalsAhead } from './renewals-ahead.js'
import { PATIENCE } from './worker-client.js'

/** The session that a token with these times signs in. */
function readingOf(changes: { readonly iat?: number; readonly exp?: number } = {}) {
  const all = { ...claims, ...changes }
  return sessionReading({ session: toSession(all), claims: all })
}

/** Seconds. */
const start = claims.exp - 20
const before = readingOf()
const later = readingOf({ iat: start, exp: start + 300 })

function aheadOfEnd() {
  const clock = { now: start * 1000 }
  const ahead = new RenewalsAhead(() => clock.now, 1_000)
  /** Begins a renewal. @returns the work that a platform would be asked to keep alive */
  const begin = (token: string, renew: () => Promise<Reading>) => {
    const work: Promise<unknown>[] = []
    ahead.begin(token, before, renew, (one) => void work.push(one))
    return work[0]
  }
  return { ahead, clock, begin }
}

const never = () => new Promise<Reading>(() => {})

describe('the result of a renewal ahead', () => {
  test('a later token is kept, until its own end or the one that the service allows', async () => {
    const { ahead, clock, begin } = aheadOfEnd()
    await begin('token', async () => later)
    expect(ahead.renewed('token')).toBe(later)
    clock.now = later.claims.exp * 1000 - 1
    expect(ahead.renewed('token')).toBe(later)
    expect(ahead.renewed('token', 200)).toBeUndefined()
    clock.now += 1
    expect(ahead.renewed('token')).toBeUndefined()
  })

  test.each([
    ['the token that the browser has', before],
    ['nobody', NOBODY],
    ['an end', EXPIRED],
  ])('%s is not kept, so that the next read asks', async (_, reading) => {
    const { ahead, begin } = aheadOfEnd()
    await expect(begin('token', async () => reading)).resolves.toBeUndefined()
    expect(ahead.renewed('token')).toBeUndefined()
  })
})

describe('renewals under way', () => {
  test('renewals that have ended, well or not, leave their places to others', async () => {
    const { begin } = aheadOfEnd()
    const ends = [async () => later, () => Promise.reject(new Error('overloaded'))]
    for (let count = 0; count < 200; count++) {
      await begin(`token-${count}`, ends[count % 2] as () => Promise<Reading>)
    }
    expect(begin('another', never)).toBeDefined()
  })

  test('renewals that never end keep their places for twice the longest wait for a call', () => {
    const { clock, begin } = aheadOfEnd()
    for (let count = 0; count < 100; count++) begin(`token-${count}`, never)
    clock.now += 2 * PATIENCE - 1
    expect(begin('another', never)).toBeUndefined()
    clock.now += 1
    expect(begin('another', never)).toBeDefined()
  })
})

describe('in a Cloudflare Worker, which does not run on after the answer by itself', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  test('a renewal that nothing keeps alive is not begun: a request that shared it would wait in vain', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    vi.resetModules()
    const inWorker = await import('./renewals-ahead.js')
    const ahead = new inWorker.RenewalsAhead(() => start * 1000, 1_000)
    const renew = vi.fn(async () => later)
    ahead.begin('token', before, renew)
    expect(renew).not.toHaveBeenCalled()
    const work: Promise<unknown>[] = []
    ahead.begin('token', before, renew, (one) => void work.push(one))
    await Promise.all(work)
    expect(ahead.renewed('token')).toBe(later)
  })
})
