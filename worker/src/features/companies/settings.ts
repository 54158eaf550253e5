import { answerWithin } from '@latchkey/session/internal'
import { VARIABLE_FORMS } from '../../config/manifests.js'
import { variablesOf } from '../../config/variables-of.js'
import { InvalidConfiguration, StoreUnavailable } from '../../errors.js'
import type { ProcessCounter } from '../../http/process-counter.js'
import type { AuthRequest } from '../../http/request.js'
import { isCompanyId } from '../../lib/company-id.js'
import { isLoopback } from '../../lib/is-loopback.js'
import type { Environment } from '../../types.js'
import { canCount, domainIn, domainsIn } from './domains.js'
import {
  entryOfVariables,
  type KnownCompany,
  readCompany,
  type WrongCompany,
} from './read-company.js'
import type { CompaniesOptions } from './types.js'
import { warn } from './warn.js'

/** What a question about a company gets. */
export type Answer = KnownCompany | WrongCompany | undefined

/** How long an answer of the app counts. Milliseconds. */
const FRESH = 60 * 1000
/** More answers are not kept: the oldest ones go. */
const MAX_ANSWERS = 1_000
/** How long the app's function may take. Milliseconds. */
const MAX_WAIT = 2_000
/** After a failure, what only looks on asks again no sooner. Milliseconds. */
const PAUSE = 5_000

/** The app's own words may have an address in them. */
const FAILED = 'find() or get() threw, or took more than 2 seconds.'

/** Outlives a configuration, which may be made for each request. */
export interface Memory {
  /** Values and no promises: a request may end in the middle. */
  readonly answers: Map<string, Kept>
  /** Lines of the log. */
  readonly counts: ProcessCounter
  /** When the app's function failed last. Milliseconds since the epoch. */
  failedAt: number
}

interface Kept {
  readonly answer: Answer
  readonly at: number
}

/** Is an address of it, or is there a company at all, cannot be known now: `only` might hold. */
class LookupFailed extends StoreUnavailable {
  override readonly retryAfter = 5
}

/** The companies of a service. */
export class Companies {
  readonly fetch: typeof fetch | undefined
  readonly #options: CompaniesOptions
  readonly #env: Environment
  readonly #byId = new Map<string, KnownCompany | WrongCompany>()
  readonly #byDomain = new Map<string, KnownCompany | WrongCompany>()
  readonly counts: ProcessCounter
  readonly #kept: Map<string, Kept>
  readonly #memory: Memory

  constructor(options: CompaniesOptions, env: Environment, memory: Memory) {
    const { answers, counts } = memory
    this.#memory = memory
    this.fetch = options.fetch
    this.#options = options
    this.#env = env
    this.#kept = answers
    this.counts = counts
    for (const [name, variables] of variablesOf(env, VARIABLE_FORMS['AUTH_COMPANY_<ID>_…'].form)) {
      const id = name.toLowerCase().replaceAll('_', '-')
      const company = readCompany(entryOfVariables(id, variables))
      this.#byId.set(id, company)
      for (const text of new Set(
        String(variables.DOMAINS ?? '')
          .trim()
          .split(/\s+/),
      )) {
        const domain = domainIn(text)
        if (domain === undefined) continue
        // The company of these people is unknown.
        const isTaken = this.#byDomain.has(domain)
        this.#byDomain.set(domain, isTaken ? { wrong: 'domains' } : company)
      }
    }
  }

  get isOn(): boolean {
    return this.#byId.size > 0 || this.#options.find !== undefined
  }

  /**
   * The company of a domain.
   *
   * @throws {StoreUnavailable} the app's function does not answer
   * @throws {InvalidConfiguration} its entry cannot be used
   */
  async byDomain(request: AuthRequest, domain: string): Promise<KnownCompany | undefined> {
    if (!canCount(domain)) return undefined
    const own = this.#byDomain.get(domain)
    if (own) return this.#usable(request, own)
    const { find } = this.#options
    if (!find) return undefined
    const answer = await this.#ask(
      request,
      `domain ${domain}`,
      () => find(domain, this.#env),
      (company) => (company.domains.has(domain) ? undefined : 'domains'),
    )
    return this.#usable(request, answer)
  }

