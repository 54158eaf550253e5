import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { Browser, errorOf, locationOf } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import type { Company } from '../../types.js'
import { companies } from './index.js'
import { readCompany } from './read-company.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })

describe('the options', () => {
  it.each<[string, object, RegExp]>([
    ['find without get', { find: () => undefined }, /both `find` and `get`/],
    ['get without find', { get: () => undefined }, /both `find` and `get`/],
    ['a text as find', { find: 'x', get: () => undefined }, /function as `find`/],
    ['another option', { found: () => undefined }, /no option "found"/],
  ])('%s is refused at once', (_, options, message) => {
    expect(() => companies(options as never)).toThrow(TypeError)
    expect(() => companies(options as never)).toThrow(message)
  })
})

describe('an entry', () => {
  it('is read with its members', () => {
    expect(readCompany(companyAt('acme', { factors: { acr: ['two'] }, only: true }))).toMatchObject(
      {
        id: 'acme',
        domains: new Set(['acme.example']),
        issuer: 'https://acme.idp.example',
        isOnly: true,
        asksToJoin: false,
        hasFactors: true,
        acr: ['two'],
      },
    )
  })

  it.each<[string, unknown, string]>([
    ['no object', 'acme', 'company'],
    ['an id in capitals', { id: 'Acme' }, 'id'],
    ['an id that begins with a digit', { id: '1acme' }, 'id'],
    ['an id of 33 letters', { id: 'a'.repeat(33) }, 'id'],
    ['no domain', { domains: [] }, 'domains'],
    ['51 domains', { domains: Array.from({ length: 51 }, (_, at) => `d${at}.example`) }, 'domains'],
    ['a wildcard', { domains: ['*.acme.example'] }, 'domains'],
    ['an address as a domain', { domains: ['ada@acme.example'] }, 'domains'],
    ['a domain of one label', { domains: ['acme'] }, 'domains'],
    ['an IP address as a domain', { domains: ['10.0.0.1'] }, 'domains'],
    ['attack: gmail.com', { domains: ['acme.example', 'gmail.com'] }, 'domains'],
    ['attack: gmail.com in capitals, with a dot', { domains: ['GMAIL.com.'] }, 'domains'],
    ['attack: outlook.de', { domains: ['outlook.de'] }, 'domains'],
    ['attack: a public suffix', { domains: ['co.uk'] }, 'domains'],
    ['attack: a domain below which strangers have sites', { domains: ['workers.dev'] }, 'domains'],
    ['http', { issuer: 'http://acme.idp.example' }, 'issuer'],
    ['an issuer with a query', { issuer: 'https://acme.idp.example?x' }, 'issuer'],
    ['an issuer with a user', { issuer: 'https://a@acme.idp.example' }, 'issuer'],
    [
      'attack: an issuer of all tenants',
      { issuer: 'https://login.microsoftonline.com/common/v2.0' },
      'issuer',
    ],
    [
      'attack: an issuer of organizations',
      { issuer: 'https://login.microsoftonline.com/organizations/v2.0' },
      'issuer',
    ],
    [
      'attack: the issuer of private accounts',
      { issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' },
      'issuer',
    ],
    ['no client', { clientId: undefined }, 'clientId'],
    ['a number as the secret', { clientSecret: 7 }, 'clientSecret'],
    ['a name with a line break', { name: 'A\nB' }, 'name'],
    ['only as text', { only: 'true' }, 'only'],
    ['join as a number', { join: 1 }, 'join'],
    ['factors without a list', { factors: { acr: [] } }, 'factors'],
    ['factors of another kind', { factors: 'mfa' }, 'factors'],
    ['an unknown member', { admin: true }, 'an unknown member'],
  ])('with %s cannot be used', (_, changes, wrong) => {
    const entry =
      typeof changes === 'string' ? changes : { ...companyAt('acme'), ...(changes as object) }
    expect(readCompany(entry)).toEqual({ wrong })
  })
})

describe('find and get', () => {
  const worldWith = async (options: object) => {
    const world = await companyWorld([companyAt('acme')], {}, { options })
    const type = (email: string) => world.type(world.browser(), email)
    return { ...world, typed: type }
  }

  it('get the domain in lower case and ASCII, and count for a minute, undefined too', async () => {
    const { type, browser, asked } = await companyWorld()
    for (const email of ['a@Acme.EXAMPLE', 'b@acme.example', 'c@none.example', 'd@none.example']) {
      await type(browser(), email)
    }
    await type(browser(), 'e@bücher.example')
    expect(asked).toEqual(['acme.example', 'none.example', 'xn--bcher-kva.example'])
    pass(60)
    await type(browser(), 'c@none.example')
    expect(asked.at(-1)).toBe('none.example')
  })

  it('are never asked about gmail.com or a public suffix, by which nothing can change', async () => {
    const { type, browser, asked } = await companyWorld()
    for (const domain of ['gmail.com', 'googlemail.com', 'co.uk', 'github.io']) {
      expect((await type(browser(), `a@${domain}`)).status).toBe(200)
    }
    expect(asked).toEqual([])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('ada@acme.example')
      },
    ],
    ['rejects', () => Promise.reject(new Error('ada@acme.example'))],
  ])(
    'attack: a find that %s: no address that it was asked about signs in, by any way',
    async (_, find) => {
      const world = await companyWorld(
        [companyAt('acme', { only: true })],
        {},
        { options: { find: find as never } },
      )
      const typed = await world.type(world.browser(), 'ada@acme.example')
      expect([typed.status, typed.headers.get('retry-after')]).toEqual([503, '5'])
      const one = world.browser()
      const mailed = await one.submit('/auth/signin/email', { email: 'ada@acme.example' })
      expect([mailed.status, mailed.headers.get('retry-after')]).toEqual([503, '5'])
      expect(world.mails).toEqual([])
      expect(world.warnings[0]).toEqual([
        'company-lookup-failed',
        'find() or get() threw, or took more than 2 seconds.',
      ])
      // Nobody else is kept out.
      expect(errorOf(await world.browser().signIn('one', 'bob'))).toBe('/inbox')
    },
  )

  it('attack: a find that hangs is given up after two seconds', async () => {
    const world = await companyWorld(
      [companyAt('acme')],
      {},
      {
        options: { find: () => new Promise<never>(() => {}) },
      },
    )
    const began = performance.now()
    expect((await world.type(world.browser(), 'ada@acme.example')).status).toBe(503)
    expect(performance.now() - began).toBeGreaterThan(1_900)
  })

  it.each<[string, (company: Company) => unknown]>([
    [
      'without the domain that was asked',
      (company) => ({ ...company, domains: ['other.example'] }),
    ],
    ['with a public domain', (company) => ({ ...company, domains: ['acme.example', 'gmail.com'] })],
    ['that is not an object', () => 'acme'],
  ])(
    'attack: a find that answers a company %s: Configuration for its people alone',
    async (_, change) => {
      const world = await worldWith({
        find: (domain: string) =>
          domain === 'acme.example' ? change(companyAt('acme')) : undefined,
      })
      expect(errorOf(await world.typed('ada@acme.example'))).toMatch(/^\/auth\/error Configuration/)
      expect((await world.typed('bob@other.example')).status).toBe(200)
      expect(world.warnings.map(([code]) => code)).toContain('company-invalid')
    },
  )

  it('attack: a get that answers another company than was asked', async () => {
    const world = await companyWorld(
      [companyAt('acme')],
      {},
      {
        options: { get: () => companyAt('bolt') },
      },
    )
    const start = await world.browser().submit('/auth/signin/company-acme')
    expect(errorOf(start)).toMatch(/^\/auth\/error Configuration/)
  })

  it('attack: floods of domains: no row, no call of the store, and ten lines of a warning a minute', async () => {
    const world = await companyWorld(
      [companyAt('acme')],
      {},
      {
        options: {
          find: () => {
            throw new Error()
          },
        },
      },
    )
    const one = world.browser()
    const csrfToken = await one.csrfToken()
    const calls = world.calls.length
    for (let at = 0; at < 30; at++)
      await one.post('/auth/signin/company', { csrfToken, email: `a@d${at}.example` })
    expect(world.calls.length).toBe(calls)
    expect(world.warnings).toHaveLength(10)
    pass(60)
    await one.post('/auth/signin/company', { csrfToken, email: 'a@more.example' })
    expect(world.warnings).toHaveLength(11)
  })
})

