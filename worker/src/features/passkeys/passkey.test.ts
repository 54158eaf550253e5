import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth as createCore } from '../../core.js'
import { createAuth } from '../../index.js'
import { subjectOf } from '../../person/subject.js'
import { personKey } from '../../person/way-document.js'
import passkey from '../../providers/passkey.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import {
  Browser,
  claimsIn,
  configWith,
  errorOf,
  locationOf,
  origin,
  secret,
} from '../../test-support/browser.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { accountsAt } from '../../test-support/people.js'
import { passkeys } from './index.js'

const { pass } = clock()

const namesOf = (calls: readonly { name: string }[]) =>
  calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')

describe('a person who signs up with a passkey', () => {
  it('is signed in, and signs in with it from then on as the same person', async () => {
    const { authenticator, signUp, signInBy, ways } = passkeyPeople()
    const key = authenticator({ aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' })
    const { one, told } = await signUp(key, { name: '  Ada Lovelace ' })
    expect(told).toEqual({ status: 200, url: `${origin}/inbox` })
    const { sub, amr } = claimsIn(one)
    expect(amr).toEqual(['passkey', 'hwk', 'user'])
    const user = { id: sub, name: 'Ada Lovelace', email: null, image: null }
    expect((await one.session())?.user).toEqual(user)
    pass(90_000)
    const again = await signInBy(key)
    expect(again.told).toEqual({ status: 200, url: `${origin}/inbox` })
    expect(claimsIn(again.one).sub).toBe(sub)
    expect((await again.one.session())?.user).toEqual(user)
    expect(await ways(again.one)).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{22}$/),
        provider: 'passkey',
        name: '1Password',
        added: '2026-11-01T00:00:00.000Z',
        lastUsed: '2026-11-02T00:00:00.000Z',
        current: true,
      },
    ])
  })

  it('without a name has none, and the browser shows the site’s', async () => {
    const { authenticator, browser, options, post } = passkeyPeople()
    const one = browser()
    const { publicKey } = await options(one, 'sign-up')
    expect(publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{80,}$/),
      rp: { id: 'localhost', name: 'Example' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: 'Example', displayName: 'Example' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: [],
    })
    await post(one, await authenticator({ backupEligible: true }).create(publicKey))
    expect((await one.session())?.user).toMatchObject({ name: null, email: null })
    expect(claimsIn(one).amr).toEqual(['passkey', 'swk', 'user'])
    expect(claimsIn(one).sub).toBe(await subjectOf('passkey', publicKey.user.id))
  })

  it('costs three calls, and a sign-in two: to read the way, and to write its changes', async () => {
    const { authenticator, calls, signUp, signInBy } = passkeyPeople()
    const key = authenticator()
    await signUp(key)
    expect(namesOf(calls)).toEqual(['enter', 'changeDocument', 'changeDocument', 'put'])
    calls.length = 0
    await signInBy(key)
    expect(namesOf(calls)).toEqual(['enter', 'put', 'changeDocument'])
    calls.length = 0
    const uncounted = authenticator({ counter: () => 0 })
    await signUp(uncounted)
    calls.length = 0
    await signInBy(uncounted)
    expect(namesOf(calls)).toEqual(['enter', 'put'])
  })

  it('leads to the target of the options, if the callback names none', async () => {
    const { authenticator, browser, ask, credentialOf } = passkeyPeople()
    const one = browser()
    const credential = await credentialOf(one, 'sign-up', authenticator(), {
      callbackUrl: '/x?y=1',
    })
    const told = await ask(one, '/auth/callback/passkey', { credential })
    expect(told).toEqual({ status: 200, url: `${origin}/x?y=1` })
  })

  it('by a form is redirected', async () => {
    const { authenticator, browser, credentialOf, signInBy } = passkeyPeople()
    const one = browser()
    const key = authenticator()
    const created = await credentialOf(one, 'sign-up', key)
    const fields = { credential: JSON.stringify(created), callbackUrl: '/inbox' }
    expect(errorOf(await one.submit('/auth/callback/passkey', fields))).toBe('/inbox')
    const again = await one.submit('/auth/callback/passkey', fields)
    expect(errorOf(again)).toBe('/auth/signin InvalidCheck')
    expect((await signInBy(key)).told.status).toBe(200)
  })

  it('is asked of the app before anything is written', async () => {
    const asked: unknown[] = []
    const { authenticator, calls, signUp } = passkeyPeople({
      callbacks: {
        signIn: (given) => {
          asked.push(given)
          return false
        },
      },
    })
    const { told } = await signUp(authenticator(), { name: 'Ada' })
    expect(told).toMatchObject({ status: 403, error: 'AccessDenied' })
    expect(namesOf(calls)).toEqual(['enter'])
    expect(asked).toEqual([
      {
        user: { id: expect.any(String), name: 'Ada', email: null, image: null },
        account: {
          provider: 'passkey',
          type: 'webauthn',
          providerAccountId: expect.stringMatching(/^[\w-]{43}$/),
          userId: expect.any(String),
        },
      },
    ])
  })
})

