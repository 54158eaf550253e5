import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { kvSessionStore } from '../../stores/kv.js'
import { memoryStore } from '../../stores/memory.js'
import {
  BindingBrowser,
  bindingConfig,
  boundUnder,
  COOKIE,
  offerIn,
  site,
  thiefOf,
} from '../../test-support/binding-browser.js'
import { locationOf, secret } from '../../test-support/browser.js'
import { FakeKv } from '../../test-support/kv.js'
import { answerIn, authorizePath, errorIn, OPTIONS } from '../../test-support/oauth-people.js'
import { asStore } from '../../test-support/own-ledger.js'
import type { AuthConfig, LogEvent } from '../../types.js'
import { authorizationServer } from '../authorization-server/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

describe('attack', () => {
  it('a proof of a challenge that was given without a call, sent twice, counts once', async () => {
    const browser = await boundUnder(bindingConfig())
    expect((await browser.renew({ jti: 'made-up' })).status).toBe(403)
    const proof = await browser.proof()
    const send = () => browser.refresh({ 'secure-session-response': proof, cookie: '' })
    expect((await send()).status).toBe(200)
    for (const later of [0, 1, 100]) {
      pass(later)
      const again = await send()
      expect([again.status, again.headers.getSetCookie()]).toEqual([403, []])
    }
    expect((await browser.renew()).status).toBe(200)
  })

  it('a session of an erased person, which no list showed yet, proves its key after a rotation', async () => {
    const inner = { ...memoryStore(), sessions: kvSessionStore(new FakeKv().at('here')) }
    const config = bindingConfig({ store: asStore(inner) })
    const browser = await boundUnder(config)
    const { sub } = browser.claims
    await createAuth(config).deletePerson(sub)
    const later = { ...config, secret: ['a-new-secret-of-the-tests-0123456789', secret] }
    const after = new BindingBrowser(later)
    const { keys, identifier, challenge } = browser
    Object.assign(after, { keys, identifier, challenge })
    for (const [name, value] of browser.jar) after.jar.set(name, value)
    pass(301)
    await after.refresh()
    const answer = await after.renew()
    expect(await answer.json()).toEqual({ continue: false })
    expect(await after.session()).toBeNull()
  })

  it('a session that ended here lends its proof of the person to no bound one', async () => {
    const store = memoryStore()
    const config = bindingConfig({ store })
    const browser = new BindingBrowser(config)
    await browser.register(await browser.signInAs('ada'))
    pass(1_000)
    const other = new BindingBrowser(config)
    await other.signInAs('eve')
    const copy = thiefOf(other)
    await other.submit('/auth/signout')
    pass(1_000)
    const { auth_time, amr, sub } = browser.claims
    // Another isolate has not heard of an ending that is so old.
    const isolate = new BindingBrowser({ ...config })
    Object.assign(isolate, { identifier: browser.identifier, challenge: browser.challenge })
    isolate.keys = browser.keys
    await isolate.refresh({ cookie: '' })
    const answer = await isolate.renew({}, { cookie: copy.cookie })
    expect(answer.status).toBe(200)
    expect(isolate.claims).toMatchObject({ sub, auth_time, amr })
  })

  it('a challenge of one service registers nothing at another one', async () => {
    const store = memoryStore()
    const one = new BindingBrowser(bindingConfig({ store }))
    const offered = await one.signIn('fake')
    const config = bindingConfig({ store, basePath: '/staff/auth' })
    const staff = new BindingBrowser(config)
    const { challenge } = offerIn(offered) as { challenge: string }
    const there = new Response('', {
      headers: {
        'secure-session-registration': `(ES256 RS256);path="/staff/auth/bound/register";challenge="${challenge}"`,
      },
    })
    for (const cookie of ['', one.cookie]) {
      const answer = await staff.register(there, {}, { cookie })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
    }
    expect((await one.register(offered)).status).toBe(200)
  })

  it('a sign-out of a browser that could not renew just now is not said to have happened', async () => {
    const browser = await boundUnder(bindingConfig())
    browser.jar.delete(COOKIE)
    const skipped = 'quota_exceeded;session_identifier="lk.any"'
    const answer = await browser.submit('/auth/signout', {}, { 'secure-session-skipped': skipped })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.getSetCookie().join()).not.toContain(COOKIE)
    expect((await browser.renew()).status).toBe(200)
    expect((await browser.submit('/auth/signout')).status).toBe(302)
    expect((await browser.renew()).status).toBe(401)
  })

  it('where it is required, a copied cookie without a key opens nothing once its token has ended', async () => {
    let isRequired = true
    const required = () => isRequired
    const browser = new BindingBrowser(bindingConfig({ boundSessions: { required } }))
    await browser.signInAs('ada')
    const thief = thiefOf(browser)
    expect((await thief.get('/auth/sessions')).status).toBe(200)
    pass(24 * 60 * 60)
    expect((await thief.get('/auth/sessions')).status).toBe(401)
    isRequired = false
    expect((await thief.get('/auth/sessions')).status).toBe(200)
  })

  it('the cookie of the first second refreshes no claims after the first proof', async () => {
    const events: string[] = []
    const logger = { info: ({ event }: LogEvent) => void events.push(event), warn: () => {} }
    const browser = new BindingBrowser(bindingConfig({ logger }))
    const offered = await browser.signInAs('ada')
    const thief = thiefOf(browser)
    await browser.register(offered)
    const update = (one: BindingBrowser, csrfToken: string) =>
      one.send('/auth/session', {
        method: 'POST',
        headers: { ...one.own, 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken, refresh: true }),
      })
    const csrfToken = await thief.csrfToken()
    await browser.renew()
    expect(await (await update(thief, csrfToken)).json()).toBeNull()
    expect(events).not.toContain('claims-refreshed')
    await update(browser, await browser.csrfToken())
    expect(events).toContain('claims-refreshed')
  })

  it('the cookie of the first second ends no session after the first proof, and hears that nobody is signed in', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    const offered = await browser.signInAs('ada')
    const thief = thiefOf(browser)
    await browser.register(offered)
    await browser.renew()
    const other = new BindingBrowser(config)
    await other.signInAs('ada')
    const { sid } = browser.claims
    for (const later of [0, 24 * 60 * 60]) {
      pass(later)
      for (const session of ['others', 'all', sid, other.claims.sid]) {
        const before = thief.token
        const answer = await thief.submit('/auth/sessions/revoke', { session })
        expect(locationOf(answer)).toContain('/auth/signin')
        expect([session, thief.token]).toEqual([session, before])
        const csrfToken = await thief.csrfToken()
        const asked = await thief.send('/auth/sessions/revoke', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-auth-return-redirect': '1' },
          body: JSON.stringify({ csrfToken, session }),
        })
        expect([asked.status, await asked.json()]).toEqual([401, { error: 'SignedOut' }])
      }
      expect(await other.session()).not.toBeNull()
    }
    expect((await browser.renew()).status).toBe(403)
    expect((await browser.renew()).status).toBe(200)
    expect((await browser.submit('/auth/sessions/revoke', { session: 'others' })).status).toBe(302)
    expect(await other.session()).toBeNull()
  })

  it('where it is required, a copied cookie without a key ends no session once its token has ended', async () => {
    const config = bindingConfig({ boundSessions: { required: true } })
    const browser = new BindingBrowser(config)
    await browser.signInAs('ada')
    const thief = thiefOf(browser)
    pass(24 * 60 * 60)
    const other = new BindingBrowser(config)
    await other.register(await other.signInAs('ada'))
    const answer = await thief.submit('/auth/sessions/revoke', { session: 'all' })
    expect(locationOf(answer)).toContain('/auth/signin')
    expect(await other.session()).not.toBeNull()
  })

  describe("at the provider's API", () => {
    function world(changes: Partial<AuthConfig> = {}) {
      const config = bindingConfig(changes)
      const auth = createAuth(config)
      const browser = new BindingBrowser(config, { answer: async (request) => auth.fetch(request) })
      const tokenOf = ({ cookie }: BindingBrowser) =>
        auth.getAccessToken(new Request(site, { headers: { cookie } }))
      return { browser, tokenOf }
    }
    const signedOut = { ok: false, reason: 'signed-out' }

    it('the cookie of the first second gets no access token after the first proof', async () => {
      const { browser, tokenOf } = world()
      const offered = await browser.signIn('fake')
      const thief = thiefOf(browser)
      await browser.register(offered)
      expect(await tokenOf(thief)).toMatchObject({ ok: true })
      await browser.renew()
      for (const later of [0, 24 * 60 * 60]) {
        pass(later)
        expect(await tokenOf(thief)).toEqual(signedOut)
      }
      expect(await tokenOf(browser)).toEqual(signedOut)
      await browser.renew()
      await browser.renew()
      expect(await tokenOf(browser)).toMatchObject({ ok: true })
    })

    it('a copied cookie without a key gets no access token where sessions are bound, once its token has ended', async () => {
      let isRequired = true
      const { browser, tokenOf } = world({ boundSessions: { required: () => isRequired } })
      await browser.signIn('fake')
      const thief = thiefOf(browser)
      expect(await tokenOf(thief)).toMatchObject({ ok: true })
      pass(24 * 60 * 60)
      expect(await tokenOf(thief)).toEqual(signedOut)
      isRequired = false
      expect(await tokenOf(thief)).toMatchObject({ ok: true })
    })
  })

  it('the key of a session that a callback ends is not kept', async () => {
    const store = memoryStore()
    let isGone = false
    const jwt = ({ token }: { token: object }) => (isGone ? null : token)
    const browser = await boundUnder(bindingConfig({ store, callbacks: { jwt } as never }))
    const { sid } = browser.claims
    isGone = true
    expect((await browser.renew()).status).toBe(401)
    expect((await store.ledger.document(`bound\n${sid}`))?.content).toBeUndefined()
  })

  it('a browser that comes back after the limit of all sessions does not ask for ever', async () => {
    const session = { maxAge: 3_600, absoluteMaxAge: 3_600 }
    const config = bindingConfig({ session })
    const browser = await boundUnder(config)
    expect(browser.identifier?.length).toBeLessThanOrEqual(256)
    pass(3_599)
    expect((await browser.refresh()).status).toBe(403)
    for (const later of [1, 7 * 24 * 60 * 60]) {
      pass(later)
      const answer = await browser.renew({}, { cookie: '' })
      expect([answer.status, await answer.json()]).toEqual([401, { continue: false }])
    }
  })
})

