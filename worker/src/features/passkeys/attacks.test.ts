import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { Browser, claimsIn, origin, secret, setsSession } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { type Credential, passkeyPeople } from '../../test-support/passkeys.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ waits: true })

const invalid = { status: 400, error: 'InvalidCheck' }
const nothing = { status: 401, error: 'CredentialsSignin', code: 'credentials' }
const unknown = { ...nothing, code: 'unknown_passkey' }
const taken = { status: 403, error: 'OAuthAccountNotLinked' }

const bytesOf = (text: string) => decodeBase64Url(text) ?? new Uint8Array()

/** The same credential with other client data, as a sender may write them. */
function withClientData<Given extends Credential>(credential: Given, changes: object): Given {
  const known = JSON.parse(new TextDecoder().decode(bytesOf(credential.response.clientDataJSON)))
  const text = JSON.stringify({ ...known, ...changes })
  const clientDataJSON = encodeBase64Url(new TextEncoder().encode(text))
  return { ...credential, response: { ...credential.response, clientDataJSON } }
}

/** A registration with an id of the attacker's choice: no part of it is signed. */
function withId(credential: Credential, id: string): Credential {
  const [own, other] = [bytesOf(credential.id), bytesOf(id)]
  const replaced = (text: string) => {
    const bytes = bytesOf(text)
    for (let at = 0; at + own.length <= bytes.length; at++) {
      if (own.every((byte, index) => bytes[at + index] === byte)) bytes.set(other, at)
    }
    return encodeBase64Url(bytes)
  }
  const response = credential.response as unknown as Record<string, string>
  const { attestationObject = '', authenticatorData = '' } = response
  return {
    ...credential,
    id,
    rawId: id,
    response: {
      ...credential.response,
      attestationObject: replaced(attestationObject),
      authenticatorData: replaced(authenticatorData),
    } as never,
  }
}

describe('a replayed credential', () => {
  it('signs no user in again, in the same browser, in another one, or with its cookies', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const credential = await world.credentialOf(one, 'sign-in', key)
    const before = world.copyOf(one)
    const thief = world.browser()
    expect(await world.post(thief, credential)).toMatchObject(invalid)
    expect((await world.post(one, credential)).status).toBe(200)
    for (const browser of [one, thief, before]) {
      expect(await world.post(browser, credential)).toMatchObject(invalid)
    }
    expect(await thief.session()).toBeNull()
    expect(await before.session()).toBeNull()
  })

  it('for a sign-up makes one person', async () => {
    const world = passkeyPeople()
    const one = world.browser()
    const credential = await world.credentialOf(one, 'sign-up', world.authenticator())
    const before = world.copyOf(one)
    expect((await world.post(one, credential)).status).toBe(200)
    expect(await world.post(before, credential)).toMatchObject(invalid)
    const fresh = world.browser()
    const { publicKey } = await world.options(fresh, 'sign-up')
    const again = withClientData(credential, { challenge: publicKey.challenge })
    expect(await world.post(fresh, again)).toMatchObject(taken)
    expect(await fresh.session()).toBeNull()
  })

  it.each(['sign-in', 'sign-up'])(
    'a hundred times at once makes one session: %s',
    async (purpose) => {
      const world = passkeyPeople()
      const key = world.authenticator()
      await world.signUp(key)
      const one = world.browser()
      const made = purpose === 'sign-in' ? key : world.authenticator()
      const credential = await world.credentialOf(one, purpose, made)
      const csrfToken = await one.csrfToken()
      // Each isolate knows only its own requests.
      const isolates = Array.from({ length: 10 }, () => ({ AUTH_SECRET: secret }))
      const auth = createAuth(() => world.config)
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          auth.fetch(
            new Request(`${origin}/auth/callback/passkey`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', cookie: one.cookie },
              body: JSON.stringify({ csrfToken, credential }),
            }),
            isolates[at % 10],
          ),
        ),
      )
      expect(answers.filter(setsSession)).toHaveLength(1)
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([200, ...Array.from({ length: 99 }, () => 400)])
    },
  )

  it('is used up by the first verdict, right or wrong, and by nothing before', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const credential = await world.credentialOf(one, 'sign-in', key)
    const noToken = await world.post(one, credential, { csrfToken: 'x' })
    expect(noToken).toMatchObject({ status: 403, error: 'MissingCSRF' })
    const elsewhere = await world.post(one, credential, {}, { origin: 'https://evil.example' })
    expect(elsewhere).toMatchObject({ status: 403, error: 'MissingCSRF' })
    const wrong = { ...credential, response: { ...credential.response, signature: 'AAAA' } }
    expect(await world.post(one, wrong)).toMatchObject(nothing)
    expect(await world.post(one, credential)).toMatchObject(invalid)
  })

  it('ends with its fifteen minutes', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const credential = await world.credentialOf(one, 'sign-in', key)
    pass(15 * 60 + 1)
    expect(await world.post(one, credential)).toMatchObject(invalid)
  })
})

