import { companies } from '../features/companies/index.js'
import type { CompaniesOptions, Company } from '../features/companies/types.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { Browser, locationOf, origin } from './browser.js'
import { type TestIssuer, testIssuer } from './issuer.js'
import { people } from './people.js'

/** A company whose provider is at `https://<id>.idp.example`. */
export function companyAt(id: string, changes: Partial<Company> = {}): Company {
  return {
    id,
    domains: [`${id}.example`],
    issuer: `https://${id}.idp.example`,
    clientId: `client-of-${id}`,
    clientSecret: `the-secret-of-${id}-which-is-long`,
    name: `The ${id} company`,
    ...changes,
  }
}

/** The options of `companies()` that know these, and no others. */
function listed(all: readonly Company[]): Required<Pick<CompaniesOptions, 'find' | 'get'>> {
  return {
    find: (domain) => all.find(({ domains }) => domains.includes(domain)),
    get: (id) => all.find((one) => one.id === id),
  }
}

/** A service with companies, each with a provider of its own, and people in front of it. */
export async function companyWorld(
  entries: readonly Company[] = [companyAt('acme'), companyAt('bolt')],
  changes: Partial<AuthConfig> = {},
  {
    inner,
    options = {},
    profiles,
  }: {
    inner?: Stores
    options?: CompaniesOptions
    profiles?: Record<string, Record<string, unknown>>
  } = {},
) {
  const all = [...entries]
  const issuers = new Map<string, TestIssuer>()
  for (const { issuer, clientId } of all) {
    const { host } = new URL(issuer)
    if (!issuers.has(host)) issuers.set(host, await testIssuer(issuer, { alg: 'ES256', clientId }))
  }
  const warnings: (readonly [string, string | undefined])[] = []
  const asked: string[] = []
  const known = listed(all)
  const feature = companies({
    find(domain) {
      asked.push(domain)
      return known.find(domain, {})
    },
    get: (id) => known.get(id, {}),
    fetch: async (input, init) => {
      const { host } = new URL(String(input))
      const issuer = issuers.get(host)
      if (!issuer) throw new TypeError(`No such host: ${host}`)
      return issuer.fetch(input as never, init as never)
    },
    ...options,
  })
  const service = people(
    { ...changes, features: [feature, ...(changes.features ?? [])] },
    { ...(inner ? { inner } : {}), ...(profiles ? { profiles } : {}) },
  )
  const { logger } = service.config
  const config = Object.assign(service.config, {
    logger: {
      ...logger,
      warn: (code: string, detail?: string) => void warnings.push([code, detail]),
    },
  })
  const issuerOf = (id: string): TestIssuer => {
    const entry = all.find((one) => one.id === id)
    const issuer = entry && issuers.get(new URL(entry.issuer).host)
    if (!issuer) throw new Error(`No company ${id}.`)
    return issuer
  }
  /** Types an address on the first page. */
  const type = (one: Browser, email: string, fields: Record<string, string> = {}) =>
    one.submit('/auth/signin/company', { email, callbackUrl: '/inbox', ...fields })
  /** Comes back from the company's provider as one of its people. */
  const comeBack = (
    one: Browser,
    id: string,
    start: Response,
    claims: Record<string, unknown> = {},
    parameters: Record<string, string> = {},
  ) => {
    const { searchParams } = new URL(locationOf(start), origin)
    const issuer = issuerOf(id)
    issuer.claims = { sub: 'ada', email: `ada@${id}.example`, name: 'Ada', ...claims }
    const code = searchParams.get('nonce') ?? ''
    const back = new URLSearchParams({
      code,
      state: searchParams.get('state') ?? '',
      ...parameters,
    })
    return one.get(`/auth/callback/company-${id}?${back}`)
  }
  /** Signs in by a company. @returns where it ends */
  const signInBy = async (
    one: Browser,
    id: string,
    claims: Record<string, unknown> = {},
  ): Promise<Response> => {
    const start = await one.submit(`/auth/signin/company-${id}`, { callbackUrl: '/inbox' })
    return comeBack(one, id, start, claims)
  }
  return {
    ...service,
    config,
    all,
    asked,
    warnings,
    issuerOf,
    type,
    comeBack,
    backFrom: service.comeBack,
    signInBy,
    browser: () => new Browser(config),
    /** A browser in which a person of a company is signed in. */
    async of(id: string, claims: Record<string, unknown> = {}) {
      const one = new Browser(config)
      await signInBy(one, id, claims)
      return one
    },
  }
}
