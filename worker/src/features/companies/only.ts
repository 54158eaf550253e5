import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { AccessDenied } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { companyIn } from '../../lib/company-id.js'
import { readPerson } from '../../person/documents.js'
import type { Person, PersonWay } from '../../person/person.js'
import type { SignIn } from '../../service/sign-in-hooks.js'
import type { StandingSession } from '../../session/stored-values.js'
import { openDescribed } from '../ways/description.js'
import { joining } from './flow-part.js'
import type { KnownCompany } from './read-company.js'
import { companiesOf } from './settings.js'

/** The refusal of any other way, where a company signs its people in alone. */
export function companyOnly(): AccessDenied {
  const error = new AccessDenied('A company manages how this person signs in.')
  error.code = 'company_only'
  return error
}

/**
 * May a session begin by this proof? A person of a company that signs its people in by no other way has one by the company's
 * proof alone: by the address of the proof, verified or not, by the address of a way of theirs, and by a way of that company.
 *
 * @throws {AccessDenied} `company_only`; `company_domain`: a company has proved an address whose domain leads to another one
 * @throws {StoreUnavailable} it cannot be known now
 */
export async function checkOnly(
  request: AuthRequest,
  { signedIn, document, purpose }: SignIn,
): Promise<void> {
  const { user, account, profile } = signedIn
  const proving = companyIn(account.provider)
  if (proving !== undefined) await checkFound(request, proving, user.email)
  // The company's own proof may wait for this one.
  const own = joining.of(purpose)?.company ?? proving
  const texts = [user.email, profile?.email, account.providerAccountId]
  const concerning = await concerningOf(request, texts, document?.person)
  if (concerning.every(({ id }) => id === own)) return
  throw Object.assign(companyOnly(), { isAtSignIn: true as const })
}

/** A domain has one company: a company cannot prove an address whose domain leads to another one. @throws {AccessDenied} */
async function checkFound(request: AuthRequest, id: string, address: unknown): Promise<void> {
  const found = await companiesOf(request).ofText(request, address)
  if (found.some((company) => company.id !== id)) throw notOfDomain()
}

/** The refusal of an address that is not of the domains of the company that has proved it. */
export function notOfDomain(): AccessDenied {
  const error = new AccessDenied('The provider of a company names no address of its domains.')
  error.code = 'company_domain'
  return error
}

/**
 * Refuses to add anything to a person of such a company, also in a session that the company's proof has begun.
 *
 * @throws {AccessDenied} `company_only`
 */
export async function checkAdding(request: AuthRequest, claims: SessionClaims): Promise<void> {
  const { person } = await readPerson(request, claims.sub)
  if (await managing(request, claims, person)) throw companyOnly()
}

/**
 * Refuses to remove the ways by which such a company concerns a person: without them the others would sign in again.
 *
 * @throws {AccessDenied} `company_only`
 */
export async function checkRemoving(request: AuthRequest, way: PersonWay): Promise<void> {
  const concerning = await concerningOf(request, [], { ways: [way] })
  if (concerning.length > 0) throw companyOnly()
}

/** The company that manages how the person of a session signs in. @throws {StoreUnavailable} */
export async function managing(
  request: AuthRequest,
  claims: SessionClaims,
  person: Person | undefined,
): Promise<KnownCompany | undefined> {
  const own = await companyOfSession(request, claims)
  if (own?.isOnly) return own
  const { user } = claims.session
  const [company] = await concerningOf(request, [isRecord(user) ? user.email : undefined], person)
  return company
}

/** The company whose provider has begun a session. */
export async function companyOfSession(
  request: AuthRequest,
  { company }: Pick<SessionClaims, 'company'>,
): Promise<KnownCompany | undefined> {
  return company === undefined ? undefined : companiesOf(request).byId(request, company)
}

/**
 * Has a session to end at its renewal? It has if it began by another way, and its own address is of a company that signs its
 * people in by no other way. While that cannot be known it goes on.
 */
export async function isOverFor(
  request: AuthRequest,
  { record, token, vouched }: Pick<StandingSession, 'record' | 'token' | 'vouched'>,
): Promise<boolean> {
  const companies = companiesOf(request)
  if (companies.hasJustFailed(nowInSeconds(request) * 1000)) return false
  const own = companyIn(record.provider)
  try {
    const concerning = await concerningOf(request, [vouched, token.email], undefined)
    return concerning.some(({ id }) => id !== own)
  } catch {
    return false
  }
}

/** The companies that concern a person, and sign their people in by no other way. */
async function concerningOf(
  request: AuthRequest,
  texts: readonly unknown[],
  person: Person | undefined,
): Promise<readonly KnownCompany[]> {
  const companies = companiesOf(request)
  const found: KnownCompany[] = []
  for (const text of new Set([...texts, ...(await addressesOf(request, person))])) {
    found.push(...(await companies.ofText(request, text)))
  }
  for (const provider of new Set(person?.ways.map((one) => one.provider))) {
    const id = companyIn(provider)
    const company = id === undefined ? undefined : await companies.byId(request, id)
    if (company) found.push(company)
  }
  return found.filter(({ isOnly }) => isOnly)
}

/** The addresses of a person's ways: those that are ways, and those that their providers vouch for. */
async function addressesOf(
  request: AuthRequest,
  person: Person | undefined,
): Promise<readonly string[]> {
  const described = await Promise.all(person?.ways.map((one) => openDescribed(request, one)) ?? [])
  return described.flatMap(({ address }) => address ?? [])
}
