import { beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  everythingIn,
  signInAt,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import { waitedFor } from '../../test-support/time.js'
import type { OIDCConfig } from '../../types.js'

const HOUR = 3600

const { pass } = clock({ timers: true })

let issuer: TestIssuer

beforeEach(async () => {
  issuer = await testIssuer()
  issuer.userinfo = { sub: 'ada', name: 'Ada' }
  issuer.tokens = { refresh_token: 'the-refresh-token' }
})

/** A service whose provider takes so many seconds for each answer, by the last part of its path. */
function slowly(options: Partial<OIDCConfig> = {}) {
  const delays: Record<string, number> = {}
  const errors: Error[] = []
  const fetcher = (): typeof fetch => async (input, init) => {
    const name = new URL(String(input)).pathname.split('/').at(-1) ?? ''
    const { [name]: delay = 0 } = delays
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay * 1000))
    return issuer.fetch(input, init)
  }
  const made = () => {
    const config = configWith({
      providers: [providerAt(issuer, { ...options, [customFetch]: fetcher() })],
      logger: { error: (error) => void errors.push(error) },
    })
    return { config, auth: createAuth(config) }
  }
  const { config, auth } = made()
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const browser = new Browser(config, {
    answer: (request) => auth.fetch(request, undefined, { waitUntil }),
  })
  /** The same browser, in front of a process that has read nothing yet. */
  const restarted = () => {
    const other = made()
    return copyOf(browser, other.config, { answer: (request) => other.auth.fetch(request) })
  }
  const ask = () =>
    auth.getAccessToken(
      new Request('http://localhost:8787/', { headers: { cookie: browser.cookie } }),
    )
  return { browser, restarted, delays, errors, ask, work }
}

/** How long it takes, in seconds by the clock of the test, and what comes of it. */
async function timed<Result>(work: Promise<Result>) {
  const began = Date.now()
  const result = await waitedFor(work)
  return { result, seconds: (Date.now() - began) / 1000 }
}

describe('all that a sign-in asks of a provider has ten seconds together', () => {
  /** Comes back to a service that has neither documents nor keys. */
  const comesBack = async (
    { browser, delays, restarted }: ReturnType<typeof slowly>,
    each: number,
  ) => {
    const { searchParams } = await browser.start('test')
    const back = new URLSearchParams({
      code: searchParams.get('nonce') ?? '',
      state: searchParams.get('state') ?? '',
    })
    for (const name of ['openid-configuration', 'token', 'keys', 'userinfo']) delays[name] = each
    return timed(restarted().get(`/auth/callback/test?${back}`))
  }

  it('a provider that takes four seconds for each answer is given up after ten', async () => {
    const service = slowly()
    const { result, seconds } = await comesBack(service, 4)
    expect(errorOf(result)).toBe('/auth/signin OAuthCallbackError')
    expect(seconds).toBe(10)
    expect(everythingIn(service.errors)).toContain('No answer within 10000 ms')
    expect(issuer.requests.map(({ url }) => url.split('/').at(-1))).not.toContain('userinfo')
  })

  it('one that takes two is in time', async () => {
    const service = slowly()
    const { result, seconds } = await comesBack(service, 2)
    expect([errorOf(result), seconds]).toEqual(['/inbox', 8])
  })

  it.each<[string, (wait: () => Promise<never>) => Partial<OIDCConfig>]>([
    ['userinfo.request()', (wait) => ({ userinfo: { request: wait } })],
    ['profile()', (wait) => ({ profile: wait })],
    ['account()', (wait) => ({ account: wait })],
  ])('%s too, which may ask it for more', async (_, options) => {
    const service = slowly(options(() => new Promise(() => {})))
    const { result, seconds } = await comesBack(service, 2)
    expect([errorOf(result), seconds]).toEqual(['/auth/signin OAuthCallbackError', 10])
  })

  it('its start has one too', async () => {
    const { browser, delays } = slowly()
    await browser.csrfToken()
    delays['openid-configuration'] = 60
    const { result, seconds } = await timed(browser.submit('/auth/signin/test'))
    expect([errorOf(result), seconds]).toEqual(['/auth/signin OAuthCallbackError', 10])
  })
})

describe('later requests of an app have one too', () => {
  const signedIn = async (options: Partial<OIDCConfig> = {}) => {
    const service = slowly(options)
    expect(errorOf(await waitedFor(signInAt(service.browser)))).toBe('/inbox')
    pass(2 * HOUR)
    Object.assign(service.delays, { 'openid-configuration': 6, token: 6, revoke: 6 })
    return service
  }

  it('a refresh, with the documents that are read before it', async () => {
    const { ask, errors } = await signedIn()
    const { result, seconds } = await timed(ask())
    expect([result, seconds]).toEqual([{ ok: false, reason: 'unavailable' }, 10])
    expect(everythingIn(errors)).toContain('No answer within 10000 ms')
  })

  it('a revocation at a sign-out', async () => {
    const { browser, errors, work } = await signedIn({ revokeOnSignOut: true })
    await waitedFor(browser.submit('/auth/signout'))
    const { seconds } = await timed(Promise.all(work))
    expect(seconds).toBe(10)
    expect(everythingIn(errors)).toContain('No answer within 10000 ms')
  })
})
