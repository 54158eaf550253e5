import { describe, expect, it } from 'vitest'
import { createAuth as coreAuth } from '../core.js'
import { AccessDenied } from '../errors.js'
import { account } from '../features/account/index.js'
import { all } from '../features/all.js'
import { email } from '../features/email/index.js'
import { secondFactor } from '../features/second-factor/index.js'
import { turnstile } from '../features/turnstile/index.js'
import { ways } from '../features/ways/index.js'
import { json } from '../http/outcome.js'
import { createAuth } from '../index.js'
import { html } from '../pages/markup.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  secret,
  setsSession,
} from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import { people } from '../test-support/people.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import type { AuthConfig } from '../types.js'
import { composeService } from './compose-service.js'
import type { Feature, Pages } from './feature.js'
import { OPERATIONS } from './operations.js'
import type { Guard } from './request-hooks.js'
import { CORE_ROUTES } from './routes.js'

/** A feature of the app's own. */
const own = (more: Partial<Feature>, name = 'own') => ({ name, ...more }) as Feature

const routed = (routes: Pages['routes'], name?: string) => own({ pages: { routes } as Pages }, name)

const off = { configure: () => undefined }

const compose = (features: readonly unknown[], builtIn: readonly Feature[] = [], more = {}) =>
  composeService({ providers: [], secret, features, ...more } as never, {
    env: {},
    fallbackStore: memoryStore,
    builtIn: { features: builtIn, languages: [] },
  })

function browserOf(config: AuthConfig): Browser {
  const auth = coreAuth(config)
  return new Browser(config, { answer: (request) => auth.fetch(request) })
}

describe('a feature that is off', () => {
  it('attack: reads no member of a person that it would have stopped', async () => {
    const set = people()
    const ada = await set.signIn('one', 'ada')
    await setUpFactor(ada)
    const { providers, ...rest } = set.config
    const features = [ways, own({ ...off }, 'second-factor')]
    const core = browserOf({ ...rest, providers: providers.slice(0, 2), features })
    const end = await core.signIn('one', 'ada')
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/error Configuration', false])
  })

  it('attack: has no kind of sign-in, whose rules it would have asked', async () => {
    const errors: Error[] = []
    const provider = { id: 'email', name: 'Email', type: 'email', from: 'us@app.example' } as const
    const config = configWith({
      providers: [{ ...provider, sendVerificationRequest: async () => {} }],
      features: [own({ ...off, signIn: { kinds: email.signIn?.kinds ?? {} } }, 'email')],
      logger: { error: (error) => void errors.push(error) },
    })
    expect(await (await browserOf(config).get('/auth/providers')).json()).toEqual({})
    expect(errors[0]?.message).toMatch(/unknown type "email"/)
  })

  it('attack: has no route, no page below the origin and no method', async () => {
    const ends = async () => json({ said: true })
    const config = configWith({
      features: [
        own({
          ...off,
          pages: {
            routes: { '/own': { GET: ends, POST: ends } },
            wellKnown: { '/.well-known/own': { GET: () => json({ said: true }) } },
          },
        }),
        own({ ...off, operator: { operations: { listWays: async () => 'said' } } }, 'ways'),
      ],
    })
    const core = browserOf(config)
    for (const path of ['/auth/own', '/.well-known/own']) {
      expect((await core.get(path)).status, path).toBe(404)
    }
    expect((await core.submit('/auth/own')).status).toBe(404)
    await expect(coreAuth(config).listWays('ada')).rejects.toThrow(
      'listWays() belongs to the feature "ways", which is off.',
    )
  })

  it('attack: reads no texts of the app’s own, and allows no wildcard among the trusted origins', async () => {
    const asked: string[] = []
    const features = [
      own({ ...off, ports: { ownTexts: () => asked.push('texts') as never } }),
      own({ ...off, ports: { isPublicSuffix: () => asked.push('suffix') < 0 } }, 'domains'),
    ]
    const trustedOrigins = ['https://*.example.com']
    await expect(compose(features, [], { trustedOrigins })).rejects.toThrow(/shared-domains/)
    expect((await compose(features)).config.copy).toBeUndefined()
    expect(asked).toEqual([])
  })

  it('attack: does not let a feature that needs it start', async () => {
    const needed = own({ ...off }, 'needed')
    const features = [own({ needs: [needed] })]
    await expect(compose(features)).rejects.toThrow(
      'The feature "own" needs "needed", which is off.',
    )
    await expect(compose([own({ ...off, needs: [needed] })])).resolves.toBeDefined()
  })

  it('is never one that another feature of this package needs', () => {
    const needed = new Set(all.flatMap(({ needs = [] }) => needs))
    const around = { env: {}, basePath: '/auth', secrets: () => [secret], now: Date.now }
    const isOff = ({ configure }: Feature) =>
      configure !== undefined && configure({ providers: [] }, around) === undefined
    expect([...needed].filter(isOff)).toEqual([])
    expect(needed.size).toBeGreaterThan(2)
  })
})

