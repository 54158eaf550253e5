import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, locationOf } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import {
  answerIn,
  authorizePath,
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

const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
const web = { client_id: 'web', redirect_uri: 'https://web.example/cb?tenant=a%20b' }

describe('a success', () => {
  it('has code, state and iss, and nothing else', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const answer = await world.authorize(ada, own)
    expect(answer.status).toBe(302)
    const { code, ...rest } = answerIn(answer)
    expect(rest).toEqual({ state: 'the-state', iss: issuer })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const { sub, sid, sexp, auth_time, pid } = claimsIn(ada)
    expect(await world.open(code)).toMatchObject({
      ...{ sub, sid, sexp, pid, app: 'own', resource, began: auth_time, authTime: auth_time },
      ...{ scopes: ['openid', 'notes:read'], amr: ['one'], redirectUri: own.redirect_uri },
    })
  })

  it('without a state has none, and the nonce is in the code alone', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const answer = answerIn(await world.authorize(ada, { ...own, state: undefined, nonce: 'n-1' }))
    expect(Object.keys(answer)).toEqual(['code', 'iss'])
    expect(await world.open(answer.code)).toMatchObject({ nonce: 'n-1' })
  })

  it('leaves the query of the redirect URI as it is, to the letter', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const page = await world.authorize(ada, web)
    const to = locationOf(await world.decide(ada, page))
    expect(to).toMatch(/^https:\/\/web\.example\/cb\?tenant=a%20b&code=[^&]+&state=the-state&iss=/)
  })

  it('goes to a scheme of the app, and to any port of this machine', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    for (const redirect_uri of ['com.example.notes:/cb', 'http://127.0.0.1:49152/cb']) {
      const page = await world.authorize(ada, { redirect_uri })
      const to = locationOf(await world.decide(ada, page))
      expect(to.startsWith(`${redirect_uri}?code=`)).toBe(true)
    }
  })

  it('is never JSON, which a script of this origin could read', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const answer = await world.authorize(ada, own, { 'x-auth-return-redirect': '1' })
    expect([answer.status, await answer.text()]).toEqual([302, ''])
  })

  it('with offline_access belongs to no session, and lasts a year', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    pass(60)
    const { code } = answerIn(await world.authorize(ada, { ...own, scope: 'offline_access' }))
    const now = Math.floor(Date.now() / 1000)
    const opened = await world.open(code)
    expect(opened).toMatchObject({ began: now, sexp: now + 365 * 86_400, authTime: now - 60 })
    expect(opened?.sid).toBeUndefined()
  })

  it('has what the scopes of OpenID name, and an address only where somebody vouches for it', async () => {
    const world = oauthPeople()
    const scope = 'openid profile email'
    const grace = await world.signIn('one', 'grace')
    const first = answerIn(await world.authorize(grace, { ...own, scope }))
    expect((await world.open(first.code))?.profile).toEqual({ name: 'grace at one' })
    const ada = await world.signIn('email', 'ada@mail.example')
    const second = answerIn(await world.authorize(ada, { ...own, scope }))
    const email = 'ada@mail.example'
    expect((await world.open(second.code))?.profile).toMatchObject({ email, email_verified: true })
    const third = answerIn(await world.authorize(ada, { ...own, scope: 'openid' }))
    expect((await world.open(third.code))?.profile).toEqual({})
  })

  it('has the vouched address also where the app shows another one in its sessions', async () => {
    const session = ({ session }: { session: object }) => ({
      ...session,
      user: { email: 'x@evil.example' },
    })
    const world = oauthPeople(OPTIONS, { callbacks: { session: session as never } })
    const ada = await world.signIn('email', 'ada@mail.example')
    const { code } = answerIn(await world.authorize(ada, { ...own, scope: 'openid email' }))
    expect((await world.open(code))?.profile.email).toBe('ada@mail.example')
  })

  it('costs one call for an app of the service, and for one that was let in', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    await world.letIn(ada)
    for (const fields of [own, {}]) {
      world.calls.length = 0
      expect(answerIn(await world.authorize(ada, fields)).code).toBeDefined()
      expect(world.calls.map(({ name }) => name)).toEqual(['liveDocument'])
    }
  })
})

