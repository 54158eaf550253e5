import { isServiceRoute, ROUTES } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import {
  EXPORTED,
  METHODS,
  OPTIONS,
  PLAIN_PROVIDERS,
  PROVIDERS,
  VARIABLES,
} from '../config/manifests.js'
import { createAuth as coreAuth } from '../core.js'
import google from '../providers/google.js'
import { composeService } from '../service/compose-service.js'
import type { Feature, Pages } from '../service/feature.js'
import { OPERATIONS } from '../service/operations.js'
import { CORE_ROUTES } from '../service/routes.js'
import { memoryStore } from '../stores/memory.js'
import { BindingBrowser, bindingConfig, site } from '../test-support/binding-browser.js'
import {
  Browser,
  claimsIn,
  copyOf,
  errorOf,
  locationOf,
  origin,
  secret,
  setsSession,
} from '../test-support/browser.js'
import { passkeyPeople } from '../test-support/passkeys.js'
import { accountsAt, people } from '../test-support/people.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import { provingPeople } from '../test-support/step-up.js'
import type { AuthConfig, Operations } from '../types.js'
import { all as builtIn } from './all.js'
import { authorizationServer } from './authorization-server/index.js'
import { companies } from './companies/index.js'
import { connections } from './connections/index.js'
import { credentials } from './credentials/index.js'
import { email } from './email/index.js'
import { newBrowsers } from './new-browsers/index.js'
import { openid } from './openid/index.js'
import { operate } from './operate/index.js'
import { passkeys } from './passkeys/index.js'
import { passwords } from './passwords/index.js'
import { secondFactor } from './second-factor/index.js'
import { sharedDomains } from './shared-domains/index.js'
import { ways } from './ways/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** What the shipped Worker has. */
const all: readonly Feature[] = [
  ...builtIn,
  authorizationServer(),
  passwords,
  companies(),
  newBrowsers,
  operate(),
]

function sectionsIn({ account = [] }: Pages): string[] {
  return [account].flat().map(({ name }) => `/account/${name}`)
}

const METHOD_OWNERS = Object.fromEntries(
  Object.entries(METHODS).flatMap(([name, one]) => ('feature' in one ? [[name, one.feature]] : [])),
)

/** A table of what asks for features, as the features themselves say it. */
function saidBy(of: (feature: Feature) => readonly string[]): Record<string, string> {
  return Object.fromEntries(all.flatMap((one) => of(one).map((name) => [name, one.name])))
}

describe('the core knows by name alone', () => {
  it('the kinds of sign-in of features, and passkeys, which bring theirs', () => {
    // Plain OAuth is in every service; the feature `openid` knows more of it.
    const { oauth: _, ...kinds } = saidBy((one) => Object.keys(one.signIn?.kinds ?? {}))
    expect({ ...PROVIDERS, ...PLAIN_PROVIDERS }).toEqual({ ...kinds, webauthn: 'passkeys' })
  })

  it('the features that export something of a person', () => {
    // A password is one member, and no list.
    const lists = all.filter(({ name }) => name !== 'passwords')
    const exporting = lists.flatMap(({ name, person }) => (person?.exported ? name : []))
    expect([...new Set(Object.values(EXPORTED))].sort()).toEqual(exporting.sort())
  })

  describe('the paths of features, which apps that forward leave to the service', () => {
    /** The paths at which an app that forwards would answer itself. A section stands for the path behind the account's. */
    const unreached = (features: readonly Feature[]) =>
      features
        .flatMap(({ pages = {} }) => [
          ...Object.keys(pages.routes ?? {}).filter((path) => path !== '/account/:provider'),
          ...sectionsIn(pages),
        ])
        .filter((path) => !isServiceRoute(path.replace(':provider', 'github')))

    it('are all in ROUTES, and nothing else is', () => {
      expect(unreached(all)).toEqual([])
      const sections = all.flatMap(({ pages = {} }) => sectionsIn(pages))
      const paths = all.flatMap(({ pages }) => Object.keys(pages?.routes ?? {}))
      const known = new Set([...Object.keys(CORE_ROUTES), ...paths, ...sections])
      expect(ROUTES.filter((path) => !known.has(path))).toEqual([])
    })

    it('are missed if a feature is added without its ROUTES', () => {
      const account = { name: 'colors' } as NonNullable<Pages['account']>
      const routes = { '/color': {}, '/session/:provider': {} }
      const colors = { name: 'colors', pages: { routes, account } }
      expect(unreached([colors])).toEqual(['/color', '/session/:provider', '/account/colors'])
    })
  })

  it('the methods of features', () => {
    expect(METHOD_OWNERS).toEqual(saidBy(({ operator }) => Object.keys(operator?.operations ?? {})))
    const own = Object.keys(OPERATIONS).filter((name) => !Object.hasOwn(METHOD_OWNERS, name))
    expect(own).toEqual(
      'endSessions getPerson listSessions endSession blockPerson unblockPerson refreshClaims'.split(
        ' ',
      ),
    )
  })
})