describe('variables', () => {
  const worldOf = async (env: Record<string, string>) => {
    const world = await companyWorld([companyAt('acme')])
    const { createAuth } = await import('../../index.js')
    const auth = createAuth(() => ({
      ...world.config,
      features: [
        companies({
          find: () =>
            companyAt('found', { domains: ['acme.example'], issuer: 'https://acme.idp.example' }),
          get: () => undefined,
          fetch: (input, init) => world.issuerOf('acme').fetch(input as never, init as never),
        }),
      ],
    }))
    const one = new Browser(world.config, { answer: (request) => auth.fetch(request, env) })
    return { ...world, one }
  }
  const ACME = {
    AUTH_COMPANY_ACME_DOMAINS: 'acme.example',
    AUTH_COMPANY_ACME_ISSUER: 'https://acme.idp.example',
    AUTH_COMPANY_ACME_ID: 'client-of-acme',
  }

  it('come before the functions', async () => {
    const { one, type } = await worldOf(ACME)
    const { searchParams } = new URL(locationOf(await type(one, 'ada@acme.example')))
    expect(searchParams.get('redirect_uri')).toMatch(/company-acme$/)
  })

  it('a domain of two companies is neither’s', async () => {
    const { one, type } = await worldOf({
      ...ACME,
      AUTH_COMPANY_BOLT_DOMAINS: 'bolt.example acme.example',
      AUTH_COMPANY_BOLT_ISSUER: 'https://bolt.idp.example',
      AUTH_COMPANY_BOLT_ID: 'client-of-bolt',
    })
    expect(errorOf(await type(one, 'ada@acme.example'))).toMatch(/^\/auth\/error Configuration/)
    expect(errorOf(await type(one, 'ada@bolt.example'))).toMatch(/company_unavailable|idp/)
  })

  it.each(['AUTH_COMPANY_ACME_DOMAINS', 'AUTH_COMPANY_ACME_ISSUER', 'AUTH_COMPANY_ACME_ID'])(
    'without %s nobody signs in by that company',
    async (missing) => {
      const { one } = await worldOf({ ...ACME, [missing]: '' })
      expect(errorOf(await one.submit('/auth/signin/company-acme'))).toMatch(
        /^\/auth\/error Configuration/,
      )
    },
  )
})
