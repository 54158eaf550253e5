import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import credentials from '../../providers/credentials.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

function passwords(changes: Partial<AuthConfig> = {}) {
  const authorize = ({ username, password }: Record<string, unknown>) =>
    password === 'right' ? { id: String(username), name: String(username) } : null
  return people({ providers: [credentials({ authorize })], ...changes })
}

const enter = (one: Browser, username: string, fields = {}) =>
  one.submit('/auth/callback/credentials', {
    username,
    password: 'right',
    callbackUrl: '/keys',
    ...fields,
  })

describe('a step-up to two factors', () => {
  it('attack: one factor does not give a step-up to two: nothing changes until the code is there', async () => {
    const { browser } = passwords()
    const ada = browser()
    await enter(ada, 'ada')
    const { app } = await setUpFactor(ada)
    pass(400)
    const other = browser()
    await enter(other, 'ada')
    await other.submit('/auth/factor', { code: app.code() })
    const before = claimsIn(other)
    expect(before.amr).toEqual(['credentials', 'otp', 'mfa'])
    pass(400)
    const first = await enter(other, 'ada', { maxAge: '300', acr: '2' })
    expect(locationOf(first)).toBe(`${origin}/auth/factor`)
    expect(claimsIn(other)).toEqual(before)
    const page = await (await other.get('/auth/factor')).text()
    expect(page).toContain('name="acr" value="2"')
    const second = await other.submit('/auth/factor', { code: app.code() })
    expect(locationOf(second)).toBe(`${origin}/keys`)
    const after = claimsIn(other)
    expect(after).toMatchObject({ sid: before.sid, sexp: before.sexp, amr: before.amr })
    expect(after.auth_time).toBe(before.auth_time + 400)
  })

  it('has a user without a factor set one up, and the same session goes on', async () => {
    const { browser } = passwords()
    const ada = browser()
    await enter(ada, 'ada')
    const before = claimsIn(ada)
    expect(before.amr).toEqual(['credentials'])
    const first = await enter(ada, 'ada', { acr: '2' })
    expect(locationOf(first)).toBe(`${origin}/auth/factor/setup`)
    expect(claimsIn(ada)).toEqual(before)
    const { page } = await setUpFactor(ada)
    expect(page).toContain(`href="${origin}/keys"`)
    expect(claimsIn(ada)).toMatchObject({ sid: before.sid, amr: ['credentials', 'otp', 'mfa'] })
  })

  it('asks for no factor if the page does not ask for two', async () => {
    const { browser } = passwords()
    const ada = browser()
    await enter(ada, 'ada')
    expect(locationOf(await enter(ada, 'ada', { maxAge: '60', acr: '1' }))).toBe(`${origin}/keys`)
    expect(claimsIn(ada).amr).toEqual(['credentials'])
  })

  it('attack: a link that asks for two makes no user set one up who only signs in', async () => {
    const { browser } = passwords()
    const ada = browser()
    expect(locationOf(await enter(ada, 'ada', { acr: '2' }))).toBe(`${origin}/keys`)
    expect(claimsIn(ada).amr).toEqual(['credentials'])
  })

  it('attack: another person’s two factors take no session over', async () => {
    const { browser } = passwords()
    const eve = browser()
    await enter(eve, 'eve')
    const { app } = await setUpFactor(eve)
    const ada = browser()
    await enter(ada, 'ada')
    const before = claimsIn(ada)
    pass(30)
    const answer = await enter(ada, 'eve', { acr: '2' })
    expect(errorOf(answer)).toMatch(/AccessDenied/)
    expect(errorOf(await ada.submit('/auth/factor', { code: app.code() }))).toBe(
      '/auth/signin InvalidCheck',
    )
    expect(claimsIn(ada)).toEqual(before)
  })

  it('attack: it is completed after the session that asked has ended, or in another one', async () => {
    const { browser } = passwords()
    const ada = browser()
    await enter(ada, 'ada')
    const { app } = await setUpFactor(ada)
    pass(30)
    const first = await enter(ada, 'ada', { acr: '2' })
    expect(locationOf(first)).toBe(`${origin}/auth/factor`)
    const kept = new Map(ada.jar)
    await ada.submit('/auth/signout')
    for (const [name, value] of kept) if (name.includes('flow')) ada.jar.set(name, value)
    const answer = await ada.submit('/auth/factor', { code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    expect(await ada.session()).toBeNull()
  })

  it('a session from before the set-up proves itself with two factors, and may then change them', async () => {
    const { browser } = passwords()
    const old = browser()
    await enter(old, 'ada')
    const ada = browser()
    await enter(ada, 'ada')
    const { app } = await setUpFactor(ada)
    const refused = await old.submit('/auth/factor/remove')
    const page = new URL(locationOf(refused))
    expect([page.pathname, page.searchParams.get('acr')]).toEqual(['/auth/signin', '2'])
    expect((await old.get(page.pathname + page.search)).status).toBe(200)
    pass(30)
    await enter(old, 'ada', { maxAge: '300', acr: '2' })
    await old.submit('/auth/factor', { code: app.code() })
    expect(errorOf(await old.submit('/auth/factor/remove'))).toBe('/auth/account')
    const again = browser()
    expect(locationOf(await enter(again, 'ada'))).toBe(`${origin}/keys`)
  })
})
