import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { authjsCookies } from '../../../../test/support/old-cookies.js'
import credentials from '../../providers/credentials.js'
import { Browser, claimsIn, errorOf, locationOf, setsSession } from '../../test-support/browser.js'
import { placesOfSessions } from '../../test-support/callers.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { withOldSessions } from '../../test-support/old-sessions.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { ADA, GOOD, withPasswords } from '../../test-support/with-passwords.js'
import { passwords as passwordsFeature } from '../passwords/index.js'
import { companies } from './index.js'
import type { Company } from './types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const ONLY = '/auth/signin AccessDenied company_only'

/** The feature, with one company that has a domain alone. */
const alone = (domain: string, changes: Partial<Company> = {}) => {
  const entry = companyAt('acme', { domains: [domain], only: true, ...changes })
  return companies({
    find: (asked) => (asked === domain ? entry : undefined),
    get: (id) => (id === 'acme' ? entry : undefined),
    fetch: () => Promise.reject(new Error('The provider is not asked.')),
  })
}

const passwordForm = credentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username }) => ({ id: String(username), email: `${username}@acme.example` }),
})

const ACCOUNT = { ada: { email: 'ada@acme.example', email_verified: false } }

/** Each place that gives a session, by its file: the answer for a person of the company, and their browser. */
const PLACES: Readonly<Record<string, () => Promise<readonly [Browser, Response | string]>>> = {
  async 'sign-in/redirect-flow.ts'() {
    const world = people({ features: [alone('acme.example')] }, { profiles: ACCOUNT })
    const one = world.browser()
    return [one, await one.signIn('one', 'ada')]
  },
  async 'features/email/flow.ts'() {
    // The mail was asked for before the company said that its people sign in by no other way.
    const world = people({ features: [alone('other.example')] })
    const one = world.browser()
    await one.submit('/auth/signin/email', { email: 'ada@acme.example' })
    const later = new Browser({ ...world.config, features: [alone('acme.example')] })
    for (const [name, value] of one.jar) later.jar.set(name, value)
    return [later, await later.get(world.lastMail().path)]
  },
  async 'features/credentials/kind.ts'() {
    const one = people({ providers: [passwordForm], features: [alone('acme.example')] }).browser()
    return [one, await one.submit('/auth/callback/credentials', { username: 'ada', password: 'x' })]
  },
  async 'features/passwords/sign-in.ts'() {
    // Its own test is below: the form leads to the company.
    throw new Error('It has a test of its own.')
  },
  async 'features/passkeys/finish.ts'() {
    const world = passkeyPeople()
    const key = world.authenticator()
    const { one } = await world.signUp(key)
    await world.add(one, 'email', 'ada@acme.example')
    Object.assign(world.config, { features: [alone('acme.example')] })
    const later = world.browser()
    const { told: page } = await world.signInBy(key, new Browser({ ...world.config }))
    return [later, `${new URL(page.url ?? '').pathname} ${page.error} ${page.code}`]
  },
  async 'features/second-factor/enter-code.ts'() {
    const world = people({}, { profiles: ACCOUNT })
    const { app } = await setUpFactor(await world.signIn('one', 'ada'))
    pass(60)
    const one = await world.signIn('one', 'ada')
    const later = new Browser({ ...world.config, features: [alone('acme.example')] })
    for (const [name, value] of one.jar) later.jar.set(name, value)
    return [later, await later.submit('/auth/factor', { code: app.code() })]
  },
  async 'features/second-factor/set-up.ts'() {
    const world = people({ secondFactor: () => true }, { profiles: ACCOUNT })
    const one = await world.signIn('one', 'ada')
    const later = new Browser({ ...world.config, features: [alone('acme.example')] })
    for (const [name, value] of one.jar) later.jar.set(name, value)
    await setUpFactor(later).catch(() => undefined)
    return [later, ONLY]
  },
  async 'features/old-sessions/continue-session.ts'() {
    const jar = await authjsCookies()
    const one = withOldSessions({ features: [alone('example.com')] }).browser(jar)
    const answer = await one.get('/auth/session')
    // The cookie is left as it is.
    expect(answer.headers.getSetCookie().join()).not.toContain('authjs.session-token')
    return [one, ONLY]
  },
  async 'features/companies/join.ts'() {
    const world = await companyWorld(
      [companyAt('acme', { join: true }), companyAt('bolt')],
      {},
      {
        profiles: { bob: { email: 'bob@bolt.example' } },
      },
    )
    await world.signIn('one', 'bob')
    Object.assign(world.all[1] as object, { only: true })
    pass(61)
    const one = world.browser()
    await world.signInBy(one, 'acme')
    // The old way belongs to a person of another company that signs its people in alone.
    const start = await one.submit('/auth/company/join', { choice: 'one' })
    return [one, await world.backFrom(one, 'one', start, 'bob')]
  },
}

