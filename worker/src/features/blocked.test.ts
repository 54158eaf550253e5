import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { authjsCookies } from '../../../test/support/old-cookies.js'
import { AccessDenied } from '../errors.js'
import { createAuth } from '../index.js'
import { subjectOf } from '../person/subject.js'
import credentials from '../providers/credentials.js'
import {
  type Browser,
  claimsIn,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../test-support/browser.js'
import { placesOfSessions } from '../test-support/callers.js'
import { companyAt, companyWorld } from '../test-support/companies.js'
import { holding } from '../test-support/holding.js'
import { withOldSessions } from '../test-support/old-sessions.js'
import { passkeyPeople } from '../test-support/passkeys.js'
import { people } from '../test-support/people.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import { provingPeople } from '../test-support/step-up.js'
import { ADA, GOOD, withPasswords } from '../test-support/with-passwords.js'
import type { AuthConfig, Callbacks } from '../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const BLOCKED = '/auth/error AccessDenied blocked'

/** How a person signs in at one place, over and over. */
interface Place {
  /** The file that gives the session. */
  readonly file: string
  /** @param changes the callback of an app, which counts its questions */
  begin(changes: Partial<AuthConfig>): Promise<{
    readonly config: AuthConfig
    readonly sub: string
    /** @returns the browser afterwards, and the page and error that it got */
    again(): Promise<{ readonly one: Browser; readonly told: string }>
  }>
}

const MAIL = { email: 'ada@people.example', callbackUrl: '/inbox' }

const passwords = credentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username }) => ({ id: String(username) }),
})

