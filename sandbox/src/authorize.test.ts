import { describe, expect, it } from 'vitest'
import { defaultClient } from './clients.js'
import { challengeOf } from './digest.js'
import { authorizeUrl, codeOf, decide, redirectUri, sandboxAt, verifier } from './test-support.js'

const { sandbox } = sandboxAt()

describe('authorize: refused on a page, never redirected', () => {
  it.each([
    ['no client_key', { client_key: undefined }, 'client_key is missing'],
    [
      'client_id instead of client_key',
      { client_key: undefined, client_id: 'sandbox-client-key' },
      'not called client_id',
    ],
    ['client_key=undefined from a missing variable', { client_key: 'undefined' }, 'did not find'],
    ['an unknown client_key', { client_key: 'nobody' }, 'not registered'],
    ['no redirect_uri', { redirect_uri: undefined }, 'redirect_uri is missing'],
    ['another path', { redirect_uri: `${redirectUri}/` }, 'character by character'],
    ['another host', { redirect_uri: 'https://evil.example/' }, 'character by character'],
    ['another case', { redirect_uri: redirectUri.toUpperCase() }, 'character by character'],
    ['a query added', { redirect_uri: `${redirectUri}?next=/` }, 'character by character'],
    ['no state', { state: undefined }, 'state is missing'],
    ['an empty state', { state: '' }, 'state is missing'],
    ['the client secret in the URL', { client_secret: 'x' }, 'client_secret must never'],
  ])('%s', async (_, changes, words) => {
    const url = await authorizeUrl(changes)
    for (const response of [await sandbox.request(url), await decide(sandbox, url)]) {
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
      expect(await response.text()).toContain(words)
    }
  })

  it('says where redirect URIs are registered', async () => {
    const url = await authorizeUrl({ redirect_uri: 'http://localhost:3000/auth/callback/videoapp' })
    const page = await (await sandbox.request(url)).text()
    expect(page).toMatch(
      /npm run sandbox -- http:.*npm start .* AUTH_TRUSTED_ORIGINS\..*SANDBOX_REDIRECT_URIS/,
    )
  })

  it('a parameter given twice', async () => {
    const response = await sandbox.request(`${await authorizeUrl()}&state=other`)
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  it('hostile text is escaped', async () => {
    const response = await sandbox.request(await authorizeUrl({ client_key: '<script>1</script>' }))
    expect(await response.text()).not.toContain('<script')
  })
})

describe('authorize: refused by redirect, with the state', () => {
  it.each([
    ['response_type', { response_type: 'token' }, 'unsupported_response_type', 'code'],
    ['no scope', { scope: undefined }, 'invalid_scope', 'missing'],
    [
      'scopes separated by spaces',
      { scope: 'user.info.basic user.info.profile' },
      'invalid_scope',
      'commas',
    ],
    [
      'scopes separated by comma and space',
      { scope: 'user.info.basic, user.info.stats' },
      'invalid_scope',
      'commas',
    ],
    ['an unknown scope', { scope: 'user.info.basic,email' }, 'invalid_scope', 'email'],
    ['a trailing comma', { scope: 'user.info.basic,' }, 'invalid_scope', 'unknown'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request', 'code_challenge'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request', 'S256'],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request', 'S256'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request', 'base64url'],
  ])('%s', async (_, changes, error, words) => {
    const state = 'a&b=c d+é'
    const response = await sandbox.request(await authorizeUrl({ ...changes, state }))
    expect(response.status).toBe(302)
    const location = new URL(response.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(redirectUri)
    expect(location.searchParams.get('error')).toBe(error)
    expect(location.searchParams.get('error_description')).toContain(words)
    expect(location.searchParams.get('state')).toBe(state)
    expect(location.searchParams.has('code')).toBe(false)
  })

  it('demands the challenge in the encoding that the client registered', async () => {
    const { sandbox: desktop } = sandboxAt({ clients: [{ ...defaultClient, challenge: 'hex' }] })
    const hex = await authorizeUrl({ code_challenge: await challengeOf(verifier, 'hex') })
    expect((await desktop.request(hex)).status).toBe(200)
    expect((await desktop.request(await authorizeUrl())).status).toBe(302)
    expect((await sandbox.request(hex)).status).toBe(302)
  })
})

describe('consent page', () => {
  it('offers people, scopes and two buttons, under a strict policy', async () => {
    const response = await sandbox.request(await authorizeUrl({ client_id: 'sandbox-client-key' }))
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const page = await response.text()
    expect(page).toMatch(/^<!doctype html><html lang="en">/i)
    expect(page).not.toMatch(/<script| style=| on\w+=/)
    expect(page).toContain('value="allow"')
    expect(page).toContain('value="cancel"')
    expect(page.match(/type="radio"/g)).toHaveLength(6)
    expect(page.match(/type="checkbox"/g)).toHaveLength(3)
    expect(page.match(/ disabled/g)).toHaveLength(1)
    expect(page).toContain('victim@example.com')
    expect(page).toContain('Zoë 🌈 李明')
    expect(page).toContain('Tess &lt;b&gt;Bold&lt;/b&gt; &amp; &quot;Co&quot;')
  })

  it('shows only the scopes that were asked for', async () => {
    const response = await sandbox.request(await authorizeUrl({ scope: 'user.info.profile' }))
    const page = await response.text()
    expect(page).toContain('user.info.basic')
    expect(page).toContain('user.info.profile')
    expect(page).not.toContain('value="user.info.stats"')
  })
})

describe('decision', () => {
  it('Allow sends a code that holds * and !, URL-encoded, with the untouched state', async () => {
    const state = 'x y+z&%/é'
    const response = await decide(sandbox, await authorizeUrl({ state }))
    expect(response.status).toBe(303)
    const location = response.headers.get('location') ?? ''
    expect(location.startsWith(`${redirectUri}?code=`)).toBe(true)
    expect(location).toMatch(/code=[^&]*%2A[^&]*%21/)
    expect(location).not.toMatch(/[*!]/)
    expect(new URL(location).searchParams.get('state')).toBe(state)
    expect(codeOf(response)).toMatch(/\*.*!/)
  })

  it('Cancel sends access_denied and no code', async () => {
    const response = await decide(sandbox, await authorizeUrl(), { decision: 'cancel' })
    expect(response.status).toBe(303)
    const { searchParams } = new URL(response.headers.get('location') ?? '')
    expect([...searchParams.keys()]).toEqual(['error', 'error_description', 'state'])
    expect(searchParams.get('error')).toBe('access_denied')
    expect(searchParams.get('state')).toBe('st4te')
  })

  it.each([
    ['an unknown person', { person: 'nobody' }],
    ['no decision', { decision: '' }],
    ['a scope that does not exist', { scope: ['email'] }],
  ])('refuses %s', async (_, fields) => {
    const response = await decide(sandbox, await authorizeUrl(), fields)
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  it('refuses a scope that the app did not ask for', async () => {
    const url = await authorizeUrl({ scope: 'user.info.basic' })
    expect((await decide(sandbox, url, { scope: ['user.info.stats'] })).status).toBe(400)
  })

  it('refuses a form that another site sends', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const response = await sandbox.request(await authorizeUrl(), {
        method: 'POST',
        headers: { 'sec-fetch-site': site },
        body: new URLSearchParams({ person: 'ada', decision: 'allow' }),
      })
      expect(response.status).toBe(403)
    }
  })
})
