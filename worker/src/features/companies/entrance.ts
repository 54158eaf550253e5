import { ProviderMisconfigured } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { attempting, type Outcome, redirect } from '../../http/outcome.js'
import type { Purpose } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, withNeeds } from '../../http/targets.js'
import { showSignIn } from '../../sign-in/show-sign-in.js'
import { normalizeAddress } from '../email/address.js'
import { joining } from './flow-part.js'
import { entranceForm } from './forms.js'
import { companyOnly } from './only.js'
import { providerOf } from './provider.js'
import type { KnownCompany } from './read-company.js'
import { companiesOf } from './settings.js'

/** The form that asks for the address first. It has no accounts of its own. */
const kind: Kind = {
  isAddable: false,
  isGuessable: false,
  isEntrance: true,
  resolve() {
    throw new ProviderMisconfigured('No provider of the configuration has the type "company".')
  },
  form: entranceForm,
  start: (request, _provider, fields, purpose) => start(request, fields.email, purpose),
  finish: {},
}

/** What `/providers` has for all companies together. */
export const entrance: ResolvedProvider = { id: 'company', name: 'Company', type: 'company', kind }

/** POST /signin/company: to the provider of the company that the address is of, or to the other ways. */
async function start(request: AuthRequest, email: unknown, purpose: Purpose): Promise<Outcome> {
  const typed = typeof email === 'string' ? email.slice(0, MAX_TYPED) : ''
  const [company] = await companiesOf(request).ofText(request, typed)
  if (company) return goToCompany(request, company, purpose, typed)
  if (request.wantsJson) {
    const page = withNeeds(new URL(`${request.issuer}/signin?ways=1`), purpose)
    page.searchParams.set('callbackUrl', purpose.target)
    return redirect(ownPage(request, page.href))
  }
  const said = { error: undefined, code: undefined }
  return showSignIn(request, purpose, said, { ways: { typed } })
}

/** In characters: a longer text is not an address. */
const MAX_TYPED = 320

/**
 * Sends the browser to the provider of a company.
 *
 * @param address as it was typed
 */
export async function goToCompany(
  request: AuthRequest,
  company: KnownCompany,
  purpose: Purpose,
  address?: unknown,
): Promise<Outcome> {
  const provider = await providerOf(request, company)
  const parameters = new URLSearchParams(purpose.parameters ?? request.query)
  parameters.delete('login_hint')
  // A text that is not an address stays here.
  const hint = normalizeAddress(address)
  if (hint !== undefined) parameters.set('login_hint', hint)
  // It is not a step-up: the session that asks may have begun by another way.
  const { stepUp: _, asker: __, ...rest } = purpose
  return attempting({ provider: provider.id }, () =>
    provider.kind.start(request, provider, {}, { ...rest, parameters }),
  )
}

/** The start at a company's provider, in place of a form for another way with an address of the company. */
export async function instead(
  request: AuthRequest,
  address: unknown,
  purpose: Purpose,
): Promise<Outcome | undefined> {
  const companies = await companiesOf(request).ofText(request, address)
  // One that has given its proof already has its person prove an old way.
  const proving = joining.of(purpose)?.company
  const company = companies.find(({ id, isOnly }) => isOnly && id !== proving)
  if (!company) return undefined
  if (purpose.features) throw companyOnly()
  return goToCompany(request, company, purpose, address)
}
