import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { holds } from '../../../test/support/holds.js'
import { createAuth } from '../index.js'
import { Browser, configWith, errorOf, fakeProvider, locationOf } from '../test-support/browser.js'
import { anybody } from '../test-support/deployment.js'
import type { AuthConfig } from '../types.js'

clock()

const HTTPS = 'https://example.com'

const browserWith = (changes: Partial<AuthConfig> = {}, at = HTTPS) =>
  new Browser(configWith({ providers: [fakeProvider(), anybody], ...changes }), { at })
const namesIn = ({ jar }: Browser) =>
  [...jar.keys()].map((name) => name.replace(/\.[^.]*-.{11}$/, ''))

describe('renamed cookies on https', () => {
  const renamed = { csrfToken: { name: 'my-csrf' }, flow: { name: 'my-flow' } }

  it('keep __Host-, so that no other host can set them, and a sign-in works', async () => {
    const browser = browserWith({ cookies: renamed })
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    expect(namesIn(browser)).toEqual(['__Host-my-csrf', '__Host-my-flow'])
    const back = await browser.get(
      `/auth/callback/fake?${new URLSearchParams({ code: 'c', state })}`,
    )
    expect(locationOf(back)).toBe(`${HTTPS}/inbox`)
  })

  it('have it once, if the name has it already, and in every other spelling before it', async () => {
    const cookies = { csrfToken: { name: '__Host-a' }, flow: { name: '__HOST-b' } }
    const browser = browserWith({ cookies })
    await browser.start('fake')
    expect(namesIn(browser)).toEqual(['__Host-a', '__Host-__HOST-b'])
  })

  it('on http are what the app calls them', async () => {
    const browser = browserWith({ cookies: renamed }, 'http://localhost:3000')
    await browser.start('fake')
    expect(namesIn(browser)).toEqual(['my-csrf', 'my-flow'])
  })

  it('cookie tossing: a csrf cookie without the prefix, with a genuine token of the attacker, does not count', async () => {
    const attacker = browserWith({ cookies: renamed })
    const csrfToken = await attacker.csrfToken()
    const [genuine] = [...attacker.jar.values()]
    const cookie = `my-csrf=${genuine}`
    const answer = await browserWith({ cookies: renamed }).post(
      '/auth/signout',
      { csrfToken },
      { cookie },
    )
    expect(new URL(locationOf(answer)).searchParams.get('error')).toBe('MissingCSRF')
  })

  it('login CSRF: a flow cookie without the prefix, of a sign-in that the attacker began, does not count', async () => {
    const attacker = browserWith({ cookies: renamed })
    const state = (await attacker.start('fake')).searchParams.get('state') ?? ''
    const [name = ''] = [...attacker.jar.keys()].filter((each) => each.includes('flow'))
    const cookie = `${name.replace('__Host-', '')}=${attacker.jar.get(name)}`
    const path = `/auth/callback/fake?${new URLSearchParams({ code: 'c', state })}`
    const victim = browserWith({ cookies: renamed })
    expect(errorOf(await victim.get(path, { cookie }))).toContain('InvalidCheck')
    expect(await victim.session()).toBeNull()
  })

  it('the session cookie is called what the app calls it', async () => {
    const browser = browserWith({ cookies: { sessionToken: { name: 'sid' } } })
    await browser.submit('/auth/callback/credentials', { username: 'ada' })
    expect(namesIn(browser)).toContain('sid')
  })
})

describe('a session cookie whose name has no prefix', () => {
  const warningsOf = async (env: object, name: string, requests = 1) => {
    const warn = vi.fn()
    const made = () => configWith({ cookies: { sessionToken: { name } }, logger: { warn } })
    // A configuration that is made for each request.
    const auth = createAuth(() => made())
    for (let at = 0; at < requests; at++) {
      await auth.fetch(new Request(`${HTTPS}/auth/csrf`), env as never)
    }
    return warn.mock.calls.filter(([code]) => code === 'session-cookie-name')
  }

  it.each(['sid', '__host-sid', 'x__Secure-sid'])(
    '%s is one warning, with the remedy',
    async (name) => {
      const warnings = await warningsOf({}, name, 3)
      expect(warnings).toHaveLength(1)
      expect(warnings[0]?.[1]).toContain('__Host-')
    },
  )

  it.each(['__Host-sid', '__Secure-sid'])('%s causes no warning', async (name) => {
    expect(await warningsOf({}, name)).toEqual([])
  })

  it('is missing on http, since no other name works there', async () => {
    expect(await warningsOf({ AUTH_URL: 'http://localhost:3000' }, 'sid')).toEqual([])
  })
})

