import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { TokenRefreshFailed } from '../../errors.js'
import { claimsIn, copyOf, everythingIn } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { waitedFor } from '../../test-support/time.js'
import { signedInWithTokens } from '../../test-support/tokens.js'
import type { OAuthUserConfig } from '../../types.js'

const HOUR = 60 * 60

const { pass, takeTimers } = clock()

const revoking = (options: OAuthUserConfig = {}) =>
  signedInWithTokens({}, { options: { revokeOnSignOut: true, ...options } })

type SignedIn = Awaited<ReturnType<typeof signedInWithTokens>>

/** The tokens that the provider was told to revoke. */
const told = ({ server }: SignedIn) =>
  server.seen.flatMap(({ endpoint, form }) => (endpoint === '/revoke' ? form.token : []))

const signOut = async ({ browser, settled }: SignedIn) => {
  const answer = await browser.submit('/auth/signout')
  await settled()
  return answer
}

/** Is this browser signed out, and so is any copy of its cookie? */
async function expectSignedOut(set: SignedIn, cookie: string): Promise<void> {
  expect(set.browser.jar.has('auth.session-token')).toBe(false)
  const answer = await set.browser.get('/auth/session', { cookie })
  expect([answer.status, await answer.json()]).toEqual([200, null])
}

describe('a sign-out revokes at the provider', () => {
  it('the refresh token, after the session has ended here, with client authentication', async () => {
    const set = await revoking()
    const { browser, server, inner } = set
    const { cookie } = browser
    const { sid } = claimsIn(browser)
    let wasOver: boolean | undefined
    server.instead = () => {
      void inner.ledger.isRevoked(sid).then((isOver) => {
        wasOver = isOver
      })
      return new Response(null)
    }
    expect((await signOut(set)).status).toBe(302)
    expect(wasOver).toBe(true)
    const authorization = `Basic ${btoa('the-client-id:the-client-secret')}`
    const form = { token: 'the-refresh-token-1' }
    expect(server.seen).toMatchObject([{ endpoint: '/revoke', form, authorization }])
    await expectSignedOut(set, cookie)
    expect(set.errors).toEqual([])
  })

  it('the newest refresh token, if it was refreshed', async () => {
    const set = await revoking()
    pass(HOUR)
    await set.get()
    await signOut(set)
    expect(told(set)).toEqual(['the-refresh-token-2'])
  })

  it('the access token, if there is no other', async () => {
    const set = await revoking({
      account: ({ access_token }) => ({ access_token: `${access_token}` }),
    })
    await signOut(set)
    expect(told(set)).toEqual(['the-access-token-1'])
  })

  it('once, and for the session of the cookie, however old its token', async () => {
    const set = await revoking()
    const twin = copyOf(set.browser, set.config, { answer: set.browser.answer })
    pass(HOUR / 2)
    await signOut(set)
    await twin.submit('/auth/signout')
    await set.settled()
    expect(told(set)).toHaveLength(1)
  })
})

describe('a provider that fails: signed out here all the same, and a line in the log', () => {
  it.each<[string, () => Response | Promise<Response>, number]>([
    ['nothing', () => new Response(null), 0],
    ['an empty object', () => Response.json({}), 0],
    ['no JSON', () => new Response('OK'), 0],
    ['null', () => new Response('null'), 0],
    ['an error', () => Response.json({ error: 'invalid_client' }, { status: 401 }), 1],
    ['an error with status 200', () => Response.json({ error: 'unsupported_token_type' }), 1],
    ['status 500', () => new Response('the-refresh-token-1', { status: 500 }), 1],
    ['a redirect', () => Response.redirect('http://169.254.169.254/'), 1],
    ['no network', () => Promise.reject(new Error('the-refresh-token-1')), 1],
    ['5 MiB', () => new Response('x'.repeat(5 * 1024 * 1024)), 1],
  ])('%s', async (_, instead, lines) => {
    const set = await revoking()
    const { cookie } = set.browser
    set.server.instead = instead
    expect((await signOut(set)).status).toBe(302)
    await expectSignedOut(set, cookie)
    expect(set.errors.map((error) => error instanceof TokenRefreshFailed)).toEqual(
      Array(lines).fill(true),
    )
    expect(everythingIn(set.errors)).not.toMatch(/the-refresh-token|the-client-secret/)
  })

  it('no answer: the sign-out does not wait for it', async () => {
    takeTimers()
    const set = await revoking()
    const { cookie } = set.browser
    set.server.instead = () => new Promise(() => {})
    // No timer runs: a sign-out that waited would never answer.
    expect((await set.browser.submit('/auth/signout')).status).toBe(302)
    await expectSignedOut(set, cookie)
    await waitedFor(set.settled())
    expect(set.errors.map(({ name }) => name)).toEqual(['TokenRefreshFailed'])
  })

  it.each(['get', 'standing', 'refreshedTokens'] as const)(
    'a store that fails at %s does not prevent the sign-out either',
    async (name) => {
      const set = await revoking()
      const { cookie } = set.browser
      set.faults.set(name, fails)
      expect((await signOut(set)).status).toBe(302)
      set.faults.clear()
      await expectSignedOut(set, cookie)
      expect([told(set), set.errors.map((error) => error.name)]).toEqual([
        [],
        ['TokenRefreshFailed'],
      ])
    },
  )
})

describe('nothing is revoked at the provider', () => {
  it.each<[string, OAuthUserConfig]>([
    ['by default', { revokeOnSignOut: undefined as never }],
    ['if it is off', { revokeOnSignOut: false }],
    ['if it is anything but true', { revokeOnSignOut: 'false' as never }],
    ['if there is no endpoint', { revocation: undefined as never }],
  ])('%s', async (_, options) => {
    const set = await revoking(options)
    const { cookie } = set.browser
    await signOut(set)
    await expectSignedOut(set, cookie)
    expect([set.server.seen, set.errors]).toEqual([[], []])
  })

  it('when the session could not be ended here: 503, and the tokens stay valid', async () => {
    const set = await revoking()
    set.faults.set('revoke', fails)
    expect((await signOut(set)).status).toBe(503)
    expect(told(set)).toEqual([])
    expect(await set.get()).toMatchObject({ ok: true })
  })

  it('when another session takes its place', async () => {
    const set = await revoking()
    await set.browser.signIn('fake')
    await set.settled()
    expect(told(set)).toEqual([])
  })

  it('without the csrf token, and by opening the page', async () => {
    const set = await revoking()
    await set.browser.get('/auth/signout')
    await set.browser.post('/auth/signout', { csrfToken: 'x' })
    await set.settled()
    expect(told(set)).toEqual([])
    expect(await set.browser.session()).not.toBeNull()
  })

  it('when the provider has ended them itself', async () => {
    const set = await revoking()
    pass(HOUR)
    set.server.instead = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    expect(await set.get()).toMatchObject({ reason: 'sign-in-needed' })
    await signOut(set)
    expect(told(set)).toEqual([])
  })
})