describe('a ceremony of one kind', () => {
  const asCreation = {
    rp: { id: 'localhost' },
    user: { id: 'AAAA' },
    pubKeyCredParams: [{ alg: -7 }],
  }

  it('is not answered by one of the other: a registration signs no user in', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one } = await world.signUp(key)
    const victim = claimsIn(one).sub
    const eve = world.browser()
    const { publicKey } = await world.options(eve, 'sign-in')
    const created = await world.authenticator().create({ ...publicKey, ...asCreation })
    expect(await world.post(eve, created)).toMatchObject(unknown)
    const next = await world.options(eve, 'sign-in')
    const again = await world.authenticator().create({ ...next.publicKey, ...asCreation })
    const [asserted] = [await world.credentialOf(world.browser(), 'sign-in', key)]
    expect(await world.post(eve, withId(again, asserted.id))).toMatchObject(nothing)
    expect(await eve.session()).toBeNull()
    expect(claimsIn(one).sub).toBe(victim)
  })

  it.each(['sign-up', 'add'])(
    'is not answered by one of the other: an assertion is no %s',
    async (purpose) => {
      const world = passkeyPeople()
      const key = world.authenticator()
      await world.signUp(key)
      const eve = await world.signIn('one', 'eve')
      const before = claimsIn(eve)
      const { publicKey } = await world.options(eve, purpose)
      const asserted = await key.get({ challenge: publicKey.challenge, rpId: 'localhost' })
      expect(await world.post(eve, asserted)).toMatchObject(nothing)
      expect(claimsIn(eve)).toEqual(before)
      expect(await world.ways(eve)).toHaveLength(1)
    },
  )

  it('that adds adds to no user after a sign-out, in another session, or in another browser', async () => {
    const world = passkeyPeople()
    const ada = await world.signIn('one', 'ada')
    const keys = [world.authenticator(), world.authenticator(), world.authenticator()] as const
    const credentials = [
      await world.credentialOf(ada, 'add', keys[0]),
      await world.credentialOf(ada, 'add', keys[1]),
      await world.credentialOf(ada, 'add', keys[2]),
    ]
    const eve = await world.signIn('one', 'eve')
    for (const [name, value] of ada.jar) if (name.includes('flow')) eve.jar.set(name, value)
    expect(await world.post(eve, credentials[0])).toMatchObject(invalid)
    await ada.submit('/auth/signout')
    expect(await world.post(ada, credentials[1])).toMatchObject(invalid)
    await world.signIn('one', 'ada', ada)
    expect(await world.post(ada, credentials[2])).toMatchObject(invalid)
    for (const one of [ada, eve]) expect(await world.ways(one)).toHaveLength(1)
    for (const key of keys) expect((await world.signInBy(key)).told).toMatchObject(unknown)
  })

  it('that signs up does not add to a signed-in user: it begins a session of its own', async () => {
    const world = passkeyPeople()
    const ada = await world.signIn('one', 'ada')
    const before = world.copyOf(ada)
    const { sub } = claimsIn(ada)
    const { told } = await world.signUp(world.authenticator(), {}, ada)
    expect(told.status).toBe(200)
    expect(claimsIn(ada).sub).not.toBe(sub)
    expect((await world.ways(ada)).map(({ provider }) => provider)).toEqual(['passkey'])
    expect(await before.session()).toBeNull()
    const again = await world.signIn('one', 'ada')
    expect(await world.ways(again)).toHaveLength(1)
  })

  it('from another provider, or from another mount, is refused', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const state = (await one.start('one')).searchParams.get('state') ?? ''
    const challenge = encodeBase64Url(new TextEncoder().encode(state))
    const asserted = await key.get({ challenge, rpId: 'localhost' })
    expect(await world.post(one, asserted)).toMatchObject(invalid)
    const credential = await world.credentialOf(one, 'sign-in', key)
    const mount = new Browser({ ...world.config, basePath: '/other' })
    for (const [name, value] of one.jar) mount.jar.set(name, value)
    const answer = await mount.send('/other/callback/passkey', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken: await one.csrfToken(), credential }),
    })
    expect([answer.status, setsSession(answer)]).toEqual([400, false])
    expect((await world.post(one, credential)).status).toBe(200)
  })

  it('with a challenge of its own making is refused', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const { publicKey } = await world.options(one, 'sign-in')
    const state = new TextDecoder().decode(bytesOf(publicKey.challenge))
    const [id = ''] = state.split('.')
    for (const made of [
      id,
      `${id}.`,
      `${id}.x`,
      `${state}x`,
      state.slice(0, -1),
      '',
      '.',
      '\u0000',
    ]) {
      const challenge = encodeBase64Url(new TextEncoder().encode(made))
      const told = await world.post(one, await key.get({ challenge, rpId: 'localhost' }))
      expect([made, told.error]).toEqual([made, 'InvalidCheck'])
    }
    const told = await world.post(one, await key.get({ ...publicKey, rpId: 'localhost' }))
    expect(told.status).toBe(200)
  })
})

