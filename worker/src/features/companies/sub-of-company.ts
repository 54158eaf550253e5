import type { AuthRequest } from '../../http/request.js'
import { companyProviderId } from '../../lib/company-id.js'
import { readDocument } from '../../person/documents.js'
import { presentPerson } from '../../person/present-person.js'
import { ownerIn, readWay, wayKey } from '../../person/way-document.js'
import { subAt } from './provider.js'
import type { KnownCompany } from './read-company.js'
import { companiesOf } from './settings.js'
import type { SubjectOfCompany } from './types.js'

/**
 * The id of a company's person, by the `sub` that the provider has for them.
 *
 * @returns `null`: there is no such company
 * @throws {StoreUnavailable} @throws {InvalidConfiguration} @throws {CallbackFailed}
 */
export async function subOfCompany(
  request: AuthRequest,
  { company: id, subject }: SubjectOfCompany,
): Promise<string | null> {
  const company = await companiesOf(request).byId(request, id)
  return company ? personAt(request, company, subject) : null
}

/** The same, of a company that is known: by the ledger, by the app's `subject`, or else as it follows from the account. */
export async function personAt(
  request: AuthRequest,
  company: KnownCompany,
  subject: string,
): Promise<string> {
  const own = await subAt(company, subject)
  const owner = ownerIn(readWay(await readDocument(request, wayKey(own))))
  if (owner !== undefined) return (await presentPerson(request, owner, undefined, own)).sub
  const account = {
    provider: companyProviderId(company.id),
    type: 'oidc',
    providerAccountId: subject,
    userId: own,
  } as const
  // Without an address: none was proved.
  const given = await request.features.ports.subjects?.ask(request, { user: { id: own }, account })
  return given ?? own
}
