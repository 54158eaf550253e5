import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import credentials from '../providers/credentials.js'
import fromHono from '../providers/from-hono.js'
import {
  claimsIn,
  copyOf,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../test-support/browser.js'
import { passkeyPeople } from '../test-support/passkeys.js'
import { provingPeople } from '../test-support/step-up.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const WAYS = [
  ['test', 'ada'],
  ['credentials', 'ada'],
  ['email', 'ada@mail.example'],
] as const

describe('a step-up', () => {
  it.each(WAYS)(
    'goes on in the same session, with a fresh token: %s',
    async (provider, account) => {
      const { signIn, prove, calls, now, lines } = await provingPeople()
      const ada = await signIn(provider, account)
      const before = claimsIn(ada)
      pass(1000)
      calls.length = 0
      const end = await prove(ada, provider, account)
      expect(locationOf(end)).toBe(`${origin}/inbox`)
      const after = claimsIn(ada)
      expect(after).toMatchObject({
        sid: before.sid,
        sub: before.sub,
        sexp: before.sexp,
        auth_time: now(),
        began: before.auth_time,
        amr: [provider],
        session: before.session,
      })
      expect(calls.map(({ name }) => name)).not.toContain('put')
      expect(calls.map(({ name }) => name)).not.toContain('revoke')
      expect(lines.at(-1)).toMatchObject({ event: 'step-up', provider })
      const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'
      expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
    },
  )

  it('stays fresh by renewals and updates, for as long as the proof is', async () => {
    const { signIn, prove } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { auth_time: began } = claimsIn(ada)
    pass(1000)
    await prove(ada, 'credentials', 'ada')
    const { auth_time, amr } = claimsIn(ada)
    pass(299)
    await ada.session()
    const csrfToken = await ada.csrfToken()
    await ada.post('/auth/session', { csrfToken })
    expect(claimsIn(ada)).toMatchObject({ auth_time, amr, began })
    expect(claimsIn(ada).iat).toBe(auth_time + 299)
    const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'
    expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
    pass(2)
    await ada.session()
    expect((await ada.get(page)).status).toBe(200)
  })

  it('keeps the proof if the session is extended, and its record has none', async () => {
    const { signIn, prove, inner } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { sub, sid, auth_time: began } = claimsIn(ada)
    pass(2 * 86_400)
    await prove(ada, 'credentials', 'ada')
    const proof = claimsIn(ada).auth_time
    pass(400)
    await ada.session()
    expect(claimsIn(ada)).toMatchObject({ auth_time: proof, began })
    expect(claimsIn(ada).sexp).toBe(proof + 400 + 30 * 86_400)
    expect(await inner.sessions.get(sub, sid)).toMatchObject({ created: began })
  })

  it.each(WAYS)(
    'another person’s proof is refused and changes nothing: %s',
    async (provider, account) => {
      const { signIn, prove, inner, calls, errors } = await provingPeople()
      const ada = await signIn(provider, account)
      const token = ada.jar.get('auth.session-token')
      const { sub } = claimsIn(ada)
      const other = provider === 'email' ? 'eve@mail.example' : 'eve'
      pass(100)
      calls.length = 0
      const end = await prove(ada, provider, other)
      expect(errorOf(end)).toBe('/auth/error AccessDenied')
      expect(errors.at(-1)?.message).toBe(
        'A step-up has proved another person than the signed-in user.',
      )
      expect(setsSession(end)).toBe(false)
      expect(ada.jar.get('auth.session-token')).toBe(token)
      expect([...ada.jar.keys()].filter((name) => !name.startsWith('auth.flow'))).toEqual([
        'auth.csrf-token',
        'auth.session-token',
        ...(ada.jar.has('auth.device') ? ['auth.device'] : []),
        'auth.last-way',
      ])
      const writes = ['put', 'delete', 'revoke', 'cutOff', 'changeDocument', 'claimRefresh']
      expect(calls.map(({ name }) => name).filter((name) => writes.includes(name))).toEqual([])
      expect(await inner.sessions.list(sub)).toHaveLength(1)
      // Without the fields it is a sign-in like any other.
      await prove(ada, provider, other, {})
      expect(claimsIn(ada).sub).not.toBe(sub)
    },
  )

  it('as JSON another person’s proof is 403', async () => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const answer = await ada.submit(
      '/auth/callback/credentials',
      { username: 'eve', password: 'eve', maxAge: '300', callbackUrl: '/inbox' },
      { 'x-auth-return-redirect': '1' },
    )
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ error: 'AccessDenied' })
  })

  it.each(['maxAge=300', 'maxAge=0', 'acr=1', 'maxAge=86400&acr=1'])(
    'either field marks it: %s',
    async (needs) => {
      const { signIn, prove } = await provingPeople()
      const ada = await signIn('credentials', 'ada')
      const fields = Object.fromEntries(new URLSearchParams(needs))
      expect(errorOf(await prove(ada, 'credentials', 'eve', fields))).toBe(
        '/auth/error AccessDenied',
      )
    },
  )

  it.each(['maxAge=', 'maxAge=x', 'acr=', 'acr=3', 'acr=mfa', 'maxAge=-1&acr=02'])(
    'a field that says nothing is as if absent: %s',
    async (needs) => {
      const { signIn, prove } = await provingPeople()
      const ada = await signIn('credentials', 'ada')
      const { sub } = claimsIn(ada)
      const fields = Object.fromEntries(new URLSearchParams(needs))
      await prove(ada, 'credentials', 'eve', fields)
      expect(claimsIn(ada).sub).not.toBe(sub)
    },
  )

  it('without a session it is an ordinary sign-in, also with the fields', async () => {
    const { browser, prove } = await provingPeople()
    const ada = browser()
    expect(locationOf(await prove(ada, 'test', 'ada'))).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).not.toHaveProperty('began')
  })

  it('a user who signs in with another of their ways proves it by that one', async () => {
    const { signIn, prove, add, subOf, ways } = await provingPeople()
    const ada = await signIn('test', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    const { sid, sub } = claimsIn(ada)
    pass(86_400)
    await prove(ada, 'email', 'ada@mail.example')
    expect(claimsIn(ada)).toMatchObject({ sid, sub, amr: ['email'] })
    expect(subOf(ada)).toBe(sub)
    // The session began by the first one, and the list says when each was used.
    const listed = await ways(ada)
    expect(listed.map(({ current }) => current)).toEqual([true, false])
    expect(listed[1]?.lastUsed).toBe('2026-11-02T00:00:00.000Z')
    const { sessions } = (await (await ada.get('/auth/sessions')).json()) as {
      sessions: { provider: string; created: string }[]
    }
    expect(sessions).toMatchObject([{ provider: 'test', created: '2026-11-01T00:00:00.000Z' }])
  })

  it('a way that its person removed proves nothing', async () => {
    const { signIn, prove, add, remove, ways } = await provingPeople()
    const ada = await signIn('test', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    const [first] = await ways(ada)
    await remove(ada, first?.id ?? '')
    const token = ada.jar.get('auth.session-token')
    expect(errorOf(await prove(ada, 'test', 'ada'))).toBe('/auth/signin OAuthAccountNotLinked')
    expect(ada.jar.get('auth.session-token')).toBe(token)
  })

  it('the signIn callback is asked, and may refuse; the session goes on as it was', async () => {
    let may = true
    const asked: string[] = []
    const signInCallback = ({ account }: { account: { provider: string } }) => {
      asked.push(account.provider)
      return may
    }
    const { signIn, prove } = await provingPeople({
      callbacks: { signIn: signInCallback as never },
    })
    const ada = await signIn('credentials', 'ada')
    const token = ada.jar.get('auth.session-token')
    pass(10)
    may = false
    expect(errorOf(await prove(ada, 'credentials', 'ada'))).toBe('/auth/error AccessDenied')
    expect(ada.jar.get('auth.session-token')).toBe(token)
    expect(asked).toEqual(['credentials', 'credentials'])
  })

  it('jwt is asked as for a renewal, and session.user stays who the session began with', async () => {
    const triggers: unknown[] = []
    const events: string[] = []
    const { signIn, prove, add } = await provingPeople({
      callbacks: {
        jwt: ({ token, trigger, account }) => {
          triggers.push([trigger, account?.provider])
          return { ...token, count: Number(token.count ?? 0) + 1 }
        },
      },
      events: { signIn: () => void events.push('signIn') },
    })
    const ada = await signIn('test', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    const { session } = claimsIn(ada)
    triggers.length = 0
    await prove(ada, 'email', 'ada@mail.example')
    expect(triggers).toEqual([[undefined, undefined]])
    expect(claimsIn(ada).session).toEqual(session)
    expect(events).toEqual(['signIn'])
  })

  it('if jwt returns null, the session ends, and nothing is proved', async () => {
    let stays = true
    const { signIn, prove } = await provingPeople({
      callbacks: { jwt: ({ token }) => (stays ? token : null) },
    })
    const ada = await signIn('credentials', 'ada')
    stays = false
    expect(errorOf(await prove(ada, 'credentials', 'ada'))).toBe('/auth/signin InvalidCheck')
    expect(ada.jar.has('auth.session-token')).toBe(false)
  })

  it('a connection of a person with several ways is renewed as in a sign-in', async () => {
    const { signIn, prove, add, inner } = await provingPeople()
    const ada = await signIn('test', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    const { sub } = claimsIn(ada)
    const kept = async () => (await inner.ledger.document(`connection\n${sub}\n${sub}`))?.version
    const before = (await kept()) ?? 0
    pass(100)
    await prove(ada, 'test', 'ada')
    expect(await kept()).toBe(before + 1)
  })

  it('a wrong password is counted as always, and leads back with the needs', async () => {
    const { signIn } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const fields = {
      username: 'ada',
      password: 'x',
      maxAge: '300',
      acr: '1',
      callbackUrl: '/inbox',
    }
    const url = new URL(locationOf(await ada.submit('/auth/callback/credentials', fields)))
    expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      '/auth/signin',
      {
        callbackUrl: `${origin}/inbox`,
        maxAge: '300',
        acr: '1',
        error: 'CredentialsSignin',
        code: 'credentials',
      },
    ])
    for (let count = 0; count < 20; count++) await ada.submit('/auth/callback/credentials', fields)
    const end = await ada.submit('/auth/callback/credentials', { ...fields, password: 'ada' })
    expect(end.status).toBe(429)
  })

  it('authorize is given none of the fields', async () => {
    const seen: object[] = []
    const app = credentials({
      credentials: { username: {} },
      authorize: (fields) => {
        seen.push(fields)
        return { id: 'ada' }
      },
    })
    const { browser } = await provingPeople({ providers: [app] })
    const fields = { username: 'ada', maxAge: '300', acr: '1' }
    await browser().submit('/auth/callback/credentials', fields)
    expect(seen).toEqual([{ username: 'ada' }])
  })
})