describe('the id of another person’s passkey', () => {
  it('is refused at sign-up and at add', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one: ada } = await world.signUp(key)
    const { sub } = claimsIn(ada)
    const { id } = await world.credentialOf(world.browser(), 'sign-in', key)
    const eve = await world.signIn('one', 'eve')
    for (const purpose of ['sign-up', 'add']) {
      const made = await world.credentialOf(eve, purpose, world.authenticator())
      expect(await world.post(eve, withId(made, id))).toMatchObject(taken)
    }
    const stranger = world.browser()
    const made = await world.credentialOf(stranger, 'sign-up', world.authenticator())
    expect(await world.post(stranger, withId(made, id))).toMatchObject(taken)
    expect(await stranger.session()).toBeNull()
    expect(await world.ways(eve)).toHaveLength(1)
    expect(claimsIn((await world.signInBy(key)).one).sub).toBe(sub)
  })

  it('that became theirs meanwhile is refused too, and leaves no person behind', async () => {
    const world = passkeyPeople()
    const ledger = world.inner.ledger as Ledger
    const eve = world.browser()
    const credential = await world.credentialOf(eve, 'sign-up', world.authenticator())
    const people: string[] = []
    world.faults.set('changeDocument', async (...given) => {
      const [key, version] = given as Parameters<Ledger['changeDocument']>
      if (key.startsWith('person')) people.push(key)
      else await ledger.changeDocument(key, version, JSON.stringify({ owner: 'ada' }))
      return ledger.changeDocument(...(given as Parameters<typeof ledger.changeDocument>))
    })
    expect(await world.post(eve, credential)).toMatchObject(taken)
    expect(await eve.session()).toBeNull()
    expect((await ledger.document(people[0] ?? ''))?.content).toBeNull()
  })

  it('and of a passkey that they removed leads a stranger only to themselves', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one: ada } = await world.signUp(key)
    const { sub } = claimsIn(ada)
    const { id } = await world.credentialOf(world.browser(), 'sign-in', key)
    await world.add(ada, 'two', 'ada')
    const way = (await world.ways(ada)).find(({ provider }) => provider === 'passkey')
    await world.remove(ada, way?.id ?? '')
    const eve = world.browser()
    const made = withId(await world.credentialOf(eve, 'sign-up', world.authenticator()), id)
    expect((await world.post(eve, made)).status).toBe(200)
    expect(claimsIn(eve).sub).not.toBe(sub)
    expect(await world.ways(eve)).toHaveLength(1)
    // The owner's own key is a stranger's there: the public key is another.
    expect((await world.signInBy(key)).told).toMatchObject(nothing)
    expect((await world.ways(ada)).map(({ provider }) => provider)).toEqual(['two'])
  })

  it('that is like another person’s handle makes no user that person', async () => {
    const world = passkeyPeople()
    const one = world.browser()
    const { publicKey } = await world.options(one, 'sign-up')
    await world.post(one, await world.authenticator().create(publicKey))
    const { sub } = claimsIn(one)
    const eve = world.browser()
    const made = await world.credentialOf(eve, 'sign-up', world.authenticator())
    expect((await world.post(eve, withId(made, publicKey.user.id))).status).toBe(200)
    expect(claimsIn(eve).sub).not.toBe(sub)
    const mallory = await world.signIn('one', 'mallory')
    const other = await world.credentialOf(mallory, 'add', world.authenticator())
    const again = withId(other, publicKey.user.id)
    expect(await world.post(mallory, again)).toMatchObject(taken)
    expect(await world.ways(one)).toHaveLength(1)
  })
})