describe('a person who adds a passkey', () => {
  it('signs in with it as the person that they are, in the same session as before', async () => {
    const { authenticator, addPasskey, signIn, signInBy, subOf, ways } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const before = claimsIn(ada)
    const key = authenticator()
    expect(await addPasskey(ada, key, { name: 'Ada' })).toEqual({
      status: 200,
      url: `${origin}/inbox`,
    })
    expect(claimsIn(ada)).toEqual(before)
    const { one } = await signInBy(key)
    expect(subOf(one)).toBe(before.sub)
    expect((await one.session())?.user).toMatchObject({ id: before.sub, name: 'Ada' })
    expect((await ways(ada)).map(({ provider, name }) => [provider, name])).toEqual([
      ['one', 'ada at one'],
      ['passkey', 'Passkey'],
    ])
  })

  it('ends at the page of the account if nothing is said', async () => {
    const { ask, authenticator, credentialOf, signIn } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const credential = await credentialOf(ada, 'add', authenticator())
    const told = await ask(ada, '/auth/callback/passkey', { credential })
    expect(told).toEqual({ status: 200, url: `${origin}/auth/account` })
  })

  it('has signed in within the last five minutes', async () => {
    const { options, browser, signIn } = passkeyPeople()
    expect(await options(browser(), 'add')).toEqual({ status: 401, error: 'SignedOut' })
    const ada = await signIn('one', 'ada')
    pass(300)
    expect((await options(ada, 'add')).status).toBe(200)
    pass(1)
    const stale = await options(ada, 'add', { callbackUrl: '/settings' })
    const url = `${origin}/auth/signin?maxAge=300&callbackUrl=${encodeURIComponent(`${origin}/settings`)}`
    expect(stale).toEqual({ status: 401, error: 'FreshSignInRequired', maxAge: 300, url })
    // Any client can begin a sign-in.
    expect((await options(ada, 'sign-in')).status).toBe(200)
  })

  it('has one user handle in every tab and for every passkey, and is asked for none of their own again', async () => {
    const { addPasskey, authenticator, options, post, signIn, signInBy } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const keys = [authenticator(), authenticator()] as const
    const tabs = await Promise.all([options(ada, 'add'), options(ada, 'add')])
    const handles = tabs.map(({ publicKey }) => publicKey.user.id)
    expect(handles[0]).toBe(handles[1])
    const created = await Promise.all(
      tabs.map(({ publicKey }, at) => (keys[at] as (typeof keys)[0]).create(publicKey)),
    )
    const told = await Promise.all(created.map((credential) => post(ada, credential)))
    expect(told.map(({ status }) => status)).toEqual([200, 200])
    const { publicKey } = await options(ada, 'add')
    expect(publicKey.user.id).toBe(handles[0])
    expect(publicKey.excludeCredentials).toHaveLength(2)
    expect(new Set(publicKey.excludeCredentials?.map(({ id }) => id))).toEqual(
      new Set(created.map(({ id }) => id)),
    )
    await expect(addPasskey(ada, keys[0])).rejects.toThrow('has a passkey of this person already')
    for (const key of keys) expect((await signInBy(key)).told.status).toBe(200)
  })

  it('gets a mail, and the app gets an event', async () => {
    const linked: unknown[] = []
    const { addPasskey, authenticator, mails, ...made } = passkeyPeople({
      events: { linkAccount: ({ account, user }) => void linked.push([account.type, user.id]) },
    })
    const one = made.browser()
    await one.submit('/auth/signin/email', { email: 'ada@example.com' })
    const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
    await one.get(pathname + search)
    await addPasskey(one, authenticator())
    expect(linked).toEqual([['webauthn', claimsIn(one).sub]])
    expect(mails.at(-1)?.mail.subject).toBe('Passkey was added to your account')
  })
})

