import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { customFetch } from '../lib/symbols.js'
import { type Browser, claimsIn, everythingIn, fakeProvider } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import { TokenServer } from '../test-support/tokens.js'

const HOUR = 60 * 60

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

/** A deployment whose provider revokes on sign-out, and browsers signed in there, number 1, 2, … */
async function browsersOfOne(count: number, changes: Parameters<typeof deployment>[0] = {}) {
  const server = new TokenServer()
  const options = { revocation: 'https://provider.example/revoke', revokeOnSignOut: true }
  const provider = fakeProvider({}, { ...options, [customFetch]: server.fetch })
  const set = deployment({ providers: [provider], ...changes })
  const browsers: Browser[] = []
  for (let number = 0; number < count; number++) {
    const browser = set.browserAt()
    await browser.signIn('fake')
    browsers.push(browser)
  }
  pass(60)
  const revoke = async (browser: Browser, session: string) => {
    const answer = await browser.submit('/auth/sessions/revoke', { session })
    await set.settled()
    return answer
  }
  /** The tokens that the provider was told to revoke. */
  const told = () =>
    server.seen.flatMap(({ endpoint, form }) => (endpoint === '/revoke' ? form.token : [])).sort()
  return { ...set, server, browsers: browsers as [Browser, Browser, Browser], revoke, told }
}

const tokens = (...numbers: number[]) => numbers.map((number) => `the-refresh-token-${number}`)

describe('if a provider revokes on sign-out, its tokens are revoked', () => {
  it.each<[string, (browsers: Browser[]) => string, string[]]>([
    ['of one', ([, , third]) => claimsIn(third as Browser).sid, tokens(3)],
    ['of this one', ([first]) => claimsIn(first as Browser).sid, tokens(1)],
    ['of all others', () => 'others', tokens(2, 3)],
    ['of all', () => 'all', tokens(1, 2, 3)],
  ])('%s', async (_, which, expected) => {
    const { browsers, revoke, told, errors } = await browsersOfOne(3)
    await revoke(browsers[0], which(browsers))
    expect([told(), errors]).toEqual([expected, []])
  })

  it('the newest tokens, if they were refreshed', async () => {
    const { browsers, revoke, told, here } = await browsersOfOne(2)
    pass(HOUR)
    await here.ask(browsers[1].cookie)
    await revoke(browsers[0], 'others')
    expect(told()).toEqual(tokens(3))
  })

  it('after the sessions have ended here, without delaying the answer', async () => {
    const { browsers, told, server, ledgers } = await browsersOfOne(2)
    const { sub, sid, auth_time } = claimsIn(browsers[1])
    const wasOver: unknown[] = []
    server.instead = async () => {
      wasOver.push(await ledgers.objects.get('ledger')?.isRevoked(sid, { sub, auth_time }))
      return new Promise(() => {})
    }
    const answer = await browsers[0].submit('/auth/sessions/revoke', { session: 'others' })
    await expect.poll(told).toEqual(tokens(2))
    expect([answer.status, wasOver]).toEqual([302, [true]])
  })
})

describe('nothing is revoked at the provider', () => {
  it('when the sessions could not be ended here: 503', async () => {
    for (const name of ['cutOff', 'revoke'] as const) {
      const { browsers, revoke, told, ledgers } = await browsersOfOne(2)
      ledgers.before.set(name, () => Promise.reject(new Error('overloaded')))
      expect((await revoke(browsers[0], 'all')).status).toBe(503)
      expect(told()).toEqual([])
    }
  })

  it('for a session that was already over', async () => {
    const { browsers, revoke, told, kv } = await browsersOfOne(2)
    kv.before.set('delete', () => Promise.reject(new Error('429')))
    await revoke(browsers[1], claimsIn(browsers[1]).sid)
    await revoke(browsers[0], 'others')
    expect(told()).toEqual(tokens(2))
  })

  it('while KV does not show the session, which ends nevertheless', async () => {
    const { browsers, revoke, told, kv } = await browsersOfOne(2)
    for (const name of ['get', 'list']) kv.before.set(name, fails)
    await revoke(browsers[0], 'others')
    kv.before.clear()
    expect(told()).toEqual([])
    expect(await browsers[1].session()).toBeNull()
  })
})

it('a provider that fails restores no session, and is logged', async () => {
  const { browsers, revoke, server, errors } = await browsersOfOne(3)
  server.instead = () => new Response('the-refresh-token-2', { status: 500 })
  expect((await revoke(browsers[0], 'others')).status).toBe(302)
  expect([await browsers[1].session(), await browsers[2].session()]).toEqual([null, null])
  expect(errors.map(({ name }) => name)).toEqual(['TokenRefreshFailed', 'TokenRefreshFailed'])
  expect(everythingIn(errors)).not.toContain('the-refresh-token')
})

describe('after all sessions were ended, provider tokens', () => {
  const over = { ok: false, reason: 'signed-out' }

  it.each([
    ['listed', 60],
    ['not listed by KV yet', -1],
  ])('are neither returned nor refreshed for a session that is %s', async (_, age) => {
    const { browsers, revoke, server, isolate } = await browsersOfOne(2)
    if (age < 0) pass(-59)
    const { cookie } = browsers[1]
    const elsewhere = isolate('elsewhere')
    expect(await elsewhere.ask(cookie)).toMatchObject({ ok: true })
    await revoke(browsers[0], 'others')
    expect(await elsewhere.ask(cookie)).toEqual(over)
    pass(HOUR)
    for (const place of [elsewhere, isolate('far away')]) {
      expect(await place.ask(cookie)).toEqual(over)
    }
    expect(server.used).toEqual([])
  })

  it('are not returned to a caller whose refresh was under way', async () => {
    for (const moment of ['claimRefresh', 'settleRefresh'] as const) {
      const { browsers, isolate, ledgers } = await browsersOfOne(2)
      pass(HOUR)
      ledgers.before.set(moment, async () => {
        ledgers.before.clear()
        await browsers[0].submit('/auth/sessions/revoke', { session: 'others' })
      })
      expect(await isolate('elsewhere').ask(browsers[1].cookie)).toEqual(over)
    }
  })

  it('are deleted from the ledger', async () => {
    const { browsers, revoke, here, ledgers } = await browsersOfOne(2)
    const { sid } = claimsIn(browsers[0])
    pass(HOUR)
    expect(await here.ask(browsers[0].cookie)).toMatchObject({ reason: 'sign-in-needed' })
    const ledger = ledgers.objects.get('ledger')
    expect(await ledger?.refreshedTokens(sid)).toBeDefined()
    await revoke(browsers[1], 'others')
    expect(await ledger?.refreshedTokens(sid)).toBeUndefined()
  })
})
