import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf, locationOf } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import {
  answerIn,
  backFrom,
  errorIn,
  issuer,
  OPTIONS,
  oauthPeople,
  redirectUri,
  requestOn,
  resource,
} from '../../test-support/oauth-people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const web = { client_id: 'web', redirect_uri: 'https://web.example/cb?tenant=a%20b' }
const local = { redirect_uri: 'http://127.0.0.1:49152/cb' }

/** Somebody with a session, and the page that asks them. */
async function asked(fields: Parameters<ReturnType<typeof oauthPeople>['authorize']>[1] = {}) {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const answer = await world.authorize(ada, fields)
  return { world, ada, answer, page: await answer.clone().text() }
}

describe('the page that asks', () => {
  it('names the app, the host and what each scope allows, in one form with two buttons', async () => {
    const { answer, page } = await asked({
      scope: 'openid profile email offline_access notes:read',
    })
    expect(answer.status).toBe(200)
    expect(page).toContain('Allow \u2068Notes\u2069 to use your account?')
    expect(page).toContain('You then go to <strong dir="ltr">app.example</strong>.')
    const may = [...page.matchAll(/<li>([^<]*)<\/li>/g)].map(([, text]) => text)
    expect(may).toEqual([
      ...['Recognize you', 'See your name and picture', 'See your email address'],
      ...['Keep access until you end it', 'Read your notes'],
    ])
    expect(page.match(/<form /g)).toHaveLength(1)
    expect(page.match(/name="decision" value="(allow|deny)"/g)).toHaveLength(2)
    expect(page).not.toContain('<script')
  })

  it('attack: clickjacking: no page can frame it, and its form leads to this origin alone', async () => {
    const { answer, page } = await asked()
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    // The app's callback may redirect to anywhere, and browsers judge all of that by the form's policy.
    expect(answer.headers.get('content-security-policy')).not.toContain('form-action')
    expect([...page.matchAll(/ (?:form)?action="([^"]*)"/g)].map(([, to]) => to)).toEqual([
      '/auth/oauth/consent',
    ])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  it.each([
    [local, '127.0.0.1:49152'],
    [{ redirect_uri: 'com.example.notes:/cb' }, 'com.example.notes'],
    [web, 'web.example'],
  ])('says where the browser goes with %j', async (fields, host) => {
    const { page } = await asked(fields)
    expect(page).toContain(`<strong dir="ltr">${host}</strong>`)
    expect(page.includes('Only allow this if you started the app on this device')).toBe(
      'redirect_uri' in fields && fields !== web,
    )
  })

  it('attack: names of apps and texts of scopes are text', async () => {
    const evil = '"><script>alert(1)</script>'
    const resources = { 'https://api.example/': { scopes: { evil: `${evil} notes` } } }
    const world = oauthPeople({
      apps: { evil: { name: evil, redirectUris: [redirectUri] } },
      resources,
    })
    const ada = await world.signIn('one', 'ada')
    const page = await (await world.authorize(ada, { client_id: 'evil', scope: 'evil' })).text()
    expect(page).not.toContain('<script>')
    expect(page.match(/&lt;script&gt;/g)?.length).toBeGreaterThanOrEqual(3)
  })
})

describe('a decision', () => {
  it('to allow gives a code, and another one if the form is sent again', async () => {
    const { world, ada, page } = await asked()
    const fields = { request: requestOn(page), decision: 'allow' }
    const answers = [1, 2].map(() => ada.submit('/auth/oauth/consent', fields))
    const codes = (await Promise.all(answers)).map((one) => answerIn(one))
    for (const one of codes) expect(one).toMatchObject({ state: 'the-state', iss: issuer })
    expect((await world.exchange(codes[0]?.code)).status).toBe(200)
    expect((await world.exchange(codes[1]?.code)).status).toBe(200)
  })

  it('to deny gives none, and remembers nothing', async () => {
    const { world, ada, answer } = await asked()
    const { error_description, ...denied } = answerIn(await world.decide(ada, answer, 'deny'))
    expect(denied).toEqual({ error: 'access_denied', state: 'the-state', iss: issuer })
    expect((await world.authorize(ada)).status).toBe(200)
  })

  it('costs two calls at most, and is neither of two unknown ones', async () => {
    const { world, ada, page } = await asked()
    const csrfToken = await ada.csrfToken()
    world.calls.length = 0
    const fields = { csrfToken, request: requestOn(page), decision: 'allow' }
    expect(answerIn(await ada.post('/auth/oauth/consent', fields)).code).toBeDefined()
    expect(world.calls.map(({ name }) => name)).toEqual(['liveDocument'])
    for (const decision of ['', 'yes']) {
      const answer = await ada.submit('/auth/oauth/consent', { ...fields, decision })
      expect([answer.status, locationOf(answer)]).toEqual([400, ''])
    }
  })

  it('attack: login CSRF: a form of another site, or without the token, decides nothing', async () => {
    const { ada, page } = await asked()
    const fields = { request: requestOn(page), decision: 'allow' }
    const without = await ada.post('/auth/oauth/consent', fields)
    expect(errorOf(without)).toBe('/auth/signin MissingCSRF')
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const elsewhere = await ada.submit('/auth/oauth/consent', fields, evil)
    expect(errorOf(elsewhere)).toBe('/auth/signin MissingCSRF')
  })

  it('attack: consent of another session: a request that somebody else was asked gives no code', async () => {
    const { world, ada, page } = await asked()
    const [grace, later] = [await world.signIn('one', 'grace'), await world.signIn('one', 'ada')]
    for (const one of [grace, later, world.browser()]) {
      const fields = { request: requestOn(page), decision: 'allow' }
      const answer = await one.submit('/auth/oauth/consent', fields)
      expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    }
    const fields = { request: requestOn(page), decision: 'allow' }
    expect(answerIn(await ada.submit('/auth/oauth/consent', fields)).code).toBeDefined()
  })

  it('attack: an altered, made-up or old request gives no code', async () => {
    const { ada, page } = await asked()
    const request = requestOn(page)
    const altered = `${request.slice(0, -1)}${request.endsWith('A') ? 'B' : 'A'}`
    const csrf = ada.jar.get('auth.csrf-token') ?? ''
    for (const one of [altered, 'x', '', csrf]) {
      const answer = await ada.submit('/auth/oauth/consent', { request: one, decision: 'allow' })
      expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    }
    pass(601)
    const late = await ada.submit('/auth/oauth/consent', { request, decision: 'allow' })
    expect(errorOf(late)).toBe('/auth/signin InvalidCheck')
  })

  it('attack: a session that ended elsewhere gives no code: the ledger decides', async () => {
    for (const fields of [{}, local]) {
      const { world, ada, page } = await asked(fields)
      const csrfToken = await ada.csrfToken()
      const { sub } = claimsIn(ada)
      pass(1)
      await createAuth(world.config).endSessions({ sub }, {})
      const form = { csrfToken, request: requestOn(page), decision: 'allow' }
      const answer = await ada.post('/auth/oauth/consent', form)
      expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
      // They may sign in again, and come back to the request.
      expect(backFrom(answer)).toContain('/auth/oauth/authorize?')
    }
  })

  it('for an app that is no longer configured gives no code', async () => {
    const { world, ada, page } = await asked()
    const { notes: _, ...apps } = OPTIONS.apps
    const other = oauthPeople({ ...OPTIONS, apps }, { store: world.store })
    const moved = other.browser()
    for (const [name, value] of ada.jar) moved.jar.set(name, value)
    const fields = { request: requestOn(page), decision: 'allow' }
    expect(errorOf(await moved.submit('/auth/oauth/consent', fields))).toBe(
      '/auth/signin InvalidCheck',
    )
  })

  it('attack: allows what the person has read, and no scope that a deployment has added since', async () => {
    const scope = 'openid notes:read notes:delete'
    const { world, ada, page } = await asked({ scope })
    const [[uri, { scopes }] = ['', { scopes: {} }]] = Object.entries(OPTIONS.resources)
    const more = { [uri]: { scopes: { ...scopes, 'notes:delete': 'Delete your notes' } } }
    const other = oauthPeople({ ...OPTIONS, resources: more }, { store: world.store })
    const moved = other.browser()
    for (const [name, value] of ada.jar) moved.jar.set(name, value)
    const fields = { request: requestOn(page), decision: 'allow' }
    const { code } = answerIn(await moved.submit('/auth/oauth/consent', fields))
    expect((await other.open(code))?.scopes).toEqual(['openid', 'notes:read'])
    expect((await other.authorize(moved, { scope })).status).toBe(200)
    // With another resource it is another question.
    const { own: _, ...apps } = OPTIONS.apps
    const none = oauthPeople({ apps, resources: {} }, { store: world.store })
    const elsewhere = none.browser()
    for (const [name, value] of ada.jar) elsewhere.jar.set(name, value)
    const answer = await elsewhere.submit('/auth/oauth/consent', fields)
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
  })

  it('that a store fails to keep can be sent again', async () => {
    const { world, ada, page } = await asked()
    const fields = { request: requestOn(page), decision: 'allow' }
    world.faults.set('liveDocument', fails)
    expect((await ada.submit('/auth/oauth/consent', fields)).status).toBe(503)
    world.faults.delete('liveDocument')
    expect(answerIn(await ada.submit('/auth/oauth/consent', fields)).code).toBeDefined()
  })
})

describe('the page is left out', () => {
  it('where the person has let this app have these scopes of this resource', async () => {
    const { world, ada, answer } = await asked({ scope: 'openid notes:read' })
    await world.decide(ada, answer)
    for (const scope of ['openid notes:read', 'notes:read', undefined]) {
      expect(answerIn(await world.authorize(ada, { scope })).code).toBeDefined()
    }
    expect((await world.authorize(ada, { scope: 'notes:read notes:write' })).status).toBe(200)
    expect((await world.authorize(ada, { resource: issuer, scope: 'openid' })).status).toBe(200)
    expect((await world.authorize(ada, web)).status).toBe(200)
    const grace = await world.signIn('one', 'grace')
    expect((await world.authorize(grace)).status).toBe(200)
  })

  it('scopes of several consents count together, in every session of the person', async () => {
    const { world, ada, answer } = await asked({ scope: 'openid' })
    await world.decide(ada, answer)
    await world.letIn(ada, { scope: 'notes:read' })
    const elsewhere = await world.signIn('one', 'ada')
    const scope = 'openid notes:read'
    expect(answerIn(await world.authorize(elsewhere, { scope })).code).toBeDefined()
  })

  it('never with prompt=consent', async () => {
    const { world, ada, answer } = await asked()
    await world.decide(ada, answer)
    expect((await world.authorize(ada, { prompt: 'consent' })).status).toBe(200)
    const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
    expect((await world.authorize(ada, { ...own, prompt: 'consent' })).status).toBe(200)
    expect(answerIn(await world.authorize(ada, own)).code).toBeDefined()
  })

  it('attack: never for a scheme without a dot, which nobody owns, whatever the app', async () => {
    const redirect_uri = 'cursor://anysphere/cb'
    const secret = 'the-secret-of-a-confidential-app-0123'
    const rest = { redirectUris: [redirect_uri], resources: { [resource]: true as const } }
    const apps = {
      editor: rest,
      own: { ...rest, firstParty: true },
      server: { ...rest, firstParty: true, secret },
    }
    const world = oauthPeople({ ...OPTIONS, apps })
    const ada = await world.signIn('one', 'ada')
    for (const client_id of ['editor', 'own', 'server']) {
      const page = await world.authorize(ada, { client_id, redirect_uri })
      expect(await page.clone().text()).toContain('<strong dir="ltr">cursor</strong>')
      expect(locationOf(await world.decide(ada, page))).toMatch(/^cursor:\/\/anysphere\/cb\?code=/)
      expect((await world.authorize(ada, { client_id, redirect_uri })).status).toBe(200)
      const silent = await world.authorize(ada, { client_id, redirect_uri, prompt: 'none' })
      expect(locationOf(silent)).toContain('error=consent_required')
    }
  })

  it('never for a public app on the person’s device, whose place any other one may take (RFC 8252, 8.6)', async () => {
    const uris = ['http://127.0.0.1/cb', 'com.example.notes:/cb']
    const apps = {
      cli: { redirectUris: uris, firstParty: true },
      server: {
        redirectUris: uris,
        firstParty: true,
        secret: 'the-secret-of-a-confidential-app-0123',
      },
    }
    const world = oauthPeople({ ...OPTIONS, apps })
    const ada = await world.signIn('one', 'ada')
    for (const redirect_uri of ['http://127.0.0.1:7777/cb', 'com.example.notes:/cb']) {
      const public_ = { client_id: 'cli', redirect_uri }
      await world.letIn(ada, public_)
      expect((await world.authorize(ada, public_)).status).toBe(200)
      expect(errorIn(await world.authorize(ada, { ...public_, client_id: 'server' }))).toContain(
        'code=',
      )
    }
  })
})