describe('a passkey that is', () => {
  it('renamed has that name', async () => {
    const { authenticator, signUp, signInBy, ways } = passkeyPeople()
    const key = authenticator()
    const { one } = await signUp(key, { name: 'Ada' })
    const [way] = await ways(one)
    const fields = { way: way?.id ?? '', name: '  My blue key ' }
    const answer = await one.submit('/auth/ways/rename', fields)
    expect(errorOf(answer)).toBe('/auth/account')
    expect((await ways(one))[0]?.name).toBe('My blue key')
    // The name of the person stays.
    const again = await signInBy(key)
    expect((await again.one.session())?.user).toMatchObject({ name: 'Ada' })
    const breaking = ['a\nb', 'a\u0000b', 'ada\u202ednettam', 'a\u2028b', 'a\u2066b']
    for (const name of ['', '   ', 'x'.repeat(65), '\ud83d\ude00'.repeat(65), ...breaking]) {
      expect((await one.submit('/auth/ways/rename', { ...fields, name })).status).toBe(400)
    }
    const widest = { ...fields, name: '\ud83d\ude00'.repeat(64) }
    expect((await one.submit('/auth/ways/rename', widest)).status).toBe(302)
  })

  it('another’s is not renamed, and an invalid way is not either', async () => {
    const { authenticator, browser, signIn, signUp, ways } = passkeyPeople()
    const { one } = await signUp(authenticator())
    const [way] = await ways(one)
    const eve = await signIn('one', 'eve')
    await eve.submit('/auth/ways/rename', { way: way?.id ?? '', name: 'Stolen' })
    const [own] = await ways(eve)
    await eve.submit('/auth/ways/rename', { way: own?.id ?? '', name: 'Stolen' })
    expect([(await ways(one))[0]?.name, (await ways(eve))[0]?.name]).toEqual([
      'Passkey',
      'eve at one',
    ])
    const nobody = await browser().submit('/auth/ways/rename', { way: 'x', name: 'y' })
    expect(errorOf(nobody)).toBe('/auth/signin')
    const script = await browser().submit(
      '/auth/ways/rename',
      { way: 'x', name: 'y' },
      { 'x-auth-return-redirect': '1' },
    )
    expect([script.status, await script.json()]).toEqual([401, { error: 'SignedOut' }])
  })

  it('removed is unknown, also when it was the first way, whatever becomes of other ways', async () => {
    for (const unlinked of [undefined, 'refuse'] as const) {
      const { add, authenticator, remove, signUp, signInBy, ways } = passkeyPeople(
        unlinked ? { ways: { unlinked } } : {},
      )
      const key = authenticator()
      const { one } = await signUp(key)
      const [first] = await ways(one)
      expect(errorOf(await remove(one, first?.id ?? ''))).toBe('/auth/error AccessDenied last_way')
      await add(one, 'two', 'ada')
      expect(errorOf(await remove(one, first?.id ?? ''))).toBe('/auth/account')
      expect((await ways(one)).map(({ provider }) => provider)).toEqual(['two'])
      const { told } = await signInBy(key)
      expect(told).toMatchObject({
        status: 401,
        error: 'CredentialsSignin',
        code: 'unknown_passkey',
      })
      expect(await one.session()).not.toBeNull()
    }
  })

  it('on other devices now is known to be', async () => {
    const { authenticator, config, inner, signUp, signInBy, subOf } = passkeyPeople()
    const ledger = inner.ledger as Ledger
    const devices = { backupEligible: true, backedUp: false }
    const key = authenticator(devices)
    const { one } = await signUp(key)
    const auth = createAuth(config)
    const passkeys = async () => (await auth.exportPerson(subOf(one)))?.passkeys
    expect(await passkeys()).toEqual([
      {
        id: expect.any(String),
        name: 'Passkey',
        added: '2026-11-01T00:00:00.000Z',
        lastUsed: '2026-11-01T00:00:00.000Z',
        backupEligible: true,
        backedUp: false,
        aaguid: '00000000-0000-0000-0000-000000000000',
        transports: ['internal'],
      },
    ])
    // As if it had been on other devices before.
    const document = personKey(subOf(one))
    const { version = 0, content } = (await ledger.document(document)) ?? {}
    const before = String(content).replace('"bs":false', '"bs":true')
    await ledger.changeDocument(document, version, before)
    expect((await passkeys())?.[0]?.backedUp).toBe(true)
    await signInBy(key)
    expect((await passkeys())?.[0]?.backedUp).toBe(false)
    expect(JSON.stringify(await passkeys())).not.toMatch(/sealed|"key"|handle/)
  })

  it('counted back signs in, and the log has a warning that names no user', async () => {
    const { authenticator, signUp, signInBy, subOf, warnings } = passkeyPeople()
    const counters = [5, 6, 3, 7]
    const key = authenticator({ counter: () => counters.shift() ?? 8 })
    const { one } = await signUp(key)
    expect((await signInBy(key)).told.status).toBe(200)
    expect(warnings).toEqual([])
    expect((await signInBy(key)).told.status).toBe(200)
    expect(warnings.map(([code]) => code)).toEqual(['passkey-counter'])
    expect(warnings[0]?.[1]).not.toContain(subOf(one))
    expect((await signInBy(key)).told.status).toBe(200)
    expect(warnings).toHaveLength(1)
  })
})

