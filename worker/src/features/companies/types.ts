/** The options of `companies()`. Variables name more companies, and come first. */
export interface CompaniesOptions<Env = unknown> {
  /**
   * The company with a domain, which comes in lower case and in its ASCII form. Default: those of variables. It is asked when
   * somebody types an address; its answers count for 60 seconds, `undefined` too. While it throws, or takes more than 2 seconds, no
   * address of that domain signs in.
   */
  find?(domain: string, env: Env): Company | undefined | Promise<Company | undefined>
  /** The same company by its id. Needed with `find`. Default: those of variables. */
  get?(id: string, env: Env): Company | undefined | Promise<Company | undefined>
  /** What asks the providers of companies. Default: the platform's, which on Node connects to public addresses alone. */
  readonly fetch?: typeof fetch
}

/** A customer whose people sign in by the customer's own OpenID provider. */
export interface Company {
  /** 1 to 32 of `a–z 0–9 -`, a letter first. */
  readonly id: string
  /** 1 to 50 whole domains. A subdomain counts only by name. */
  readonly domains: readonly string[]
  /** The issuer of its provider, of one tenant: https, or http for loopback if the service is on loopback too. */
  readonly issuer: string
  /** The client id that its provider has for this service. */
  readonly clientId: string
  /** Default: the client is public. */
  readonly clientSecret?: string | undefined
  /** What people see. Default: the id. */
  readonly name?: string | undefined
  /** Its people sign in by no other way. Default: they may. */
  readonly only?: boolean | undefined
  /** Its people may have accounts here already: each is asked once. Default: none is. */
  readonly join?: boolean | undefined
  /** What its provider says of second factors counts: `mfa` in `amr` (`true`), or one of these `acr`. Default: it does not. */
  readonly factors?: boolean | { readonly acr: readonly string[] } | undefined
}

/** A person, as the provider of a company names them. */
export interface SubjectOfCompany {
  /** The id of the company. */
  readonly company: string
  /** The `sub` of its provider, 1 to 255 characters. */
  readonly subject: string
}

/** Methods for the operator. */
export interface MethodsOfCompanies {
  /**
   * The id of a company's person, by the `sub` that the provider has for them, also before their first sign-in: for a notice that
   * they have left, such as one by SCIM (docs/companies.md).
   *
   * @returns `null`: there is no such company
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} call it again
   * @example await auth.subOfCompany({ company: 'acme', subject: '00u1a2b3c4' }, env, ctx)
   */
  subOfCompany(who: SubjectOfCompany): Promise<string | null>
}
