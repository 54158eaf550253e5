import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { authjsCookies } from '../../../test/support/old-cookies.js'
import { createAuth as coreAuth } from '../core.js'
import { flowPart } from '../http/purpose.js'
import { ownPage } from '../http/targets.js'
import { createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import type { Feature } from '../service/feature.js'
import type { PendingSignIn } from '../service/sign-in-hooks.js'
import { signedIn } from '../session/read.js'
import { Browser, claimsIn, copyOf, errorOf, setsSession } from '../test-support/browser.js'
import { callersOf, filesWith, placesOfSessions } from '../test-support/callers.js'
import { companyAt, companyWorld } from '../test-support/companies.js'
import { holding } from '../test-support/holding.js'
import { withOldSessions } from '../test-support/old-sessions.js'
import { passkeyPeople } from '../test-support/passkeys.js'
import { people } from '../test-support/people.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import { provingPeople } from '../test-support/step-up.js'
import { ADA, GOOD, withPasswords } from '../test-support/with-passwords.js'
import type { AuthConfig } from '../types.js'
import { credentials as credentialsFeature } from './credentials/index.js'
import { email } from './email/index.js'
import { openid } from './openid/index.js'
import { passwords as passwordsFeature } from './passwords/index.js'
import { secondFactor } from './second-factor/index.js'
import { ways } from './ways/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** Adds another way to a person, and removes their first one. */
async function removeFirst(world: ReturnType<typeof people>, one: Browser): Promise<void> {
  expect(errorOf(await world.add(one, 'two', 'ada'))).toBe('/inbox')
  const first = (await world.ways(one)).find(({ provider }) => provider === 'one')
  await world.remove(one, first?.id ?? '')
  expect((await world.ways(await world.signIn('two', 'ada'))).length).toBe(1)
}

const passwords = credentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username }) => ({ id: String(username) }),
})

/** Each place that gives a session, by its file: a browser after a sign-in there, as far as it may go. */
const PLACES: Readonly<Record<string, (changes: Partial<AuthConfig>) => Promise<Browser>>> = {
  async 'sign-in/redirect-flow.ts'(changes) {
    return people(changes).signIn('one', 'ada')
  },
  async 'features/email/flow.ts'(changes) {
    return people(changes).signIn('email', 'ada@people.example')
  },
  async 'features/credentials/kind.ts'(changes) {
    const one = people({ providers: [passwords], ...changes }).browser()
    await one.submit('/auth/callback/credentials', { username: 'ada', password: 'x' })
    return one
  },
  async 'features/passwords/sign-in.ts'(changes) {
    const world = withPasswords()
    await world.signedUp()
    const features = [passwordsFeature, ...(changes.features ?? [])]
    const one = new Browser({ ...world.config, ...changes, features })
    await world.signInBy(one, ADA, GOOD)
    return one
  },
  async 'features/passkeys/finish.ts'(changes) {
    const world = passkeyPeople(changes)
    return (await world.signUp(world.authenticator())).one
  },
  async 'features/second-factor/enter-code.ts'({ features }) {
    const world = people()
    const { app } = await setUpFactor(await world.signIn('one', 'ada'))
    pass(60)
    Object.assign(world.config, { features })
    const one = await world.signIn('one', 'ada', new Browser({ ...world.config }))
    await one.submit('/auth/factor', { code: app.code() })
    return one
  },
  async 'features/second-factor/set-up.ts'(changes) {
    const one = await people({ secondFactor: () => true, ...changes }).signIn('one', 'ada')
    await setUpFactor(one)
    return one
  },
  async 'features/companies/join.ts'(changes) {
    const world = await companyWorld([companyAt('acme', { join: true })], changes)
    const one = world.browser()
    await world.signInBy(one, 'acme')
    await one.submit('/auth/company/join', { choice: 'new' })
    return one
  },
  async 'features/old-sessions/continue-session.ts'(changes) {
    const one = withOldSessions(changes).browser(await authjsCookies())
    await one.session()
    return one
  },
}

/** It answers an app with tokens, and no browser with a session: its own tests have who is refused. */
const ASSERTED = 'features/authorization-server/assertions/asserted-person.ts'