describe('a configured option without its feature is an error at the start, with the line to import', () => {
  const compose = (changes: object, env = {}, features: readonly Feature[] = []) =>
    composeService({ providers: [], secret: secret, features, ...changes } as AuthConfig, {
      env,
      fallbackStore: memoryStore,
    })
  const lineOf = (feature: string) =>
    new RegExp(`import \\{ \\w+ \\} from '@latchkey/worker/features/${feature}'`)

  it.each(Object.entries(OPTIONS))('the option %s', async (path, feature) => {
    const [name = '', member] = path.split('.')
    const value = () => true
    const changes = { [name]: member ? { [member]: '/page' } : value }
    await expect(compose(changes)).rejects.toThrow(lineOf(feature))
  })

  it.each(Object.entries(VARIABLES))('the variable %s', async (name, feature) => {
    await expect(compose({}, { [name]: 'x' })).rejects.toThrow(lineOf(feature))
  })

  it.each([
    ...['AUTH_APP_SPA_REDIRECT_URIS', 'AUTH_APP_MY_APP_SECRET', 'AUTH_APP_SPA_NAME'],
    ...['AUTH_APP_SPA_FIRST_PARTY', 'AUTH_APP_SPA_DEVICE', 'AUTH_APP_SPA_ALG'],
    ...['AUTH_RESOURCE_API_URI', 'AUTH_RESOURCE_MY_API_SCOPES', 'AUTH_RESOURCE_API_NAME'],
    ...['AUTH_RESOURCE_API_OPEN', 'AUTH_RESOURCE_API_ALG'],
  ])('the variable %s', async (name) => {
    const line = lineOf('authorization-server')
    await expect(compose({}, { [name]: 'x' })).rejects.toThrow(line)
    await expect(compose({}, { [name]: '' })).resolves.toBeDefined()
  })

  it.each([
    ...['AUTH_APP_KEY', 'AUTH_APP_ID', 'AUTH_APP_SECRET', 'AUTH_APP_URL', 'AUTH_RESOURCE_URI'],
  ])('another variable, %s, asks for nothing', async (name) => {
    await expect(compose({}, { [name]: 'x' })).resolves.toBeDefined()
  })

  it.each(Object.entries({ ...PROVIDERS, ...PLAIN_PROVIDERS }))(
    'a plain provider of type %s',
    async (type, feature) => {
      const provider = { id: type === 'webauthn' ? 'passkey' : type, name: type, type }
      await expect(compose({ providers: [provider] })).rejects.toThrow(lineOf(feature))
    },
  )

  it('a plain provider by OAuth that leaves endpoints to discovery', async () => {
    const provider = {
      ...{ id: 'acme', name: 'Acme', type: 'oauth', issuer: 'https://id.acme.example' },
      ...{ clientId: 'id', clientSecret: 'secret' },
    }
    await expect(compose({ providers: [provider] })).rejects.toThrow(lineOf('openid'))
    await expect(compose({ providers: [provider] }, {}, [openid])).resolves.toBeDefined()
  })

  it('a preset by OpenID brings what reads its ID tokens', async () => {
    const providers = [google({ clientId: 'id', clientSecret: 'secret' })]
    const { providers: made } = await compose({ providers })
    expect([...made.usable.keys()]).toEqual(['google'])
  })

  it.each([
    ['trustedOrigins', { trustedOrigins: ['https://*.example.com'] }, {}],
    ['AUTH_TRUSTED_ORIGINS', {}, { AUTH_TRUSTED_ORIGINS: 'https://app.test,https://*.app.test' }],
  ])('a wildcard in %s', async (_, changes, env) => {
    await expect(compose(changes, env)).rejects.toThrow(lineOf('shared-domains'))
    await expect(compose(changes, env, [sharedDomains])).resolves.toBeDefined()
  })

  it('trusted origins without a wildcard ask for nothing, and the ports of this machine do not either', async () => {
    const trustedOrigins = ['https://app.example.com', 'http://localhost:*']
    await expect(compose({ trustedOrigins })).resolves.toBeDefined()
  })

  it('attack: a wildcard where strangers have sites is refused with the feature', async () => {
    const trustedOrigins = ['https://*.pages.dev']
    await expect(compose({ trustedOrigins }, {}, [sharedDomains])).rejects.toThrow(
      'can have a site there',
    )
  })

  it.each([
    ['revokeOnSignOut', true],
    ['connection', { scopes: ['video.list'] }],
  ])('attack: %s of a provider promises what nothing does', async (name, value) => {
    const provider = { ...accountsAt('one'), [name]: value }
    for (const given of [provider, () => provider]) {
      await expect(compose({ providers: [given] })).rejects.toThrow(lineOf('connections'))
      await expect(compose({ providers: [given] }, {}, [connections])).resolves.toBeDefined()
    }
    await expect(
      compose({ providers: [{ ...provider, [name]: undefined }] }),
    ).resolves.toBeDefined()
  })

  it('an option that is switched off asks for nothing', async () => {
    await expect(compose({ accountDeletion: false })).resolves.toBeDefined()
  })

  it('a feature that stands twice', async () => {
    await expect(compose({}, {}, [ways, ways])).rejects.toThrow(/"ways" stands twice/)
  })

  it.each([
    ['a name', 'ways'],
    ['nothing', undefined],
    ['a class', class {}],
    ['no name', {}],
  ])('a value that is not a feature: %s', async (_, value) => {
    await expect(compose({}, {}, [value] as never)).rejects.toThrow(/@latchkey\/worker\/features/)
  })

  it('a value that is not a language', async () => {
    await expect(compose({ languages: ['de'] })).rejects.toThrow(/@latchkey\/worker\/languages/)
  })

  it.each(
    Object.entries(METHOD_OWNERS).filter(([name]) => !OPERATIONS[name as keyof Operations].isSafe),
  )('the method %s', async (name, feature) => {
    const { takes } = OPERATIONS[name as keyof Operations]
    const auth = coreAuth({ providers: [], secret: secret, logger: { error() {} } })
    const method = auth[name as 'listWays'] as unknown as (...given: unknown[]) => Promise<unknown>
    const objects: Readonly<Record<string, object>> = {
      asked: {},
      query: {},
      sought: { email: 'a' },
      companySubject: { company: 'a', subject: 'a' },
    }
    const given = takes.map((kind) => objects[kind] ?? 'a')
    await expect(method(...given)).rejects.toThrow(lineOf(feature))
  })

  it('the method that never throws says so in its answer', async () => {
    const auth = coreAuth({ providers: [], secret: secret, logger: { error() {} } })
    expect(await auth.getAccessTokenOf('a', 'b')).toEqual({ ok: false, reason: 'unavailable' })
  })
})

