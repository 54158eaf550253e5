import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, locationOf } from '../../test-support/browser.js'
import { issuer, OPTIONS, oauthPeople, redirectUri } from '../../test-support/oauth-people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const PATH = '/auth/oauth/end-session'
const at = (parameters: Readonly<Record<string, string>>) =>
  `${PATH}?${new URLSearchParams(parameters)}`

const afterwards = { post_logout_redirect_uri: 'https://app.example/bye?a=b', state: 'the-state' }

/** A person, and the ID token that an app got in their session. */
async function signedIn(scope = 'openid') {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const { id_token: hint = '' } = await world.exchange((await world.letIn(ada, { scope })).code)
  return { world, ada, hint }
}

describe('an app signs a person out', () => {
  it('at once with an ID token of this very session, also an expired one', async () => {
    for (const wait of [0, 3_600]) {
      const { world, ada, hint } = await signedIn()
      pass(wait)
      const stolen = world.copyOf(ada)
      const answer = await ada.get(at({ id_token_hint: hint, ...afterwards }))
      expect(locationOf(answer)).toBe('https://app.example/bye?a=b&state=the-state')
      expect(await ada.session()).toBeNull()
      pass(301)
      expect(await stolen.session()).toBeNull()
    }
  })

  it('attack: by a link of anybody only after a page has asked', async () => {
    const { world, ada, hint } = await signedIn()
    const grace = await world.signIn('one', 'grace')
    const session = ada.jar.get('auth.session-token') ?? ''
    for (const [one, parameters] of [
      [ada, {}],
      [ada, { client_id: 'notes', ...afterwards }],
      [ada, { id_token_hint: `${hint}x` }],
      [ada, { id_token_hint: session }],
      // The hint names another app, and another person's session.
      [ada, { id_token_hint: hint, client_id: 'own' }],
      [grace, { id_token_hint: hint }],
    ] as const) {
      const answer = await one.get(at(parameters))
      expect([answer.status, locationOf(answer)]).toEqual([200, ''])
      expect(await answer.text()).toContain('Do you want to sign out?')
      expect(await one.session()).not.toBeNull()
    }
  })

  it('at once with the hint of an app that stays signed in', async () => {
    const offline = await signedIn('openid offline_access')
    expect((await offline.ada.get(at({ id_token_hint: offline.hint }))).status).toBe(302)
    expect(await offline.ada.session()).toBeNull()
  })

  it('by the form of that page, which goes on where the app asked', async () => {
    const { ada } = await signedIn()
    const page = await (await ada.get(at({ client_id: 'notes', ...afterwards }))).text()
    const fields = Object.fromEntries(
      [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
      ),
    )
    expect(Object.keys(fields)).toEqual(['csrfToken', 'client_id', ...Object.keys(afterwards)])
    const evil = { ...fields, csrfToken: 'x' }
    expect(locationOf(await ada.post(PATH, evil))).toContain('error=MissingCSRF')
    expect(await ada.session()).not.toBeNull()
    const to = 'https://app.example/bye?a=b&state=the-state'
    expect(locationOf(await ada.post(PATH, fields))).toBe(to)
    expect(await ada.session()).toBeNull()
    // The second of two clicks.
    expect(locationOf(await ada.post(PATH, fields))).toBe(to)
  })

  it('by a POST of its own, which is sent on to a GET, so that the session comes along', async () => {
    const { ada, hint } = await signedIn()
    const elsewhere = { origin: 'https://app.example', cookie: '' }
    const answer = await ada.post(PATH, { id_token_hint: hint, ...afterwards }, elsewhere)
    expect(answer.status).toBe(303)
    const next = new URL(locationOf(answer))
    expect(locationOf(await ada.get(next.pathname + next.search))).toContain('app.example/bye')
    expect(await ada.session()).toBeNull()
    const type = { 'content-type': 'application/json' }
    const json = await ada.send(PATH, { method: 'POST', body: '{}', headers: type })
    expect(json.status).toBe(415)
  })

  it('nobody signed in goes straight on', async () => {
    const { world } = await signedIn()
    const nobody = world.browser()
    expect(locationOf(await nobody.get(PATH))).toBe(`${issuer}/signin`)
    const answer = await nobody.get(at({ client_id: 'notes', ...afterwards }))
    expect(locationOf(answer)).toContain('app.example/bye')
  })

  it('HEAD and a prefetch sign nobody out', async () => {
    const { ada, hint } = await signedIn()
    const path = at({ id_token_hint: hint })
    expect((await ada.send(path, { method: 'HEAD' })).status).toBe(200)
    expect((await ada.get(path, { 'sec-purpose': 'prefetch' })).status).toBe(503)
    expect(await ada.session()).not.toBeNull()
  })

  it('ends what the session gave, and not what outlives it', async () => {
    const { world, ada, hint } = await signedIn()
    const { code } = await world.letIn(ada, { scope: 'openid offline_access' })
    const away = await world.exchange(code)
    const { sid } = claimsIn(ada)
    await ada.get(at({ id_token_hint: hint }))
    expect(await world.store.ledger.isRevoked(sid)).toBe(true)
    const refreshed = await world.exchange('', {
      grant_type: 'refresh_token',
      refresh_token: away.refresh_token ?? '',
    })
    expect(refreshed.status).toBe(200)
  })
})