describe('attack: at the authorization server', () => {
  const options = { ...OPTIONS, apps: { ...OPTIONS.apps } }
  const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }

  function world(changes: Partial<AuthConfig> = {}) {
    const config = bindingConfig({ features: [authorizationServer(options)], ...changes })
    return { config, browser: new BindingBrowser(config) }
  }

  it('the cookie of the first second gets no code after the first proof, once its token has ended', async () => {
    const { browser } = world()
    const offered = await browser.signInAs('ada')
    const thief = thiefOf(browser)
    await browser.register(offered)
    await browser.renew()
    pass(24 * 60 * 60)
    for (const scope of ['openid', 'offline_access']) {
      const answer = await thief.get(authorizePath({ ...own, scope }))
      expect(locationOf(answer)).toContain('/auth/signin')
      expect(errorIn(await thief.get(authorizePath({ ...own, scope, prompt: 'none' })))).toBe(
        'login_required',
      )
    }
  })

  it('a copied cookie without a key gets no code where sessions are bound, once its token has ended', async () => {
    const { browser } = world({ boundSessions: { required: true } })
    await browser.signInAs('ada')
    const thief = thiefOf(browser)
    expect(answerIn(await thief.get(authorizePath(own)))).toHaveProperty('code')
    pass(24 * 60 * 60)
    expect(locationOf(await thief.get(authorizePath(own)))).toContain('/auth/signin')
  })

  it('an app that asks about a browser that could not renew just now does not hear that nobody is signed in', async () => {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error), warn: () => {} }
    const { browser } = world({ logger })
    await browser.signInBound()
    browser.jar.delete(COOKIE)
    const away = { 'secure-session-skipped': 'unreachable;session_identifier="lk.any"' }
    const silent = await browser.get(authorizePath({ ...own, prompt: 'none' }), away)
    expect(errorIn(silent)).toBe('temporarily_unavailable')
    const page = await browser.get('/auth/oauth/end-session?client_id=own', away)
    expect(page.status).toBe(503)
    expect(locationOf(await browser.get(authorizePath(own), away))).toContain('/auth/signin')
    expect(errors).toEqual([])
  })
})
