import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { configWith, origin } from '../../test-support/browser.js'
import { signedInWithTokens } from '../../test-support/tokens.js'
import type { AccessToken, AuthConfig, Callbacks, JWT } from '../../types.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]

const { pass } = clock()
afterEach(() => void vi.restoreAllMocks())

const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

describe('getAccessToken in a callback', () => {
  const answers: [string, AccessToken][] = []
  const ask = async (name: string, get: () => Promise<AccessToken>) =>
    void answers.push([name, await get()])
  const jwt: Callbacks['jwt'] = async ({ token: kept, trigger = 'renewal', getAccessToken }) => {
    await ask(`jwt ${trigger}`, getAccessToken)
    return kept as JWT
  }
  const session: Callbacks['session'] = async ({ session: shown, trigger = 'read', ...params }) => {
    await ask(`session ${trigger}`, params.getAccessToken)
    return shown
  }
  const callbacks = { jwt, session }
  const asked = () => answers.splice(0)

  it('works at sign-in, renewal, extension and update, and refreshes if needed', async () => {
    const { browser, server } = await signedInWithTokens({ callbacks })
    expect(asked()).toEqual([
      ['jwt signUp', given(1)],
      ['session read', given(1)],
    ])
    pass(HOUR)
    expect(await browser.session()).not.toBeNull()
    expect(asked()).toEqual([
      ['jwt renewal', given(2)],
      ['session read', given(2)],
    ])
    pass(DAY)
    expect(await browser.session()).not.toBeNull()
    expect(asked()).toEqual([
      ['jwt renewal', given(3)],
      ['session read', given(3)],
    ])
    pass(HOUR)
    await browser.submit('/auth/session', { data: 'x' })
    expect(asked()).toEqual([
      ['jwt update', given(4)],
      ['session update', given(4)],
    ])
    expect(server.used).toEqual([1, 2, 3].map(refreshToken))
  })
})

describe('getAccessToken for a request whose cookie', () => {
  const changedNearEnd = (own: string) =>
    own.replace(/.(?=.{20}$)/, (character) => (character === 'A' ? 'B' : 'A'))

  it.each<[string, (token: string) => string]>([
    ['is not there', () => ''],
    ['is another one', () => 'theme=dark; auth.csrf-token=x'],
    ['is empty', () => 'auth.session-token='],
    ['is changed near its end', (own) => `auth.session-token=${changedNearEnd(own)}`],
    ['has no signature', (own) => `auth.session-token=${own.replace(/[^.]*$/, '')}`],
    ['is not a token', () => 'auth.session-token=%E0%A4%A; ;;=; "'],
    ['is that of an https origin', (own) => `__Host-auth.session-token=${own}`],
    ['has another name', (own) => `session=${own}; token=${own}`],
  ])('%s: signed out', async (_, change) => {
    const { get, browser } = await signedInWithTokens()
    const own = browser.jar.get('auth.session-token') ?? ''
    expect(await get(change(own))).toEqual(none('signed-out'))
  })

  it('is expired, but may be renewed: returns the token and renews nothing', async () => {
    const { get, calls } = await signedInWithTokens()
    pass(10 * 60)
    expect(await get()).toEqual(given(1))
    expect(calls.map(({ name }) => name)).not.toContain('put')
  })

  it.each<[string, Partial<AuthConfig>, string]>([
    ['under another secret', { secret: 'another-secret-0123456789abcdefghij' }, origin],
    ['at another origin', {}, 'http://localhost:9999'],
    ['below another path', { basePath: '/other' }, origin],
  ])('is from another service: %s', async (_, changes, at) => {
    const { browser, config } = await signedInWithTokens()
    const { getAccessToken } = createAuth({ ...config, ...changes })
    const request = new Request(`${at}/inbox`, { headers: { cookie: browser.cookie } })
    expect(await getAccessToken(request)).toEqual(none('signed-out'))
  })
})

describe('a configuration that cannot be used: unavailable, never thrown', () => {
  const fail = () => {
    throw new Error('x')
  }
  const request = new Request(origin, { headers: { cookie: 'auth.session-token=x' } })

  it.each<[string, Partial<AuthConfig> | (() => never)]>([
    ['no secret', { secret: '' }],
    ['a short secret', { secret: 'short' }],
    ['an invalid base path', { basePath: '/' }],
    ['a provider that throws', { providers: [fail] }],
    ['invalid lifetimes', { session: { maxAge: Number.NaN } }],
    ['a function that throws', fail],
  ])('%s', async (_, changes) => {
    vi.spyOn(console, 'error').mockReturnValue()
    const auth = createAuth(typeof changes === 'function' ? changes : configWith(changes))
    expect(await auth.getAccessToken(request)).toEqual(none('unavailable'))
  })
})