describe('the address afterwards', () => {
  const apps = {
    notes: {
      redirectUris: [
        redirectUri,
        'http://127.0.0.1/cb',
        'com.example.notes:/cb',
        'http://localhost:3000/cb',
      ],
    },
  }

  it.each([
    'https://app.example/',
    'https://app.example/any/where?a=b',
    'http://127.0.0.1:49152/bye',
    'http://localhost:8080/',
  ])('may be %s: its origin is one of the app’s', async (uri) => {
    const nobody = oauthPeople({ ...OPTIONS, apps }).browser()
    const parameters = { client_id: 'notes', post_logout_redirect_uri: uri }
    expect(locationOf(await nobody.get(at(parameters)))).toBe(uri)
  })

  it.each([
    'https://evil.example/',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://app.example:8443/',
    'http://app.example/',
    'https://app.example\\@evil.example/',
    '//evil.example/',
    '/auth/signout',
    'javascript:alert(1)',
    'com.example.notes:/cb',
    'https://app.example/#/evil',
    'http://[::1]/',
    'https://localhost/',
    'data:text/html,evil',
  ])('attack: open redirect by post_logout_redirect_uri: %s is ignored', async (uri) => {
    const nobody = oauthPeople({ ...OPTIONS, apps }).browser()
    const parameters = { client_id: 'notes', post_logout_redirect_uri: uri, state: 's' }
    expect(locationOf(await nobody.get(at(parameters)))).toBe(`${issuer}/signin`)
  })

  it('may be a scheme of the app’s, to the letter, if the app shows a sign-in of its own', async () => {
    const cursor = 'cursor://anysphere/cb'
    const apps = {
      notes: { redirectUris: [redirectUri, 'com.example.notes:/cb', cursor] },
      other: { redirectUris: ['com.example.other:/cb'] },
    }
    const world = oauthPeople({ ...OPTIONS, apps: { ...OPTIONS.apps, ...apps } })
    const ada = await world.signIn('one', 'ada')
    const { code } = await world.letIn(ada, { scope: 'openid' })
    const { id_token: hint = '' } = await world.exchange(code)
    const nobody = world.browser()
    const to = async (uri: string, more: object) => {
      const parameters = { post_logout_redirect_uri: uri, state: 's', ...more }
      return locationOf(await nobody.get(at(parameters as Record<string, string>)))
    }
    for (const uri of ['com.example.notes:/cb', cursor]) {
      expect(await to(uri, { id_token_hint: hint })).toBe(`${uri}?state=s`)
      expect(await to(uri, { id_token_hint: hint, client_id: 'notes' })).toBe(`${uri}?state=s`)
      for (const more of [
        { client_id: 'notes' },
        { client_id: 'notes', id_token_hint: `${hint}x` },
        { client_id: 'other', id_token_hint: hint },
        {},
      ]) {
        expect(await to(uri, more)).toBe(`${issuer}/signin`)
      }
    }
    for (const uri of [
      ...['com.example.notes:/cb/x', 'com.example.notes:/', 'COM.example.notes:/cb'],
      ...['cursor://anysphere/cb?x', 'com.example.other:/cb', 'javascript:alert(1)'],
    ]) {
      expect(await to(uri, { id_token_hint: hint })).toBe(`${issuer}/signin`)
    }
    // In the session of the hint, it signs out and goes there.
    const answer = await ada.get(at({ id_token_hint: hint, post_logout_redirect_uri: cursor }))
    expect(locationOf(answer)).toBe(cursor)
    expect(await ada.session()).toBeNull()
  })

  it('attack: is ignored without an app, with one that nobody knows, and if it came twice', async () => {
    const { world, hint } = await signedIn()
    const nobody = world.browser()
    for (const parameters of [{}, { client_id: 'nobody' }, { id_token_hint: 'x.y.z' }]) {
      expect(locationOf(await nobody.get(at({ ...parameters, ...afterwards })))).toBe(
        `${issuer}/signin`,
      )
    }
    const twice = `${at({ client_id: 'notes', ...afterwards })}&post_logout_redirect_uri=https://app.example/`
    expect(locationOf(await nobody.get(twice))).toBe(`${issuer}/signin`)
    // An ID token names its app.
    const answer = await nobody.get(at({ id_token_hint: hint, ...afterwards }))
    expect(locationOf(answer)).toContain('app.example/bye')
  })

  it('has bounds', async () => {
    const answer = await oauthPeople()
      .browser()
      .get(at({ state: 's'.repeat(9_000) }))
    expect(answer.status).toBe(400)
  })
})
