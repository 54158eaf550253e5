import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn } from '../../test-support/browser.js'
import { connected, way } from '../../test-support/connected.js'
import { signedInWithTokens, type TokenServer, unseal } from '../../test-support/tokens.js'

const HOUR = 60 * 60

const { pass } = clock()

const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

const revokedAt = ({ seen }: TokenServer) =>
  seen.flatMap(({ endpoint, form }) => (endpoint === '/revoke' ? form.token : []))

describe('a session that began with a way whose connection is kept', () => {
  it('has no tokens of its own: the connection is asked, and refreshed once for both', async () => {
    const { ask, get, isolate, signIn, inner, server } = await connected()
    const browser = await signIn()
    expect(await ask(browser)).toEqual(given(2))
    const { sid } = claimsIn(browser)
    const record = await inner.sessions.get(way.sub, sid)
    expect((await unseal(record?.sealed)).tokens).toEqual({ version: 0, connected: true })
    pass(HOUR)
    const asked = [ask(browser), get(), isolate().ask(browser, 'fake'), isolate().get()]
    expect(await Promise.all(asked)).toEqual(Array(4).fill(given(3)))
    expect(server.used).toEqual([refreshToken(2)])
    expect(await inner.ledger.refreshedTokens(sid)).toBeUndefined()
  })

  it('signs out without revoking what jobs go on with, also if revokeOnSignOut is set', async () => {
    const { ask, get, signIn, server, settled } = await connected(
      {},
      { options: { revokeOnSignOut: true } },
    )
    const browser = await signIn()
    const { cookie } = browser
    expect((await browser.submit('/auth/signout')).status).toBe(302)
    await settled()
    expect(revokedAt(server)).toEqual([])
    browser.jar.set('auth.session-token', cookie.split('=')[1] ?? '')
    expect(await ask(browser)).toEqual(none('signed-out'))
    pass(HOUR)
    expect(await get()).toEqual(given(3))
  })

  it('gets no token after a disconnect, and one again when its person signs in', async () => {
    const { ask, disconnect, signIn } = await connected()
    const browser = await signIn()
    await disconnect()
    for (const provider of [undefined, 'fake']) {
      expect(await ask(browser, provider)).toEqual(none('no-token'))
    }
    await signIn()
    expect(await ask(browser)).toEqual(given(3))
  })

  it('gives no token of another person, and none for a provider that is not one of their ways', async () => {
    const { ask, hasWays, signIn } = await connected()
    const browser = await signIn()
    for (const provider of ['another', '', 'constructor']) {
      expect(await ask(browser, provider)).toEqual(none('no-token'))
    }
    await hasWays({ ...way, provider: 'another' })
    expect(await ask(browser)).toEqual(none('no-token'))
  })

  it('keeps its tokens to itself if the way was removed while it began', async () => {
    const { ask, get, hasWays, kept, signIn } = await connected()
    await hasWays()
    const browser = await signIn()
    expect(await kept()).toBeNull()
    expect([await ask(browser), await get()]).toEqual([given(2), none('no-token')])
  })

  it('does not begin if the ledger does not take its tokens', async () => {
    const { faults, inner, signIn } = await connected()
    faults.set('changeDocument', () => Promise.reject(new Error('down')))
    await expect(signIn()).rejects.toThrow('Could not')
    expect(await inner.sessions.list(way.sub)).toEqual([])
  })
})

describe('a person with only one way', () => {
  it('has its token with the session, by any name of it, and none without it', async () => {
    const { auth, browser, get, calls } = await signedInWithTokens()
    const { sub } = claimsIn(browser)
    const headers = { cookie: browser.cookie }
    const ask = (provider: string) =>
      auth.getAccessToken(new Request('http://localhost:8787', { headers }), {}, undefined, {
        provider,
      })
    expect(await get()).toEqual(given(1))
    expect(calls.map(({ name }) => name)).not.toContain('document')
    expect([await ask('fake'), await ask('another')]).toEqual([given(1), none('no-token')])
    expect(await auth.getAccessTokenOf(sub, 'fake')).toEqual(none('no-token'))
    await auth.disconnect(sub, 'fake')
    expect(await get()).toEqual(given(1))
    expect(calls.map(({ name }) => name)).not.toContain('changeDocument')
  })
})