describe('a request that leads nowhere', () => {
  it.each([
    { client_id: 'nobody' },
    { client_id: undefined },
    { client_id: 'https://client.example/app' },
    { client_id: '__proto__' },
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: undefined },
    { redirect_uri: 'https://own.example/cb' },
  ])('attack: is a page with 400, without a link and without its own words: %j', async (fields) => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    for (const one of [ada, world.browser()]) {
      const answer = await world.authorize(one, { ...fields, state: 'evil-state' })
      expect([answer.status, locationOf(answer)]).toEqual([400, ''])
      const page = await answer.text()
      expect(page).toContain('not known here')
      expect(page).not.toMatch(/<a |evil|nobody|own\.example/)
      const accept = { accept: 'application/json' }
      const json = await world.authorize(one, fields, accept)
      expect([json.status, Object.keys((await json.json()) as object)]).toEqual([
        400,
        ['error', 'error_description'],
      ])
    }
  })

  it.each(['client_id', 'redirect_uri'])('has %s twice', async (name) => {
    const world = oauthPeople()
    const path = `${authorizePath()}&${name}=${encodeURIComponent(redirectUri)}`
    expect((await world.browser().get(path)).status).toBe(400)
  })
})

describe('an error at an app', () => {
  it('attack: open redirect by error: has state and iss, and goes to no other address', async () => {
    const world = oauthPeople()
    const answer = await world.authorize(world.browser(), { response_type: 'token' })
    expect(locationOf(answer).startsWith(`${redirectUri}?`)).toBe(true)
    expect(answerIn(answer)).toEqual({
      ...{ error: 'unsupported_response_type', state: 'the-state', iss: issuer },
      error_description: 'The only response_type is code.',
    })
  })

  it('attack: PKCE downgrade: no code without a challenge by S256, for any app', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    for (const app of [{}, own, web]) {
      for (const changes of [
        { code_challenge: undefined },
        { code_challenge_method: 'plain' },
        { code_challenge_method: undefined },
      ]) {
        const answer = answerIn(await world.authorize(ada, { ...app, ...changes }))
        expect(answer).toMatchObject({ error: 'invalid_request', iss: issuer })
      }
    }
  })

  it('says that a query has more than 2,048 characters', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const room = 2_048 - new URL(authorizePath({ ...own, state: '' }), issuer).search.length + 1
    const most = await world.authorize(ada, { ...own, state: 's'.repeat(room) })
    expect(answerIn(most).code).toBeDefined()
    const more = await world.authorize(ada, { ...own, state: 's'.repeat(room + 1) })
    expect(answerIn(more)).toMatchObject({ error: 'invalid_request' })
  })

  it('says so if a store fails, and logs it', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    world.faults.set('liveDocument', fails)
    expect(errorIn(await world.authorize(ada, own))).toBe('temporarily_unavailable')
    expect(world.errors).not.toEqual([])
  })
})

it('HEAD and a prefetch give no code', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const head = await ada.send(authorizePath(own), { method: 'HEAD' })
  expect([head.status, locationOf(head)]).toEqual([200, ''])
  const ahead = await world.authorize(ada, own, { 'sec-purpose': 'prefetch;prerender' })
  expect([ahead.status, locationOf(ahead)]).toEqual([503, ''])
})