/** Each place that gives a session after a proof. */
const PLACES: Readonly<Record<string, Place>> = {
  'a provider of OAuth': {
    file: 'sign-in/redirect-flow.ts',
    async begin(changes) {
      const world = people(changes)
      const again = async () => {
        const one = world.browser()
        return { one, told: errorOf(await one.signIn('one', 'ada')) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'a provider of OpenID': {
    file: 'sign-in/redirect-flow.ts',
    async begin(changes) {
      const world = await provingPeople(changes)
      const again = async () => {
        const one = world.browser()
        return { one, told: errorOf(await world.prove(one, 'test', 'ada', {})) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'the link of a mail': {
    file: 'features/email/flow.ts',
    async begin(changes) {
      const world = people(changes)
      const again = async () => {
        const one = world.browser()
        await one.submit('/auth/signin/email', MAIL)
        return { one, told: errorOf(await one.get(world.lastMail().path)) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'the code of a mail': {
    file: 'features/email/flow.ts',
    async begin(changes) {
      const world = people(changes)
      const again = async () => {
        const one = world.browser()
        const asked = await one.submit('/auth/signin/email', MAIL)
        const flow = new URL(locationOf(asked), origin).searchParams.get('flow') ?? ''
        const code = world.lastMail().mail?.code ?? ''
        return { one, told: errorOf(await one.submit('/auth/callback/email', { flow, code })) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'a password': {
    file: 'features/credentials/kind.ts',
    async begin(changes) {
      const world = people({ providers: [passwords], ...changes })
      const again = async () => {
        const one = world.browser()
        const fields = { username: 'ada', password: 'x', callbackUrl: '/inbox' }
        return { one, told: errorOf(await one.submit('/auth/callback/credentials', fields)) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'a passkey': {
    file: 'features/passkeys/finish.ts',
    async begin(changes) {
      const world = passkeyPeople(changes)
      const key = world.authenticator()
      const { one: first } = await world.signUp(key)
      const again = async () => {
        const { one, told } = await world.signInBy(key)
        const { url, error, code } = told
        return { one, told: error ? `/auth/error ${error} ${code}` : new URL(url ?? '').pathname }
      }
      return { config: world.config, sub: claimsIn(first).sub, again }
    },
  },
  'a provider and a second factor': {
    file: 'features/second-factor/enter-code.ts',
    async begin(changes) {
      const world = people(changes)
      const first = await world.signIn('one', 'ada')
      const { app } = await setUpFactor(first)
      const again = async () => {
        pass(60)
        const one = world.browser()
        const half = errorOf(await one.signIn('one', 'ada'))
        if (half !== '/auth/factor') return { one, told: half }
        return { one, told: errorOf(await one.submit('/auth/factor', { code: app.code() })) }
      }
      return { config: world.config, sub: claimsIn(first).sub, again }
    },
  },
  'a provider and the set-up of a second factor': {
    file: 'features/second-factor/set-up.ts',
    async begin(changes) {
      const world = people({ secondFactor: () => true, ...changes })
      const again = async () => {
        pass(60)
        const one = world.browser()
        const half = errorOf(await one.signIn('one', 'ada'))
        if (half !== '/auth/factor/setup') return { one, told: half }
        await setUpFactor(one)
        const auth = createAuth(world.config)
        await auth.resetFactors(claimsIn(one).sub, {})
        return { one, told: '/inbox' }
      }
      return { config: world.config, sub: await subjectOf('one', 'ada'), again }
    },
  },
  'a password that is kept here': {
    file: 'features/passwords/sign-in.ts',
    async begin(changes) {
      const world = withPasswords({}, changes)
      const { sub } = claimsIn(await world.signedUp())
      const again = async () => {
        pass(60)
        const one = world.browser()
        return { one, told: errorOf(await world.signInBy(one, ADA, GOOD)) }
      }
      return { config: world.config, sub, again }
    },
  },
  'a company that asks who was here before': {
    file: 'features/companies/join.ts',
    async begin(changes) {
      const world = await companyWorld([companyAt('acme', { join: true })], changes)
      const again = async () => {
        const one = world.browser()
        const told = errorOf(await world.signInBy(one, 'acme'))
        if (told !== '/auth/company/join') return { one, told }
        return { one, told: errorOf(await one.submit('/auth/company/join', { choice: 'new' })) }
      }
      return { config: world.config, sub: claimsIn((await again()).one).sub, again }
    },
  },
  'a cookie of another library': {
    file: 'features/old-sessions/continue-session.ts',
    async begin(changes) {
      const world = withOldSessions(changes)
      const again = async () => {
        const one = world.browser(await authjsCookies({ claims: { made: Math.random() } }))
        const error = (await one.session()) ? undefined : world.errors.at(-1)
        const said = error instanceof AccessDenied ? `${error.type} ${error.code}` : error?.message
        return { one, told: error ? `/auth/error ${said}` : '/inbox' }
      }
      return { config: world.config, sub: '7', again }
    },
  },
}

it('each place that gives a session is here, so that none forgets the block', () => {
  const files = new Set(Object.values(PLACES).map(({ file }) => file))
  // Its own tests have a blocked person: it answers an app with tokens, and no browser.
  const asserted = 'features/authorization-server/assertions/asserted-person.ts'
  expect([asserted, ...files].sort()).toEqual(placesOfSessions())
})

describe('attack: a blocked person signs in by', () => {
  it.each(Object.entries(PLACES))('%s', async (_, { begin }) => {
    let asked = 0
    const signIn: Callbacks['signIn'] = ({ email }) => {
      // A mail is asked for as by everybody.
      if (!email?.verificationRequest) asked++
      return true
    }
    const { config, sub, again } = await begin({ callbacks: { signIn } })
    expect((await again()).told).toBe('/inbox')
    const auth = createAuth(config)
    await auth.blockPerson({ sub }, {})
    pass(1)
    asked = 0
    const { one, told } = await again()
    expect(told).toBe(BLOCKED)
    expect(one.jar.has('auth.session-token')).toBe(false)
    expect(await one.session()).toBeNull()
    expect(asked).toBe(0)
    await auth.unblockPerson(sub, {})
    pass(1)
    expect((await again()).told).toBe('/inbox')
  })

  it('a mail that was sent before, in the browser that asked and in another one', async () => {
    const world = people()
    const first = await world.signIn('email', 'ada@people.example')
    const { sub } = claimsIn(first)
    const [here, there] = [world.browser(), world.browser()]
    await here.submit('/auth/signin/email', MAIL)
    const { path } = world.lastMail()
    await createAuth(world.config).blockPerson({ sub }, {})
    pass(1)
    const page = await (await there.get(path)).text()
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
    expect(token).not.toBe('')
    const told = await there.submit('/auth/callback/email', { token })
    expect([errorOf(told), setsSession(told)]).toEqual([BLOCKED, false])
    expect(await here.session()).toBeNull()
  })

  it('a flow that began before the block, at a provider', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const one = world.browser()
    const start = await one.submit('/auth/signin/one', { callbackUrl: '/inbox' })
    await createAuth(world.config).blockPerson({ sub: claimsIn(ada).sub }, {})
    pass(1)
    expect(errorOf(await world.comeBack(one, 'one', start, 'ada'))).toBe(BLOCKED)
  })
})

describe('attack: a sign-in waits while its person is blocked, for', () => {
  it('the code of a second factor, which is as if it had ended, also after the block', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    pass(60)
    const [one, two] = [world.browser(), world.browser()]
    for (const each of [one, two])
      expect(errorOf(await each.signIn('one', 'ada'))).toBe('/auth/factor')
    const auth = createAuth(world.config)
    const { sub } = claimsIn(ada)
    await auth.blockPerson({ sub }, {})
    pass(60)
    const told = await one.submit('/auth/factor', { code: app.code() })
    expect([errorOf(told), setsSession(told)]).toEqual(['/auth/signin InvalidCheck', false])
    await auth.unblockPerson(sub, {})
    pass(60)
    const late = await two.submit('/auth/factor', { code: app.code() })
    expect([errorOf(late), setsSession(late)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('the set-up of a second factor, if the ledger does not know the person', async () => {
    const world = people({ secondFactor: () => true })
    const one = world.browser()
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/factor/setup')
    await createAuth(world.config).blockPerson({ sub: await subjectOf('one', 'ada') }, {})
    pass(1)
    await expect(setUpFactor(one)).rejects.toThrow('No factor')
    expect(one.jar.has('auth.session-token')).toBe(false)
  })

  it('a feature of the app’s own', async () => {
    const gate = holding('gate')
    const world = people({ features: [gate.feature] })
    const one = world.browser()
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/gate')
    await createAuth(world.config).blockPerson({ sub: await subjectOf('one', 'ada') }, {})
    pass(1)
    const told = await one.get('/auth/gate')
    expect([errorOf(told), setsSession(told)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('a feature that does not check what has waited', async () => {
    const gate = holding('gate')
    const world = people({ features: [gate.feature] })
    const one = world.browser()
    expect(errorOf(await one.signIn('one', 'ada'))).toBe('/auth/gate')
    // The proof is younger than the end of the sessions, as of an isolate whose clock is ahead.
    const [waiting] = gate.pending
    Object.assign(waiting ?? {}, { came: Math.floor(Date.now() / 1000) + 60 })
    await createAuth(world.config).blockPerson({ sub: await subjectOf('one', 'ada') }, {})
    pass(1)
    expect(errorOf(await one.get('/auth/gate'))).toBe(BLOCKED)
    expect(await one.session()).toBeNull()
  })
})

it('attack: a blocked person steps up in the session that has ended', async () => {
  const world = await provingPeople()
  const ada = await world.signIn('test', 'ada')
  const before = world.copyOf(ada)
  const start = await world.start(before, 'test', { maxAge: '300' })
  await createAuth(world.config).blockPerson({ sub: claimsIn(ada).sub }, {})
  pass(1)
  const told = await world.comeBack(before, start, 'ada')
  expect([errorOf(told), setsSession(told)]).toEqual([BLOCKED, false])
  const again = await world.prove(world.copyOf(ada), 'test', 'ada')
  expect([errorOf(again), setsSession(again)]).toEqual([BLOCKED, false])
})

it('attack: the session of a blocked person is renewed, or read where the ledger decides', async () => {
  const world = people()
  const ada = await world.signIn('one', 'ada')
  const auth = createAuth(world.config)
  await auth.blockPerson({ sub: claimsIn(ada).sub }, {})
  for (const path of ['/auth/session?online=1', '/auth/session', '/auth/sessions', '/auth/ways']) {
    const answer = await world.copyOf(ada).get(path)
    expect([200, 401]).toContain(answer.status)
    expect(JSON.stringify(await answer.json())).not.toContain('ada')
  }
  pass(16 * 60)
  expect(await world.copyOf(ada).session()).toBeNull()
})

it('the page says so in every language, with the help of the site, and never the reason', async () => {
  const world = people({ theme: { links: { help: 'https://help.example/' } } })
  const ada = await world.signIn('one', 'ada')
  const auth = createAuth(world.config)
  await auth.blockPerson({ sub: claimsIn(ada).sub, reason: 'A canary.' }, {})
  pass(1)
  const one = world.browser()
  const told = await one.signIn('one', 'ada')
  const { pathname, search } = new URL(locationOf(told))
  const pages = ['en', 'de', 'ar', 'ja'].map(async (language) => {
    const answer = await one.get(pathname + search, { 'accept-language': language })
    expect(answer.status).toBe(403)
    return answer.text()
  })
  const texts = await Promise.all(pages)
  expect(texts[0]).toContain('This account is blocked.')
  expect(texts[1]).toContain('Dieses Konto ist gesperrt')
  expect(new Set(texts).size).toBe(4)
  for (const text of texts) {
    expect(text).toContain('href="https://help.example/"')
    expect(text).not.toContain('canary')
  }
})