describe('a passkey signs in', () => {
  it('no user with the handle of another person, or with none', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const other = world.browser()
    const { publicKey } = await world.options(other, 'sign-up')
    await world.post(other, await world.authenticator().create(publicKey))
    for (const userHandle of [publicKey.user.id, undefined, null, '', 'AAAA', 7]) {
      const one = world.browser()
      const credential = await world.credentialOf(one, 'sign-in', key)
      const response = { ...credential.response, userHandle }
      expect(await world.post(one, { ...credential, response })).toMatchObject(nothing)
      expect(await one.session()).toBeNull()
    }
  })

  it('made by a person who became another person signs in as that person, by its old handle', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one: old } = await world.signUp(key, { name: 'Ada' })
    const formerly = claimsIn(old).sub
    await world.add(old, 'two', 'ada-at-two')
    pass(120)
    const now = await world.signIn('one', 'ada')
    const { sub } = claimsIn(now)
    const second = world.authenticator()
    await world.takeIn(now, 'two', 'ada-at-two')
    await world.addPasskey(now, second)
    expect(await world.ways(now)).toHaveLength(4)
    for (const each of [key, second]) {
      expect(claimsIn((await world.signInBy(each)).one).sub).toBe(sub)
    }
    expect(await old.session()).toBeNull()
    // The browser gets both handles, and erasing the person leaves neither.
    const stored = async () =>
      JSON.stringify(await Promise.all(world.calls.map(({ args }) => args)))
    expect(await stored()).toContain(formerly)
    pass(120)
    await createAuth(world.config).deletePerson(sub)
    const ledger = world.inner.ledger as Ledger
    for (const person of [sub, formerly]) {
      expect(await ledger.document(`person\n${person}`)).toBeUndefined()
    }
    for (const each of [key, second]) {
      expect((await world.signInBy(each)).told).toMatchObject(unknown)
    }
  })

  it('signs no user in after its person is erased, and has no owner then', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one } = await world.signUp(key)
    const { sub } = claimsIn(one)
    pass(120)
    await createAuth(world.config).deletePerson(sub)
    pass(2)
    expect((await world.signInBy(key)).told).toMatchObject(unknown)
    expect(await one.session()).toBeNull()
    const ledger = world.inner.ledger as Ledger
    expect(await ledger.document(`person\n${sub}`)).toBeUndefined()
    expect(await createAuth(world.config).exportPerson(sub)).toBeNull()
  })

  it('at no other origin', async () => {
    const world = passkeyPeople({}, { origins: ['https://app.example.com'] })
    const trusted = ['https://app.example.com', origin]
    const forged = [
      'http://localhost:8788',
      'http://localhost',
      'https://localhost:8787',
      'http://a.localhost:8787',
      'http://localhost.:8787',
      'http://LOCALHOST:8787',
      `${origin}/`,
      ` ${origin}`,
      'https://evil-example.com',
      'https://example.com',
      'https://evil.app.example.com',
      'https://app.example.com.evil.example',
      'https://app.example.com.',
      'https://app.example.com:444',
      'https://App.example.com',
      'https://app.ex\u0430mple.com',
      'https://app.example.com\u0000',
      'http://app.example.com',
      'null',
      '',
    ]
    for (const each of [...trusted, ...forged]) {
      const one = world.browser()
      const made = await world.credentialOf(one, 'sign-up', world.authenticator())
      const told = await world.post(one, withClientData(made, { origin: each }))
      expect([each, told.status]).toEqual([each, trusted.includes(each) ? 200 : 401])
    }
    for (const changes of [
      { crossOrigin: true },
      { topOrigin: origin },
      { type: 'webauthn.get' },
      { crossOrigin: 'false' },
    ]) {
      const one = world.browser()
      const made = await world.credentialOf(one, 'sign-up', world.authenticator())
      expect(await world.post(one, withClientData(made, changes))).toMatchObject(nothing)
    }
  })

  it('no user if the authenticator did not verify its person', async () => {
    const world = passkeyPeople()
    const { told } = await world.signUp(world.authenticator({ userVerified: false }))
    expect(told).toMatchObject(nothing)
  })
})