it('a POST is sent on to the same parameters by GET, which brings the session', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const { searchParams } = new URL(authorizePath(own), issuer)
  const elsewhere = { origin: 'https://app.example', cookie: '' }
  const post = (fields: Record<string, string>, headers = elsewhere) =>
    ada.post('/auth/oauth/authorize', fields, headers)
  const answer = await post(Object.fromEntries(searchParams))
  expect(answer.status).toBe(303)
  const { pathname, search } = new URL(locationOf(answer))
  expect(`${pathname}${search}`).toBe(authorizePath(own))
  const long = await post({ ...Object.fromEntries(searchParams), state: 's'.repeat(3_000) })
  expect(errorIn(long)).toBe('invalid_request')
  const json = await ada.send('/auth/oauth/authorize', {
    method: 'POST',
    body: JSON.stringify(Object.fromEntries(searchParams)),
    headers: { 'content-type': 'application/json' },
  })
  expect(json.status).toBe(400)
})

describe('nobody signed in', () => {
  it('gets to the sign-in page without a call, with what the request asks of a sign-in', async () => {
    const world = oauthPeople()
    world.calls.length = 0
    const answer = await world.authorize(world.browser())
    expect(world.calls).toEqual([])
    expect(backFrom(answer)).toBe(authorizePath())
    const asked = new URL(
      locationOf(await world.authorize(world.browser(), { max_age: '60', acr_values: '2' })),
    ).searchParams
    expect([asked.get('maxAge'), asked.get('acr')]).toEqual(['60', '2'])
    const login = await world.authorize(world.browser(), { prompt: 'login' })
    expect(new URL(locationOf(login)).searchParams.has('maxAge')).toBe(false)
  })

  it('gets no page with prompt=none', async () => {
    const world = oauthPeople()
    expect(errorIn(await world.authorize(world.browser(), { ...own, prompt: 'none' }))).toBe(
      'login_required',
    )
  })

  it('includes a person whose session has ended elsewhere: the ledger decides', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const stolen = world.copyOf(ada)
    await ada.submit('/auth/signout')
    expect(backFrom(await world.authorize(stolen, own))).toBe(authorizePath(own))
  })
})

describe('prompt=none', () => {
  it('gives a code to a person who has let the app in before, and asks for a consent otherwise', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const silent = () => world.authorize(ada, { prompt: 'none' })
    expect(errorIn(await silent())).toBe('consent_required')
    await world.letIn(ada)
    expect(answerIn(await silent()).code).toBeDefined()
    expect(errorIn(await world.authorize(ada, { prompt: 'none', max_age: '0' }))).toContain('code=')
    pass(5)
    for (const asked of [{ max_age: '4' }, { acr_values: '2' }]) {
      expect(errorIn(await world.authorize(ada, { prompt: 'none', ...asked }))).toBe(
        'login_required',
      )
    }
  })

  it('always asks for a consent for a public app on this machine', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const local = { redirect_uri: 'http://127.0.0.1:49152/cb' }
    await world.letIn(ada, local)
    expect(errorIn(await world.authorize(ada, { ...local, prompt: 'none' }))).toBe(
      'consent_required',
    )
  })
})

describe('prompt=login', () => {
  it('is fulfilled by a sign-in later than the request, and by no other', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const answer = await world.authorize(ada, { ...own, prompt: 'login' })
    expect(new URL(locationOf(answer)).searchParams.get('maxAge')).toBe('0')
    const back = backFrom(answer)
    // The session of this very second is not one, however often the browser comes back.
    expect(backFrom(await ada.get(back))).toContain('prompt=login&latchkey_since=')
    pass(1)
    await world.signIn('one', 'ada', ada)
    expect(answerIn(await ada.get(back)).code).toBeDefined()
  })

  it('attack: is not taken away by a time that the app names itself, or by that of another request', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const path = authorizePath({ ...own, prompt: 'login' })
    const back = backFrom(await ada.get(path))
    pass(1)
    await world.signIn('one', 'ada', ada)
    const mark = back.slice(path.length)
    expect(mark).toMatch(/^&latchkey_since=/)
    const other = authorizePath({ ...own, prompt: 'login', state: 'other' })
    for (const forged of [`${path}&latchkey_since=0`, `${other}${mark}`, `${path}${mark}&a=b`]) {
      expect(backFrom(await ada.get(forged))).toContain('prompt=login')
    }
  })
})

