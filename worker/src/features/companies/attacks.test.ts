import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import {
  Browser,
  claimsIn,
  copyOf,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { importing } from '../../test-support/importing.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'
import { GOOD, withPasswords } from '../../test-support/with-passwords.js'
import { authorizationServer } from '../authorization-server/index.js'
import { passwords as passwordsFeature } from '../passwords/index.js'
import { domainIn, domainsIn } from './domains.js'
import { companies } from './index.js'
import { readCompany } from './read-company.js'
import type { Company } from './types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const ONLY = '/auth/signin AccessDenied company_only'
const REFUSED = '/auth/error AccessDenied company_only'
const DOMAIN = '/auth/error AccessDenied company_domain'

const NUL = String.fromCharCode(0)

/** The feature, with one company that signs its people in alone. */
const alone = (domain: string, changes: Partial<Company> = {}) => {
  const entry = companyAt('acme', { domains: [domain], only: true, ...changes })
  return companies({
    find: (asked) => (asked === domain ? entry : undefined),
    get: (id) => (id === 'acme' ? entry : undefined),
    fetch: () => Promise.reject(new Error('The provider is not asked.')),
  })
}

/** The same browser at the service as it is configured now. */
const later = (one: Browser, config: ConstructorParameters<typeof Browser>[0]) =>
  copyOf(one, config)

describe('attack: a domain is spelled in another way', () => {
  it.each<[string, string | undefined]>([
    ['ACME.example', 'acme.example'],
    ['acme.example.', 'acme.example'],
    ['acme.example。', 'acme.example'],
    ['acme.example．', 'acme.example'],
    ['acme｡example', 'acme.example'],
    ['ａｃｍｅ.example', 'acme.example'],
    ['ac\u00adme.example', 'acme.example'],
    ['acme.example\u200b', 'acme.example'],
    ['acme.example..', undefined],
    ['.acme.example', undefined],
    ['acme..example', undefined],
    [`acme.example${NUL}`, undefined],
    [`acme.example${NUL}.evil.example`, undefined],
    ['acme%2eexample', undefined],
    ['acme.example:443', undefined],
    ['user@acme.example', undefined],
    ['acme.example/x', undefined],
    ['аcme.example', 'xn--cme-5cd.example'],
    ['acme。example', 'acme.example'],
    ['0x7f.1', undefined],
    ['[::1]', undefined],
  ])('%j', (text, domain) => {
    expect(domainIn(text)).toBe(domain)
  })

  it.each([
    'ada@acme.example。',
    `ada@acme.example${NUL}`,
    `ada@acme.example${NUL}@evil.example`,
    'ada@acme.example!',
    'ada@acme.example%00',
    'ada@acme.example`',
    "ada@acme.example'",
    'ada@acme.example|x',
    'ada@acme.example\u3002 ',
    'bob@evil.example,ada@acme.example',
    'ada@acme.example@evil.example',
    'ada@@acme.example',
    'mailto:ada@acme.example?subject=x',
    'ada﹫acme.example',
  ])('an address at another provider is concerned by only all the same: %j', async (email) => {
    expect(domainsIn(email)).toContain('acme.example')
    const world = people({ features: [alone('acme.example')] }, { profiles: { ada: { email } } })
    expect(errorOf(await world.browser().signIn('one', 'ada'))).toBe(ONLY)
  })

  it.each(['ada@ACME.example', 'ada@acme.example.', 'ada@acme.example。', 'ada@ａｃｍｅ.example'])(
    'the session of a company has the address as it is compared: %j',
    async (email) => {
      const world = await companyWorld()
      const one = await world.of('acme', { email })
      expect(await one.session()).toMatchObject({
        user: { email: 'ada@acme.example', emailVerified: true },
      })
    },
  )

  it.each([
    `ada@acme.example${NUL}`,
    `ada${NUL}@acme.example`,
    'ada@acme.example%00',
    '"eve@evil.example"@acme.example',
    'eve@evil.example\r\nBcc: x@acme.example',
    `${'a'.repeat(250)}@acme.example`,
  ])('the ID token of a company names no such address: %j', async (email) => {
    const world = await companyWorld()
    expect(errorOf(await world.signInBy(world.browser(), 'acme', { email }))).toBe(DOMAIN)
  })

  it('other claims name no address: preferred_username, upn, a list of verified ones', async () => {
    const world = await companyWorld()
    for (const claims of [
      { email: undefined, preferred_username: 'ada@acme.example', upn: 'ada@acme.example' },
      { email: undefined, verified_primary_email: ['ada@acme.example'] },
      { email: 'eve@evil.example', preferred_username: 'ada@acme.example' },
      { email: null },
      { email: { toString: 'ada@acme.example' } },
    ]) {
      expect(errorOf(await world.signInBy(world.browser(), 'acme', claims))).toBe(DOMAIN)
    }
  })
})

describe('attack: the entry of a company', () => {
  it.each([
    'https://accounts.google.com//',
    'https://acme.idp.example//realms',
    'https://acme.idp.example/realms//',
    'https://login.microsoftonline.com//common/v2.0',
    'https://ACME.idp.example',
    'https://acme.idp.example:443',
    'https://acme.idp.example/a/../b',
    'https://acme.idp.example/%2e',
    ' https://acme.idp.example',
    'https://acme.idp.example\\@evil.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://acme.idp.example',
  ])('has an issuer in a second spelling: %j', (issuer) => {
    expect(readCompany(companyAt('acme', { issuer }))).toEqual({ wrong: 'issuer' })
  })

  it('lists the domain of another company: nobody has an address there by it', async () => {
    const acme = companyAt('acme')
    const evil = companyAt('bolt', { domains: ['bolt.example', 'acme.example'] })
    const world = await companyWorld([acme, evil])
    const victim = { sub: 'eve', email: 'ada@acme.example' }
    expect(errorOf(await world.signInBy(world.browser(), 'bolt', victim))).toBe(DOMAIN)
    const own = { sub: 'eve', email: 'eve@bolt.example' }
    expect(errorOf(await world.signInBy(world.browser(), 'bolt', own))).toBe('/inbox')
    // Neither as a further way.
    const one = await world.signIn('one', 'eve')
    const start = await world.startAdding(one, 'company-bolt')
    expect(errorOf(await world.comeBack(one, 'bolt', start, victim))).toBe(DOMAIN)
  })

  it('has the id of a former customer: it finds none of that customer’s people', async () => {
    const first = await companyWorld([companyAt('acme')])
    const before = await first.of('acme')
    const { store } = first.config
    const next = companyAt('acme', {
      domains: ['other.example'],
      issuer: 'https://other.idp.example',
    })
    const second = await companyWorld([next], store ? { store } : {})
    const one = second.browser()
    await second.signInBy(one, 'acme', { email: 'ada@other.example' })
    expect(claimsIn(one).sub).not.toBe(claimsIn(before).sub)
    const ways = await (await one.get('/auth/account/ways')).text()
    expect(ways).not.toContain('acme.example')
  })

  it('changes at the second question: an answer is read once', async () => {
    let reads = 0
    const tricky = {
      ...companyAt('acme'),
      get issuer() {
        reads++
        return reads > 1 ? 'http://10.0.0.1' : 'https://acme.idp.example'
      },
    }
    const world = await companyWorld(
      [companyAt('acme')],
      {},
      { options: { find: () => tricky, get: () => tricky } },
    )
    const start = await world.type(world.browser(), 'ada@acme.example')
    expect(new URL(locationOf(start)).host).toBe('acme.idp.example')
  })
})

describe('attack: only is passed by', () => {
  it('by the removal of the company’s way, or of the address that it concerns', async () => {
    const world = await companyWorld([companyAt('acme')])
    const one = await world.signIn('one', 'ada')
    await world.comeBack(one, 'acme', await world.startAdding(one, 'company-acme'))
    await world.add(one, 'email', 'ada@acme.example')
    Object.assign(world.all[0] as object, { only: true })
    pass(61)
    const own = world.browser()
    expect(errorOf(await world.signInBy(own, 'acme'))).toBe('/inbox')
    const ways = await world.ways(own)
    for (const { id, provider } of ways) {
      const end = errorOf(await world.remove(own, id))
      expect([provider, end]).toEqual([provider, provider === 'one' ? '/auth/account' : REFUSED])
    }
    expect((await world.ways(own)).map(({ provider }) => provider).sort()).toEqual([
      'company-acme',
      'email',
    ])
    expect(errorOf(await world.browser().signIn('one', 'ada'))).not.toBe('/inbox')
  })

  it('by a passkey beside an account whose address is the company’s', async () => {
    const world = passkeyPeople()
    const key = world.authenticator()
    const ada = { email: 'ada@acme.example', email_verified: true }
    const [first] = people({}, { profiles: { ada } }).config.providers as [never]
    Object.assign(world.config, {
      providers: [first, ...(world.config.providers ?? []).slice(1)],
    })
    const one = await world.signIn('one', 'ada')
    expect((await world.addPasskey(one, key)).status).toBe(200)
    const now = new Browser({ ...world.config, features: [alone('acme.example')] })
    const { told, one: other } = await world.signInBy(key, now)
    expect([told.error, told.code]).toEqual(['AccessDenied', 'company_only'])
    expect(await other.session()).toBeNull()
  })

  it('by a new password, a key for apps or a passkey, in a session of the company or an older one', async () => {
    const scopes = { 'notes:read': 'Read your notes' }
    const server = authorizationServer({
      resources: { 'https://api.example/': { scopes } },
      keys: { prefix: 'acme' },
    })
    const world = await companyWorld([companyAt('acme', { only: true })], { features: [server] })
    const one = await world.of('acme')
    expect(errorOf(await one.submit('/auth/ways/add', { provider: 'two' }))).toBe(REFUSED)
    const key = await one.submit('/auth/keys/create', { name: 'CI', scope: 'notes:read' })
    expect(errorOf(key)).toBe(REFUSED)
    const passwords = withPasswords()
    const person = await passwords.byMail('ada@acme.example').then(() => passwords.browser())
    await passwords.byMail('ada@acme.example', person)
    const now = later(person, {
      ...passwords.config,
      features: [passwordsFeature, alone('acme.example')],
    })
    const set = await now.submit('/auth/password/set', { password: GOOD })
    expect(errorOf(set)).toBe(REFUSED)
    const keys = passkeyPeople()
    const before = await keys.signIn('email', 'ada@acme.example')
    const config = { ...keys.config, features: [alone('acme.example')] }
    const told = await keys.options(later(before, config), 'add')
    expect([told.error, told.code]).toEqual(['AccessDenied', 'company_only'])
  })

  it('by a password that was set before, with the address of the company or another one of theirs', async () => {
    const world = withPasswords()
    const ada = await world.signedUp('ada@acme.example')
    await world.add(ada, 'email', 'ada@mail.example')
    pass(60)
    const entry = companyAt('acme', { only: true })
    const company = await companyWorld([entry])
    const [feature] = company.config.features as [never]
    const config = { ...world.config, features: [passwordsFeature, feature] }
    const ends: string[] = []
    for (const [email, password] of [
      ['ada@acme.example', GOOD],
      ['ada@mail.example', 'a wrong long phrase'],
      ['ada@mail.example', GOOD],
    ] as const) {
      const end = await new Browser(config).submit('/auth/callback/password', { email, password })
      expect(setsSession(end)).toBe(false)
      ends.push(errorOf(end))
    }
    expect(ends).toEqual([
      expect.stringContaining('acme.idp.example'),
      '/auth/signin CredentialsSignin credentials',
      ONLY,
    ])
  })

  it('by the form for a new or a forgotten password', async () => {
    const world = withPasswords()
    const company = await companyWorld([companyAt('acme', { only: true })])
    const [feature] = company.config.features as [never]
    const one = new Browser({ ...world.config, features: [passwordsFeature, feature] })
    for (const email of ['ada@acme.example', 'ADA@acme.example ', 'ada@ａｃｍｅ.example']) {
      const end = await one.submit('/auth/signin/password', { email })
      expect(new URL(locationOf(end)).hostname).toBe('acme.idp.example')
    }
    expect(world.mails).toEqual([])
  })

  it('by an imported account: its old way, its address', async () => {
    const profiles = { ada: { email: 'ada@acme.example', email_verified: true } }
    const world = importing(undefined, { features: [alone('acme.example')] }, {}, profiles)
    const { added, left } = await world.bring(
      ['old-ada', 'one', 'ada'],
      ['old-mail', 'email', 'ada@acme.example'],
      ['old-company', 'company-acme', 'ada'],
      ['old-entrance', 'company', 'ada@acme.example'],
    )
    expect([added, left.map(([at]) => at)]).toEqual([2, [2, 3]])
    const one = world.browser()
    const end = await one.signIn('one', 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual([ONLY, false])
  })

  it('by a mail of a waiting sign-in that is opened in another browser', async () => {
    const world = await companyWorld([companyAt('acme')])
    await world.signIn('email', 'ada@acme.example')
    Object.assign(world.all[0] as object, { only: true, join: true })
    pass(61)
    const [one, other] = [world.browser(), world.browser()]
    await world.signInBy(one, 'acme')
    await one.submit('/auth/company/join', { choice: 'email' })
    const { path } = world.lastMail()
    const page = await (await other.get(path)).text()
    const token = new URL(path, origin).searchParams.get('token') ?? ''
    expect(page).toContain(token)
    const end = await other.submit('/auth/callback/email', { token })
    expect([errorOf(end), setsSession(end)]).toEqual([ONLY, false])
    expect(await other.session()).toBeNull()
  })

  it('by the id of a company in another provider’s answer', async () => {
    const profiles = { eve: { email: 'ada@acme.example', company: 'acme', amr: ['company-acme'] } }
    const world = people({ features: [alone('acme.example')] }, { profiles })
    expect(errorOf(await world.browser().signIn('one', 'eve'))).toBe(ONLY)
  })
})

describe('attack: the claim company', () => {
  it('cannot be written by a callback, by a provider or by another way', async () => {
    const world = await companyWorld(undefined, {
      callbacks: {
        jwt: ({ token }) => ({ ...token, company: 'bolt' }),
        session: ({ session }) => ({ ...session, company: 'bolt' }) as never,
      },
    })
    const one = await world.of('acme', { company: 'bolt', amr: ['company-bolt', 'mfa'] })
    expect(await one.session()).toMatchObject({ company: 'acme' })
    expect(claimsIn(one)).toMatchObject({ company: 'acme', amr: ['company-acme'] })
    const two = await world.signIn('one', 'ada')
    expect(await two.session()).not.toHaveProperty('company')
    expect(claimsIn(two).company).toBeUndefined()
  })
})

describe('attack: a waiting sign-in of a company', () => {
  const joining = (changes = {}) =>
    companyWorld([companyAt('acme', { join: true }), companyAt('bolt', { join: true })], changes)
  const choose = (one: Browser, choice: string, fields = {}) =>
    one.submit('/auth/company/join', { choice, ...fields })

  it('adds its way though the app refuses ways', async () => {
    const asked: unknown[] = []
    const world = await joining({
      callbacks: {
        signIn: ({ account, addedTo }: { account: { provider: string }; addedTo?: string }) => {
          asked.push([account.provider, addedTo !== undefined])
          return addedTo === undefined
        },
      },
    })
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const end = await world.backFrom(one, 'one', await choose(one, 'one'), 'ada-of-old')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error AccessDenied', false])
    expect(asked).toContainEqual(['company-acme', true])
    expect((await world.ways(old)).map(({ provider }) => provider)).toEqual(['one'])
  })

  it('takes the id that the app gives two accounts, while the first of them signs in', async () => {
    const subject = ({ user }: { user: { email?: string; name?: string } }) =>
      user.email === 'ada@acme.example' || user.name?.startsWith('victim') ? 'p:7' : undefined
    const world = await joining({ subject } as never)
    const one = world.browser()
    await world.signInBy(one, 'acme')
    // The victim’s first sign-in is faster than the claim of this one.
    let isFirst = true
    const { ledger } = world.inner
    world.faults.set('changeDocument', async (...args) => {
      const [key, version, content] = args as [string, number, string]
      if (isFirst && key === 'subject\np:7') {
        isFirst = false
        const claim = JSON.stringify({ way: 'the-way-of-a-victim-22' })
        await ledger.changeDocument(key, version, claim)
      }
      return ledger.changeDocument(key, version, content)
    })
    expect(setsSession(await choose(one, 'new'))).toBe(false)
    expect(isFirst).toBe(false)
    world.faults.delete('changeDocument')
    const again = world.browser()
    const end = await world.signInBy(again, 'acme')
    expect(setsSession(end)).toBe(false)
    expect(setsSession(await choose(again, 'new'))).toBe(false)
    expect(await again.session()).toBeNull()
  })

  it('waits for one company, and a proof for another one comes back', async () => {
    const world = await joining()
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    const start = await choose(one, 'one')
    const flows = () => [...one.jar.keys()].filter((name) => name.startsWith('auth.flow.')).sort()
    const [ofAcme = ''] = flows()
    await world.signInBy(one, 'bolt', { sub: 'eve' })
    one.jar.delete(ofAcme)
    const end = await world.backFrom(one, 'one', start, 'ada-of-old')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
    expect((await world.ways(old)).map(({ provider }) => provider)).toEqual(['one'])
  })

  it('shows what the company’s provider wrote as text alone', async () => {
    const world = await joining()
    const one = world.browser()
    await world.signInBy(one, 'acme', { email: `<b>'&ada@acme.example`, name: '<script>' })
    expect(errorOf(await world.signInBy(one, 'acme', { email: `'&ada@acme.example` }))).toBe(
      '/auth/company/join',
    )
    const page = await (await one.get('/auth/company/join')).text()
    expect(page).not.toContain("'&ada@acme.example")
    expect(page).toContain('ada@acme.example')
  })

  it('belongs to a person who was erased: they are new when they come again', async () => {
    const world = await joining()
    const auth = createAuth(world.config)
    const old = await world.signIn('one', 'ada-of-old')
    const one = world.browser()
    await world.signInBy(one, 'acme')
    await world.backFrom(one, 'one', await choose(one, 'one'), 'ada-of-old')
    const { sub } = claimsIn(one)
    expect(sub).toBe(claimsIn(old).sub)
    await auth.deletePerson(sub)
    expect(await one.session()).toBeNull()
    const two = world.browser()
    expect(errorOf(await world.signInBy(two, 'acme'))).toBe('/auth/company/join')
    expect(errorOf(await choose(two, 'new'))).toBe('/inbox')
    expect(claimsIn(two).sub).not.toBe(sub)
    expect((await world.ways(two)).map(({ provider }) => provider)).toEqual(['company-acme'])
  })
})

describe('attack: a sign-in that the provider begins', () => {
  const start = async (
    parameters: readonly (readonly [string, string])[],
    world?: Awaited<ReturnType<typeof companyWorld>>,
  ) => {
    const { browser } = world ?? (await companyWorld())
    const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
    return browser().get(`/auth/initiate/company-acme?${query}`)
  }
  const ISS = 'https://acme.idp.example'

  it.each([
    [
      ['iss', ISS],
      ['iss', ISS],
    ],
    [['iss', ISS.toUpperCase()]],
    [['iss', `${ISS}//`]],
    [['iss', `${ISS}.`]],
    [['iss', `${ISS}@evil.example`]],
    [['iss', `${ISS}/../`]],
    [['iss[]', ISS]],
    [['ISS', ISS]],
  ] as const)('names its issuer twice or in another spelling: %j', async (...parameters) => {
    const answer = await start(parameters as never)
    expect(answer.status).toBe(400)
    expect(answer.headers.getSetCookie().join()).not.toContain('auth.flow')
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    'https:evil.example',
    `${origin}@evil.example/`,
    `${origin}.evil.example/`,
    'javascript:alert(1)',
    'data:text/html,x',
    `\t//evil.example`,
  ])('has a target elsewhere: %j', async (target) => {
    const world = await companyWorld()
    const one = world.browser()
    const query = new URLSearchParams({ iss: ISS, target_link_uri: target })
    const begun = await one.get(`/auth/initiate/company-acme?${query}`)
    const end = await world.comeBack(one, 'acme', begun)
    expect(new URL(locationOf(end)).origin).toBe(origin)
  })

  it('has a hint without end, or control characters', async () => {
    for (const hint of ['a'.repeat(5_000), `ada@acme.example${NUL}`, 'ada@acme.example\r\nx: y']) {
      const answer = await start([
        ['iss', ISS],
        ['login_hint', hint],
      ])
      expect(new URL(locationOf(answer)).searchParams.has('login_hint')).toBe(false)
    }
  })

  it('is begun for a browser many times: five flows are kept', async () => {
    const world = await companyWorld()
    const one = world.browser()
    for (let count = 0; count < 20; count++) {
      pass(0.01)
      await one.get(`/auth/initiate/company-acme?${new URLSearchParams({ iss: ISS })}`)
    }
    const flows = [...one.jar.keys()].filter((name) => name.startsWith('auth.flow.'))
    expect(flows.length).toBeLessThanOrEqual(5)
  })
})

describe('attack: the address step tells', () => {
  it('nothing but whether a domain is a company’s: two answers have the same headers and bytes', async () => {
    const world = await companyWorld()
    await world.signIn('email', 'known@private.example')
    const answers = await Promise.all(
      ['known@private.example', 'other@private.example'].map(async (email) => {
        const answer = await world.type(world.browser(), email)
        const text = (await answer.text())
          .replaceAll(email, '')
          .replaceAll(/name="csrfToken" value="[^"]*"/g, '')
          .replaceAll(/nonce="[^"]*"/g, '')
        const headers = [...answer.headers]
          .filter(([name]) => name !== 'set-cookie')
          .map(([name, value]) => [name, value.replaceAll(/'nonce-[^']*'/g, '')])
        return JSON.stringify([answer.status, headers, text.length])
      }),
    )
    expect(answers[0]).toBe(answers[1])
  })
})

describe('attack: a company is taken out while its people are signed in', () => {
  it('sessions and their renewals go on, and nothing is added by it', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    world.all.splice(0, 1)
    pass(300)
    expect(await one.session()).toMatchObject({ company: 'acme' })
    expect((await one.get('/auth/account')).status).toBe(200)
    expect(errorOf(await world.startAdding(one, 'company-acme'))).toMatch(/Configuration/)
    const logout = await one.post('/auth/backchannel-logout/company-acme', {
      logout_token: 'a.b.c',
    })
    expect(logout.status).toBe(400)
  })
})