describe('a passkey in the place of a second factor', () => {
  /** A session of one factor, fresh, that began before its person set a second one up. */
  async function before() {
    const world = passkeyPeople()
    const thief = await world.signIn('one', 'ada')
    const key = world.authenticator()
    const begun = await world.credentialOf(thief, 'add', key)
    pass(30)
    const ada = await world.signIn('one', 'ada')
    return { world, thief, key, begun, ada, factor: await setUpFactor(ada) }
  }

  it('is not added by an earlier session that has not shown the factor, and not by an earlier ceremony', async () => {
    const { world, thief, key, begun, ada, factor } = await before()
    const asked = { status: 401, error: 'FreshSignInRequired', maxAge: 300, acr: '2' }
    expect(await world.options(thief, 'add')).toMatchObject(asked)
    expect(await world.post(thief, begun)).toMatchObject(invalid)
    expect((await world.signInBy(key)).told).toMatchObject(unknown)
    // A session that has shown it adds one: the session that set it up, and one that a code began.
    expect((await world.addPasskey(ada, world.authenticator())).status).toBe(200)
    await thief.signIn('one', 'ada')
    await thief.submit('/auth/factor', { code: factor.codes[0] })
    expect((await world.addPasskey(thief, key)).status).toBe(200)
  })
})

describe('a client that begins ceremonies without end', () => {
  it('is refused after 300 in a minute that prove nothing, and the ledger has no more rows', async () => {
    const world = passkeyPeople()
    const answers: number[] = []
    const eve = world.browser()
    const key = world.authenticator()
    const network = { 'cf-connecting-ip': '192.0.2.1' }
    for (let tried = 0; tried < 305; tried++) {
      const { publicKey } = await world.options(eve, 'sign-in')
      const { challenge } = publicKey
      const client = JSON.stringify({ type: 'webauthn.get', challenge, origin })
      const clientDataJSON = encodeBase64Url(new TextEncoder().encode(client))
      const told = await world.post(eve, { id: 'AA', response: { clientDataJSON } }, {}, network)
      answers.push(told.status)
    }
    expect(answers).toEqual([...Array(300).fill(401), ...Array(5).fill(429)])
    expect(world.calls.filter(({ name }) => name === 'enter')).toHaveLength(300)
    // Others sign up meanwhile, and the refused client may after a minute.
    expect((await world.signUp(world.authenticator())).told.status).toBe(200)
    pass(61)
    expect((await world.signUp(key, {}, eve)).told.status).toBe(200)
  })

  it('makes no more accounts than others from nowhere, if a binding counts by network', async () => {
    const keys = new Set<string>()
    const limit = async ({ key }: { key: string }) => ({ success: keys.add(key).size < 1_000 })
    const world = passkeyPeople()
    const auth = createAuth(world.config)
    const env = { RATE_LIMIT: { limit } }
    const answer = async (request: Request) => auth.fetch(request, env)
    const refused: number[] = []
    for (let made = 0; made < 305; made++) {
      const one = new Browser(world.config, { answer })
      const { told } = await world.signUp(world.authenticator(), {}, one)
      if (told.status !== 200) refused.push(told.status)
    }
    expect(refused).toEqual(Array(5).fill(429))
  })
})