describe('attack: a mark of prompt=login in the history of a browser', () => {
  it('does not count again for a sign-in that has taken the browser back', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const back = backFrom(await world.authorize(ada, { ...own, prompt: 'login' }))
    pass(1)
    await world.signIn('one', 'ada', ada)
    expect(answerIn(await ada.get(back)).code).toBeDefined()
    pass(31)
    expect(backFrom(await ada.get(back))).toContain('prompt=login')
    // Beside an age that would let it pass, too.
    const aged = backFrom(await world.authorize(ada, { ...own, prompt: 'login', max_age: '3600' }))
    pass(1)
    await world.signIn('one', 'ada', ada)
    expect(answerIn(await ada.get(aged)).code).toBeDefined()
    pass(31)
    expect(backFrom(await ada.get(aged))).toContain('prompt=login')
  })
})

describe('max_age and acr_values', () => {
  it('lead a person who has to prove again who they are to the sign-in page', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    pass(61)
    const answer = await world.authorize(ada, { ...own, max_age: '60' })
    expect(new URL(locationOf(answer)).searchParams.get('maxAge')).toBe('60')
    await world.signIn('one', 'ada', ada)
    pass(5)
    expect(answerIn(await ada.get(backFrom(answer))).code).toBeDefined()
  })

  it('max_age=0 is fulfilled by a sign-in for the request', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    pass(2)
    const back = backFrom(await world.authorize(ada, { ...own, max_age: '0' }))
    await world.signIn('one', 'ada', ada)
    pass(2)
    expect(answerIn(await ada.get(back)).code).toBeDefined()
    pass(60)
    expect(backFrom(await ada.get(back))).toContain('max_age=0')
  })

  it('acr_values=2 is fulfilled by a passkey', async () => {
    const world = oauthPeople()
    const { one } = await world.signUp(world.authenticator())
    const { code } = answerIn(await world.authorize(one, { ...own, acr_values: '2' }))
    expect((await world.open(code))?.amr).toContain('user')
  })
})

describe('id_token_hint', () => {
  it('has to be of the person, also when it has expired; a forged one names no person', async () => {
    const world = oauthPeople()
    const [ada, grace] = [await world.signIn('one', 'ada'), await world.signIn('one', 'grace')]
    const { id_token } = await world.exchange((await world.letIn(ada)).code)
    pass(3_600)
    await world.letIn(grace)
    const hint = { id_token_hint: id_token, scope: 'openid' }
    expect(answerIn(await world.authorize(ada, hint)).code).toBeDefined()
    expect(answerIn(await world.authorize(ada, { ...hint, prompt: 'none' })).code).toBeDefined()
    expect(errorIn(await world.authorize(grace, { ...hint, prompt: 'none' }))).toBe(
      'login_required',
    )
    expect(errorIn(await world.authorize(grace, hint))).toBe('login_required')
    const session = ada.jar.get('auth.session-token')
    for (const id_token_hint of ['x.y.z', `${id_token}x`, session]) {
      const made = await world.authorize(ada, { id_token_hint, scope: 'openid', prompt: 'none' })
      expect(errorIn(made)).toBe('login_required')
    }
    // It is that of another app.
    expect(errorIn(await world.authorize(ada, { ...own, ...hint }))).toBe('login_required')
  })
})

it('a person who chooses an account sees the sign-in page once', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const back = backFrom(await world.authorize(ada, { ...own, prompt: 'select_account' }))
  expect(answerIn(await ada.get(back)).code).toBeDefined()
})

it('the page is in the language of ui_locales', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const page = await (await world.authorize(ada, { ui_locales: 'de' })).text()
  expect(page).toContain('Erlauben')
  expect(requestOn(page)).not.toBe('')
})