describe('a step-up by a passkey', () => {
  it('goes on in the same session, as after two factors', async () => {
    const { addPasskey, authenticator, options, post, signIn } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const key = authenticator()
    await addPasskey(ada, key)
    const before = claimsIn(ada)
    pass(600)
    const { publicKey } = await options(ada, 'sign-in', { maxAge: 300, acr: '2' })
    expect((await post(ada, await key.get(publicKey))).status).toBe(200)
    const after = claimsIn(ada)
    expect([after.sid, after.sub, after.auth_time]).toEqual([
      before.sid,
      before.sub,
      before.auth_time + 600,
    ])
    expect(after.amr).toEqual(['passkey', 'hwk', 'user'])
  })

  it('keeps the user if the passkey belongs to another person, or is made for it', async () => {
    const { authenticator, options, post, signIn, signUp } = passkeyPeople()
    const other = authenticator()
    await signUp(other)
    const ada = await signIn('one', 'ada')
    const before = claimsIn(ada)
    const { publicKey } = await options(ada, 'sign-in', { maxAge: 300 })
    const denied = { status: 403, error: 'AccessDenied' }
    expect(await post(ada, await other.get(publicKey))).toMatchObject(denied)
    const made = await options(ada, 'sign-up', { maxAge: 300 })
    const created = await authenticator().create(made.publicKey)
    expect(await post(ada, created)).toMatchObject(denied)
    expect(claimsIn(ada)).toEqual(before)
  })
})