describe('a proof in another session than the one that asked', () => {
  it('is refused if the person has signed out meanwhile, and uses nothing up', async () => {
    const { signIn, start, comeBack, calls, errors } = await provingPeople()
    const ada = await signIn('test', 'ada')
    const begun = await start(ada, 'test', { maxAge: '300' })
    await ada.submit('/auth/signout')
    calls.length = 0
    expect(errorOf(await comeBack(ada, begun, 'ada'))).toBe('/auth/signin InvalidCheck')
    expect(errors.at(-1)?.message).toBe('A step-up works only in the session that has begun it.')
    expect(calls).toEqual([])
    expect(ada.jar.has('auth.session-token')).toBe(false)
  })

  it('is refused if another person has signed in meanwhile, also as themselves', async () => {
    const { signIn, start, comeBack } = await provingPeople()
    const ada = await signIn('test', 'ada')
    const begun = await start(ada, 'test', { maxAge: '300' })
    await signIn('test', 'eve', ada)
    const token = ada.jar.get('auth.session-token')
    expect(errorOf(await comeBack(ada, begun, 'eve'))).toBe('/auth/signin InvalidCheck')
    expect(ada.jar.get('auth.session-token')).toBe(token)
  })

  it('a thief’s flow in the browser of the owner proves nothing: it names the thief’s session', async () => {
    const { signIn, start, comeBack, copyOf } = await provingPeople()
    const ada = await signIn('test', 'ada')
    const thief = await signIn('test', 'ada')
    const begun = await start(thief, 'test', { maxAge: '300' })
    const tossed = copyOf(ada)
    for (const [name, value] of thief.jar) if (name.includes('flow')) tossed.jar.set(name, value)
    expect(errorOf(await comeBack(tossed, begun, 'ada'))).toBe('/auth/signin InvalidCheck')
  })

  it('a mail works in the browser and session that asked alone, by its link and by its code', async () => {
    const { signIn, start, browser, lastMail, errors } = await provingPeople()
    const ada = await signIn('email', 'ada@mail.example')
    await start(ada, 'email', { email: 'ada@mail.example', maxAge: '300' })
    const { path } = lastMail()
    const elsewhere = browser()
    expect(errorOf(await elsewhere.get(path))).toBe('/auth/error Verification')
    const token = new URL(origin + path).searchParams.get('token') ?? ''
    const posted = await elsewhere.submit('/auth/callback/email', { token })
    expect([errorOf(posted), setsSession(posted)]).toEqual(['/auth/error Verification', false])
    expect(errors.map(({ message }) => message)).toEqual([
      'A link of one session was opened elsewhere.',
      'A link was used that works no longer.',
    ])
    // In the browser that asked, but for a session that no longer exists.
    const later = ada.jar.get('auth.session-token') ?? ''
    ada.jar.delete('auth.session-token')
    expect(errorOf(await ada.get(path))).toBe('/auth/signin InvalidCheck')
    ada.jar.set('auth.session-token', later)
    expect(locationOf(await ada.get(path))).toBe(`${origin}/inbox`)
    expect(claimsIn(ada).amr).toEqual(['email'])
    expect(errorOf(await ada.get(path))).toBe('/auth/error Verification')
  })

  it('a code of a mail proves it as the link does, once', async () => {
    const { signIn, start, lastMail, now } = await provingPeople()
    const ada = await signIn('email', 'ada@mail.example')
    const { sid } = claimsIn(ada)
    pass(1000)
    const asked = await start(ada, 'email', { email: 'ada@mail.example', maxAge: '300', acr: '1' })
    const page = await (await ada.get(locationOf(asked).slice(origin.length))).text()
    expect(page.match(/name="maxAge" value="300"/g)).toHaveLength(2)
    expect(page.match(/name="acr" value="1"/g)).toHaveLength(2)
    const flow = new URL(locationOf(asked)).searchParams.get('flow') ?? ''
    const code = lastMail().mail?.code ?? ''
    const end = await ada.submit('/auth/callback/email', { flow, code })
    expect(locationOf(end)).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).toMatchObject({ sid, auth_time: now() })
  })
})