  /** The company with an id. Errors as {@link byDomain}. */
  async byId(request: AuthRequest, id: string): Promise<KnownCompany | undefined> {
    if (!isCompanyId(id)) return undefined
    const own = this.#byId.get(id)
    if (own) return this.#usable(request, own)
    const { get } = this.#options
    if (!get) return undefined
    const answer = await this.#ask(
      request,
      `id ${id}`,
      () => get(id, this.#env),
      (company) => (company.id === id ? undefined : 'id'),
    )
    return this.#usable(request, answer)
  }

  /** The companies of the addresses in a text, mostly one or none. Errors as {@link byDomain}. */
  async ofText(request: AuthRequest, text: unknown): Promise<readonly KnownCompany[]> {
    const found: KnownCompany[] = []
    for (const domain of new Set(domainsIn(text))) {
      const company = await this.byDomain(request, domain)
      if (company) found.push(company)
    }
    return found
  }

  /** Has the app's function failed a moment ago? A caller that can do without an answer does not ask then. */
  hasJustFailed(now: number): boolean {
    return Math.abs(now - this.#memory.failedAt) < PAUSE
  }

  async #usable(request: AuthRequest, answer: Answer): Promise<KnownCompany | undefined> {
    if (!answer) return undefined
    const wrong = 'wrong' in answer ? answer.wrong : wrongHere(request, answer)
    if (wrong === undefined) return answer as KnownCompany
    await warn(
      request,
      'company-invalid',
      `The entry of a company cannot be used, because of: ${wrong}.`,
    )
    throw new InvalidConfiguration(`The entry of a company cannot be used, because of: ${wrong}.`)
  }

  /** @param wrongIn the member by which a company is not the one that was asked for */
  async #ask(
    request: AuthRequest,
    name: string,
    question: () => unknown,
    wrongIn: (company: KnownCompany) => string | undefined,
  ): Promise<Answer> {
    const now = request.config.now()
    const before = this.#kept.get(name)
    if (before && Math.abs(now - before.at) < FRESH) return before.answer
    let entry: unknown
    try {
      // In an async function, so that a question that throws at once rejects.
      const answered = (async () => question())()
      entry = await answerWithin(MAX_WAIT, answered)
    } catch (cause) {
      this.#memory.failedAt = request.config.now()
      await warn(request, 'company-lookup-failed', FAILED)
      throw new LookupFailed('The company of an address cannot be found now.', { cause })
    }
    const answer = entry === undefined || entry === null ? undefined : this.#judged(entry, wrongIn)
    this.#kept.delete(name)
    this.#kept.set(name, { answer, at: now })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_ANSWERS && oldest !== undefined) this.#kept.delete(oldest)
    return answer
  }

  #judged(entry: unknown, wrongIn: (company: KnownCompany) => string | undefined): Answer {
    let company: KnownCompany | WrongCompany
    try {
      company = readCompany(entry)
    } catch {
      // A member of the entry is a function of the app.
      return { wrong: 'company' }
    }
    if ('wrong' in company) return company
    // The variables come first, also at the callback.
    const wrong = this.#byId.has(company.id) ? 'id' : wrongIn(company)
    return wrong === undefined ? company : { wrong }
  }
}

/** An issuer on this machine is for a service on this machine. */
function wrongHere({ origin }: AuthRequest, { issuer }: KnownCompany): string | undefined {
  return isLoopback(new URL(issuer)) && !isLoopback(new URL(origin)) ? 'issuer' : undefined
}

/** @throws {TypeError} there is one function without the other, or something else in the place of an option */
export function checkOptions(options: CompaniesOptions): void {
  const { find, get, fetch, ...rest } = options
  for (const [name, value] of Object.entries({ find, get, fetch })) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`companies() takes a function as \`${name}\`.`)
    }
  }
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new TypeError(`companies() has no option ${JSON.stringify(unknown.slice(0, 50))}.`)
  if ((find === undefined) !== (get === undefined)) {
    throw new TypeError('companies() needs both `find` and `get`, or neither.')
  }
}

/** The companies of a request's service, which has some. */
export function companiesOf({ features }: Pick<AuthRequest, 'features'>): Companies {
  const companies = features.settings<Companies>('companies')
  if (!companies) throw new TypeError('The feature companies is off.')
  return companies
}
