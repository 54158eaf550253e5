import { beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { Browser, configWith, errorOf, locationOf, signInAt } from '../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../test-support/issuer.js'
import type { AuthConfig, Environment } from '../types.js'

const { pass } = clock()

let issuer: TestIssuer

beforeEach(async () => {
  issuer = await testIssuer()
})

const asked = (name: string) => issuer.requests.filter(({ url }) => url.endsWith(`/${name}`)).length
const refusesCodes = () => {
  issuer.answers = { token: () => Response.json({ error: 'invalid_grant' }, { status: 400 }) }
}

function service(env?: Environment, changes: Partial<AuthConfig> = {}) {
  const config = configWith({ providers: [providerAt(issuer)], ...changes })
  const isolate = () => {
    const auth = createAuth(config)
    // Each isolate has bindings of its own.
    const bindings = env && { ...env }
    return (network?: string) =>
      new Browser(config, {
        answer: (request) => {
          if (network !== undefined) request.headers.set('cf-connecting-ip', network)
          return auth.fetch(request, bindings)
        },
      })
  }
  return { isolate, browser: isolate() }
}

/** Path and query of a callback with a code that nobody gave. */
async function madeUp(browser: Browser, code = 'made-up'): Promise<string> {
  const state = (await browser.start('test')).searchParams.get('state') ?? ''
  return `/auth/callback/test?${new URLSearchParams({ code, state })}`
}

async function guess(browser: Browser): Promise<number> {
  return (await browser.get(await madeUp(browser))).status
}

describe('a callback from one network', () => {
  it('with made-up codes: 200 of them are 30 requests to the provider', async () => {
    const { browser } = service()
    refusesCodes()
    const statuses: number[] = []
    for (let at = 0; at < 200; at++) {
      const started = await madeUp(browser(`192.0.2.${at}`))
      // The flow is started by anybody; its callbacks come from one network.
      const stranger = browser('2001:db8:1:2::1')
      statuses.push((await stranger.get(started)).status)
    }
    // Without the flow's cookie the provider is not asked.
    expect(asked('token')).toBe(0)
    for (let at = 0; at < 200; at++) await guess(browser(`2001:db8:1:2::${at % 10}`))
    expect(asked('token')).toBe(30)
  })

  it('with 200 of them at once are 30 requests too', async () => {
    const { browser } = service()
    refusesCodes()
    const stranger = browser('192.0.2.1')
    const callbacks: (() => Promise<Response>)[] = []
    for (let at = 0; at < 200; at++) {
      const path = await madeUp(stranger)
      const { cookie } = stranger
      callbacks.push(() => stranger.get(path, { cookie }))
    }
    await Promise.all(callbacks.map((come) => come()))
    expect(asked('token')).toBe(30)
  })

  it('over the limit gets 429 with Retry-After, and its sign-in goes on when it is over', async () => {
    const { browser } = service()
    refusesCodes()
    const where = browser('192.0.2.1')
    for (let at = 0; at < 29; at++) await guess(where)
    const { searchParams } = await where.start('test')
    const code = searchParams.get('nonce') ?? ''
    const back = `/auth/callback/test?${new URLSearchParams({ code, state: searchParams.get('state') ?? '' })}`
    const last = await madeUp(where)
    await where.get(last)
    const limited = await where.get(back)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60'])
    expect(limited.headers.get('cache-control')).toBe('private, no-store')
    const page = await limited.text()
    expect(page).toContain('Too many attempts.')
    expect(page).toContain('/inbox')
    const json = await where.get(back, { 'x-auth-return-redirect': '1' })
    expect(json.status).toBe(429)
    expect(await json.json()).toMatchObject({ error: 'CredentialsSignin', code: 'rate_limited' })
    issuer.answers = {}
    pass(60)
    // Nothing was used up: the flow's cookie and the code are the same as before.
    expect(locationOf(await where.get(back))).toContain('/inbox')
    expect(await where.session()).not.toBeNull()
  })

  it('others are not kept out by it', async () => {
    const { browser } = service()
    refusesCodes()
    for (let at = 0; at < 40; at++) await guess(browser('192.0.2.1'))
    issuer.answers = {}
    expect(errorOf(await signInAt(browser('192.0.2.2')))).toBe('/inbox')
  })

  it('a shared network: sign-ins that succeed, and people who cancel, do not count', async () => {
    const { browser } = service()
    for (let at = 0; at < 40; at++) {
      const where = browser('192.0.2.1')
      const state = (await where.start('test')).searchParams.get('state') ?? ''
      const cancelled = await where.get(`/auth/callback/test?error=access_denied&state=${state}`)
      expect(locationOf(cancelled)).toContain('code=access_denied')
      expect(errorOf(await signInAt(where))).toBe('/inbox')
    }
  })
})

describe('a start at a provider that does not answer', () => {
  it('asks it for its documents 30 times for one network', async () => {
    issuer.answers = { 'openid-configuration': () => new Response(null, { status: 500 }) }
    const { browser } = service()
    const answers: Response[] = []
    for (let at = 0; at < 40; at++) {
      answers.push(await browser('192.0.2.1').submit('/auth/signin/test'))
    }
    expect(asked('openid-configuration')).toBe(30)
    expect(answers[39]?.status).toBe(429)
    issuer.answers = {}
    expect(errorOf(await signInAt(browser('192.0.2.2')))).toBe('/inbox')
  })
})

describe('with the binding RATE_LIMIT', () => {
  const counting = (max: number) => {
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => {
      keys.push(key)
      return { success: keys.length <= max }
    }
    return { keys, limit }
  }

  it('a user who signs in costs no call', async () => {
    const binding = counting(30)
    const { browser } = service({ RATE_LIMIT: binding })
    expect(errorOf(await signInAt(browser('192.0.2.1')))).toBe('/inbox')
    expect(binding.keys).toEqual([])
  })

  it('failures in one isolate keep the network from the provider in others', async () => {
    const binding = counting(30)
    const { isolate } = service({ RATE_LIMIT: binding })
    refusesCodes()
    const isolates = Array.from({ length: 5 }, isolate)
    for (let at = 0; at < 200; at++)
      await guess((isolates[at % 5] as (typeof isolates)[0])('192.0.2.1'))
    // Thirty by the binding, and one in each isolate, which hears of it so.
    expect(asked('token')).toBe(35)
    expect(new Set(binding.keys)).toEqual(new Set(['callback:192.0.2.1']))
  })

  it('starts that fail count by themselves: they keep no user from coming back', async () => {
    issuer.answers = { 'openid-configuration': () => new Response(null, { status: 500 }) }
    const binding = counting(30)
    const { browser } = service({ RATE_LIMIT: binding })
    await browser('192.0.2.1').submit('/auth/signin/test')
    expect(binding.keys).toEqual(['start:192.0.2.1'])
  })

  it('that fails changes no count of this process', async () => {
    const limit = () => Promise.reject(new Error('down'))
    const { browser } = service({ RATE_LIMIT: { limit } })
    refusesCodes()
    for (let at = 0; at < 40; at++) await guess(browser('192.0.2.1'))
    expect(asked('token')).toBe(30)
  })
})
