import { fetchPublic } from '#document-fetch'
import type { AuthRequest } from '../../http/request.js'
import { digest } from '../../lib/base64url.js'
import { companyIn, companyProviderId } from '../../lib/company-id.js'
import { isLoopback } from '../../lib/is-loopback.js'
import { customFetch } from '../../lib/symbols.js'
import { subjectOf } from '../../person/subject.js'
import type { SignedIn } from '../../session/signed-in.js'
import { type ResolvedOAuthProvider, resolveOAuth } from '../../sign-in/oauth/resolve.js'
import type { OIDCConfig } from '../../types.js'
import { openId } from '../openid/kind.js'
import { companyKind } from './company-kind.js'
import { domainIn } from './domains.js'
import { notOfDomain } from './only.js'
import type { KnownCompany } from './read-company.js'
import { companiesOf } from './settings.js'

/** The provider of a company. */
export interface CompanyProvider extends ResolvedOAuthProvider {
  readonly company: KnownCompany
}

/** By the entry that it is made of, and the fetch that asks it. */
const made = new WeakMap<KnownCompany, CompanyProvider>()

/**
 * The provider of a company by its id, such as `company-acme`.
 *
 * @throws {StoreUnavailable} @throws {InvalidConfiguration}
 */
export async function findProvider(
  request: AuthRequest,
  id: string,
): Promise<CompanyProvider | undefined> {
  const company = companyIn(id)
  const known =
    company === undefined ? undefined : await companiesOf(request).byId(request, company)
  return known && providerOf(request, known)
}

/** The provider of a company. */
export async function providerOf(
  request: AuthRequest,
  company: KnownCompany,
): Promise<CompanyProvider> {
  const known = made.get(company)
  if (known) return known
  const { id, name, issuer, clientId, clientSecret, acr } = company
  const config: OIDCConfig = {
    id: companyProviderId(id),
    name,
    type: 'oidc',
    issuer,
    clientId,
    // Only what the ID token says counts, which the company's provider has signed for this client.
    idToken: true,
    ...(clientSecret === undefined
      ? { client: { token_endpoint_auth_method: 'none' } }
      : { clientSecret }),
    fromEnvironment: (_env, own) => own,
    [customFetch]: fetchOf(companiesOf(request).fetch, issuer),
  }
  const provider: CompanyProvider = Object.freeze({
    ...resolveOAuth(companyKind, config, {}, openId),
    company,
    ...(acr.length > 0 ? { acrValues: acr.join(' ') } : {}),
    bound: await digest(['latchkey/company/v1', issuer, clientId], 16),
    complete: (signedIn: SignedIn) => completed(company, signedIn),
  })
  made.set(company, provider)
  return provider
}

/** An issuer on this machine has no public address; the entry was checked against the service's own. */
function fetchOf(own: typeof fetch | undefined, issuer: string): typeof fetch {
  if (own) return own
  return isLoopback(new URL(issuer)) ? globalThis.fetch : fetchPublic
}

/** Stands for all companies in the id of a person, which follows from the issuer and its `sub` alone. */
const ANY = 'company'

/** The id that a company's provider gives to a person by its `sub`. */
export function subAt({ issuer }: Pick<KnownCompany, 'issuer'>, subject: string): Promise<string> {
  return subjectOf(ANY, subject, issuer)
}

/** Issuers of which any account may have any address: only this claim says that the account is the company's. */
const BY_HOSTED_DOMAIN = 'https://accounts.google.com'

/**
 * The account that the ID token proves, by the rules of companies.
 *
 * @throws {AccessDenied} `company_domain`: the address is not one of the company's
 */
async function completed(
  company: KnownCompany,
  { user, account, profile = {}, ...rest }: SignedIn,
): Promise<SignedIn> {
  const { email_verified, hd } = profile
  const address = addressIn(profile.email)
  const isTheirs = (domain: string | undefined) =>
    domain !== undefined && company.domains.has(domain)
  const isHosted = company.issuer !== BY_HOSTED_DOMAIN || isTheirs(domainIn(hd))
  if (!address || email_verified === false || !isTheirs(address.domain) || !isHosted) {
    throw notOfDomain()
  }
  // Apps compare the end of an address, each in its own way.
  const email = `${address.local}@${address.domain}`
  const sub = await subAt(company, account.providerAccountId)
  const methods = hasFactors(company, profile) ? (['mfa'] as const) : []
  return {
    ...rest,
    user: { ...user, id: sub, email, emailVerified: true },
    account: { ...account, userId: sub },
    profile,
    amr: [account.provider, ...methods],
  }
}

/** The parts of a text that is one address and nothing else, with its domain as it is compared. */
function addressIn(text: unknown): { readonly local: string; readonly domain: string } | undefined {
  if (typeof text !== 'string' || text.length > 254) return undefined
  const [local = '', end, ...more] = text.split('@')
  const isOne = local !== '' && more.length === 0 && !/[\s<>(),:;"[\]\\\p{C}]/u.test(text)
  const domain = isOne ? domainIn(end) : undefined
  return domain === undefined ? undefined : { local, domain }
}

/** Has the provider shown two factors, by a word that this company's entry lets count? */
function hasFactors(
  { hasFactors, acr }: KnownCompany,
  profile: Readonly<Record<string, unknown>>,
): boolean {
  if (!hasFactors) return false
  const { amr, acr: shown } = profile
  if (acr.length > 0) return typeof shown === 'string' && acr.includes(shown)
  return Array.isArray(amr) && amr.includes('mfa')
}