describe('each place that gives a session asks one function, which asks the features', () => {
  it('is named here, so that none is forgotten', () => {
    expect(placesOfSessions()).toEqual([ASSERTED, ...Object.keys(PLACES)].sort())
  })

  it('and nothing else begins a session, or makes one stronger', () => {
    const beginning = ['features/old-sessions/continue-session.ts', 'sign-in/finish.ts']
    const joining = 'features/companies/join.ts'
    expect(callersOf('approve')).toEqual([ASSERTED, joining, ...beginning, 'sign-in/pending.ts'])
    expect(callersOf('completeSignIn')).toEqual(['sign-in/finish.ts', 'sign-in/pending.ts'])
    expect(callersOf('startSession')).toEqual(beginning)
    expect(callersOf('proveStepUp')).toEqual(['sign-in/finish.ts'])
    expect(callersOf('signSessionToken')).toEqual(['session/issue.ts'])
    expect(callersOf('setSessionCookie')).toEqual(
      [
        ...['features/old-sessions/source.ts', 'sign-in/finish.ts'],
        // These sign tokens of sessions that go on.
        ...['features/second-factor/set-up.ts', 'routes/renew.ts', 'routes/session.ts'],
        // After a registration or a proof of the browser's key.
        ...['features/bound-sessions/answer.ts', 'features/bound-sessions/refresh.ts'],
      ].sort(),
    )
    // A sign-in is approved by one function, and after a wait it counts by one.
    expect(filesWith(/ as Approved\b/)).toEqual(['sign-in/approve.ts'])
    // The app is asked about nobody who is blocked: `instead` of it asks for a way that is added.
    expect(callersOf('askSignIn')).toEqual(
      [
        ASSERTED,
        'features/email/request-mail.ts',
        'features/old-sessions/continue-session.ts',
        'sign-in/finish.ts',
      ].sort(),
    )
    expect(callersOf('checkBlocked')).toEqual([
      'features/authorization-server/api-keys/operations.ts',
      ASSERTED,
      joining,
      'features/old-sessions/continue-session.ts',
      'sign-in/approve.ts',
      'sign-in/finish.ts',
    ])
    expect(filesWith(/ as [\w &]*\bChecked\b/)).toEqual(['sign-in/pending.ts'])
  })

  it.each(Object.entries(PLACES))('attack: %s lets no user by', async (_, signIn) => {
    const free = await signIn({})
    expect(await free.session()).not.toBeNull()
    const { feature, asked } = holding('gate')
    const one = await signIn({ features: [feature] })
    expect(asked).toHaveLength(1)
    expect(one.jar.has('auth.session-token')).toBe(false)
    expect(await one.session()).toBeNull()
  })

  it('attack: a feature refuses, and no place lets its person by', async () => {
    for (const [file, signIn] of Object.entries(PLACES)) {
      const refuses = {
        name: 'gate',
        signIn: { hold: () => Promise.reject(new Error('Blocked.')) },
      }
      const one = await signIn({ features: [refuses] }).catch((error: Error) => error)
      // The place that sets up a factor fails without a session, so it shows no recovery codes.
      if (one instanceof Error) expect(one.message, file).toContain('No factor')
      else expect(await one.session(), file).toBeNull()
    }
  })
})

it('attack: a flow of a feature for another purpose signs no user in, though no feature takes its proof', async () => {
  const part = flowPart<{ readonly of: string }>('claims')
  const claims: Feature = {
    name: 'claims',
    pages: {
      routes: {
        '/claims': {
          async GET(request) {
            const provider = request.providers.usable.get('one')
            const target = ownPage(request, request.issuer)
            const purpose = { target, ...part.with({ of: 'ada' }) }
            if (!provider) throw new Error('No provider.')
            return provider.kind.start(request, provider, {}, purpose)
          },
        },
      },
    },
    signIn: {
      async resumed(request) {
        const asker = await signedIn(request)
        if (!asker) throw new Error('No user.')
        return asker
      },
    },
  }
  const world = people({ features: [claims] })
  const ada = await world.signIn('one', 'ada')
  const before = claimsIn(ada)
  const end = await world.comeBack(ada, 'one', await ada.get('/auth/claims'), 'bob')
  expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
  expect(claimsIn(ada)).toEqual(before)
})

