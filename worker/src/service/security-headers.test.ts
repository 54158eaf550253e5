import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  errorOf,
  fakeProvider,
  locationOf,
  origin,
} from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, SessionRecord } from '../types.js'

const { pass } = clock({ start: 'now' })

describe('credentials', () => {
  const at = (answer: unknown) =>
    new Browser(configWith({ providers: [credentials({ authorize: () => answer as never })] }))

  it.each(['GET', 'HEAD'])('%s of their callback is 405 and allows POST', async (method) => {
    const response = await at({ id: '1' }).send('/auth/callback/credentials', { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it.each([null, undefined, false, 0, ''])(
    'authorize that returns %j: no user is signed in',
    async (answer) => {
      const response = await at(answer).submit('/auth/callback/credentials')
      expect(errorOf(response)).toBe('/auth/signin CredentialsSignin credentials')
    },
  )

  it('a numeric id is valid: the same person as with its text', async () => {
    const ids = []
    for (const id of [42, '42', 0]) {
      const browser = at({ id })
      expect(errorOf(await browser.submit('/auth/callback/credentials'))).toBe('/')
      ids.push((await browser.session())?.user?.id)
    }
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
  })

  it.each([1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, 1n, true, {}, [], ' '])(
    'an id that is %s is refused',
    async (id) => {
      const browser = at({ id })
      const response = await browser.submit('/auth/callback/credentials')
      expect(errorOf(response)).toBe('/auth/error Configuration')
      expect(await browser.session()).toBeNull()
    },
  )
})

describe('csrf cookies', () => {
  const name = 'auth.csrf-token'

  it('end with the browser: no Max-Age, no Expires', async () => {
    const response = await new Browser(configWith()).get('/auth/csrf')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(response.headers.getSetCookie().join()).not.toMatch(/max-age|expires/i)
  })

  it('at most four are checked, so that a flood causes few signature checks', async () => {
    const browser = new Browser(configWith())
    const csrfToken = await browser.csrfToken()
    const own = `${name}=${browser.jar.get(name)}`
    const mac = 'A'.repeat(43)
    const flood = (count: number) => `${name}=${csrfToken}.${mac}; `.repeat(count)
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const leadsTo = async (cookie: string) =>
      errorOf(await browser.post('/auth/signout', { csrfToken }, { cookie }))
    expect(await leadsTo(flood(3) + own)).toBe('/')
    expect(await leadsTo(flood(4) + own)).toBe('/auth/signin MissingCSRF')
    verify.mockClear()
    await browser.get('/auth/csrf', { cookie: flood(500) })
    expect(verify).toHaveBeenCalledTimes(4)
    verify.mockRestore()
  })
})

describe('pages.error', () => {
  const error = async (page: string) =>
    new Browser(configWith({ pages: { error: page } })).get('/auth/error?error=AccessDenied')

  it('in the app gets the errors that reach our own page', async () => {
    const response = await error('/oops?lang=de')
    expect(response.status).toBe(302)
    expect(locationOf(response)).toBe(`${origin}/oops?lang=de&error=AccessDenied`)
  })

  it.each(['/auth/error', `${origin}/auth/error`, '/auth/error?x=1', '/x/../auth/error#y'])(
    '%s names our own page, and causes no redirect loop',
    async (page) => expect((await error(page)).status).toBe(403),
  )
})

it('an expired session cookie does not win over a live one beside it', async () => {
  const { browser } = await signedIn()
  const old = browser.cookie
  pass(6 * 60)
  await browser.session()
  const fresh = browser.cookie
  for (const cookie of [`${old}; ${fresh}`, `${fresh}; ${old}`]) {
    const response = await browser.get('/auth/session', { cookie })
    expect(await response.json()).not.toBeNull()
    expect(response.headers.getSetCookie()).toEqual([])
  }
})

describe('a mistake in a config', () => {
  it.each<[string, Partial<AuthConfig>]>([
    ['a short secret', { secret: 'short' }],
    ['a base path', { basePath: '/a b' }],
    ['a life time', { session: { maxAge: -1 } }],
  ])(
    '%s: goes to the config’s own logger with createAuth, and not to the browser',
    async (_, changes) => {
      const error = vi.fn()
      const handler = createAuth(configWith({ ...changes, logger: { error } }))
      const response = await handler.request('/auth/session')
      expect(response.status).toBe(500)
      expect(error).toHaveBeenCalledTimes(1)
      expect(await response.text()).not.toContain(error.mock.calls[0]?.[0].message)
    },
  )
})

it('a host with an underscore is valid, if it is trusted', async () => {
  const config = configWith({ trustHost: true, providers: [fakeProvider()] })
  const browser = new Browser(config)
  const headers = { 'x-forwarded-host': 'my_app.internal:8080' }
  const response = await browser.get('/auth/providers', headers)
  expect(await response.json()).toMatchObject({
    fake: { signinUrl: 'http://my_app.internal:8080/auth/signin/fake' },
  })
})

it('the memory store drops ended sessions, also behind ones that are written again', async () => {
  const clock = { now: Date.UTC(2026, 10, 1) }
  const { sessions } = memoryStore(() => clock.now)
  const at = () => clock.now / 1000
  const record = (sid: string, expires: number): SessionRecord => {
    return { sub: 'ada', sid, provider: 'p', created: at(), updated: at(), expires, sealed: '' }
  }
  const deleted = vi.spyOn(Map.prototype, 'delete')
  const busy = Array.from({ length: 8 }, (_, index) => `busy-${index}`)
  for (const sid of busy) await sessions.put(record(sid, at() + 3600))
  await sessions.put(record('ended', at() + 10))
  clock.now += 60_000
  for (const sid of busy) await sessions.put(record(sid, at() + 3600))
  await sessions.put(record('new', at() + 3600))
  expect(deleted.mock.calls.map(([key]) => key)).toContain('ada:ended')
  deleted.mockRestore()
})
