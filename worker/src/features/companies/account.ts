import type { AuthRequest } from '../../http/request.js'
import { fill, nameIn } from '../../languages/fill.js'
import { html } from '../../pages/markup.js'
import type { Managed, Manager } from '../../service/account-hooks.js'
import { companyOfSession, managing } from './only.js'

type Shown = Parameters<Manager['of']>[1]

/** What the account page says of the company of its person, and whether it has forms to add ways. */
export async function managed(
  request: AuthRequest,
  { claims, words, person }: Shown,
): Promise<Managed | undefined> {
  const { manages, signedInBy } = words.texts.companies
  const only = await managing(request, claims, person)
  const company = only ?? (await companyOfSession(request, claims))
  if (!company) return undefined
  const text = fill(only ? manages : signedInBy, { name: nameIn(words, company.name) })
  return { says: html`<p class="mid" role="note">${text}</p>`, mayAdd: !only }
}
