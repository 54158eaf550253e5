import type { SessionClaims } from '@latchkey/session'
import { shownProviders } from '../../http/find-provider.js'
import type { ResolvedProvider } from '../../http/kind.js'
import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import type { AuthRequest } from '../../http/request.js'
import { homeOf, ownPage, toSignIn } from '../../http/targets.js'
import { nameIn } from '../../languages/fill.js'
import type { Markup } from '../../pages/markup.js'
import { isScripted } from '../../pages/provider-forms.js'
import { hasTimes, timesScript } from '../../pages/time.js'
import { readPerson } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import type { AccountSection } from '../../service/account-hooks.js'
import { shownSessions } from '../../session/list.js'
import { signedIn } from '../../session/read.js'
import { scriptsOf } from '../../sign-in/show-sign-in.js'
import { isLately } from '../ways/fresh-post.js'
import { shownWays } from '../ways/list.js'
import { AccountPage, type AccountPageProps, accountTitle } from './account-page.js'
import { mayDelete } from './delete-account.js'

/** GET /account: the page of the signed-in person, with all that is theirs. */
export function account(request: AuthRequest): Promise<Outcome> {
  return show(request)
}

/** GET /account/sessions and so on: one section of it, which asks for no more than it shows. */
export function accountSection(section: 'sessions' | 'ways' | 'security') {
  return (request: AuthRequest): Promise<Outcome> => show(request, section)
}

/** GET /account/<name>: the section of another feature. */
export function sectionOfFeature(request: AuthRequest, name: string): Promise<Outcome> {
  return show(request, name)
}

/** Has a feature such a section? */
export function hasSection(request: AuthRequest, name: string): boolean {
  return sectionsOf(request).some((one) => one.name === name)
}

/** One of ways is there if a provider is, by which one can be added. */
function sectionsOf(request: AuthRequest): readonly AccountSection[] {
  const types = new Set([...request.providers.usable.values()].map(({ type }) => type))
  return request.features.sections.filter((one) =>
    'ways' in one ? types.has(one.ways.type) : (one.isThere?.(request) ?? true),
  )
}

async function show(request: AuthRequest, section?: string): Promise<Outcome> {
  const { issuer, providers, features } = request
  const sections = sectionsOf(request)
  const address = `${issuer}/account${section ? `/${section}` : ''}`
  const claims = await signedIn(request)
  if (!claims) return redirect(toSignIn(request, ownPage(request, address)))
  const head = await formHead(request)
  const { words } = head
  const shown = sections.find(({ name }) => name === section)
  const own = shown && 'show' in shown ? shown : undefined
  const [sessions, { ways, person }, content] = await Promise.all([
    !section || section === 'sessions' ? shownSessions(request, claims, words) : [],
    own || section === 'sessions' ? NO_WAYS : waysFor(request, claims, section),
    own?.show(request, claims, { ...head, back: address }),
  ])
  const ids = [...sessions, ...ways].map(({ provider }) => provider)
  const known = await shownProviders(request, ids)
  const nameOf = (id: string) => nameIn(words, known.get(id)?.name ?? id)
  const managed =
    own || section === 'sessions'
      ? undefined
      : await features.ports.manager?.of(request, { claims, words, person })
  const addable =
    managed?.mayAdd === false
      ? []
      : [...providers.usable.values()].filter(({ kind }) => kind.isAddable)
  const [error, code] = [request.query.get('error') ?? undefined, request.query.get('code')]
  const typed = error === undefined ? undefined : await request.features.ports.typed?.names(request)
  const protections = features.hooks('pages', 'protection')
  const props: AccountPageProps = {
    ...head,
    user: claims.session.user ?? {},
    managed: managed?.says,
    section,
    sections,
    content,
    mayHaveChanged: isLately(request, claims),
    sessions: sessions.map((one) => ({
      ...one,
      provider: nameOf(one.provider),
      bound: one.bound ? features.ports.binding?.label(words) : undefined,
    })),
    ways: ways.map((one) => ({
      ...one,
      provider: nameOf(one.provider),
      name: one.name && nameIn(words, one.name),
      mark: markOf(known.get(one.provider)),
      kind: one.entry && features.wayKind(one.entry.way),
    })),
    protections:
      protections.length > 0
        ? (place) => protections.map((protection) => protection(request, person, place))
        : undefined,
    addable: addable.map((provider) => ({
      ...provider.kind.form(provider),
      typed: provider.id === typed?.of ? typed.names : undefined,
      isThere: ways.some((way) => way.provider === provider.id),
      type: provider.type,
    })),
    error,
    code: code ?? undefined,
    callbackUrl: address,
    accepted: person && (await acceptedOf(request, person, claims)),
    home: mayDelete(request) ? `${request.origin}/` : undefined,
    app: homeOf(request),
  }
  const page = AccountPage(props)
  return showPage(words, accountTitle(props), page, 200, [
    ...(hasTimes(page) ? [timesScript] : []),
    ...(isScripted(page) ? scriptsOf(addable) : []),
  ])
}

async function acceptedOf(
  request: AuthRequest,
  person: Person,
  claims: SessionClaims,
): Promise<readonly object[]> {
  const kinds = request.features.wayKinds
  return (await Promise.all(kinds.map((kind) => kind.accepted(request, person, claims)))).flat()
}

function markOf(provider: ResolvedProvider | undefined): Markup | undefined {
  return provider?.kind.form(provider).mark?.()
}

const NO_WAYS: Awaited<ReturnType<typeof shownWays>> = { ways: [], person: undefined }

/** The person's ways for one section. */
async function waysFor(
  request: AuthRequest,
  claims: SessionClaims,
  section: string | undefined,
): Promise<Awaited<ReturnType<typeof shownWays>>> {
  if (section !== 'security') return shownWays(request, claims)
  return { ...NO_WAYS, person: (await readPerson(request, claims.sub)).person }
}
