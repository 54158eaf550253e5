/** Begins the ids of the providers of companies. No other provider may have such an id. */
const BEGINNING = 'company-'

/** The id of the provider of a company. */
export function companyProviderId(company: string): string {
  return BEGINNING + company
}

/** The company that a provider's id names; `undefined`: it is another provider's. */
export function companyIn(provider: string | undefined): string | undefined {
  if (!provider?.startsWith(BEGINNING)) return undefined
  const id = provider.slice(BEGINNING.length)
  return isCompanyId(id) ? id : undefined
}

/** May a text be the id of a company? It stands in paths, in variables and in claims. */
export function isCompanyId(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(text)
}

/** Is an id kept for the providers of companies? No configured provider may have it, whether there are companies or not. */
export function isKeptForCompanies(id: string): boolean {
  return id.startsWith(BEGINNING)
}

/** May an id be that of companies? `company` is a provider of the app's own where there are no companies. */
export function isOfCompanies(id: string): boolean {
  return id === 'company' || isKeptForCompanies(id)
}

/** The claim `company` of a proof: the provider's id is its first method. A step-up by another way has another one. */
export function companyOf([provider]: readonly string[]): { readonly company?: string } {
  const company = companyIn(provider)
  return company === undefined ? {} : { company }
}