describe('several features', () => {
  const guardBy = (field: string): Guard => ({
    codes: [],
    async check(_request, fields) {
      if (fields[field] !== 'yes') throw new AccessDenied(`A form lacks ${field}.`)
    },
    field: () => html`<input type="hidden" name="${field}" value="yes"/>`,
    scripts: () => [{ src: `https://${field}.example/a.js` }],
  })

  it('attack: a guard takes no other one’s place: each is asked, and the page has what each needs', async () => {
    const mails: Parameters<typeof mailProvider>[0] = []
    const features = [
      own({ ports: { guard: guardBy('first') } }, 'first'),
      own({ ports: { guard: guardBy('second') } }, 'second'),
      email,
    ]
    const core = browserOf(configWith({ providers: [mailProvider(mails)], features }))
    const page = await core.get('/auth/signin')
    const text = await page.text()
    const csp = page.headers.get('content-security-policy') ?? ''
    for (const name of ['first', 'second']) {
      expect(text).toContain(`name="${name}" value="yes"`)
      expect(csp).toContain(`https://${name}.example`)
    }
    const mail = { email: 'ada@people.example' }
    for (const lacking of [{}, { first: 'yes' }, { second: 'yes' }]) {
      const end = await core.submit('/auth/signin/email', { ...mail, ...lacking })
      expect(errorOf(end)).toContain('AccessDenied')
    }
    expect(mails).toEqual([])
    await core.submit('/auth/signin/email', { ...mail, first: 'yes', second: 'yes' })
    expect(mails).toHaveLength(1)
  })

  it('attack: the guard of a feature that comes first does not switch Turnstile off', async () => {
    const parts = await composeService(
      { providers: [], secret, features: [own({ ports: { guard: guardBy('own') } }), turnstile] },
      {
        env: { AUTH_TURNSTILE_SITE_KEY: 'site', AUTH_TURNSTILE_SECRET_KEY: 'secret' },
        fallbackStore: memoryStore,
      },
    )
    const request = { features: parts.features, config: parts.config } as never
    const check = parts.features.ports.guard?.check(request, { own: 'yes' })
    await expect(check).rejects.toMatchObject({ code: 'turnstile' })
  })

  it.each([
    ...['proofs', 'relay', 'tokens', 'subjects', 'devices', 'typed', 'stepUp'],
    ...['absentSession', 'ownTexts', 'isPublicSuffix', 'lastUsed'],
  ] as const)(
    'attack: none is silently the only one asked: `%s` of two is refused',
    async (hook) => {
      const hooks = (name: string) => own({ ports: { [hook]: () => ({}) } } as never, name)
      await expect(compose([hooks('one'), hooks('two')])).rejects.toThrow(
        `The features "one" and "two" both have \`${hook}\``,
      )
      await expect(compose([hooks('one'), own({ ...hooks('two'), ...off })])).resolves.toBeDefined()
    },
  )

  it.each([
    ['feature "ways"', [own({}, 'ways'), secondFactor]],
    ['path "/ways"', [routed({ '/ways': {} }), ways]],
    [
      'path "/account/a"',
      [routed({ '/account/a': {} }), own({ pages: { account: { name: 'a' } as never } }, 'other')],
    ],
    [
      'path "/.well-known/a"',
      ['one', 'two'].map((name) => own({ pages: { wellKnown: { '/.well-known/a': {} } } }, name)),
    ],
    ['type "email"', [own({ signIn: { kinds: email.signIn?.kinds ?? {} } }), email]],
    [
      'method "say"',
      ['one', 'two'].map((name) =>
        own({ operator: { operations: { say: async () => {} } } }, name),
      ),
    ],
  ] as const)(
    'attack: a name that stands twice is refused, also by a needed feature: %s',
    async (what, features) => {
      await expect(compose(features)).rejects.toThrow(`The ${what} stands twice in features.`)
    },
  )

  it('that need each other are each there once, and end in no endless loop', async () => {
    const one = own({}, 'one') as { needs?: Feature[] } & Feature
    const two = own({ needs: [one] }, 'two')
    one.needs = [two]
    const list = await compose([one])
    expect(list.features.all.map(({ name }) => name)).toEqual(['two', 'one'])
  })
})

describe('attack: a route that is never asked, with what it would have checked', () => {
  const path = (path: string) => routed({ [path]: {} })
  const any = routed({ '/any/:provider': {} }, 'any')

  it.each(Object.keys(CORE_ROUTES))('%s, as every service has it', async (taken) => {
    await expect(compose([path(taken)])).rejects.toThrow(
      `The path "${taken}" of the feature "own" is never asked, since "${taken}" of every service is.`,
    )
  })

  it.each([
    ['/signin/own', '"/signin/:provider" of every service', []],
    ['/callback/own', '"/callback/:provider" of every service', []],
    ['/account/own', '"/account/:provider" of the feature "account"', [account]],
    ['/any/own', '"/any/:provider" of the feature "any"', [any]],
  ])('%s, behind %s', async (taken, first, before) => {
    await expect(compose([...before, path(taken)])).rejects.toThrow(
      `The path "${taken}" of the feature "own" is never asked, since ${first} is.`,
    )
  })

  it.each([
    '',
    '/',
    'own',
    '/own/',
    '/o wn',
    '/%6fwn',
    '/own/*',
    '/own?',
    '/:id',
    '/:provider',
    '/:provider/own',
  ])('%j, which no request can have', async (wrong) => {
    await expect(compose([path(wrong)])).rejects.toThrow(`cannot have the path "${wrong}"`)
  })

  it('a section of the account page whose name is more than a segment', async () => {
    const section = own({ pages: { account: { name: 'own?' } as never } })
    await expect(compose([section])).rejects.toThrow('cannot have the path "/account/own?"')
  })

  it('a path with only the same beginning is asked', async () => {
    const features = ['/sessions/own', '/session/own', '/own/:provider', '/account/a'].map(path)
    for (const feature of features) await expect(compose([feature])).resolves.toBeDefined()
  })
})

