import type { SessionClaims } from '@latchkey/session'
import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import type { AuthRequest, ResolvedProvider } from '../../http/request.js'
import { homeOf, ownPage, toSignIn } from '../../http/targets.js'
import { nameIn } from '../../languages/fill.js'
import { BadRequest } from '../../lib/bad-request.js'
import type { Markup } from '../../pages/markup.js'
import { hasTimes, timesScript } from '../../pages/time.js'
import { readPerson } from '../../person/documents.js'
import { isLookedAt, showNotFound } from '../../routes/not-found.js'
import { shownSessions } from '../../session/list.js'
import { signedIn } from '../../session/read.js'
import { scriptsOf } from '../../sign-in/show-sign-in.js'
import { shownWays } from '../ways/list.js'
import { AccountPage, type AccountSection, accountTitle } from './account-page.js'
import { mayDelete } from './delete-account.js'

/** GET /account: the page of the signed-in person, with all that is theirs. */
export function account(request: AuthRequest): Promise<Outcome> {
  return show(request)
}

/** GET /account/sessions and so on: one section of it, which asks for no more than it shows. */
export function accountSection(section: AccountSection) {
  return (request: AuthRequest): Promise<Outcome> => show(request, section)
}

/** GET /account/<name>: the section of another feature. */
export function sectionOfFeature(request: AuthRequest, name: string): Promise<Outcome> {
  return show(request, name)
}

/** Has a feature such a section? */
export function hasSection({ features }: AuthRequest, name: string): boolean {
  return features.sections.some((one) => one.name === name)
}

async function show(request: AuthRequest, section?: string): Promise<Outcome> {
  const { issuer, providers, features } = request
  const further = features.sections.find(({ name }) => name === section)
  if (section === 'passkeys' && !providers.usable.has('passkey')) {
    if (isLookedAt(request)) return showNotFound(request, 404)
    throw new BadRequest(404, 'Not found')
  }
  const address = `${issuer}/account${section ? `/${section}` : ''}`
  const claims = await signedIn(request)
  if (!claims) return redirect(toSignIn(request, ownPage(request, address)))
  const names = new Map([...providers.usable].map(([id, { name }]) => [id, name]))
  const nameOf = (id: string) => nameIn(words, names.get(id) ?? id)
  const head = await formHead(request)
  const { words } = head
  const [sessions, { ways, accepted, person }] = await Promise.all([
    !section || section === 'sessions' ? shownSessions(request, claims, words) : [],
    waysFor(request, claims, section),
  ])
  const rpId = accepted.length > 0 ? passkeyDomain(request) : undefined
  const addable = [...providers.usable.values()].filter(({ kind }) => kind.isAddable)
  const [error, code] = [request.query.get('error') ?? undefined, request.query.get('code')]
  const typed = error === undefined ? undefined : await request.features.typed?.names(request)
  const protections = features.hooks('protection')
  const own = further ? undefined : (section as AccountSection | undefined)
  const page = AccountPage({
    ...head,
    further: features.sections.map(({ name, title }) => ({ name, title: title(words) })),
    ...(further
      ? { shown: { name: further.name, content: await further.show(request, claims, words) } }
      : {}),
    user: (claims.session.user ?? {}) as object,
    section: own,
    sessions: sessions.map((one) => ({ ...one, provider: nameOf(one.provider) })),
    ways: ways.map((one) => ({
      ...one,
      provider: nameOf(one.provider),
      name: one.name && nameIn(words, one.name),
      mark: markOf(providers.usable.get(one.provider)),
    })),
    protections:
      protections.length > 0
        ? (place) => protections.map((protection) => protection(request, person, place))
        : undefined,
    addable: addable.map((provider) => ({
      ...provider.kind.form(provider),
      typed: provider.id === typed?.of ? typed.names : undefined,
      isThere: ways.some((way) => way.provider === provider.id),
    })),
    error,
    code: code ?? undefined,
    callbackUrl: address,
    ...(rpId === undefined ? {} : { accepted: accepted.map((one) => ({ rpId, ...one })) }),
    home: mayDelete(request) ? `${request.origin}/` : undefined,
    app: homeOf(request),
  })
  const title = further ? further.title(words) : accountTitle(words, own)
  return showPage(words, title, page, 200, [
    ...(hasTimes(page) ? [timesScript] : []),
    ...(!section || section === 'passkeys' ? scriptsOf(addable) : []),
  ])
}

function markOf(provider: ResolvedProvider | undefined): Markup | undefined {
  return provider?.kind.form(provider).mark?.()
}

/** What a section shows of the person's ways. */
async function waysFor(
  request: AuthRequest,
  claims: SessionClaims,
  section: string | undefined,
): Promise<Awaited<ReturnType<typeof shownWays>>> {
  const none = { ways: [], accepted: [], person: undefined }
  if (section === 'sessions' || request.features.sections.some(({ name }) => name === section)) {
    return none
  }
  if (section !== 'security') return shownWays(request, claims)
  return { ...none, person: (await readPerson(request, claims.sub)).person }
}

/** If pages of this origin cannot use passkeys, the browser gets no signals about them. */
function passkeyDomain(request: AuthRequest): string | undefined {
  const provider = request.providers.usable.get('passkey')
  try {
    return provider?.kind.rpId?.(request, provider)
  } catch {
    return undefined
  }
}
