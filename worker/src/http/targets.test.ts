import { describe, expect, it, vi } from 'vitest'
import {
  Browser,
  configWith,
  everythingIn,
  fakeProvider,
  locationOf,
  origin,
} from '../test-support/browser.js'
import type { Callbacks } from '../types.js'
import { homeOf } from './targets.js'

const browserWith = (redirect?: Callbacks['redirect'], more = {}) =>
  new Browser(
    configWith({
      providers: [fakeProvider()],
      ...(redirect && { callbacks: { redirect } }),
      ...more,
    }),
  )

it('the way back leads to the first page of the app, whatever page of it is meant', () => {
  const request = { origin } as never
  expect(homeOf(request)).toBe(`${origin}/`)
  expect(homeOf(request, 'https://app.example/inbox?a=1#b' as never)).toBe('https://app.example/')
})

describe('a user who must sign in first comes back to where they were', () => {
  it.each([
    [undefined, `${origin}/auth/signin`],
    ['/login?lang=de', `${origin}/login`],
    ['https://accounts.example/', 'https://accounts.example/'],
  ])('by the sign-in page %s', async (signIn, page) => {
    const browser = browserWith(undefined, { pages: signIn === undefined ? {} : { signIn } })
    const asked = new URL(locationOf(await browser.get('/auth/account')))
    expect(asked.origin + asked.pathname).toBe(page)
    expect(asked.searchParams.get('callbackUrl')).toBe(`${origin}/auth/account`)
    expect(asked.searchParams.get('lang')).toBe(signIn?.includes('lang') ? 'de' : null)
  })
})

const NO_TARGET =
  'The redirect callback returned no http(s) URL, or one whose path begins with two slashes.'

describe('a redirect callback of the app’s that fails', () => {
  it.each<[string, () => string, string]>([
    [
      'throws',
      () => {
        throw new Error('not today')
      },
      'The redirect callback threw.',
    ],
    ['names a script', () => 'javascript:alert(1)', NO_TARGET],
    ['names two slashes', () => `${origin}//evil.example`, NO_TARGET],
    ['names nothing', () => undefined as never, NO_TARGET],
  ])('%s: no browser is redirected, and the log has the reason', async (_, redirect, reason) => {
    const errors: Error[] = []
    const browser = browserWith(redirect, {
      logger: { error: (error: Error) => void errors.push(error) },
    })
    const answer = await browser.submit('/auth/signout', { callbackUrl: '/bye' })
    expect(locationOf(answer)).toMatch(`${origin}/auth/error?error=`)
    expect(errors.map(({ message }) => message)).toContain(reason)
    expect(everythingIn(errors).includes('not today')).toBe(reason.includes('threw'))
  })
})

describe('a redirect callback of the app’s is asked again when a sign-in comes back', () => {
  const chosen = 'https://app.example/'

  /** What it is asked at the start of a sign-in and at its end. */
  async function askedFor(callbackUrl: string): Promise<string[]> {
    const redirect = vi.fn(() => chosen)
    const browser = browserWith(redirect)
    const state = (await browser.start('fake', { callbackUrl })).searchParams.get('state') ?? ''
    await browser.get(`/auth/callback/fake?${new URLSearchParams({ code: 'c', state })}`)
    return (redirect.mock.calls as unknown as [{ url: string }][]).map(([{ url }]) => url)
  }

  it('about the first target', async () => {
    expect(await askedFor('/inbox')).toEqual(['/inbox', '/inbox'])
  })

  it('about its own choice, if the two together are too long for a cookie', async () => {
    // With the name, and `%2F` for the slash.
    const most = 2_048 - chosen.length - 'asked='.length - 2
    const [fits, longer] = [most - 1, most].map((length) => `/${'a'.repeat(length - 1)}`)
    expect(await askedFor(fits ?? '')).toEqual([fits, fits])
    expect(await askedFor(longer ?? '')).toEqual([longer, chosen])
  })

  it('and costs no byte if it chooses what it is asked', async () => {
    const url = `${origin}/${'a'.repeat(300)}`
    const sizes = await Promise.all(
      [undefined, () => url].map(async (redirect) => {
        const browser = browserWith(redirect)
        await browser.start('fake', { callbackUrl: url })
        return browser.cookie.length
      }),
    )
    expect(sizes[1]).toBe(sizes[0])
  })
})
