import type { SessionClaims } from '@latchkey/session'
import type { ResolvedProvider } from '../../http/kind.js'
import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import type { AuthRequest } from '../../http/request.js'
import { homeOf, ownPage, toSignIn } from '../../http/targets.js'
import { nameIn } from '../../languages/fill.js'
import type { Markup } from '../../pages/markup.js'
import { hasTimes, timesScript } from '../../pages/time.js'
import { readPerson } from '../../person/documents.js'
import type { SectionPlace, WayKind } from '../../service/account-hooks.js'
import { shownSessions } from '../../session/list.js'
import { signedIn } from '../../session/read.js'
import { scriptsOf } from '../../sign-in/show-sign-in.js'
import type { ProviderType } from '../../types.js'
import { shownWays } from '../ways/list.js'
import { AccountPage, accountTitle } from './account-page.js'
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

/** Has a feature such a section? One of ways is there if a provider is, by which one can be added. */
export function hasSection(request: AuthRequest, name: string): boolean {
  const section = request.features.sections.find((one) => one.name === name)
  return section !== undefined && (!('ways' in section) || canAdd(request, section.ways))
}

function canAdd({ providers }: AuthRequest, { type }: WayKind): boolean {
  return [...providers.usable.values()].some((provider) => provider.type === type)
}

async function show(request: AuthRequest, section?: string): Promise<Outcome> {
  const { issuer, providers, features } = request
  const further = features.sections.flatMap((one) => ('show' in one ? one : []))
  const shown = further.find(({ name }) => name === section)
  const address = `${issuer}/account${section ? `/${section}` : ''}`
  const claims = await signedIn(request)
  if (!claims) return redirect(toSignIn(request, ownPage(request, address)))
  const names = new Map([...providers.usable].map(([id, { name }]) => [id, name]))
  const nameOf = (id: string) => nameIn(words, names.get(id) ?? id)
  const head = await formHead(request)
  const { words } = head
  const [sessions, { ways, person }] = await Promise.all([
    !section || section === 'sessions' ? shownSessions(request, claims, words) : [],
    waysFor(request, claims, section),
  ])
  const kinds = features.sections.flatMap((one) =>
    'ways' in one && canAdd(request, one.ways) ? one : [],
  )
  const sectionOf = (of: ProviderType | undefined) =>
    kinds.find(({ ways }) => ways.type === of)?.name
  const addable = [...providers.usable.values()].filter(({ kind }) => kind.isAddable)
  const offered = section ? addable.filter(({ type }) => sectionOf(type) === section) : addable
  const [error, code] = [request.query.get('error') ?? undefined, request.query.get('code')]
  const typed = error === undefined ? undefined : await request.features.typed?.names(request)
  const protections = features.hooks('protection')
  const props = {
    ...head,
    kinds: kinds.map(({ name, title, ways }) => ({
      name,
      title: title(words),
      none: ways.texts(words).none,
    })),
    further: further.map(({ name, title }) => ({ name, title: title(words) })),
    ...(shown && {
      shown: { name: shown.name, content: await shown.show(request, claims, words) },
    }),
    user: (claims.session.user ?? {}) as object,
    section: shown ? undefined : section,
    sessions: sessions.map((one) => ({ ...one, provider: nameOf(one.provider) })),
    ways: ways.map(({ entry, ...one }) => {
      const kind = entry && features.wayKind(entry.way)
      return {
        ...one,
        provider: nameOf(one.provider),
        name: one.name && nameIn(words, one.name),
        mark: markOf(providers.usable.get(one.provider)),
        section: sectionOf(kind?.type),
        kind: kind && { ...kind.texts(words), about: kind.about(entry, words) },
      }
    }),
    protections:
      protections.length > 0
        ? (place: SectionPlace) =>
            protections.map((protection) => protection(request, person, place))
        : undefined,
    addable: addable.map((provider) => ({
      ...provider.kind.form(provider),
      typed: provider.id === typed?.of ? typed.names : undefined,
      isThere: ways.some((way) => way.provider === provider.id),
      section: sectionOf(provider.type),
    })),
    error,
    code: code ?? undefined,
    callbackUrl: address,
    accepted:
      person && offered.length > 0
        ? kinds.flatMap(({ ways }) => ways.accepted(request, person))
        : [],
    home: mayDelete(request) ? `${request.origin}/` : undefined,
    app: homeOf(request),
  }
  const page = AccountPage(props)
  return showPage(words, shown ? shown.title(words) : accountTitle(props), page, 200, [
    ...(hasTimes(page) ? [timesScript] : []),
    ...scriptsOf(offered),
  ])
}

function markOf(provider: ResolvedProvider | undefined): Markup | undefined {
  return provider?.kind.form(provider).mark?.()
}

/** The person's ways for one section. */
async function waysFor(
  request: AuthRequest,
  claims: SessionClaims,
  section: string | undefined,
): Promise<Awaited<ReturnType<typeof shownWays>>> {
  const others = request.features.sections.flatMap((one) => ('show' in one ? one.name : []))
  if (section === 'sessions' || others.some((name) => name === section)) {
    return { ways: [], person: undefined }
  }
  if (section !== 'security') return shownWays(request, claims)
  return { ways: [], person: (await readPerson(request, claims.sub)).person }
}
