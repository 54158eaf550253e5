import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { authjsCookies, OLD_SECRET } from '../../../../test/support/old-cookies.js'
import { authjs } from '../../migrate.js'
import { BindingBrowser, claimsOf, offerIn, site } from '../../test-support/binding-browser.js'
import { locationOf } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

function world(changes: Partial<AuthConfig> = {}) {
  const made = people({ boundSessions: true, ...changes })
  return { ...made, browser: () => new BindingBrowser(made.config) }
}

describe('the offer stands on the answer that begins a session, of whatever kind', () => {
  it('after a second factor, and not on the answer before it', async () => {
    const { browser } = world()
    const ada = browser()
    await ada.signIn('one', 'ada')
    const { app, codes } = await setUpFactor(ada)
    pass(30)
    for (const [query, code] of [
      ['', app.code()],
      ['?by=recovery', codes[0]],
    ]) {
      const other = browser()
      const first = await other.signIn('one', 'ada')
      expect([locationOf(first), offerIn(first)]).toEqual([`${site}/auth/factor`, undefined])
      const second = await other.submit(`/auth/factor${query}`, { code })
      expect([second.status, offerIn(second)?.path]).toEqual([302, '/auth/bound/register'])
      expect((await other.register(second)).status).toBe(200)
      expect(other.claims.amr).toContain('mfa')
      pass(30)
    }
    const scripted = browser()
    await scripted.signIn('one', 'ada')
    const json = { 'x-auth-return-redirect': '1' }
    const answer = await scripted.submit('/auth/factor', { code: app.code() }, json)
    expect([answer.status, offerIn(answer)?.path]).toEqual([200, '/auth/bound/register'])
  })

  it('by a link of a mail', async () => {
    const { ask, config, answer } = withMail(
      {},
      { boundSessions: true },
      { at: site, env: { AUTH_URL: `${site}/auth` } },
    )
    const ada = new BindingBrowser(config, { answer })
    const { answer: asked, path } = await ask('ada@example.com', ada)
    expect([asked.status, offerIn(asked)]).toEqual([302, undefined])
    const entered = await ada.get(path)
    expect(offerIn(entered)?.path).toBe('/auth/bound/register')
    expect((await ada.register(entered)).status).toBe(200)
  })

  it('on no answer that takes in the session of another library', async () => {
    const { config } = world({ migrateFrom: [authjs({ secret: OLD_SECRET, until: '2027-01-01' })] })
    const ada = new BindingBrowser(config)
    const secure = { secure: true, name: 'authjs.session-token' }
    for (const [name, value] of await authjsCookies(secure)) ada.jar.set(name, value)
    const answer = await ada.get('/auth/session')
    expect(await answer.json()).toMatchObject({ user: { name: 'Ada' } })
    expect([ada.token === undefined, offerIn(answer)]).toEqual([false, undefined])
  })
})

describe('a bound session', () => {
  it('keeps key, end and proof when a second factor is set up, also by the next proof of the key', async () => {
    const { browser } = world()
    const ada = browser()
    await ada.register(await ada.signIn('one', 'ada'))
    const { cnf, exp, sid } = ada.claims
    pass(60)
    await setUpFactor(ada)
    expect(ada.claims).toMatchObject({ cnf, exp, sid })
    expect(ada.claims.amr).toContain('mfa')
    pass(60)
    ada.jar.clear()
    expect((await ada.renew()).status).toBe(200)
    expect(ada.claims).toMatchObject({ cnf, sid })
    expect(ada.claims.amr).toContain('mfa')
  })

  it('of a cookie in parts names each of them, as many as there are now', async () => {
    let size = 7_000
    const session = ({ session }: { session: object }) => ({ ...session, long: 'x'.repeat(size) })
    const { browser } = world({ callbacks: { session } as never })
    const ada = browser()
    const names = async (answer: Response) => {
      const { credentials } = (await answer.json()) as { credentials: Record<string, string>[] }
      for (const { type, attributes } of credentials) {
        expect([type, attributes]).toEqual(['cookie', 'Path=/; HttpOnly; Secure; SameSite=Lax'])
      }
      return credentials.map(({ name }) => name)
    }
    const parts = [0, 1, 2].map((part) => `__Host-auth.session-token.${part}`)
    const answer = await ada.register(await ada.signIn('one', 'ada'))
    for (const line of answer.headers.getSetCookie()) expect(line).toContain('; Max-Age=290;')
    expect(await names(answer)).toEqual(parts)
    size = 10
    expect(await names(await ada.renew())).toEqual(['__Host-auth.session-token'])
    expect([...ada.jar.keys()].filter((name) => name.includes('session-token'))).toEqual([
      '__Host-auth.session-token',
    ])
    expect(await ada.session()).toMatchObject({ bound: true })
  })

  it('attack: a change of ways, an update or a page makes no token that outlives the one that came', async () => {
    const { browser, add } = world()
    const ada = browser()
    await ada.register(await ada.signIn('one', 'ada'))
    const { cnf, exp } = ada.claims
    const seen = new Set([ada.token])
    const look = (what: string) => {
      const claims = claimsOf(ada.token ?? '')
      expect([what, claims.cnf, claims.exp <= exp]).toEqual([what, cnf, true])
      seen.add(ada.token)
    }
    pass(30)
    await add(ada, 'two', 'ada2')
    look('another way')
    pass(30)
    await ada.submit('/auth/session', { data: 'x' })
    look('an update')
    await ada.submit('/auth/session', { refresh: 'true' })
    look('a refresh')
    for (const path of ['/auth/renew', '/auth/account', '/auth/session?online=1']) {
      pass(30)
      await ada.get(path)
      look(path)
    }
    expect(seen.size).toBeGreaterThan(1)
  })
})