describe('the page of the account', () => {
  const signalsOf = async (one: Browser) => {
    const page = await (await one.get('/auth/account')).text()
    const [, json] = /data-accepted="([^"]*)"/.exec(page) ?? []
    const marks = { quot: '"', lt: '<', gt: '>', amp: '&' } as const
    return JSON.parse(
      (json ?? 'null').replaceAll(/&(quot|lt|gt|amp);/g, (_, name) => marks[name as 'quot']),
    )
  }

  it('signals to the browser which passkeys of which person sign in, also when the last one is gone', async () => {
    const { addPasskey, authenticator, options, remove, signIn, signInBy, ways } = passkeyPeople()
    const ada = await signIn('one', 'ada')
    const key = authenticator()
    const told = () => signalsOf(ada)
    expect(await told()).toBeNull()
    await addPasskey(ada, key, { name: 'Ada' })
    const { publicKey } = await options(ada, 'add')
    const ids = publicKey.excludeCredentials?.map(({ id }) => id)
    const called = { name: 'ada at one', displayName: 'ada at one' }
    const accepted = { rpId: 'localhost', userId: publicKey.user.id, ...called }
    expect(await told()).toEqual([{ ...accepted, allAcceptedCredentialIds: ids }])
    const way = (await ways(ada)).find(({ provider }) => provider === 'passkey')
    await remove((await signInBy(key)).one, way?.id ?? '')
    expect(await told()).toEqual([{ ...accepted, allAcceptedCredentialIds: [] }])
  })

  it('signals what the person is called now, after each change of their addresses', async () => {
    const { add, addPasskey, authenticator, remove, signIn, signInBy, ways } = passkeyPeople()
    const key = authenticator()
    const ada = await signIn('email', 'ada@first.example')
    await addPasskey(ada, key, { name: 'Ada' })
    const one = (await signInBy(key)).one
    const first = { name: 'ada@first.example', displayName: 'Ada' }
    expect(await signalsOf(one)).toMatchObject([first])
    await add(one, 'email', 'ada@second.example')
    expect(await signalsOf(one)).toMatchObject([first])
    // A session that has begun with the other address goes by that one.
    const other = await signIn('email', 'ada@second.example')
    const second = { name: 'ada@second.example', displayName: 'ada@second.example' }
    expect(await signalsOf(other)).toMatchObject([second])
    const way = (await ways(one)).find(({ name }) => name === 'a***@first.example')
    await remove(one, way?.id ?? '')
    expect(await signalsOf(one)).toMatchObject([{ ...second, displayName: 'Ada' }])
    // Its own address is not the person's any more.
    expect(await signalsOf(ada)).toMatchObject([second])
  })

  it('signals no name for a person without one, so that the browser keeps what it has', async () => {
    const { authenticator, signUp } = passkeyPeople()
    const [signal, ...more] = await signalsOf((await signUp(authenticator())).one)
    expect(more).toEqual([])
    expect(Object.keys(signal)).toEqual(['rpId', 'userId', 'allAcceptedCredentialIds'])
  })

  it('attack: a name from a provider stays text of the attribute, and is cut', async () => {
    const hostile = `"><script>alert(1)</script>&quot;${'😀'.repeat(100)}`
    const accounts = accountsAt('one', { ada: { name: hostile } })
    const { addPasskey, authenticator, signIn } = passkeyPeople({
      providers: [accounts, passkey({ rpName: 'Example' })],
    })
    const ada = await signIn('one', 'ada')
    await addPasskey(ada, authenticator())
    const page = await (await ada.get('/auth/account')).text()
    expect(page).not.toContain('<script>alert')
    const [, json = ''] = /data-accepted="([^"]*)"/.exec(page) ?? []
    expect(json).not.toContain('<')
    const [{ name }] = await signalsOf(ada)
    expect([...name]).toHaveLength(64)
  })
})