describe('several features for which a sign-in must wait', () => {
  it('are asked in order, each once, and the session begins behind the last', async () => {
    const asked: string[] = []
    const all = ['first', 'second', 'third'].map((name) => holding(name, asked))
    const world = people({ features: all.map(({ feature }) => feature) })
    const one = world.browser()
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/first')
    expect(errorOf(await one.get('/auth/first'))).toBe('/auth/second')
    expect(errorOf(await one.get('/auth/second'))).toBe('/auth/third')
    expect(await one.session()).toBeNull()
    const end = await one.get('/auth/third')
    expect([errorOf(end), setsSession(end)]).toEqual(['/inbox', true])
    // After each wait the service asks every feature that has not let the sign-in wait yet.
    expect(asked).toEqual(['first of one', 'second of one', 'third of one'])
    expect(claimsIn(one).amr).toEqual(['one'])
  })

  it('attack: one that came to hold while a sign-in waited for another is asked', async () => {
    const late = { name: 'late', isOn: false }
    const gate = holding('gate')
    const world = people({
      features: [
        {
          name: late.name,
          signIn: {
            hold: async () => {
              if (late.isOn) throw new Error('Blocked meanwhile.')
              return undefined
            },
          },
        },
        gate.feature,
      ],
    } as Partial<AuthConfig>)
    const one = await world.signIn('one', 'ada')
    late.isOn = true
    expect(setsSession(await one.get('/auth/gate'))).toBe(false)
    expect(await one.session()).toBeNull()
  })

  it('attack: behind a second factor: the code alone begins no session, and is not asked for again', async () => {
    const world = people()
    const { app } = await setUpFactor(await world.signIn('one', 'ada'))
    pass(60)
    const gate = holding('gate')
    const config = { ...world.config, features: [gate.feature] }
    const one = new Browser(config)
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/factor')
    expect(gate.asked).toEqual([])
    const coded = await one.submit('/auth/factor', { code: app.code() })
    expect([errorOf(coded), setsSession(coded)]).toEqual(['/auth/gate', false])
    expect(errorOf(await one.get('/auth/gate'))).toBe('/inbox')
    expect(claimsIn(one).amr).toEqual(['one', 'otp', 'mfa'])
    expect([...one.jar.keys()].join()).toContain('auth.device')
  })

  it('attack: before a second factor: that one is asked for afterwards', async () => {
    const world = people()
    const { app } = await setUpFactor(await world.signIn('one', 'ada'))
    pass(60)
    const gate = holding('gate')
    const { providers, ...rest } = world.config
    const oauth = providers.slice(0, 2)
    const config = { ...rest, providers: oauth, features: [gate.feature, secondFactor] }
    const auth = coreAuth(config)
    const one = new Browser(config, { answer: (request) => auth.fetch(request) })
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/gate')
    expect(errorOf(await one.get('/auth/gate'))).toBe('/auth/factor')
    expect(await one.session()).toBeNull()
    await one.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(one).amr).toEqual(['one', 'otp', 'mfa'])
    expect(gate.asked).toHaveLength(1)
  })

  it('attack: a deployment takes the second factor away while a sign-in waits for a feature before it', async () => {
    const world = people()
    await setUpFactor(await world.signIn('one', 'ada'))
    pass(60)
    const gate = holding('gate')
    const { providers, ...rest } = world.config
    const config = { ...rest, providers: providers.slice(0, 2) }
    let auth = coreAuth({ ...config, features: [gate.feature, secondFactor] })
    const one = new Browser(config, { answer: (request) => auth.fetch(request) })
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/gate')
    auth = coreAuth({ ...config, features: [gate.feature, ways] })
    expect(errorOf(await one.get('/auth/gate'))).toBe('/auth/error Configuration')
    expect(await one.session()).toBeNull()
  })

  it('attack: a feature names a person and brings no document: they are asked for their second factor all the same', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    await setUpFactor(ada)
    const { sub } = claimsIn(ada)
    const { providers, ...rest } = world.config
    const names: Feature = {
      name: 'names',
      signIn: {
        async identify(_request, { account, ...proved }) {
          return { signedIn: { ...proved, account: { ...account, userId: sub } } }
        },
      },
    }
    for (const [features, end] of [
      [[names, secondFactor], '/auth/factor'],
      [[names, ways], '/auth/error Configuration'],
    ] as const) {
      const auth = coreAuth({ ...rest, providers: providers.slice(0, 2), features })
      const one = new Browser(world.config, { answer: (request) => auth.fetch(request) })
      expect(errorOf(await one.signIn('two', 'another account'))).toBe(end)
      expect(await one.session()).toBeNull()
    }
  })

  it.each<[string, (world: ReturnType<typeof people>, ada: Browser) => unknown]>([
    [
      'has signed out everywhere',
      (_, ada) => ada.submit('/auth/sessions/revoke', { session: 'all' }),
    ],
    ['was erased', ({ config }, ada) => createAuth(config).deletePerson(claimsIn(ada).sub, {})],
    ['has removed the way', removeFirst],
    [
      'was merged into another one',
      async (world) => {
        const grace = await world.signIn('two', 'grace')
        await world.takeIn(grace, 'one', 'ada')
      },
    ],
    [
      'has no such provider any more',
      ({ config }) => Object.assign(config, { providers: config.providers.slice(1) }),
    ],
  ])('attack: one goes on for a person who %s meanwhile', async (_, change) => {
    const gate = holding('gate')
    const world = people()
    const ada = await world.signIn('one', 'ada')
    pass(60)
    const config = { ...world.config, features: [gate.feature] }
    const one = new Browser(config)
    await one.signIn('one', 'ada')
    pass(60)
    await change({ ...world, config }, ada)
    const now = copyOf(one, { ...config })
    expect(setsSession(await now.get('/auth/gate'))).toBe(false)
    expect(await now.session()).toBeNull()
  })

  it('attack: a wait makes a proof no fresher: the session is as old as the proof', async () => {
    const gate = holding('gate')
    const world = people({ features: [gate.feature] })
    const one = await world.signIn('one', 'ada')
    const came = gate.pending[0]?.came
    pass(400)
    await one.get('/auth/gate')
    expect(claimsIn(one).auth_time).toBe(came)
  })

  it('attack: a page that asks for two factors is answered by one behind a wait, if no feature asks for a second one', async () => {
    const { config, prove, signIn } = await provingPeople()
    const ada = await signIn('test', 'ada')
    const before = claimsIn(ada)
    pass(60)
    const gate = holding('gate')
    const more = [email, credentialsFeature, openid, gate.feature]
    const auth = coreAuth({ ...config, features: more } as AuthConfig)
    const core = copyOf(ada, config, { answer: (request) => auth.fetch(request) })
    await prove(core, 'test', 'ada', { acr: '2' })
    const end = await core.get('/auth/gate')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error AccessDenied', false])
    expect(claimsIn(core)).toEqual(before)
  })

  it('behind the set-up of a second factor: the page of the recovery codes leads on to it', async () => {
    const gate = holding('gate')
    const world = people({ secondFactor: () => true, features: [gate.feature] })
    const one = await world.signIn('one', 'ada')
    const { page } = await setUpFactor(one)
    expect(page).toContain('href="http://localhost:8787/auth/gate"')
    expect(await one.session()).toBeNull()
    await one.get('/auth/gate')
    expect(claimsIn(one).amr).toEqual(['one', 'otp', 'mfa'])
  })

  it('a passkey that was made before its person waited signs in as them', async () => {
    const gate = holding('gate')
    const world = passkeyPeople({ features: [gate.feature] })
    const key = world.authenticator()
    const { one } = await world.signUp(key, { name: 'Ada' })
    expect(await one.session()).toBeNull()
    await one.get('/auth/gate')
    const { sub } = claimsIn(one)
    const { one: again } = await world.signInBy(key)
    await again.get('/auth/gate')
    expect(claimsIn(again).sub).toBe(sub)
  })

  it('are given nothing that the person typed', async () => {
    const gate = holding('gate')
    const world = people({ providers: [passwords], features: [gate.feature] })
    const one = world.browser()
    await one.submit('/auth/callback/credentials', { username: 'ada', password: 'hunter2' })
    const [pending] = gate.pending as [PendingSignIn]
    expect(pending.signedIn.account.provider).toBe('credentials')
    expect(JSON.stringify(pending)).not.toContain('hunter2')
  })
})
