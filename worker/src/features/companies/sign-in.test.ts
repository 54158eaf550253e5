import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import {
  Browser,
  claimsIn,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { companies } from './index.js'

clock({ start: Date.UTC(2026, 10, 1) })

const PAGE = '/auth/signin'

describe('the sign-in page', () => {
  it('has one form without a script, which asks for the address, and a link to the other ways', async () => {
    const { browser } = await companyWorld()
    const one = browser()
    const page = await (await one.get(PAGE)).text()
    expect(page.match(/<form/g)).toHaveLength(1)
    expect(page).toContain('action="/auth/signin/company"')
    expect(page).toMatch(/<input[^>]*name="email"[^>]*autocomplete="username"/)
    expect(page).toContain('Other ways to sign in')
    expect(page).not.toContain('ONE')
    const others = await (await one.get(`${PAGE}?ways=1`)).text()
    expect(others).toContain('action="/auth/signin/one"')
    expect(others).not.toContain('/auth/signin/company')
  })

  it('leads an address of a company to its provider, with login_hint', async () => {
    const { browser, type } = await companyWorld()
    const answer = await type(browser(), ' Ada@ACME.example ')
    expect(answer.status).toBe(302)
    const url = new URL(locationOf(answer))
    expect([url.origin, url.pathname]).toEqual(['https://acme.idp.example', '/authorize'])
    expect(url.searchParams.get('login_hint')).toBe('ada@acme.example')
    expect(url.searchParams.get('client_id')).toBe('client-of-acme')
    expect(url.searchParams.get('redirect_uri')).toBe(`${origin}/auth/callback/company-acme`)
  })

  it.each([
    'ada@private.example',
    'ada',
    '',
    'ada@sub.acme.example',
    'ada@acme.example.evil.example',
  ])('shows the other ways for any other text, filled in: %j', async (text) => {
    const { browser, type } = await companyWorld()
    const answer = await type(browser(), text)
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    const page = await answer.text()
    expect(page).toContain('action="/auth/signin/one"')
    if (text) expect(page).toContain(`value="${text}"`)
  })

  it('has no address in a URL of ours', async () => {
    const { browser, type } = await companyWorld()
    const one = browser()
    const json = await type(one, 'ada@private.example', {})
    expect(json.headers.get('location')).toBeNull()
    const asked = await one.submit(
      '/auth/signin/company',
      { email: 'ada@private.example', callbackUrl: '/inbox' },
      { 'x-auth-return-redirect': '1' },
    )
    const { url } = (await asked.json()) as { url: string }
    expect(url).toContain('ways=1')
    expect(url).not.toContain('private')
  })

  it('says the same, and asks no store, whether somebody has an account or not', async () => {
    const world = await companyWorld()
    await world.of('acme')
    const calls = world.calls.length
    const [known, unknown] = [
      await world.type(world.browser(), 'ada@acme.example'),
      await world.type(world.browser(), 'nobody@acme.example'),
    ]
    expect([known.status, unknown.status]).toEqual([302, 302])
    expect(world.calls.length).toBe(calls)
  })

  it('/providers has one entry, whatever their number, and its callbackUrl is not a route', async () => {
    const { browser } = await companyWorld()
    const one = browser()
    const all = (await (await one.get('/auth/providers')).json()) as Record<
      string,
      { type: string }
    >
    expect(Object.keys(all).filter((id) => id.startsWith('company'))).toEqual(['company'])
    expect(all.company).toMatchObject({
      id: 'company',
      type: 'company',
      signinUrl: `${origin}/auth/signin/company`,
      callbackUrl: `${origin}/auth/callback/company`,
    })
    expect((await one.get('/auth/callback/company')).status).toBe(404)
    expect((await one.submit('/auth/callback/company')).status).toBe(404)
  })
})

describe('without companies', () => {
  it('no route of theirs is there', async () => {
    const { config } = await companyWorld([], {}, { options: {} })
    const one = new Browser({ ...config, features: [companies()] })
    for (const path of [
      'signin/company',
      'signin/company-acme',
      'initiate/company-acme',
      'backchannel-logout/company-acme',
      'company/join',
    ]) {
      expect([path, (await one.submit(`/auth/${path}`)).status]).toEqual([path, 404])
    }
    expect((await one.get('/auth/callback/company-acme?code=x&state=y')).status).toBe(404)
    const page = await (await one.get(PAGE)).text()
    expect(page).toContain('action="/auth/signin/one"')
  })

  it.each([
    ['company', true],
    ['company-acme', true],
    ['company-acme', false],
    ['company-', false],
  ])('no other provider may have the id %s (companies: %s)', async (id, isOn) => {
    const world = await companyWorld()
    const errors: Error[] = []
    const [one] = world.config.providers as [object]
    const browser = new Browser({
      ...world.config,
      ...(isOn ? {} : { features: [] }),
      providers: [{ ...one, id } as never],
      logger: { error: (error) => void errors.push(error), warn() {} },
    })
    const all = (await (await browser.get('/auth/providers')).json()) as object
    expect(Object.values(all).map(({ type }) => type)).toEqual(isOn ? ['company'] : [])
    expect(errors.map(({ message }) => message).join()).toMatch(/kept for companies|have the id/)
  })

  it('a provider of the app that had the id before there were companies keeps it', async () => {
    const world = await companyWorld()
    const [one] = world.config.providers as [object]
    const providers = [{ ...one, id: 'company' } as never]
    const browser = new Browser({ ...world.config, features: [], providers })
    const start = await browser.submit('/auth/signin/company')
    expect([start.status, new URL(locationOf(start)).origin]).not.toContain(origin)
    expect(start.status).toBe(302)
  })
})

describe('a sign-in by a company', () => {
  it('begins a session that names it', async () => {
    const { of } = await companyWorld()
    const one = await of('acme')
    expect(await one.session()).toMatchObject({
      company: 'acme',
      user: { name: 'Ada', email: 'ada@acme.example', emailVerified: true },
    })
    expect(claimsIn(one)).toMatchObject({ company: 'acme', amr: ['company-acme'] })
    const { sessions } = (await (await one.get('/auth/sessions')).json()) as { sessions: object[] }
    expect(sessions).toMatchObject([{ provider: 'company-acme', company: 'acme' }])
  })

  it('a person’s id follows from issuer and sub alone: another id, domain or client changes nobody', async () => {
    const first = await companyWorld([companyAt('acme')])
    const one = await first.of('acme')
    const second = await companyWorld([
      companyAt('renamed', {
        issuer: 'https://acme.idp.example/',
        domains: ['new.example', 'acme.example'],
        clientId: 'another-client',
      }),
    ])
    second.issuerOf('renamed').metadata = { issuer: 'https://acme.idp.example' }
    const two = new Browser(second.config)
    await second.signInBy(two, 'renamed', {
      iss: 'https://acme.idp.example',
      email: 'ada@new.example',
    })
    expect(claimsIn(two).sub).toBe(claimsIn(one).sub)
  })

  it('attack: no provider names another’s people: the same sub of two issuers is two people', async () => {
    const { of } = await companyWorld()
    expect(claimsIn(await of('acme')).sub).not.toBe(claimsIn(await of('bolt')).sub)
  })

  it('subject() is asked with the id of the company’s provider', async () => {
    const asked: string[] = []
    const subject = ({
      provider,
      account,
    }: {
      provider: string
      account: { providerAccountId: string }
    }) => {
      asked.push(provider)
      return `own-${account.providerAccountId}`
    }
    const { of } = await companyWorld(undefined, { subject } as never)
    expect(claimsIn(await of('acme')).sub).toBe('own-ada')
    expect(asked).toEqual(['company-acme'])
  })
})

describe('attack: the ID token has', () => {
  const refused = async (claims: Record<string, unknown>, id = 'acme') => {
    const { browser, signInBy } = await companyWorld()
    const one = browser()
    const end = await signInBy(one, id, claims)
    expect(setsSession(end)).toBe(false)
    expect(await one.session()).toBeNull()
    return errorOf(end)
  }

  it.each<[string, Record<string, unknown>]>([
    ['no email', { email: undefined }],
    ['an address of another company', { email: 'ada@bolt.example' }],
    ['an address of gmail.com', { email: 'ada@gmail.com' }],
    ['an address of a subdomain', { email: 'ada@hr.acme.example' }],
    ['an address below whose domain the company’s is', { email: 'ada@example' }],
    ['a domain that ends as the company’s does', { email: 'ada@evilacme.example' }],
    ['an internationalised spelling that looks alike', { email: 'ada@аcme.example' }],
    ['two addresses', { email: 'ada@acme.example,eve@evil.example' }],
    ['a name and an address', { email: 'Eve <eve@evil.example> @acme.example' }],
    ['email_verified: false', { email_verified: false }],
    ['email_verified: "false"', { email_verified: 'false' }],
    ['email_verified: 0', { email_verified: 0 }],
    ['a number as email', { email: ['ada@acme.example'] }],
    ['an empty local part', { email: '@acme.example' }],
  ])('%s', async (_, claims) => {
    expect(await refused(claims)).toBe('/auth/error AccessDenied company_domain')
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://bolt.idp.example' }],
    ['another client', { aud: 'client-of-bolt' }],
    ['another nonce', { nonce: 'made-up' }],
    ['no sub', { sub: undefined }],
    ['its end behind it', { exp: 1 }],
  ])('%s', async (_, claims) => {
    expect(await refused(claims)).toBe('/auth/signin OAuthCallbackError')
  })

  it('an address in the company’s other spelling, and signs in', async () => {
    const world = await companyWorld([companyAt('acme', { domains: ['xn--bcher-kva.example'] })])
    const one = await world.of('acme', { email: 'ada@BÜCHER.example' })
    expect(await one.session()).toMatchObject({ company: 'acme' })
    const typed = await world.type(world.browser(), 'ada@bücher.example')
    expect(new URL(locationOf(typed)).hostname).toBe('acme.idp.example')
    expect(new URL(locationOf(typed)).searchParams.get('login_hint')).toBe(
      'ada@xn--bcher-kva.example',
    )
  })

  it('an address of which Google does not say that it is of the company’s own domain', async () => {
    const google = companyAt('acme', { issuer: 'https://accounts.google.com' })
    for (const [hd, end] of [
      [undefined, '/auth/error AccessDenied company_domain'],
      ['other.example', '/auth/error AccessDenied company_domain'],
      ['acme.example', '/inbox'],
    ] as const) {
      const world = await companyWorld([google])
      expect(errorOf(await world.signInBy(world.browser(), 'acme', { hd }))).toBe(end)
    }
  })
})

describe('attack: mix-up between companies:', () => {
  it('the answer to one comes to the callback of the other', async () => {
    const { browser, comeBack } = await companyWorld()
    const one = browser()
    const start = await one.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' })
    const end = await comeBack(one, 'bolt', start)
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('an iss parameter of another issuer', async () => {
    const { browser, comeBack } = await companyWorld()
    const one = browser()
    const start = await one.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' })
    const end = await comeBack(one, 'acme', start, {}, { iss: 'https://bolt.idp.example' })
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin OAuthCallbackError', false])
  })

  it.each<[string, object]>([
    ['its client', { clientId: 'client-of-bolt' }],
    ['its issuer', { issuer: 'https://bolt.idp.example' }],
  ])('an entry that changed %s on the way', async (_, change) => {
    const world = await companyWorld()
    let isChanged = false
    const get = (id: string) => {
      const entry = world.all.find((one) => one.id === id)
      return entry && { ...entry, ...(isChanged ? change : {}) }
    }
    const [feature] = world.config.features as [object]
    expect(feature).toBeDefined()
    const fetch: typeof globalThis.fetch = async (input, init) =>
      world
        .issuerOf(String(input).includes('bolt') ? 'bolt' : 'acme')
        .fetch(input as never, init as never)
    const find = (domain: string) => world.all.find(({ domains }) => domains.includes(domain))
    const before = new Browser({ ...world.config, features: [companies({ find, get, fetch })] })
    const start = await before.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' })
    isChanged = true
    const after = new Browser({ ...world.config, features: [companies({ find, get, fetch })] })
    for (const [name, value] of before.jar) after.jar.set(name, value)
    const end = await world.comeBack(after, 'acme', start)
    expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
  })

  it('a code or token that comes unasked', async () => {
    const { browser } = await companyWorld()
    const one = browser()
    for (const query of ['code=x&state=y', 'code=x', 'id_token=a.b.c', '']) {
      const end = await one.get(`/auth/callback/company-acme?${query}`)
      expect([errorOf(end), setsSession(end)]).toEqual(['/auth/signin InvalidCheck', false])
    }
  })
})

it('attack: login_hint as an injection: parameters of ours stay ours', async () => {
  const { browser, type } = await companyWorld()
  const answer = await type(browser(), 'ada&redirect_uri=https://evil.example@acme.example')
  const url = new URL(locationOf(answer))
  expect(url.searchParams.getAll('redirect_uri')).toEqual([`${origin}/auth/callback/company-acme`])
  const one = browser()
  const sent = await one.submit(
    '/auth/signin/company?login_hint=eve%40evil.example&redirect_uri=https://evil.example&scope=all',
    { email: 'ada@acme.example' },
  )
  const to = new URL(locationOf(sent))
  expect(to.searchParams.getAll('login_hint')).toEqual(['ada@acme.example'])
  expect(to.searchParams.getAll('redirect_uri')).toEqual([`${origin}/auth/callback/company-acme`])
  expect(to.searchParams.get('scope')).toBe('openid profile email')
})

it('a second company with the same issuer has the same people, each by its own domains', async () => {
  const world = await companyWorld([
    companyAt('acme', { clientId: 'shared' }),
    companyAt('acme-labs', { issuer: 'https://acme.idp.example', clientId: 'shared' }),
  ])
  const one = await world.of('acme')
  const two = await world.of('acme-labs', { email: 'ada@acme-labs.example' })
  expect(claimsIn(two).sub).toBe(claimsIn(one).sub)
  expect(await two.session()).toMatchObject({ company: 'acme-labs' })
  const foreign = { email: 'ada@acme.example' }
  expect(errorOf(await world.signInBy(world.browser(), 'acme-labs', foreign))).toBe(
    '/auth/error AccessDenied company_domain',
  )
})

describe('a provider that is down', () => {
  it.each<[string, (world: Awaited<ReturnType<typeof companyWorld>>) => void]>([
    [
      'answers with an error',
      ({ issuerOf }) => {
        issuerOf('acme').answers = {
          'openid-configuration': () => new Response('', { status: 503 }),
        }
      },
    ],
    [
      'names another issuer',
      ({ issuerOf }) => {
        issuerOf('acme').metadata = { issuer: 'https://evil.example' }
      },
    ],
    [
      'redirects',
      ({ issuerOf }) => {
        issuerOf('acme').answers = {
          'openid-configuration': () =>
            new Response(null, { status: 302, headers: { location: 'http://10.0.0.1/' } }),
        }
      },
    ],
    [
      'names an inner address',
      ({ issuerOf }) => {
        issuerOf('acme').metadata = { authorization_endpoint: 'http://10.0.0.1/authorize' }
      },
    ],
  ])('%s: the sign-in page says so, also under only', async (_, change) => {
    for (const only of [false, true]) {
      const world = await companyWorld([companyAt('acme', { only })])
      change(world)
      const answer = await world.type(world.browser(), 'ada@acme.example')
      expect([answer.status, errorOf(answer)]).toEqual([
        302,
        '/auth/signin OAuthCallbackError company_unavailable',
      ])
    }
  })
})

describe('subOfCompany()', () => {
  it('is the id of the person before and after the first sign-in, and null for an unknown company', async () => {
    const world = await companyWorld()
    const auth = createAuth(world.config)
    const before = await auth.subOfCompany({ company: 'acme', subject: 'ada' })
    expect(claimsIn(await world.of('acme')).sub).toBe(before)
    expect(await auth.subOfCompany({ company: 'acme', subject: 'ada' })).toBe(before)
    expect(await auth.subOfCompany({ company: 'none', subject: 'ada' })).toBeNull()
    await expect(auth.subOfCompany({ company: 'acme' } as never)).rejects.toThrow(TypeError)
    await expect(auth.subOfCompany({ company: '', subject: 'ada' })).rejects.toThrow(TypeError)
  })
})

it('sign-in by variables alone', async () => {
  const world = await companyWorld([companyAt('acme')])
  const auth = createAuth((env: object) => ({
    ...world.config,
    features: [
      companies({
        fetch: (input, init) => world.issuerOf('acme').fetch(input as never, init as never),
      }),
    ],
    ...(env ? {} : {}),
  }))
  const env = {
    AUTH_COMPANY_ACME_DOMAINS: 'acme.example acme-labs.example',
    AUTH_COMPANY_ACME_ISSUER: 'https://acme.idp.example',
    AUTH_COMPANY_ACME_ID: 'client-of-acme',
    AUTH_COMPANY_ACME_SECRET: 'the-secret-of-acme-which-is-long',
    AUTH_COMPANY_ACME_NAME: 'Acme',
  }
  const one = new Browser(world.config, { answer: (request) => auth.fetch(request, env) })
  expect(errorOf(await world.signInBy(one, 'acme'))).toBe('/inbox')
  expect(await one.session()).toMatchObject({ company: 'acme' })
})