describe('the routes of passkeys', () => {
  it('take no other encoding of the challenge that they gave', async () => {
    const { authenticator, browser, options, post, signUp } = passkeyPeople()
    const key = authenticator()
    await signUp(key)
    const one = browser()
    const { publicKey } = await options(one, 'sign-in')
    const bytes = Buffer.from(publicKey.challenge, 'base64url')
    // A byte order mark, which goes where bytes become text.
    const challenge = Buffer.from([0xef, 0xbb, 0xbf, ...bytes]).toString('base64url')
    const credential = await key.get({ ...publicKey, challenge })
    expect(await post(one, credential)).toMatchObject({ status: 401, error: 'CredentialsSignin' })
    expect(await one.session()).toBeNull()
  })

  it('answer a start as for credentials, and no GET', async () => {
    const { browser } = passkeyPeople()
    const one = browser()
    const start = await one.submit('/auth/signin/passkey', { callbackUrl: '/x' })
    expect(errorOf(start)).toBe('/auth/signin')
    expect(start.headers.get('location')).toContain(encodeURIComponent(`${origin}/x`))
    const got = await one.get('/auth/callback/passkey')
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
    const provider = (await (await one.get('/auth/providers')).json()) as Record<string, object>
    expect(provider.passkey).toMatchObject({ id: 'passkey', type: 'webauthn' })
  })

  it('name the error as JSON', async () => {
    const { ask, authenticator, browser, options, post, signUp } = passkeyPeople()
    const one = browser()
    for (const purpose of ['', 'signin', 'toString', '__proto__']) {
      expect(await options(one, purpose)).toEqual({ status: 400, error: 'Configuration' })
    }
    for (const name of ['', '  ', 7, null, {}, 'x'.repeat(65), 'a\r\nb', 'ada\u202ednettam']) {
      expect((await options(one, 'sign-up', { name })).status).toBe(400)
    }
    expect((await options(one, 'sign-up', { name: ` ${'x'.repeat(64)} ` })).status).toBe(200)
    const noToken = { csrfToken: 'x' }
    expect(await options(one, 'sign-in', noToken)).toEqual({ status: 403, error: 'MissingCSRF' })
    expect(await post(one, {}, noToken)).toMatchObject({ status: 403, error: 'MissingCSRF' })
    const unknown = await ask(one, '/auth/callback/passkey', {})
    expect(unknown).toMatchObject({ status: 401, error: 'CredentialsSignin' })
    const key = authenticator()
    await signUp(key)
    const stray = await key.get({ challenge: 'bm8tZmxvdw', rpId: 'localhost' })
    const told = await post(one, stray)
    expect(told).toMatchObject({ status: 400, error: 'InvalidCheck' })
    expect(told.url).toMatch(/\/auth\/signin\?/)
  })

  it('in a service without passkeys offer none', async () => {
    const one = new Browser(configWith())
    const told = await one.submit('/auth/passkey/options', { for: 'sign-in' })
    expect([told.status, await told.json()]).toEqual([400, { error: 'Configuration' }])
  })
})