describe('nothing tells whether a user has an account', () => {
  it('in the options of a sign-in, which have the same shape for all users', async () => {
    const world = passkeyPeople()
    const { one: ada } = await world.signUp(world.authenticator())
    for (const [one, more] of [
      [world.browser(), {}],
      [ada, {}],
      [
        world.browser(),
        { name: 'Ada', email: 'ada@example.com', allowCredentials: ['x'], sub: 'y' },
      ],
    ] as const) {
      const { status, ...told } = await world.options(one, 'sign-in', more)
      expect(status).toBe(200)
      expect(told).toEqual({
        publicKey: {
          challenge: expect.stringMatching(/^[\w-]{87}$/),
          rpId: 'localhost',
          timeout: 300_000,
          userVerification: 'required',
        },
      })
    }
  })

  it('in those of a sign-up: only a person who adds a passkey gets their own', async () => {
    const world = passkeyPeople()
    const { one: ada } = await world.signUp(world.authenticator())
    const up = await world.options(ada, 'sign-up')
    expect(up.publicKey.excludeCredentials).toEqual([])
    const other = await world.options(ada, 'sign-up')
    expect(other.publicKey.user.id).not.toBe(up.publicKey.user.id)
    const own = await world.options(ada, 'add')
    expect(own.publicKey.excludeCredentials).toHaveLength(1)
    const eve = await world.signIn('one', 'eve')
    const hers = await world.options(eve, 'add')
    expect(hers.publicKey.excludeCredentials).toEqual([])
    expect(hers.publicKey.user.id).not.toBe(own.publicKey.user.id)
  })
})

describe('any posted value', () => {
  it('is answered without a fault, and signs no user in', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    await world.signUp(key)
    const one = world.browser()
    const good = async () => world.credentialOf(one, 'sign-in', key)
    const { id } = await good()
    const bad: unknown[] = [
      undefined,
      null,
      7,
      '',
      'x',
      '{"id":',
      [],
      {},
      { response: null },
      { response: { clientDataJSON: 7 } },
      { response: { clientDataJSON: 'e30' } },
      { response: { clientDataJSON: `${'A'.repeat(20_000)}` } },
    ]
    for (const credential of bad) expect(await world.post(one, credential)).toMatchObject(nothing)
    for (const changes of [
      { id: 7 },
      { id: '' },
      { id: `${id}=` },
      { id: 'A'.repeat(1_366), rawId: 'A'.repeat(1_366) },
      { rawId: 'AAAA' },
      { type: 'x' },
    ]) {
      const told = await world.post(one, { ...(await good()), ...changes })
      expect([changes, told.status, told.error]).toEqual([changes, 401, 'CredentialsSignin'])
    }
    const made = await good()
    for (const name of Object.keys(made.response)) {
      if (name === 'clientDataJSON') continue
      for (const value of [undefined, null, 7, '', {}, 'AAAA', '__proto__', 'A'.repeat(30_000)]) {
        const fresh = await good()
        const response = { ...fresh.response, [name]: value }
        const told = await world.post(one, { ...fresh, response })
        expect([name, value, told.status]).toEqual([name, value, 401])
      }
    }
    expect(await one.session()).toBeNull()
    expect(world.errors.filter((error) => error.name !== 'CredentialsSignin')).toEqual([])
  })

  it('with members of a prototype, or above 64 KiB, is refused', async () => {
    const world = passkeyPeople()
    const one = world.browser()
    const csrfToken = await one.csrfToken()
    const send = async (path: string, body: string) => {
      const headers = { 'content-type': 'application/json' }
      return (await one.send(path, { method: 'POST', headers, body })).status
    }
    for (const path of ['/auth/callback/passkey', '/auth/passkey/options']) {
      const head = `{"csrfToken":"${csrfToken}","for":"sign-in"`
      expect(await send(path, `${head},"credential":{"__proto__":{"id":"x"}}}`)).toBe(400)
      const own = await send(path, `${head},"__proto__":{"credential":{},"for":"add"}}`)
      expect(own).toBe(path.endsWith('options') ? 200 : 401)
      expect(await send(path, `${head},"credential":"${'x'.repeat(65_536)}"}`)).toBe(413)
      expect(await send(path, '[]')).toBe(400)
    }
  })
})