/** The same deployment, with the given features alone. */
function without(config: AuthConfig, features: readonly Feature[], errors: Error[] = []) {
  const { providers, ways: _, accountDeletion: __, ...rest } = config
  const oauth = providers.filter((one) => typeof one !== 'function' && one.type === 'oauth')
  const logger = { ...rest.logger, error: (error: Error) => void errors.push(error) }
  const auth = coreAuth({ ...rest, providers: oauth, features, logger } as AuthConfig)
  return new Browser(config, { answer: (request) => auth.fetch(request) })
}

describe('attack: a feature is taken away from a deployment that has used it', () => {
  it('second factors: a person with an app is not signed in by the first factor alone', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await setUpFactor(ada)
    for (const features of [[], [ways]]) {
      const errors: Error[] = []
      const end = await without(set.config, features, errors).signIn('one', 'ada')
      expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
      expect(String(errors[0]?.message)).toMatch(/@latchkey\/worker\/features\//)
    }
    const asked = await without(set.config, [secondFactor]).signIn('one', 'ada')
    expect(errorOf(asked)).toBe('/auth/factor')
  })

  it('second factors: a page that asks for two factors is not answered by one', async () => {
    const { config, prove, signIn } = await provingPeople()
    const lines: object[] = []
    const logger = { ...config.logger, info: (line: object) => void lines.push(line) }
    for (const features of [[], [ways, passkeys]]) {
      const more = [email, credentials, openid, ...features]
      const auth = coreAuth({ ...config, features: more, logger } as AuthConfig)
      const answer = (request: Request) => auth.fetch(request)
      // The OpenID provider proves it again; the other one cannot, and begins another session.
      for (const [provider, account] of [
        ['test', 'ada'],
        ['one', 'bob'],
      ] as const) {
        const browser = await signIn(provider, account)
        const before = claimsIn(browser)
        pass(60)
        const core = copyOf(browser, config, { answer })
        const end = await prove(core, provider, account, { acr: '2' })
        expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error AccessDenied', false])
        expect(lines.at(-1)).toMatchObject({ event: 'sign-in-refused', error: 'AccessDenied' })
        expect(claimsIn(core)).toEqual(before)
        const fresh = await prove(core, provider, account, { maxAge: '30', acr: '1' })
        expect([errorOf(fresh), setsSession(fresh)]).toEqual(['/inbox', true])
      }
    }
  })

  it('ways: an added way signs in neither its person nor its account’s own', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada-at-two')
    for (const [provider, account] of [
      ['one', 'ada'],
      ['two', 'ada-at-two'],
    ] as const) {
      const end = await without(set.config, []).signIn(provider, account)
      expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
    }
  })

  it('ways: a way that its person has removed stays closed', async () => {
    const set = people({ ways: { unlinked: 'refuse' } })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada-at-two')
    const listed = await set.ways(ada)
    await set.remove(ada, listed.find(({ provider }) => provider === 'two')?.id ?? '')
    pass(2)
    const end = await without(set.config, []).signIn('two', 'ada-at-two')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin OAuthAccountNotLinked', false])
  })

  it('passkeys: their person is not signed in by the remaining ways', async () => {
    const set = passkeyPeople()
    const ada = await set.signIn('one', 'ada')
    await set.addPasskey(ada, set.authenticator())
    const end = await without(set.config, [ways]).signIn('one', 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
  })

  it('passkeys: a person merged with one with a passkey is not signed in either', async () => {
    const set = passkeyPeople()
    const authenticator = set.authenticator()
    const bob = await set.signIn('two', 'bob')
    await set.addPasskey(bob, authenticator)
    pass(60)
    const ada = await set.signIn('one', 'ada')
    await set.takeIn(ada, 'two', 'bob')
    pass(2)
    expect((await set.ways(ada)).map(({ provider }) => provider)).toContain('passkey')
    const end = await without(set.config, [ways]).signIn('one', 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
    expect(setsSession(await without(set.config, [ways, passkeys]).signIn('one', 'ada'))).toBe(true)
  })

  it('people: an erasure that has failed halfway is not reported as done, and lets no user in', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada-at-two')
    const key = `person\n${claimsIn(ada).sub}`
    const { version = 0, content } = (await set.inner.ledger.document(key)) ?? {}
    const erasing = { ...JSON.parse(content ?? ''), erasing: true, asked: Date.now() / 1000 }
    await set.inner.ledger.changeDocument(key, version, JSON.stringify(erasing))
    pass(120)
    const errors: Error[] = []
    for (const [provider, account] of [
      ['one', 'ada'],
      ['two', 'ada-at-two'],
    ] as const) {
      const end = await without(set.config, [ways], errors).signIn(provider, account)
      expect([errorOf(end), setsSession(end)]).toEqual([
        '/auth/signin OAuthAccountNotLinked',
        false,
      ])
      expect(errors.at(-1)?.message).toContain('@latchkey/worker/features/people')
    }
    const kept = await set.inner.ledger.document(key)
    expect(JSON.parse(kept?.content ?? '')).toMatchObject({ ways: [{}, {}], erasing: true })
    // With the feature the next sign-in goes on.
    await set.signIn('one', 'ada')
    expect((await set.inner.ledger.document(key))?.content).toBeFalsy()
  })

  it('bound sessions: a copied cookie still ends with its token', async () => {
    const config = bindingConfig()
    const browser = new BindingBrowser(config)
    expect((await browser.signInBound()).status).toBe(200)
    const { boundSessions: _, ...rest } = config
    const auth = coreAuth({ ...rest, providers: [], features: [] })
    const core = new Browser(config, { at: site, answer: (request) => auth.fetch(request) })
    for (const [name, value] of browser.jar) core.jar.set(name, value)
    expect(await core.session()).not.toBeNull()
    pass(290)
    await core.get('/auth/session')
    await core.get('/auth/renew')
    pass(11)
    expect(await core.session()).toBeNull()
  })

  it('any feature: all other users are signed in, as the same people', async () => {
    const set = people()
    const bob = await set.signIn('one', 'bob')
    const again = without(set.config, [])
    await again.signIn('one', 'bob')
    expect(claimsIn(again).sub).toBe(claimsIn(bob).sub)
  })

  it('any feature: live sessions go on, and end', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await setUpFactor(ada)
    const core = without(set.config, [])
    const copy = copyOf(ada, set.config, { answer: core.answer })
    expect(await copy.session()).not.toBeNull()
    await copy.submit('/auth/signout')
    expect(await (await ada.get('/auth/session?online=1')).json()).toBeNull()
  })
})