describe('the domain of passkeys', () => {
  const at = async (host: string, given: Parameters<typeof passkey>[0] = {}, env = {}) => {
    const errors: Error[] = []
    const config = configWith({
      providers: [passkey({ rpName: 'Example', ...given })],
      logger: { error: (error) => void errors.push(error), warn: () => {}, info: () => {} },
      trustHost: true,
    })
    const auth = createAuth(() => config)
    const answer = (request: Request) =>
      auth.fetch(request, { AUTH_SECRET: secret, ...env, SESSIONS: undefined })
    const one = new Browser(config, { at: host, answer })
    const told = await one.submit('/auth/passkey/options', { for: 'sign-in' })
    const { publicKey, error } = (await told.json()) as {
      publicKey?: { rpId: string }
      error?: string
    }
    return { rpId: publicKey?.rpId ?? `${told.status} ${error}`, errors: errors.map(String), one }
  }

  it.each([
    ['https://app.example.com', undefined, 'app.example.com'],
    ['https://app.example.com:8443', undefined, 'app.example.com'],
    ['http://localhost:8787', undefined, 'localhost'],
    ['https://app.example.com', 'example.com', 'example.com'],
    ['https://example.com', 'example.com', 'example.com'],
    ['https://a.b.example.com', 'b.example.com', 'b.example.com'],
    ['https://example.de', 'example.com', 'example.com'],
  ])('at %s with %s is %s', async (host, rpId, expected) => {
    const origins = ['https://example.de']
    expect((await at(host, rpId === undefined ? { origins } : { origins, rpId })).rpId).toBe(
      expected,
    )
  })

  it.each([
    ['https://example.com', 'app.example.com'],
    ['https://evil-example.com', 'example.com'],
    ['https://example.com.evil.example', 'example.com'],
    ['https://example.com', 'localhost'],
    ['http://127.0.0.1:8787', undefined],
    ['http://[::1]:8787', undefined],
    ['https://example.com', 'EXAMPLE.com'],
    ['https://example.com', 'https://example.com'],
    ['https://example.com', 'com'],
    ['https://example.com', 'example.com.'],
    ['https://example.com', 'example.com:443'],
    ['https://127.0.0.1', '127.0.0.1'],
    ['https://127.0.0.1', '0.0.1'],
  ])('at %s cannot be %s: options fail, and the log names the variable', async (host, rpId) => {
    const { rpId: told, errors, one } = await at(host, rpId === undefined ? {} : { rpId })
    expect(told).toBe('500 Configuration')
    expect(errors.join()).toContain('AUTH_PASSKEY_RP_ID')
    expect((await one.get('/auth/signin')).status).toBe(200)
  })

  it('may be used by other origins, which are named at the root', async () => {
    const config = configWith({
      providers: [
        passkey({ rpName: 'Example', origins: ['https://example.de/', 'https://a.example'] }),
      ],
    })
    const one = new Browser(config)
    const answer = await one.get('/.well-known/webauthn')
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { origins: ['https://example.de', 'https://a.example'] },
    ])
    expect(answer.headers.get('content-type')).toContain('application/json')
    const none = new Browser(configWith({ providers: [passkey({ rpName: 'Example' })] }))
    expect((await none.get('/.well-known/webauthn')).status).toBe(404)
    expect((await one.get('/.well-known/webauthn/x')).status).toBe(404)
    expect((await one.get('/x/.well-known/webauthn')).status).toBe(404)
    expect((await one.post('/.well-known/webauthn', {})).status).toBe(405)
    expect((await new Browser(configWith()).get('/.well-known/webauthn')).status).toBe(404)
  })

  it('is where password managers find the page of passkeys, for everybody and from caches', async () => {
    const auth = createAuth(configWith({ providers: [passkey({ rpName: 'Example' })] }))
    const at = '/.well-known/passkey-endpoints'
    const answer = await auth.fetch(new Request(origin + at))
    const page = `${origin}/auth/account/passkeys`
    expect([answer.status, await answer.json()]).toEqual([200, { enroll: page, manage: page }])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(answer.headers.has('set-cookie')).toBe(false)
    const one = new Browser(configWith({ providers: [passkey({ rpName: 'Example' })] }))
    // It leads to the page once somebody is signed in.
    expect(locationOf(await one.get('/auth/account/passkeys'))).toContain('callbackUrl=')
    expect((await one.post(at, {})).status).toBe(405)
    expect((await one.get(`${at}/x`)).status).toBe(404)
  })

  it.each([
    ['without passkeys', configWith()],
    [
      'without the page of the account',
      { ...configWith({ providers: [passkey({ rpName: 'Example' })] }), features: [passkeys] },
    ],
    [
      'at an origin that cannot use them',
      configWith({ providers: [passkey({ rpName: 'Example', rpId: 'example.com' })] }),
    ],
  ])('has no such page %s', async (_, config) => {
    const auth = 'features' in config ? createCore(config) : createAuth(config)
    const answer = await auth.fetch(new Request(`${origin}/.well-known/passkey-endpoints`))
    expect(answer.status).toBe(404)
  })

  it.each([
    'https://example.com/x',
    'example.com',
    '*',
    'ftp://example.com',
    'https://*.example.com/?x',
  ])('is used by no origin such as %s: it is named at the start', (one) => {
    const errors: string[] = []
    const logger = { error: (error: Error) => void errors.push(error.message) }
    const config = configWith({
      logger,
      providers: [passkey({ rpName: 'Example', origins: [one] })],
    })
    return new Browser(config).get('/auth/csrf').then(() => {
      expect(errors.join()).toContain('AUTH_PASSKEY_ORIGINS')
    })
  })
})