describe('a crash between two writes', () => {
  type World = ReturnType<typeof passkeyPeople>
  type Key = ReturnType<World['authenticator']>

  /** Runs with each call of the ledger and of KV in turn failing, before or after it took effect. */
  async function atEveryCall(
    run: (world: World) => Promise<unknown>,
    check: (world: World) => Promise<void>,
    setUp: (world: World) => Promise<void> = async () => {},
  ): Promise<void> {
    for (let at = 1, isOver = false; !isOver; at++) {
      for (const takesEffect of [false, true]) {
        const world = passkeyPeople()
        await setUp(world)
        let calls = 0
        const methods = { ...world.inner.ledger, put: world.inner.sessions.put }
        for (const [name, made] of Object.entries(methods)) {
          const call = made as (...given: readonly unknown[]) => Promise<unknown>
          world.faults.set(name as never, async (...given) => {
            const isFault = ++calls === at
            if (isFault && takesEffect) await call(...given)
            return isFault ? fails() : call(...given)
          })
        }
        await run(world)
        isOver = calls < at
        world.faults.clear()
        await check(world)
      }
    }
  }

  it('for a sign-up leaves a passkey that signs in as its person, or that is unknown', async () => {
    let key: Key
    await atEveryCall(
      async (world) => {
        key = world.authenticator()
        await world.signUp(key).catch(() => {})
      },
      async (world) => {
        const { one, told } = await world.signInBy(key)
        if (told.status !== 200) {
          expect(told).toMatchObject(unknown)
          // Nothing keeps them out: they sign up again.
          expect((await world.signUp(world.authenticator())).told.status).toBe(200)
        } else {
          expect((await world.ways(one)).map(({ current }) => current)).toEqual([true])
        }
      },
    )
  })

  it('for an addition leaves a passkey that is the person’s and in their list, or neither', async () => {
    let key: Key
    let ada: Browser
    let credential: Credential
    await atEveryCall(
      async (world) => {
        await world.post(ada, credential)
      },
      async (world) => {
        const listed = (await world.ways(ada)).map(({ provider }) => provider)
        const { one, told } = await world.signInBy(key)
        expect([listed.includes('passkey'), told.status]).toEqual(
          listed.length === 2 ? [true, 200] : [false, 401],
        )
        if (told.status === 200) expect(claimsIn(one).sub).toBe(claimsIn(ada).sub)
        expect((await world.addPasskey(ada, world.authenticator())).status).toBe(200)
      },
      async (world) => {
        key = world.authenticator()
        ada = await world.signIn('one', 'ada')
        credential = await world.credentialOf(ada, 'add', key)
      },
    )
  })

  it('for a removal leaves a passkey that is in the list and signs in, or neither, and it is finished', async () => {
    let key: Key
    let ada: Browser
    const passkeyIn = async (world: World) =>
      (await world.ways(ada)).find(({ provider }) => provider === 'passkey')?.id
    await atEveryCall(
      async (world) => {
        const way = await passkeyIn(world).catch(() => undefined)
        await world.remove(ada, way ?? '').catch(() => {})
      },
      async (world) => {
        const way = await passkeyIn(world)
        const { told } = await world.signInBy(key)
        expect(told.status).toBe(way === undefined ? 401 : 200)
        await world.remove(ada, way ?? '')
        expect(await passkeyIn(world)).toBeUndefined()
        expect((await world.signInBy(key)).told).toMatchObject(unknown)
      },
      async (world) => {
        key = world.authenticator()
        await world.addPasskey(await world.signIn('one', 'ada'), key)
        ada = (await world.signInBy(key)).one
      },
    )
  })
})