describe('a used value works once', () => {
  it('a callback that comes twice proves once', async () => {
    const { signIn, start, comeBack, config } = await provingPeople()
    const ada = await signIn('test', 'ada')
    const begun = await start(ada, 'test', { maxAge: '300' })
    const twin = copyOf(ada, config)
    expect(locationOf(await comeBack(ada, begun, 'ada'))).toBe(`${origin}/inbox`)
    expect(errorOf(await comeBack(twin, begun, 'ada'))).toBe('/auth/signin InvalidCheck')
  })
})

describe('a provider that cannot show the time of a sign-in', () => {
  it('is refused if another way of the person can', async () => {
    const { signIn, add, start, errors } = await provingPeople()
    const ada = await signIn('one', 'ada')
    await add(ada, 'email', 'ada@mail.example')
    expect(errorOf(await start(ada, 'one', { maxAge: '300' }))).toBe('/auth/error AccessDenied')
    const message = 'Provider "one" cannot prove again that a person is here.'
    expect(errors.map((error) => error.message)).toEqual([message])
  })

  it('is refused too if its kind never can, as a middleware of Hono: alone it is an ordinary one', async () => {
    const later = fromHono<{ id: string }>({
      id: 'later',
      name: 'Later',
      clientId: 'the-client-id',
      clientSecret: 'the-client-secret',
      middleware: () => async (c, next) => {
        const id = c.req.query('code')
        if (id === undefined) return c.redirect('https://later.example/?state=its-own')
        c.set('token', { token: 'the-access-token' })
        c.set('user-later', { id })
        await next()
      },
    })
    const { config, signIn, prove, add, start } = await provingPeople()
    Object.assign(config, { providers: [...(config.providers ?? []), later] })
    const ada = await signIn('later', 'ada')
    const { sid, sub } = claimsIn(ada)
    pass(400)
    expect(locationOf(await prove(ada, 'later', 'ada'))).toBe(`${origin}/inbox`)
    expect(claimsIn(ada).sub).toBe(sub)
    expect(claimsIn(ada).sid).not.toBe(sid)
    await add(ada, 'email', 'ada@mail.example')
    expect(errorOf(await start(ada, 'later', { maxAge: '300' }))).toBe('/auth/error AccessDenied')
  })

  it('else it is an ordinary sign-in of the same person: a session of its own, which ends the one before', async () => {
    const { signIn, prove, inner, copyOf } = await provingPeople()
    const ada = await signIn('one', 'ada')
    const before = claimsIn(ada)
    const old = copyOf(ada)
    pass(400)
    expect(locationOf(await prove(ada, 'one', 'ada'))).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).toMatchObject({ sub: before.sub })
    expect(claimsIn(ada)).not.toHaveProperty('began')
    expect(claimsIn(ada).sid).not.toBe(before.sid)
    expect(await old.session()).toBeNull()
    expect(await inner.sessions.list(before.sub)).toHaveLength(1)
  })

  it('another person’s account there is refused and changes nothing', async () => {
    const { signIn, prove } = await provingPeople()
    const ada = await signIn('one', 'ada')
    const token = ada.jar.get('auth.session-token')
    expect(errorOf(await prove(ada, 'one', 'eve'))).toBe('/auth/error AccessDenied')
    expect(ada.jar.get('auth.session-token')).toBe(token)
  })
})