describe('attack: what a feature began is finished if it is missing', () => {
  it('a way that is added, by a provider: it signs no user in, and may be finished in its own session', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    const start = await set.startAdding(ada, 'two')
    const core = copyOf(ada, set.config, { answer: without(set.config, [connections]).answer })
    const end = await set.comeBack(core, 'two', start, 'ada-at-two')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
    await set.comeBack(ada, 'two', start, 'ada-at-two')
    expect(await set.ways(ada)).toHaveLength(2)
  })

  it.each(['link', 'code'])('an address that is added, by the %s of its mail', async (by) => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    const address = { provider: 'email', callbackUrl: '/inbox', email: 'ada@people.example' }
    const start = await ada.submit('/auth/ways/add', address)
    const { providers: _, ...rest } = set.config
    const auth = coreAuth({ ...rest, providers: set.config.providers, features: [email] })
    const core = copyOf(ada, set.config, { answer: (request) => auth.fetch(request) })
    const flow = new URL(locationOf(start), origin).searchParams.get('flow') ?? ''
    const { mail, path } = set.lastMail()
    const end =
      by === 'link'
        ? await core.get(path)
        : await core.submit('/auth/callback/email', { flow, code: mail?.code })
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
    await ada.get(path)
    expect(await set.ways(ada)).toHaveLength(2)
  })

  it('a sign-in that waits for a second factor: nothing takes its cookie', async () => {
    const set = people()
    await setUpFactor(await set.signIn('one', 'ada'))
    pass(60)
    const waiting = await set.signIn('one', 'ada')
    for (const features of [[], [ways]]) {
      const { answer } = without(set.config, features)
      const core = copyOf(waiting, set.config, { answer })
      expect((await core.get('/auth/factor')).status).toBe(404)
      expect((await core.submit('/auth/factor', { code: '123456' })).status).toBe(404)
      expect(await core.session()).toBeNull()
    }
  })

  it('a step-up of a person with a second factor: it is refused, and the session is not fresher', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await setUpFactor(ada)
    pass(400)
    const before = claimsIn(ada)
    const core = copyOf(ada, set.config, { answer: without(set.config, []).answer })
    const start = await core.submit('/auth/signin/one', { callbackUrl: '/inbox', maxAge: '60' })
    const end = await set.comeBack(core, 'one', start, 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
    await core.get('/auth/renew?callbackUrl=/inbox')
    expect(claimsIn(core).auth_time).toBe(before.auth_time)
  })
})