describe('cookies that a sibling host tossed', () => {
  const NAME = '__Secure-auth.session-token'
  const shared = { sessionToken: { options: { domain: 'example.com' } } }
  /** The lines of every answer, with the csrf token of a browser of its own. */
  async function linesOf(stray: string): Promise<string[][]> {
    const browser = browserWith({ cookies: shared })
    await browser.submit('/auth/callback/credentials', { username: 'ada' })
    const csrfToken = await browser.csrfToken()
    const cookie = `${stray}; ${browser.cookie}`
    const post = (path: string, fields = {}) =>
      browser.post(path, { csrfToken, ...fields }, { cookie })
    const answers = [
      await browser.get('/auth/csrf', { cookie }),
      await browser.get('/auth/renew', { cookie }),
      await post('/auth/signin/fake'),
      await post('/auth/session', { data: '1' }),
      await post('/auth/callback/credentials', { username: 'ada' }),
      await post('/auth/sessions/revoke', { session: 'A'.repeat(22) }),
      await post('/auth/signout'),
    ]
    return answers.map((answer) => answer.headers.getSetCookie())
  }

  const MAX_LINES = 24
  /** Bytes, less those of a session's own value. */
  const MAX_BYTES = 4_000

  it('a hundred chunks are not answered with a hundred Set-Cookie lines, and the first are removed', async () => {
    const stray = Array.from({ length: 100 }, (_, at) => `${NAME}.${99 - at}=tossed`).join('; ')
    const all = await linesOf(stray)
    for (const lines of all) expect(lines.length).toBeLessThan(MAX_LINES)
    const removed = (all.at(-1) ?? []).filter((line) => line.startsWith(`${NAME}`))
    expect(removed.map((line) => line.slice(NAME.length, line.indexOf('=')))).toEqual([
      '',
      '.0',
      '.1',
      '.2',
      '.3',
      '.4',
      '.5',
      '.6',
      '.7',
    ])
  })

  it('a hundred started sign-ins are removed eight at a time', async () => {
    const id = (at: number) => `000000000-${String(at).padStart(11, '0')}`
    const stray = Array.from({ length: 100 }, (_, at) => `__Host-auth.flow.${id(at)}=tossed`)
    for (const lines of await linesOf(stray.join('; '))) {
      expect(lines.filter((line) => line.includes('auth.flow')).length).toBeLessThanOrEqual(8 + 1)
    }
  })

  it('any Cookie header: few lines, few bytes, no name twice, and the own session stays', async () => {
    const flow = fc
      .integer({ min: 0, max: 999 })
      .map((at) => `__Host-auth.flow.zzzzzzzzz-${String(at).padStart(11, '0')}`)
    const name = fc.oneof(
      fc.constantFrom(NAME, '__Host-auth.csrf-token', 'auth.session-token', 'other'),
      fc.integer({ min: 0, max: 120 }).map((at) => `${NAME}.${at}`),
      flow,
    )
    const value = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_.-]{0,40}$/),
      fc.integer({ min: 1_000, max: 4_000 }).map((length) => 'x'.repeat(length)),
    )
    const header = fc
      .array(fc.tuple(name, value), { maxLength: 150 })
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('; '))
    await holds(
      60,
      fc.asyncProperty(header, async (stray) => {
        for (const lines of await linesOf(stray)) {
          expect(lines.length).toBeLessThan(MAX_LINES)
          const own = lines.filter((line) => !/Max-Age=0/.test(line)).join('').length
          expect(lines.join('').length - own).toBeLessThan(MAX_BYTES)
          expect(own).toBeLessThan(2 * MAX_BYTES)
          const names = lines.map((line) => line.slice(0, line.indexOf('=')))
          expect(new Set(names).size).toBe(names.length)
        }
      }),
    )
  })
})