describe('a passkey', () => {
  const needs = { maxAge: 300, acr: '2' }

  it('proves it, strong enough for two factors, in the same session', async () => {
    const { signIn, authenticator, addPasskey, credentialOf, post, calls } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const key = authenticator()
    await addPasskey(ada, key)
    const { sid, sub, auth_time: began } = claimsIn(ada)
    pass(1000)
    const page = '/auth/signin?maxAge=300&acr=2&callbackUrl=%2Finbox'
    const html = await (await ada.get(page)).text()
    expect(html).toContain('passkey')
    expect(html).not.toContain('action="/auth/signin/one"')
    const credential = await credentialOf(ada, 'sign-in', key, needs)
    calls.length = 0
    expect(await post(ada, credential)).toEqual({ status: 200, url: `${origin}/inbox` })
    expect(claimsIn(ada)).toMatchObject({ sid, sub, began, amr: ['passkey', 'hwk', 'user'] })
    expect(calls.map(({ name }) => name).filter((name) => name === 'put')).toEqual([])
    expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
    expect((await post(ada, credential)).error).toBe('InvalidCheck')
  })

  it('by another person is 403 and changes nothing for either', async () => {
    const { signIn, authenticator, addPasskey, signUp, credentialOf, post, inner } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    await addPasskey(ada, authenticator())
    const eve = authenticator()
    const { sub } = claimsIn((await signUp(eve)).one)
    const kept = async () => (await inner.ledger.document(`person\n${sub}`))?.version
    const [token, before] = [ada.jar.get('auth.session-token'), await kept()]
    const told = await post(ada, await credentialOf(ada, 'sign-in', eve, needs))
    expect(told).toMatchObject({ status: 403, error: 'AccessDenied' })
    expect([ada.jar.get('auth.session-token'), await kept()]).toEqual([token, before])
  })

  it('that is made at a sign-up proves no person, and begins none', async () => {
    const { signIn, authenticator, credentialOf, post, calls } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const token = ada.jar.get('auth.session-token')
    const credential = await credentialOf(ada, 'sign-up', authenticator(), needs)
    calls.length = 0
    expect(await post(ada, credential)).toMatchObject({ status: 403, error: 'AccessDenied' })
    expect(ada.jar.get('auth.session-token')).toBe(token)
    const writes = ['put', 'changeDocument', 'revoke']
    expect(calls.filter(({ name }) => writes.includes(name))).toEqual([])
  })

  it('that is found by way of a merge is its person’s of now', async () => {
    const { signIn, authenticator, addPasskey, signUp, credentialOf, post } = passkeyPeople()
    const key = authenticator()
    await signUp(key)
    const ada = await signIn('one', 'ada')
    await addPasskey(ada, key)
    const { sid, sub } = claimsIn(ada)
    pass(100)
    const told = await post(ada, await credentialOf(ada, 'sign-in', key, needs))
    expect([told.status, claimsIn(ada).sid, claimsIn(ada).sub]).toEqual([200, sid, sub])
  })
})

it('an account that a person got by a merge proves that person, and not the earlier owner', async () => {
  const { signIn, prove, takeIn, config, subOf } = await provingPeople()
  const ada = await signIn('test', 'ada')
  const old = await signIn('email', 'ada@mail.example')
  const copy = copyOf(old, config)
  await takeIn(ada, 'email', 'ada@mail.example')
  const { sid } = claimsIn(ada)
  pass(100)
  expect(locationOf(await prove(ada, 'email', 'ada@mail.example'))).toBe(`${origin}/inbox`)
  expect(claimsIn(ada)).toMatchObject({ sid, amr: ['email'] })
  // The previous owner no longer exists: a thief of their cookie proves nothing in that session.
  const end = await prove(copy, 'email', 'ada@mail.example')
  expect(copy.jar.has('auth.session-token') ? subOf(copy) : errorOf(end)).toBe(subOf(ada))
})
