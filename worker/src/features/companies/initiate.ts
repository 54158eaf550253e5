import { InvalidCheck } from '../../errors.js'
import { readBody } from '../../http/body.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { attempting, leadingTo, type Outcome, showPage } from '../../http/outcome.js'
import { pageHead } from '../../http/page-head.js'
import { type AuthRequest, looksAhead } from '../../http/request.js'
import { homeOf, resolveCallbackUrl } from '../../http/targets.js'
import { ErrorPage } from '../../pages/error-page.js'
import { goToCompany } from './entrance.js'
import { findProvider } from './provider.js'

/**
 * GET or POST /initiate/company-<id>: a sign-in that the company's provider begins, such as by a tile on its own page (OpenID
 * Connect Core, section 4). Any site may lead here, so it begins a flow and changes nothing else.
 */
export async function initiate(request: AuthRequest, id: string): Promise<Outcome> {
  if (request.method === 'HEAD') return { kind: 'empty' }
  // The person's own request follows. No browser shows or keeps an answer with this status.
  if (looksAhead(request)) return { kind: 'empty', status: 503 }
  const provider = await findProvider(request, id)
  if (!provider) return refused(request)
  const { company } = provider
  return attempting({ provider: id }, async () => {
    const parameters = await parametersOf(request)
    if (parameters.iss?.replace(/\/$/, '') !== company.issuer) return refused(request)
    const target = await resolveCallbackUrl(request, parameters.target_link_uri)
    return leadingTo(target, () => {
      checkCanFinish(request)
      return goToCompany(request, company, { target, parameters: NOTHING }, parameters.login_hint)
    })
  })
}

const NOTHING = new URLSearchParams()

type Parameters = Readonly<Partial<Record<'iss' | 'login_hint' | 'target_link_uri', string>>>

/** One that stands twice does not count. */
async function parametersOf(request: AuthRequest): Promise<Parameters> {
  const names = ['iss', 'login_hint', 'target_link_uri'] as const
  const given = request.method === 'POST' ? await readBody(request.original) : undefined
  const entries = names.flatMap((name) => {
    const [value, ...more] = given ? [given[name]] : request.query.getAll(name)
    return typeof value === 'string' && more.length === 0 ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

/** A page of its own: another issuer is a mistake of its operator, or a trick. */
async function refused(request: AuthRequest): Promise<Outcome> {
  const error = new InvalidCheck(
    'A sign-in was begun in the name of another issuer than the company’s.',
  )
  const head = await pageHead(request)
  const { words } = head
  const page = ErrorPage({
    ...head,
    error: 'InvalidCheck',
    reference: 'InvalidCheck',
    home: homeOf(request),
  })
  return {
    kind: 'refusal',
    error,
    shown: showPage(words, words.texts.errorPages.otherTitle, page, 400),
  }
}