describe('a path of which a feature has all that is below', () => {
  const route = (answer: object) => ({ every: () => json(answer), isData: true }) as const
  const doors = own({
    pages: { below: { '/doors': { every: (_, rest) => json({ rest }), isData: true } } },
  })
  const auth = coreAuth(configWith({ features: [doors] }))
  const ask = (path: string, method = 'PUT') =>
    auth.fetch(new Request(`http://localhost:8787${path}`, { method }))

  it.each([
    ['/auth/doors/front', 'front'],
    ['/auth/doors/', ''],
    ['/auth/doors/front/', 'front/'],
    ['/auth/doors/a/b?c=d', 'a/b'],
    ['/auth/doors/%66ront', '%66ront'],
  ])('%s is asked with the rest, whatever the method', async (path, rest) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expect(await (await ask(path, method)).json()).toEqual({ rest })
    }
  })

  it.each(['/auth/doors', '/auth/door/front', '/doors/front', '/auth/x/doors/front', '//'])(
    '%s is another path',
    async (path) => {
      expect((await ask(path)).status).toBe(404)
    },
  )

  it('is there for one feature', async () => {
    const twice = [
      own({ pages: { below: { '/doors': route({}) } } }, 'one'),
      own({ pages: { below: { '/doors': route({}) } } }, 'two'),
    ]
    await expect(compose(twice)).rejects.toThrow('The path "/doors" stands twice in features.')
  })

  it('is not there if its feature is off', async () => {
    const off = own({ pages: { below: { '/doors': route({}) } }, configure: () => undefined })
    const auth = coreAuth(configWith({ features: [off] }))
    expect((await auth.fetch(new Request('http://localhost:8787/auth/doors/x'))).status).toBe(404)
  })
})

describe('attack: a method that would take the place of the service, or that a runtime calls of itself', () => {
  it.each([
    'fetch',
    'request',
    'getAccessToken',
    'then',
    'email',
    'queue',
    'scheduled',
    'constructor',
  ])('%s is refused, and is not there', async (name) => {
    const errors: Error[] = []
    const run = async () => new Response('of the feature')
    const config = configWith({
      features: [own({ operator: { operations: { [name]: run } } })],
      logger: { error: (error) => void errors.push(error) },
    })
    const plain = coreAuth(configWith())
    const auth = coreAuth(config)
    expect(Object.keys(auth)).toEqual(Object.keys(plain))
    const answer = await auth.fetch(new Request('http://localhost:8787/auth/csrf'))
    expect(answer.status).toBe(500)
    expect(errors[0]?.message).toBe(`The feature "own" cannot have a method "${name}".`)
  })

  it.each(Object.keys(OPERATIONS))(
    '%s of another feature than its own is refused',
    async (name) => {
      const features = [own({ operator: { operations: { [name]: async () => 'of the feature' } } })]
      await expect(compose(features)).rejects.toThrow(`cannot have a method "${name}"`)
    },
  )
})

it('attack: one configuration for both entries has only the features of each', async () => {
  const set = people()
  const ada = await set.signIn('one', 'ada')
  const { providers, ...rest } = set.config
  const config = { ...rest, providers: providers.slice(0, 2) }
  const [core, full] = [coreAuth(config), createAuth(config)]
  for (const [auth, status] of [
    [core, 404],
    [full, 200],
    [core, 404],
  ] as const) {
    const one = copyOf(ada, config, { answer: (request) => auth.fetch(request) })
    expect((await one.get('/auth/account')).status).toBe(status)
  }
})

it('attack: features that differ by request are each request’s own, in any order', async () => {
  const store = memoryStore()
  const route = (said: string) => routed({ '/own': { GET: async () => json({ said }) } })
  const lists = [[], ...Array.from({ length: 12 }, (_, at) => [route(String(at))])]
  const auth = coreAuth((_env, request: Request) =>
    configWith({
      store,
      features: lists[Number(new URL(request.url).searchParams.get('at'))] ?? [],
    }),
  )
  const ask = (at: number) => auth.request(`http://localhost:8787/auth/own?at=${at}`)
  for (const at of [1, 0, 12, 3, 0, 1, 11, 2, 9, 8, 7, 6, 5, 4, 10, 1, 0]) {
    const answer = await ask(at)
    if (at === 0) expect(answer.status).toBe(404)
    else expect(await answer.json()).toEqual({ said: String(at - 1) })
  }
})