describe('attack: a person of a company that signs its people in by no other way gets no session', () => {
  it('at any of these places, of which none is forgotten', () => {
    // An assertion of an issuer gives a token and no session. It asks the same function, with tests of its own.
    const places = placesOfSessions().filter((file) => !file.includes('/assertions/'))
    expect(Object.keys(PLACES).sort()).toEqual(places)
  })

  it.each(Object.entries(PLACES).filter(([file]) => !/passwords/.test(file)))(
    '%s',
    async (_, place) => {
      const [one, end] = await place()
      expect(typeof end === 'string' ? end : errorOf(end)).toBe(ONLY)
      if (typeof end !== 'string') expect(setsSession(end)).toBe(false)
      expect(await one.session()).toBeNull()
    },
  )

  it('features/passwords/sign-in.ts: the form leads to the company, and no hash is computed', async () => {
    const world = withPasswords()
    await world.signedUp()
    const [, domain = ''] = ADA.split('@')
    const company = await companyWorld([companyAt('acme', { domains: [domain], only: true })])
    const [feature] = company.config.features as [never]
    const one = new Browser({ ...world.config, features: [passwordsFeature, feature] })
    const calls = world.calls.length
    for (const password of [GOOD, 'wrong']) {
      const end = await world.signInBy(one, ADA, password)
      expect(new URL(locationOf(end)).hostname).toBe('acme.idp.example')
    }
    expect(world.calls.length).toBe(calls)
  })
})

describe('it concerns a person', () => {
  it('by an address that is one of their ways', async () => {
    const world = people()
    const one = await world.signIn('one', 'ada')
    await world.add(one, 'email', 'ada@acme.example')
    const later = new Browser({ ...world.config, features: [alone('acme.example')] })
    expect(errorOf(await later.signIn('one', 'ada'))).toBe(ONLY)
    expect(errorOf(await later.signIn('two', 'bob'))).toBe('/inbox')
  })

  it('by a way of that company, and another company’s proof does not count', async () => {
    const world = await companyWorld([companyAt('acme'), companyAt('bolt')])
    const one = await world.signIn('one', 'ada')
    const start = await world.startAdding(one, 'company-acme')
    expect(errorOf(await world.comeBack(one, 'acme', start))).toBe('/inbox')
    Object.assign(world.all[0] as object, { only: true })
    pass(61)
    const later = new Browser(world.config)
    expect(errorOf(await later.signIn('one', 'ada'))).toBe(ONLY)
    expect(errorOf(await world.signInBy(later, 'acme'))).toBe('/inbox')
  })

  it.each([
    'ada@ACME.example',
    'ada@acme.example.',
    ' ada@acme.example',
    'Ada <ada@acme.example>',
    'ada＠acme.example',
  ])('attack: in another spelling of the address: %j', async (email) => {
    const world = people({ features: [alone('acme.example')] }, { profiles: { ada: { email } } })
    expect(errorOf(await world.browser().signIn('one', 'ada'))).toBe(ONLY)
  })
})

describe('a form that names such an address', () => {
  it('leads to the company: no mail', async () => {
    const world = await companyWorld([companyAt('acme', { only: true })])
    const answer = await world.browser().submit('/auth/signin/email', { email: 'ada@acme.example' })
    const url = new URL(locationOf(answer))
    expect([url.hostname, url.searchParams.get('login_hint')]).toEqual([
      'acme.idp.example',
      'ada@acme.example',
    ])
    expect(world.mails).toEqual([])
  })
})

describe('in any session of such a person', () => {
  const refusals = async (one: Browser) => {
    const add = await one.submit('/auth/ways/add', { provider: 'one' })
    return errorOf(add)
  }

  it('nothing is added that signs them in', async () => {
    const world = await companyWorld([companyAt('acme', { only: true })])
    expect(await refusals(await world.of('acme'))).toBe('/auth/error AccessDenied company_only')
  })

  it('the account page names the company, and has no forms to add ways', async () => {
    const world = await companyWorld([companyAt('acme', { only: true }), companyAt('bolt')])
    const only = await (await (await world.of('acme')).get('/auth/account/ways')).text()
    expect(only).toContain('The acme company manages how you sign in')
    expect(only).not.toContain('/auth/ways/add')
    const free = await (await (await world.of('bolt')).get('/auth/account/ways')).text()
    expect(free).toContain('You have signed in with The bolt company')
    expect(free).toContain('/auth/ways/add')
  })

  it('one of another way ends at its renewal, and the log names the company', async () => {
    const world = people({}, { profiles: { ada: { email: 'ada@acme.example' } } })
    const [ada, bob] = [await world.signIn('one', 'ada'), await world.signIn('one', 'bob')]
    const config = { ...world.config, features: [alone('acme.example')] }
    const later = (from: Browser) => {
      const one = new Browser(config)
      for (const [name, value] of from.jar) one.jar.set(name, value)
      return one
    }
    pass(300)
    expect(await later(ada).session()).toBeNull()
    expect(await later(bob).session()).not.toBeNull()
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'sessions-ended', which: 'one', by: 'company' }),
    )
  })

  it('attack: an administrator’s address at a foreign domain never leads to this company', async () => {
    const world = people(
      { features: [alone('acme.example')] },
      { profiles: { root: { email: 'root@private.example' } } },
    )
    const one = world.browser()
    expect(errorOf(await one.signIn('one', 'root'))).toBe('/inbox')
    expect(claimsIn(one).company).toBeUndefined()
  })
})
